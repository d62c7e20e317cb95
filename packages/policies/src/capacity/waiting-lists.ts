import { None, type JobId, type LaneId } from '@sched/core'
import { SortedIds, type Keys } from '../orders/sorted-ids.js'
import type { LeafUsers } from './leaf-users.js'
import type { Pots } from './pots.js'
import type { QueueTree } from './queue-tree.js'
import type { QueueUsage } from './usage.js'

/**
 * Waiting jobs in order: by pot, each user of a leaf lists its jobs (`LeafUsers.jobs`), each leaf its users by their first job, and queues list the
 * children in which jobs wait (`QueueUsage`). A pair is a user in a leaf.
 */
export class WaitingLists {
  /** `[job * lanes + lane]`: the pot in which a waiting job is listed; -1 for a job that is in none. */
  readonly potOf: number[] = []
  readonly #tree: QueueTree
  readonly #pots: Pots
  readonly #users: LeafUsers
  readonly #usage: QueueUsage
  /** `[leaf * pots + pot]`. */
  readonly #pairs: SortedIds[] = []

  constructor(tree: QueueTree, pots: Pots, users: LeafUsers, usage: QueueUsage) {
    this.#tree = tree
    this.#pots = pots
    this.#users = users
    this.#usage = usage
  }

  /** Makes the lists of queues that are new. */
  addQueues(): void {
    const { count } = this.#pots
    while (this.#pairs.length < this.#tree.queues.length * count) this.#pairs.push(new SortedIds(this.#users.pairKeys[this.#pairs.length % count] as Keys))
  }

  /** Users of a leaf with waiting jobs, by their first job. */
  of(leaf: number, pot: number): SortedIds {
    return this.#pairs[leaf * this.#pots.count + pot] as SortedIds
  }

  /** A job that has come is in no list. */
  enter(job: JobId): void {
    for (let lane = 0; lane < this.#pots.lanes; lane++) this.potOf[job * this.#pots.lanes + lane] = None
  }

  /** The pot in which a job is listed, -1: in none. */
  potIn(job: JobId, lane: LaneId): number {
    return this.potOf[job * this.#pots.lanes + lane] as number
  }

  /** Lists a job by its key, ties by `rank`; the smallest comes first. */
  add(job: JobId, lane: LaneId, pair: number, pot: number, key: number, rank: number): void {
    const users = this.#users
    const jobs = users.jobs[pair * this.#pots.count + pot] as SortedIds
    ;(users.jobKeys[pot] as Keys).set(job, key, rank)
    this.potOf[job * this.#pots.lanes + lane] = pot
    const first = jobs.size === 0 ? None : (jobs.ids[jobs.from] as number)
    jobs.add(job)
    if (first === None || jobs.ids[jobs.from] === job) this.#place(pair, pot, first === None)
    this.#usage.join(users.leaf[pair] as number, pot)
  }

  remove(job: JobId, lane: LaneId, pair: number): void {
    const users = this.#users
    const pot = this.potIn(job, lane)
    const jobs = users.jobs[pair * this.#pots.count + pot] as SortedIds
    const wasFirst = jobs.ids[jobs.from] === job
    jobs.remove(job)
    this.potOf[job * this.#pots.lanes + lane] = None
    if (jobs.size > 0) {
      if (wasFirst) this.#place(pair, pot, false)
      return
    }
    const leaf = users.leaf[pair] as number
    const pairs = this.of(leaf, pot)
    pairs.remove(pair)
    if (pairs.size === 0) this.#usage.leave(leaf, pot)
  }

  /** Puts a user where the first of its jobs belongs. */
  #place(pair: number, pot: number, isNew: boolean): void {
    const users = this.#users
    const pairs = this.of(users.leaf[pair] as number, pot)
    const jobs = users.jobs[pair * this.#pots.count + pot] as SortedIds
    const first = jobs.ids[jobs.from] as number
    const { key, tie } = users.jobKeys[pot] as Keys
    if (!isNew) pairs.remove(pair)
    users.pairKeys[pot]?.set(pair, key[first] as number, tie[first] as number)
    pairs.add(pair)
  }
}
