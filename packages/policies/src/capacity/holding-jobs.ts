import type { JobId, LaneId } from '@sched/core'
import { Keys, SortedIds } from '../orders/sorted-ids.js'
import { LargestFirst } from './largest-first.js'

/**
 * Jobs that hold tasks or reservations, by leaf and lane, read from the last in order on. So a look at preemption reads only the jobs
 * that it takes from, and need not pass over waiting jobs or those before in order.
 */
export class HoldingJobs {
  readonly #lanes: number
  readonly #keys = new Keys()
  /** `[leaf * lanes + lane]`. */
  readonly #jobs: SortedIds[] = []
  /** `[job * lanes + lane]`: the number of tasks and reservations that the job holds. */
  readonly #held: number[] = []
  #reading: SortedIds | undefined
  #left = 0
  /** For a leaf whose jobs are ordered by what they use: the jobs of the reading under way. */
  readonly #last = new LargestFirst()
  #isFixed = true

  constructor(lanes: number) {
    this.#lanes = lanes
  }

  /** Takes in a new job. `key`: its key in the order of its leaf, if that never changes, else 0; `rank` decides ties, the smallest first. */
  enter(job: JobId, key: number, rank: number): void {
    this.#keys.set(job, key, rank)
    for (let lane = 0; lane < this.#lanes; lane++) this.#held[job * this.#lanes + lane] = 0
  }

  /** The job holds one more task or reservation (`sign` 1), or one less (-1). */
  change(job: JobId, leaf: number, lane: LaneId, sign: 1 | -1): void {
    const at = job * this.#lanes + lane
    const held = (this.#held[at] as number) + sign
    this.#held[at] = held
    if (held > 1 || (held === 1 && sign < 0)) return
    while (this.#jobs.length <= leaf * this.#lanes + lane) this.#jobs.push(new SortedIds(this.#keys))
    const jobs = this.#jobs[leaf * this.#lanes + lane] as SortedIds
    if (held === 0) jobs.remove(job)
    else jobs.add(job)
  }

  /** The jobs of a leaf that hold something. */
  of(leaf: number, lane: LaneId): readonly number[] {
    const jobs = this.#jobs[leaf * this.#lanes + lane]
    return jobs === undefined ? [] : [...jobs.ids.subarray(jobs.from, jobs.to)]
  }

  /**
   * Starts a reading of the jobs of a leaf, by the keys of `keyOf` where their order changes. Until the last `next` no job may join, and only the
   * job that was read last may leave.
   */
  begin(leaf: number, lane: LaneId, keyOf?: (job: JobId) => number): void {
    const jobs = this.#jobs[leaf * this.#lanes + lane]
    this.#reading = jobs
    this.#left = jobs?.size ?? 0
    this.#isFixed = keyOf === undefined
    if (jobs === undefined || keyOf === undefined) return
    this.#last.clear()
    for (let at = jobs.from; at < jobs.to; at++) this.#last.add(jobs.ids[at] as number, keyOf(jobs.ids[at] as JobId), this.#keys.tie[jobs.ids[at] as number] as number)
  }

  /** The last in order of the jobs that are still to be read; -1: none. */
  next(): number {
    if (!this.#isFixed) return this.#last.next()
    if (this.#left === 0) return -1
    const { ids, from } = this.#reading as SortedIds
    return ids[from + --this.#left] as number // jobs that have left meanwhile came after it, so its index holds
  }
}
