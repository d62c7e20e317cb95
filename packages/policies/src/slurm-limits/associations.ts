import { SchedError } from '@sched/core'
import type { AccountTree } from './account-tree.js'
import type { UserOptions } from './options.js'

/** An account, or a user in an account. */
export interface Association<S extends object = UserOptions> {
  readonly name: string
  readonly isUser: boolean
  /** The partition to whose jobs it is limited; absent: it is for jobs in any partition. */
  readonly partition?: string | undefined
  /** The account around it; undefined for the root. */
  readonly parent: Association<S> | undefined
  /** Its own settings. */
  readonly settings: S
  /** Whether the options declare it. */
  readonly isDeclared: boolean
}

/**
 * The tree of accounts with their users. Jobs name an account by its name alone, so names are unique. A user may have an association for each of some
 * partitions in an account, and one for all other partitions.
 *
 * Source: Slurm, `assoc_mgr_fill_in_assoc`.
 */
export class Associations<S extends object = UserOptions> {
  readonly root: Association<S>
  readonly #accounts = new Map<string, Association<S>>()
  readonly #users = new Map<string, Association<S>>()
  /** The account of each user's first association, which jobs get that name no account. */
  readonly #usual = new Map<string, Association<S>>()
  /** Users with associations for single partitions. */
  readonly #ofPartitions = new Set<string>()

  /** Throws `BAD_OPTION` for two accounts of one name. */
  constructor({ root = none as AccountTree<S>, ...accounts }: Readonly<Record<string, AccountTree<S>>>) {
    this.root = { name: 'root', isUser: false, parent: undefined, settings: root, isDeclared: true }
    this.#accounts.set('root', this.root)
    this.#declare(root, this.root)
    this.#declareInside(accounts, this.root)
  }

  /** The association of a user's job. `account`: the one that it names, empty if none. An association that is not declared is made at first use. */
  of(user: string, account: string, partition: string): Association<S> {
    const usual = account === '' ? (this.#usual.get(user) ?? this.root) : undefined
    const within = usual?.name ?? account
    const known = this.#users.get(keyOf(user, within, partition)) ?? this.#users.get(keyOf(user, within))
    if (known !== undefined) return known
    const parent = usual ?? this.#account(account)
    return this.#add(user, true, parent, none as S, false)
  }

  /** The names of the accounts that jobs without one get, by user. */
  get usual(): Readonly<Record<string, string>> {
    return Object.fromEntries(Array.from(this.#usual, ([user, { name }]) => [user, name]))
  }

  /** Gives users the accounts that they had before a restart for jobs without one; returns the users of whom that is news. */
  recall(usual: Readonly<Record<string, string>>): ReadonlySet<string> {
    const changed = new Set<string>()
    for (const [user, account] of Object.entries(usual)) {
      if (this.#usual.get(user)?.name === account) continue
      this.#usual.set(user, this.#account(account))
      changed.add(user)
    }
    return changed
  }

  /** Whether a user has associations for single partitions. */
  isOfPartitions(user: string): boolean {
    return this.#ofPartitions.has(user)
  }

  #account(name: string): Association<S> {
    return this.#accounts.get(name) ?? this.#add(name, false, this.root, none as S, false)
  }

  #declare({ users = {}, usersOfPartitions = {}, accounts = {} }: AccountTree<S>, parent: Association<S>): void {
    for (const [name, settings] of Object.entries(users)) this.#add(name, true, parent, settings, true)
    for (const [partition, inside] of Object.entries(usersOfPartitions)) for (const [name, settings] of Object.entries(inside)) this.#add(name, true, parent, settings, true, partition)
    this.#declareInside(accounts, parent)
  }

  #declareInside(accounts: Readonly<Record<string, AccountTree<S>>>, parent: Association<S>): void {
    for (const [name, settings] of Object.entries(accounts)) {
      if (this.#accounts.has(name)) throw new SchedError('BAD_OPTION', `two accounts are called "${name}".`, { field: `accounts.${name}` }, 'Jobs name their account by its name alone; give each another one.')
      this.#declare(settings, this.#add(name, false, parent, settings, true))
    }
  }

  #add(name: string, isUser: boolean, parent: Association<S>, settings: S, isDeclared: boolean, partition?: string): Association<S> {
    const made = { name, isUser, parent, settings, isDeclared, ...(partition !== undefined && { partition }) }
    if (!isUser) this.#accounts.set(name, made)
    else {
      this.#users.set(keyOf(name, parent.name, partition), made)
      if (partition !== undefined) this.#ofPartitions.add(name)
      if (!this.#usual.has(name)) this.#usual.set(name, parent)
    }
    return made
  }
}

/** A setting of the association itself, or else of the nearest account around it that gives it; undefined if none does. */
export function inherited<S extends object, K extends keyof S>(from: Association<S>, key: K): S[K] | undefined {
  for (let each: Association<S> | undefined = from; each !== undefined; each = each.parent) if (each.settings[key] !== undefined) return each.settings[key]
  return undefined
}

/**
 * Whether jobs of an association may ask for a QOS, by the list of the association or of the nearest account around it. A list with `+name` and `-name` only
 * adds to the next list around it and takes from it. Without any list all QOS are allowed.
 */
export function mayAskFor(from: Association, qos: string): boolean {
  for (let each: Association | undefined = from; each !== undefined; each = each.parent) {
    const names = each.settings.QOS ?? []
    if (names.includes(`+${qos}`)) return true
    if (names.includes(`-${qos}`)) return false
    if (names.some((name) => !/^[-+]/.test(name))) return names.includes(qos)
  }
  return true
}

/** The settings of associations that are not declared. */
const none = {}

const keyOf = (user: string, account: string, partition = '') => JSON.stringify([account, user, partition.toLowerCase()])
