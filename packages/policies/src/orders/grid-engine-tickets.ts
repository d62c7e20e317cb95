import { grown, ownValue, type Env, type JobId, type Seconds, type UserId } from '@sched/core'
import type { DecayedUsage } from '../fair-share/decayed-usage.js'
import { functionalTickets, type FunctionalShares } from './functional-tickets.js'
import { shareTreeTickets, type TreeUser } from './share-tree-tickets.js'

/** Jobs that share tickets, those that run first, with their slots. The columns may be longer than there are jobs. */
export interface SharingJobs {
  readonly running: number
  readonly all: number
  readonly job: ArrayLike<number>
  readonly slots: ArrayLike<number>
}

/** Tickets of jobs as of now; `undefined` if none can have any. */
export interface TicketPolicy {
  of(jobs: SharingJobs, now: Seconds): Float64Array | undefined
}

type Shares = Readonly<Record<string, number>>

/** Functional tickets by the shares of users and projects that are named; all others have none. */
export class FunctionalPolicy implements TicketPolicy {
  readonly #work: Env['work']
  readonly #shares: FunctionalShares
  readonly #users: ReadonlyMap<string, number>
  readonly #projects: ReadonlyMap<string, number>
  /** By user: its number among those that are named, -1: it is not. */
  readonly #named: number[] = []
  #user = new Int32Array(64)
  #project = new Int32Array(64)

  constructor({ work }: Env, options: { readonly users: Shares; readonly projects: Shares; readonly weight_user: number; readonly weight_project: number }) {
    const { users, projects, weight_user, weight_project } = options
    const parts = weight_user + weight_project
    this.#work = work
    this.#users = numbered(users)
    this.#projects = numbered(projects)
    this.#shares = {
      users: Object.values(users),
      projects: Object.values(projects),
      userPart: parts > 0 ? weight_user / parts : 0,
      projectPart: parts > 0 ? weight_project / parts : 0,
    }
  }

  of({ running, all, job, slots }: SharingJobs): Float64Array | undefined {
    if (this.#users.size + this.#projects.size === 0) return undefined
    const user = (this.#user = grown(this.#user, all))
    const project = (this.#project = grown(this.#project, all))
    for (let i = 0; i < all; i++) {
      user[i] = this.#userOf(this.#work.user(job[i] as JobId))
      project[i] = this.#projects.size === 0 ? -1 : (this.#projects.get(this.#work.account(job[i] as JobId)) ?? -1)
    }
    return functionalTickets({ running, all, user, project, slots }, this.#shares)
  }

  #userOf(user: UserId): number {
    return (this.#named[user] ??= this.#users.get(this.#work.userName(user)) ?? -1)
  }
}

const numbered = (shares: Shares) => new Map(Object.keys(shares).map((name, number) => [name, number]))

/** Tickets of the share tree, by what users have used. */
export class ShareTreePolicy implements TicketPolicy {
  readonly #work: Env['work']
  readonly #usage: DecayedUsage
  readonly #tree: { readonly users: Shares; readonly default: number; readonly compensation_factor: number }
  /** By user: its shares, and its id in the usage. */
  readonly #shares: number[] = []
  readonly #ids: number[] = []
  /** By user, while tickets are computed: its number among those with jobs, and one more; 0: none yet. */
  #number = new Int32Array(64)
  #user = new Int32Array(64)

  constructor({ work }: Env, usage: DecayedUsage, tree: { readonly users: Shares; readonly default: number; readonly compensation_factor: number }) {
    this.#work = work
    this.#usage = usage
    this.#tree = tree
  }

  of({ running, all, job, slots }: SharingJobs, now: Seconds): Float64Array {
    const user = (this.#user = grown(this.#user, all))
    const found: UserId[] = []
    for (let i = 0; i < all; i++) {
      const id = this.#work.user(job[i] as JobId)
      if (id >= this.#number.length) this.#number = grown(this.#number, id + 1)
      if (this.#number[id] === 0) this.#number[id] = found.push(id)
      user[i] = (this.#number[id] as number) - 1
    }
    for (const id of found) this.#number[id] = 0
    this.#usage.advance(now)
    return shareTreeTickets({ running, all, user, project: [], slots }, found.map((id) => this.#inTree(id, now)), this.#tree.compensation_factor)
  }

  #inTree(user: UserId, now: Seconds): TreeUser {
    const id = (this.#ids[user] ??= this.#usage.id(this.#work.userName(user)))
    const shares = (this.#shares[user] ??= ownValue(this.#tree.users, this.#work.userName(user)) ?? this.#tree.default)
    return { shares, usage: this.#usage.until(id, now) }
  }
}
