import type { Env, JobId, LaneId, ResourceId } from '@sched/core'
import { Keys, SortedIds } from '../orders/sorted-ids.js'
import { totalOfAll } from '../shares/all-nodes.js'
import { compare } from './entries.js'
import type { NextWorkloads } from './next-workloads.js'
import type { PastUsage } from './past-usage.js'
import type { QueueTimes } from './queue-times.js'
import { goesByUsage, type ClusterQueue, type Queues } from './queues.js'
import type { WorkloadsMemory } from './workload-memory.js'

type SetAside = NonNullable<WorkloadsMemory['setAside']>

/** Jobs that wait for admission, by lane and queue. */
export class WaitingJobs {
  readonly #env: Env
  readonly #queues: Queues
  readonly #next: NextWorkloads
  /** `undefined` if no queue orders by past usage. */
  readonly #usage: PastUsage | undefined
  readonly #times: QueueTimes
  /** The rank of the newest job that has waited so far. */
  newest = -1
  readonly #keys: readonly Keys[]
  readonly #lists: readonly Map<ClusterQueue, SortedIds>[]
  /** `[lane][job]`. */
  readonly #isWaiting: boolean[][]

  constructor(env: Env, queues: Queues, next: NextWorkloads, usage: PastUsage | undefined, times: QueueTimes) {
    const { lanes } = env.cluster
    this.#env = env
    this.#queues = queues
    this.#next = next
    this.#usage = usage
    this.#times = times
    this.#keys = lanes.map(() => new Keys())
    this.#lists = lanes.map(() => new Map())
    this.#isWaiting = lanes.map(() => [])
  }

  /** The queues with jobs that wait for admission, each with these jobs by priority and age. */
  in(lane: LaneId): ReadonlyMap<ClusterQueue, SortedIds> {
    return this.#lists[lane] as Map<ClusterQueue, SortedIds>
  }

  /** The jobs of a queue in the order in which they are to be admitted; `undefined` if that is the order of the list. */
  inOrder(queue: ClusterQueue, list: SortedIds): Int32Array | undefined {
    if (!goesByUsage(queue)) return undefined
    const now = this.#env.now()
    const usageOf: (number | undefined)[] = []
    const byUsage = new Map<number, number[]>()
    for (let i = list.from; i < list.to; i++) {
      const job = list.ids[i] as JobId
      const user = this.#env.work.user(job)
      const usage = (usageOf[user] ??= this.#usage?.of(user, now) ?? 0)
      const alike = byUsage.get(usage)
      if (alike === undefined) byUsage.set(usage, [job])
      else alike.push(job)
    }
    return Int32Array.from([...byUsage.keys()].sort(compare).flatMap((usage) => byUsage.get(usage) as number[])) // ties stay in the order of the list, by priority and age
  }

  /** Moves the job to where it belongs now that it counts from another time on. */
  move(job: JobId): void {
    for (const [lane, row] of this.#isWaiting.entries()) {
      if (row[job] !== true) continue
      this.set(job, lane as LaneId, false)
      this.set(job, lane as LaneId, true)
    }
  }

  /** Whether the job waits, or asks for something else, may have changed. Returns whether it waits now and did not, or the other way round. */
  set(job: JobId, lane: LaneId, isWaiting: boolean): boolean {
    this.#next.renew(job, lane, isWaiting)
    const row = this.#isWaiting[lane] as boolean[]
    if ((row[job] ?? false) === isWaiting) return false
    row[job] = isWaiting
    const { work } = this.#env
    const keys = this.#keys[lane] as Keys
    const lists = this.#lists[lane] as Map<ClusterQueue, SortedIds>
    const queue = this.#queues.of(work.queueName(work.queue(job)))
    const list = lists.get(queue) ?? new SortedIds(keys)
    if (isWaiting) {
      this.newest = Math.max(this.newest, work.rank(job))
      keys.set(job, -work.priority(job), this.#times.rank(job))
      list.add(job)
      lists.set(queue, list)
    } else {
      list.remove(job)
      if (list.size === 0) lists.delete(queue)
    }
    return true
  }

  // ---- after a restart ----

  /** The jobs that are set aside for quota. */
  memory(): SetAside {
    return { jobs: this.#lists.map((_, lane) => this.#setAside(lane as LaneId)), of: this.#ofAllNodes() }
  }

  /** Sets the same jobs aside that still wait, unless nodes have come or gone: there may be room for them then. */
  recall({ jobs: byLane, of }: SetAside, jobs: ReadonlyMap<string, JobId>): void {
    if (JSON.stringify(of) !== JSON.stringify(this.#ofAllNodes())) return
    for (const [lane, names] of byLane.entries())
      for (const name of names) {
        const job = jobs.get(name)
        if (job === undefined || this.#isWaiting[lane]?.[job] !== true) continue
        this.#next.renew(job, lane as LaneId, true)
        const workload = this.#next.of(job, lane as LaneId)
        if (workload !== undefined) workload.likeness.setAsideAt = workload.queue.root.returns
      }
  }

  /** Names of jobs of a lane that are set aside for quota; those like them are, too. */
  #setAside(lane: LaneId): string[] {
    const isSetAside = (job: JobId, { root }: ClusterQueue): boolean => {
      const likeness = this.#next.of(job, lane)?.likeness
      return likeness !== undefined && likeness.setAsideAt === root.returns && likeness.freedAt < 0
    }
    return [...this.in(lane)].flatMap(([queue, list]) =>
      (Array.from(list.ids.subarray(list.from, list.to)) as JobId[]).filter((job) => isSetAside(job, queue)).map((job) => this.#env.work.name(job)))
  }

  /** What they have, up or not, by resource. */
  #ofAllNodes(): Readonly<Record<string, number>> {
    const { cluster } = this.#env
    return Object.fromEntries(cluster.resources.map((name, r) => [name, totalOfAll(cluster, r as ResourceId)]))
  }
}
