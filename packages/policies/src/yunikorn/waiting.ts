import type { ClusterView, JobId, LaneId, ResourceId, WorkView } from '@sched/core'
import { placeAmong } from '../orders/sibling-ties.js'
import { KeyRows, RankedIds } from '../orders/ranked-ids.js'
import { PriorityCounts, priorityOutside } from './priority-counts.js'
import type { Queue } from './queue-tree.js'
import { usageRatio, writeShares } from './usage-ratio.js'

/** What keys are made of; the columns grow. */
export interface Amounts {
  /** `[queue * resources + resource]`: what it has and what it waits for. */
  used: Float64Array
  pending: Float64Array
  /** `[job * resources + resource]`. */
  jobs: Float64Array
  /** By queue: its maximum, or that of the nearest queue around it, or what all nodes have. */
  readonly most: Float64Array[]
  readonly units: ArrayLike<number>
}

/**
 * Jobs with tasks to start by queue, and queues with such jobs by the queue around them, in one lane, each list in the order of YuniKorn, kept so by
 * moving what changes. Ties between jobs go by submission, between queues to the one that waits for more of the first resource of which
 * they wait for different amounts, then by name.
 *
 * Source: YuniKorn, sorters.go. Deviation: there equal queues of which neither waits for more of everything have no order.
 */
export class Waiting {
  readonly #work: WorkView
  readonly #resources: readonly ResourceId[]
  readonly #queues: readonly Queue[]
  readonly #amounts: Amounts
  readonly #n: number
  readonly #jobKeys: KeyRows
  readonly #queueKeys: KeyRows
  readonly #key: Float64Array
  readonly #members: RankedIds[] = []
  readonly #byName: number[][] = []
  /** By queue: priorities of its jobs, or of the queues inside, that wait. */
  readonly #priorities: PriorityCounts[] = []
  /** By queue: its own as its parent counts it. */
  readonly #outside: number[] = []
  /** By job: its priority while it is listed. */
  readonly #listed: (number | undefined)[] = []

  constructor(lane: LaneId, queues: readonly Queue[], cluster: ClusterView, work: WorkView, amounts: Amounts) {
    this.#work = work
    this.#queues = queues
    this.#amounts = amounts
    this.#resources = cluster.lanes[lane]?.resources ?? []
    this.#n = cluster.resources.length
    const width = 2 + this.#resources.length
    this.#jobKeys = new KeyRows(width)
    this.#queueKeys = new KeyRows(width)
    this.#key = new Float64Array(width)
  }

  /** Jobs of a leaf, queues of a parent. */
  members(queue: number): RankedIds {
    return this.#members[queue] as RankedIds
  }

  isListed(job: JobId): boolean {
    return this.#listed[job] !== undefined
  }

  /** A queue has been made, that around it before it. */
  addQueue({ id, parent, isLeaf }: Queue): void {
    this.#members.push(new RankedIds(isLeaf ? this.#jobKeys : this.#queueKeys))
    this.#priorities.push(new PriorityCounts())
    this.#outside.push(NaN)
    this.#queueKeys.setTie(id, 0)
    const pathOf = (queue: number) => (this.#queues[queue] as Queue).path
    if (id > 0) placeAmong((this.#byName[parent] ??= []), id, (a, b) => pathOf(a) < pathOf(b), [this.#queueKeys])
  }

  open(job: JobId): void {
    this.#listed[job] = undefined
    this.#jobKeys.setTie(job, this.#work.rank(job))
  }

  add(job: JobId, leaf: number): void {
    const priority = this.#work.priority(job)
    this.#listed[job] = priority
    this.#prioritize(leaf, (counts) => counts.add(priority)) // first: an empty queue stands among no siblings yet
    this.#jobKeys.set(job, this.#jobKey(job, leaf))
    this.members(leaf).add(job)
    if (this.members(leaf).size === 1) this.#join(leaf)
  }

  remove(job: JobId, leaf: number): void {
    const priority = this.#listed[job]
    if (priority === undefined) return
    this.#listed[job] = undefined
    this.members(leaf).remove(job)
    if (this.members(leaf).size === 0) this.#leave(leaf)
    this.#prioritize(leaf, (counts) => counts.remove(priority))
  }

  /** Puts a job, and the queues around it, where they belong now. */
  place(job: JobId, leaf: number): void {
    if (this.isListed(job) && this.#queues[leaf]?.settings.sort === 'fair') this.members(leaf).rekey(job, this.#jobKey(job, leaf))
    for (let queue = leaf; queue > 0; queue = (this.#queues[queue] as Queue).parent) this.#placeQueue(queue)
  }

  /** What all nodes have is another amount. */
  placeQueues(): void {
    for (const { id } of this.#queues) if (id > 0) this.#placeQueue(id)
  }

  #placeQueue(queue: number): void {
    if (this.members(queue).size > 0) this.#siblings(queue).rekey(queue, this.#queueKey(queue))
  }

  #jobKey(job: JobId, leaf: number): Float64Array {
    const key = this.#key.fill(0)
    const { guaranteed, settings } = this.#queues[leaf] as Queue
    const priority = -(this.#listed[job] as number)
    const { jobs, units } = this.#amounts
    if (settings.sortPriority) key[0] = priority
    if (settings.sort === 'fair') writeShares(key, settings.sortPriority ? 1 : 0, jobs, job * this.#n, guaranteed, units, this.#resources)
    else if (!settings.sortPriority) key[0] = this.#work.submitted(job)
    if (!settings.sortPriority) key[settings.sort === 'fair' ? this.#resources.length : 1] = priority
    return key
  }

  #queueKey(id: number): Float64Array {
    const key = this.#key
    const { guaranteed, parent } = this.#queues[id] as Queue
    const { used, pending, most } = this.#amounts
    const byPriority = (this.#queues[parent] as Queue).settings.sortPriority
    const row = id * this.#n
    key[byPriority ? 0 : 1] = -(this.#outside[id] as number)
    key[byPriority ? 1 : 0] = usageRatio(used, row, guaranteed, most[id] as Float64Array, this.#resources)
    for (const [i, r] of this.#resources.entries()) key[2 + i] = -(pending[row + r] as number)
    return key
  }

  /** What waits in a queue has changed: so has its priority, perhaps, and those of the queues around it. */
  #prioritize(leaf: number, change: (counts: PriorityCounts) => void): void {
    let apply = change
    for (let id = leaf; id > 0; ) {
      const { parent, settings } = this.#queues[id] as Queue
      const counts = this.#priorities[id] as PriorityCounts
      apply(counts)
      const before = this.#outside[id] as number
      const after = counts.highest === -Infinity ? NaN : priorityOutside(settings.priorityPolicy, settings.priorityOffset, counts.highest)
      if (Object.is(before, after)) return
      this.#outside[id] = after
      this.#placeQueue(id)
      apply = (outer) => {
        if (!Number.isNaN(before)) outer.remove(before)
        if (!Number.isNaN(after)) outer.add(after)
      }
      id = parent
    }
  }

  #siblings(queue: number): RankedIds {
    return this.members((this.#queues[queue] as Queue).parent)
  }

  #join(leaf: number): void {
    for (let queue = leaf; queue > 0; queue = (this.#queues[queue] as Queue).parent) {
      const siblings = this.#siblings(queue)
      this.#queueKeys.set(queue, this.#queueKey(queue))
      siblings.add(queue)
      if (siblings.size > 1) return
    }
  }

  #leave(leaf: number): void {
    for (let queue = leaf; queue > 0; queue = (this.#queues[queue] as Queue).parent) {
      const siblings = this.#siblings(queue)
      siblings.remove(queue)
      if (siblings.size > 0) return
    }
  }
}
