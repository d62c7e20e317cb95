import type { ClusterView, JobId, LaneId, ResourceId, WorkView } from '@sched/core'
import { placeAmong } from '../orders/sibling-ties.js'
import { KeyRows, RankedIds } from '../orders/ranked-ids.js'
import { PriorityCounts, priorityOutside } from './priority-counts.js'
import type { Queue } from './queue-tree.js'
import { usageRatio, writeShares } from './usage-ratio.js'

/** The amounts from which keys are computed; the columns grow. */
export interface Amounts {
  /** `[queue * resources + resource]`: what the queue has, and what it waits for. */
  used: Float64Array
  pending: Float64Array
  /** `[job * resources + resource]`: what the job has. */
  jobs: Float64Array
  /** By queue: its maximum, or that of the nearest queue around it, or what all nodes have. */
  readonly most: Float64Array[]
  readonly units: ArrayLike<number>
}

/**
 * The lists of one lane in the order of YuniKorn: of a leaf, its jobs with tasks to start; of any other queue, the queues in it with such jobs. They are kept
 * in order by moving what changes. Ties between jobs go by submission. Ties between queues go to the one that waits for more, by the first resource of
 * which they wait for different amounts, then by name.
 *
 * Source: YuniKorn, sorters.go. Deviation: in YuniKorn equal queues of which neither waits for more of everything have no order.
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
  /** By queue: the priorities of its waiting jobs, or of the queues inside it with such jobs. */
  readonly #priorities: PriorityCounts[] = []
  /** By queue: its own priority as its parent counts it. */
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

  /** The listed jobs of a leaf, or the listed queues of a parent, in order. */
  members(queue: number): RankedIds {
    return this.#members[queue] as RankedIds
  }

  isListed(job: JobId): boolean {
    return this.#listed[job] !== undefined
  }

  /** Takes in a queue that was made; the queue around it was made before. */
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
    this.#prioritize(leaf, (counts) => counts.add(priority)) // before the job is added: an empty queue is not listed among its siblings yet
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

  /** Moves a job and the queues around it to their new places. */
  place(job: JobId, leaf: number): void {
    if (this.isListed(job) && this.#queues[leaf]?.settings.sort === 'fair') this.members(leaf).rekey(job, this.#jobKey(job, leaf))
    for (let queue = leaf; queue > 0; queue = (this.#queues[queue] as Queue).parent) this.#placeQueue(queue)
  }

  /** Places all queues anew, after the total of all nodes has changed. */
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

  /** Changes the priorities that wait in a leaf; that may change its own priority and those of the queues around it. */
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
