import type { JobId, Round } from '@sched/core'
import { passedOver } from './choice.js'
import { freeInSight, type HeldAmounts } from './held-amounts.js'
import type { JobOrder } from './job-order.js'
import type { SortedJobs } from './sorted-jobs.js'

/** Who may be preempted for whom in a round. */
export class Victims {
  readonly #order: JobOrder
  readonly #jobs: SortedJobs
  readonly #held: HeldAmounts
  #serial = -1
  #changes = -1
  /** Jobs that may go, in order, and how many of them are not behind the job that was asked for last. */
  #others: readonly JobId[] = []
  #before = 0
  #free: Float64Array = new Float64Array()
  /** By job that may go: what it and all after it hold. */
  #behind: readonly Float64Array[] = []
  #passedOver: ReadonlySet<JobId> | undefined

  constructor(order: JobOrder, jobs: SortedJobs, held: HeldAmounts) {
    this.#order = order
    this.#jobs = jobs
    this.#held = held
  }

  /**
   * Who may go for the job, in the order in which they do: of those behind it from the last on, first who was passed over when jobs were chosen by amounts. Empty where
   * not even all of them hold enough. To be asked for in the order of the jobs.
   */
  of(job: JobId, round: Round): readonly JobId[] {
    this.#read(round)
    while (this.#before < this.#others.length && !this.#order.isBehind(this.#others[this.#before] as JobId, job)) this.#before++
    const behind = this.#behind[this.#before]
    if (behind === undefined || !this.#areEnough(job, behind, round)) return []
    const others = this.#others.slice(this.#before).reverse()
    const last = (this.#passedOver ??= passedOver(this.#jobs.of(round), new Set(this.#others), round, this.#held, (each, lane) => this.#jobs.waits(each, lane)))
    return [...others.filter((other) => last.has(other)), ...others.filter((other) => !last.has(other))]
  }

  #areEnough(job: JobId, behind: Float64Array, { cluster, work, lane }: Round): boolean {
    return (cluster.lanes[lane]?.resources ?? []).every((r, i) => work.asked(job, lane, r) <= (this.#free[i] as number) + (behind[i] as number))
  }

  /** Anew where something has started or gone since. */
  #read(round: Round): void {
    if (round.serial !== this.#serial) this.#passedOver = undefined
    else if (this.#held.changes === this.#changes) return
    this.#serial = round.serial
    this.#changes = this.#held.changes
    this.#others = this.#jobs.of(round).filter((job) => this.#held.mayGo(job, round))
    this.#before = 0
    this.#free = freeInSight(round)
    const sum = new Float64Array(this.#free.length)
    this.#behind = this.#others.toReversed().map((job) => {
      for (const [i, amount] of this.#held.of(job, round.lane).entries()) sum[i] = (sum[i] as number) + amount
      return sum.slice()
    }).reverse()
  }
}
