import { SchedError } from '@sched/core'
import type { UserOptions } from './options.js'

/** What is set of an account, its users, and the accounts inside it. */
export type AccountTree<S extends object> = S & {
  readonly users?: Readonly<Record<string, S>> | undefined
  readonly usersOfPartitions?: Readonly<Record<string, Readonly<Record<string, S>>>> | undefined
  readonly accounts?: Readonly<Record<string, AccountTree<S>>> | undefined
}

/** A user of an account, or an account: its own settings, and what it lies in. */
export interface Association<S extends object = UserOptions> {
  readonly name: string
  readonly isUser: boolean
  /** The one that its jobs are in; absent: any. */
  readonly partition?: string | undefined
  readonly parent: Association<S> | undefined
  readonly settings: S
  readonly isDeclared: boolean
}

/**
 * The tree of accounts with their users. Jobs name their account by its name alone. A user has one association for each partition that is declared for that, and one for all others.
 *
 * Source: Slurm, `assoc_mgr_fill_in_assoc`.
 */
export class Associations<S extends object = UserOptions> {
  readonly root: Association<S>
  readonly #accounts = new Map<string, Association<S>>()
  readonly #users = new Map<string, Association<S>>()
  /** The account of the first association of each user: that of jobs that name none. */
  readonly #usual = new Map<string, Association<S>>()
  readonly #ofPartitions = new Set<string>()

  /** Throws `BAD_OPTION` for two accounts of one name. */
  constructor({ root = none as AccountTree<S>, ...accounts }: Readonly<Record<string, AccountTree<S>>>) {
    this.root = { name: 'root', isUser: false, parent: undefined, settings: root, isDeclared: true }
    this.#accounts.set('root', this.root)
    this.#declare(root, this.root)
    this.#declareInside(accounts, this.root)
  }

  /** The association of a user's job in a partition that names an account, or '' for none; made at first use where it is not declared. */
  of(user: string, account: string, partition: string): Association<S> {
    const usual = account === '' ? (this.#usual.get(user) ?? this.root) : undefined
    const within = usual?.name ?? account
    const known = this.#users.get(keyOf(user, within, partition)) ?? this.#users.get(keyOf(user, within))
    if (known !== undefined) return known
    const parent = usual ?? this.#accounts.get(account) ?? this.#add(account, false, this.root, none as S, false)
    return this.#add(user, true, parent, none as S, false)
  }

  /** Whether a user has associations of single partitions. */
  isOfPartitions(user: string): boolean {
    return this.#ofPartitions.has(user)
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

/** A setting of the association itself or of the nearest around it: limits of accounts hold for each of their users. */
export function inherited<S extends object, K extends keyof S>(from: Association<S>, key: K): S[K] | undefined {
  for (let each: Association<S> | undefined = from; each !== undefined; each = each.parent) if (each.settings[key] !== undefined) return each.settings[key]
  return undefined
}

/** Whether jobs of an association may ask for a QOS: by its own list or the nearest around it, which one of `+name` and `-name` changes; any where there is none. */
export function mayAskFor(from: Association, qos: string): boolean {
  for (let each: Association | undefined = from; each !== undefined; each = each.parent) {
    const names = each.settings.QOS ?? []
    if (names.includes(`+${qos}`)) return true
    if (names.includes(`-${qos}`)) return false
    if (names.some((name) => !/^[-+]/.test(name))) return names.includes(qos)
  }
  return true
}

/** The settings of those that are not declared. */
const none = {}

const keyOf = (user: string, account: string, partition = '') => JSON.stringify([account, user, partition.toLowerCase()])
