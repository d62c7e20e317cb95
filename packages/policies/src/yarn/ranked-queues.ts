import type { Env, JobId, LaneId, ResourceId } from '@sched/core'
import { placeAmong } from '../orders/sibling-ties.js'
import { DominantKeys, fairKey, keyWidth, surveyKey } from './comparators.js'
import type { Queue, QueueTree } from './queue-tree.js'
import { KeyRows, RankedIds } from '../orders/ranked-ids.js'
import { inYarnOrder } from './resources.js'
import type { Usage } from './usage.js'

/** What keys are computed from besides usage. */
interface KeyRules {
  readonly poolOrder: 'hadoop' | 'survey-literal'
  /** Per lane: the resource that `fair` compares. */
  readonly memory: readonly ResourceId[]
  /** By resource: the capacity of the cluster now. */
  readonly capacity: readonly number[]
  readonly weightOf: (job: JobId, lane: LaneId) => number
  /** By queue: the number of jobs that may run in it and in the queues inside it. */
  readonly jobs: readonly number[]
}

/**
 * Jobs and queues with unplaced tasks, in one list per queue and lane, kept in the order of the queue's policy. A queue is listed among its
 * siblings while a job is listed inside it. Ties between queues go by name, between jobs by submission.
 */
export class RankedQueues {
  readonly #env: Env
  readonly #tree: QueueTree
  readonly #usage: Usage
  readonly #rules: KeyRules
  readonly #lanes: number
  readonly #dominant: readonly DominantKeys[]
  readonly #jobKeys: readonly KeyRows[]
  readonly #queueKeys: readonly KeyRows[]
  /** Per lane: scratch for the key that is being computed. */
  readonly #key: readonly Float64Array[]
  /** `[queue * lanes + lane]`: the listed jobs of a leaf, or the listed queues of a parent. */
  readonly #members: RankedIds[] = []
  /** By queue: its weight; its minimum of memory, `[queue * lanes + lane]`; and whether it is compared with its siblings by drf. */
  readonly #weights: number[] = []
  readonly #minima: number[] = []
  readonly #isDominant: boolean[] = []
  /** `[job * lanes + lane]`: 1 while the job is in the list of its leaf. */
  readonly #listed: number[] = []
  /** By parent: its queues in the order of their names. */
  readonly #byName: number[][] = []

  constructor(env: Env, tree: QueueTree, usage: Usage, rules: KeyRules) {
    const { cluster } = env
    this.#env = env
    this.#tree = tree
    this.#usage = usage
    this.#rules = rules
    this.#lanes = cluster.lanes.length
    this.#dominant = cluster.lanes.map((lane) => new DominantKeys(inYarnOrder(lane, cluster), rules.capacity))
    const widths = cluster.lanes.map((lane) => keyWidth(lane.resources.length))
    this.#jobKeys = widths.map((width) => new KeyRows(width))
    this.#queueKeys = widths.map((width) => new KeyRows(width))
    this.#key = widths.map((width) => new Float64Array(width))
  }

  /** The jobs of a leaf, or the queues of a parent, that have unplaced tasks in the lane, in order. */
  members(queue: number, lane: LaneId): RankedIds {
    return this.#members[queue * this.#lanes + lane] as RankedIds
  }

  /** Takes in a queue that was added to the tree; its parent was added before it. */
  addQueue({ id, isParent, parent, weight, minResources }: Queue): void {
    const { queues } = this.#tree
    this.#weights.push(weight)
    this.#isDominant.push(queues[parent]?.policy === 'drf')
    for (let lane = 0; lane < this.#lanes; lane++) {
      this.#minima.push(minResources[this.#rules.memory[lane] as ResourceId] as number)
      this.#members.push(new RankedIds((isParent ? this.#queueKeys[lane] : this.#jobKeys[lane]) as KeyRows))
      ;(this.#queueKeys[lane] as KeyRows).setTie(id, 0)
    }
    const pathOf = (queue: number) => (queues[queue] as Queue).path
    if (id > 0) placeAmong((this.#byName[parent] ??= []), id, (a, b) => pathOf(a) < pathOf(b), this.#queueKeys)
  }

  /** Takes in a job that has been submitted; it is in no list yet. */
  enter(job: JobId): void {
    for (let lane = 0; lane < this.#lanes; lane++) {
      this.#listed[job * this.#lanes + lane] = 0
      ;(this.#jobKeys[lane] as KeyRows).setTie(job, this.#env.work.rank(job))
    }
  }

  /** Adds a job to its leaf's list; with the first job the queues around it join their siblings. */
  add(job: JobId, leaf: number, lane: LaneId): void {
    const members = this.members(leaf, lane)
    ;(this.#jobKeys[lane] as KeyRows).set(job, this.#jobKey(job, leaf, lane))
    members.add(job)
    this.#listed[job * this.#lanes + lane] = 1
    if (members.size === 1) this.#join(leaf, lane)
  }

  /** Removes a job that may be in its leaf's list; with the last job the queues around it leave their siblings. */
  remove(job: JobId, leaf: number, lane: LaneId): void {
    if (this.#listed[job * this.#lanes + lane] !== 1) return
    const members = this.members(leaf, lane)
    members.remove(job)
    this.#listed[job * this.#lanes + lane] = 0
    if (members.size === 0) this.#leave(leaf, lane)
  }

  /** Puts a job and the queues around it where their keys belong. */
  place(job: JobId, leaf: number, lane: LaneId): void {
    this.#placeJob(job, leaf, lane)
    for (let queue = leaf; queue > 0; queue = this.#tree.parents[queue] as number) this.placeQueue(queue, lane)
  }

  placeQueue(queue: number, lane: LaneId): void {
    const key = this.#queueKey(queue, lane)
    if (this.members(queue, lane).size === 0) (this.#queueKeys[lane] as KeyRows).set(queue, key)
    else this.#siblings(queue, lane).rekey(queue, key)
  }

  /** Places everything anew, after the capacity and with it all shares have changed. */
  placeAll(): void {
    const { queues } = this.#tree
    for (const { id, minResources } of queues) this.#rules.memory.forEach((memory, lane) => (this.#minima[id * this.#lanes + lane] = minResources[memory] as number))
    for (let lane = 0 as LaneId; lane < this.#lanes; lane++) {
      for (const { id } of queues) if (id > 0) this.placeQueue(id, lane)
      for (const { id, isParent, policy } of queues) if (!isParent && policy === 'drf') this.#placeJobs(id, lane)
    }
  }

  #placeJobs(leaf: number, lane: LaneId): void {
    const { ids, from, to } = this.members(leaf, lane)
    for (const job of ids.slice(from, to)) this.#placeJob(job as JobId, leaf, lane)
  }

  #placeJob(job: JobId, leaf: number, lane: LaneId): void {
    if (this.#listed[job * this.#lanes + lane] === 1) this.members(leaf, lane).rekey(job, this.#jobKey(job, leaf, lane))
  }

  #jobKey(job: JobId, leaf: number, lane: LaneId): Float64Array {
    const key = this.#key[lane] as Float64Array
    const { policy } = this.#tree.queues[leaf] as Queue
    const { memory, weightOf } = this.#rules
    const own = memory[lane] as ResourceId
    if (policy === 'fair') fairKey(key, this.#usage.ofJob(job, own), 0, this.#usage.demandOfJob(job, own), weightOf(job, lane))
    else if (policy === 'drf') (this.#dominant[lane] as DominantKeys).write(key, this.#usage.jobs, this.#usage.rowOfJob(job), undefined, weightOf(job, lane))
    else key.fill(0)[0] = -this.#env.work.priority(job)
    return key
  }

  #queueKey(id: number, lane: LaneId): Float64Array {
    const key = this.#key[lane] as Float64Array
    const { memory, poolOrder, jobs } = this.#rules
    const weight = this.#weights[id] as number
    if (this.#isDominant[id] === true) {
      ;(this.#dominant[lane] as DominantKeys).write(key, this.#usage.queues, this.#usage.rowOfQueue(id), (this.#tree.queues[id] as Queue).minResources, weight)
      return key
    }
    const own = memory[lane] as ResourceId
    const usage = this.#usage.ofQueue(id, own)
    const min = this.#minima[id * this.#lanes + lane] as number
    const demand = this.#usage.demandOfQueue(id, own)
    if (poolOrder === 'hadoop') fairKey(key, usage, min, demand, weight)
    else surveyKey(key, usage, min, demand, weight, jobs[id] as number)
    return key
  }

  #siblings(queue: number, lane: LaneId): RankedIds {
    return this.members(this.#tree.parents[queue] as number, lane)
  }

  /** A queue has got its first job with unplaced tasks: it joins its siblings, and so on up. */
  #join(queue: number, lane: LaneId): void {
    for (let child = queue; child > 0; child = this.#tree.parents[child] as number) {
      const siblings = this.#siblings(child, lane)
      ;(this.#queueKeys[lane] as KeyRows).set(child, this.#queueKey(child, lane))
      siblings.add(child)
      if (siblings.size > 1) return
    }
  }

  #leave(queue: number, lane: LaneId): void {
    for (let child = queue; child > 0; child = this.#tree.parents[child] as number) {
      const siblings = this.#siblings(child, lane)
      siblings.remove(child)
      if (siblings.size > 0) return
    }
  }
}
