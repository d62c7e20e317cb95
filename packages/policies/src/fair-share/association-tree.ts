import { SchedError } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { OF_PARENT } from './factors.js'

const shares = z.union([z.number().int().nonnegative(), z.literal('parent')])
type Shares = z.output<typeof shares>

/** An account as it is configured. */
export interface AccountOptions {
  /**
   * Shares relative to its siblings; or `parent`: it has no shares of its own, and what lies in it counts as if it lay in the account around it;
   * default 1.
   */
  readonly shares?: Shares | undefined
  /** Shares of its users, relative to one another and to the accounts in it; or `parent`: those of the account. */
  readonly users?: Readonly<Record<string, Shares>> | undefined
  /** By queue, shares of users for their jobs in that queue; these have shares and usage of their own, apart from those in `users`. */
  readonly usersOfPartitions?: Readonly<Record<string, Readonly<Record<string, Shares>>>> | undefined
  /** Accounts inside it. */
  readonly accounts?: Readonly<Record<string, AccountOptions>> | undefined
}
export const accountOptions: z.ZodType<AccountOptions> = z.lazy(() =>
  z.strictObject({
    shares: shares.optional().describe('shares relative to its siblings, or parent: those of the account around it, which it and its users then share with that; default 1'),
    users: z.record(z.string(), shares).optional().describe('shares of its users relative to one another and to its accounts, or parent: those of the account'),
    usersOfPartitions: z.record(z.string(), z.record(z.string(), shares)).optional()
      .describe('by queue, the same of users for their jobs there, whose shares and use are others than those in `users` (associations of one partition)'),
    accounts: z.record(z.string(), accountOptions).optional().describe('accounts inside it'),
  }),
)

const ROOT = 0

/**
 * Accounts and their users as columns by association; the root is 0, and every association comes after the one that it lies in.
 * Accounts and users that are not declared get one share: users in the account that their job names, accounts at the root. An account `root` declares users
 * who are in no account. A user may have an association of its own for the jobs of a queue; the name of the queue is compared regardless of case.
 */
export class AssociationTree {
  readonly parent: number[] = [-1]
  readonly shares: number[] = [1]
  readonly isUser: boolean[] = [false]
  readonly names: string[] = ['root']
  /** By association of a user: the queue that it is for; '' if it is for all other queues. */
  readonly #queues: string[] = ['']
  readonly #accounts = new Map<string, number>([['root', ROOT]])
  /** Associations by account and user; and by user the first one, which is that of jobs without an account. */
  readonly #users = new Map<string, number>()
  readonly #usual = new Map<string, number>()
  #areOfQueues = false

  /** Throws `BAD_OPTION` for two accounts of one name. */
  constructor(accounts: Readonly<Record<string, AccountOptions>> = {}) {
    this.#declare(accounts, ROOT)
  }

  get size(): number {
    return this.parent.length
  }

  /** The association of a user for a job of an account ('': the job names none) in a queue; made at first use. */
  user(name: string, account: string, queue = ''): number {
    const usual = account === '' ? this.#usual.get(name) : undefined
    const parent = usual !== undefined ? (this.parent[usual] as number) : account === '' ? ROOT : (this.#accounts.get(account) ?? this.#addAccount(account, ROOT, 1))
    return (this.#areOfQueues ? this.#users.get(keyOf(name, parent, queue)) : undefined) ?? this.#users.get(keyOf(name, parent)) ?? this.#addUser(name, parent, 1)
  }

  /** A text by which `of` finds the association again. */
  path(association: number): string {
    const name = this.names[association] as string
    if (this.isUser[association] !== true) return JSON.stringify([name])
    const queue = this.#queues[association] as string
    return JSON.stringify([this.names[this.parent[association] as number], name, ...(queue === '' ? [] : [queue])])
  }

  /** The association of such a text; made if there is none. */
  of(path: string): number {
    const [account, user, queue] = JSON.parse(path) as [account: string, user?: string, queue?: string]
    return user === undefined ? (this.#accounts.get(account) ?? this.#addAccount(account, ROOT, 1)) : this.user(user, account, queue)
  }

  #declare(accounts: Readonly<Record<string, AccountOptions>>, parent: number): void {
    for (const name of Object.keys(accounts).sort()) {
      const isRoot = name === 'root' && parent === ROOT
      if (this.#accounts.has(name) && !isRoot)
        throw new SchedError(
          'BAD_OPTION',
          `two accounts are called "${name}".`,
          { field: `accounts.${name}` },
          'Jobs name their account by its name alone; give each another one.',
        )
      const { shares = 1, users = {}, usersOfPartitions = {}, accounts: inside = {} } = accounts[name] as AccountOptions
      const account = isRoot ? ROOT : this.#addAccount(name, parent, shares)
      for (const user of Object.keys(users).sort()) this.#addUser(user, account, users[user] as Shares)
      for (const queue of Object.keys(usersOfPartitions).sort())
        for (const user of Object.keys(usersOfPartitions[queue] ?? {}).sort()) this.#addUser(user, account, usersOfPartitions[queue]?.[user] as Shares, queue)
      this.#declare(inside, account)
    }
  }

  #addAccount(name: string, parent: number, shares: Shares): number {
    const id = this.#add(name, parent, shares, false)
    this.#accounts.set(name, id)
    return id
  }

  #addUser(name: string, parent: number, shares: Shares, queue = ''): number {
    const id = this.#add(name, parent, shares, true, queue)
    this.#users.set(keyOf(name, parent, queue), id)
    if (queue !== '') this.#areOfQueues = true
    if (!this.#usual.has(name)) this.#usual.set(name, id)
    return id
  }

  #add(name: string, parent: number, shares: Shares, isUser: boolean, queue = ''): number {
    this.parent.push(parent)
    this.shares.push(shares === 'parent' ? OF_PARENT : shares)
    this.isUser.push(isUser)
    this.names.push(name)
    this.#queues.push(queue)
    return this.parent.length - 1
  }
}

const keyOf = (user: string, account: number, queue = '') => (queue === '' ? `${account} ${user}` : JSON.stringify([account, user, queue.toLowerCase()]))
