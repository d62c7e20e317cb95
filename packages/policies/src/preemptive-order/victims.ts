import type { JobId, Round } from '@sched/core'
import { passedOver } from './choice.js'
import { freeInSight, type HeldAmounts } from './held-amounts.js'
import type { SortedJobs } from './sorted-jobs.js'

/** Who may be preempted for whom in a round. */
export class Victims {
  readonly #jobs: SortedJobs
  readonly #held: HeldAmounts
  #serial = -1
  #isCurrent = false
  /** Jobs that ran when the round began, in order. */
  #ran: readonly JobId[] = []
  /** Jobs that may go, in order, and how many of them are not behind the job asked about last. */
  #others: readonly JobId[] = []
  #before = 0
  #free: Float64Array = new Float64Array()
  /** By index in `#others`: what that job and all after it hold. */
  #behind: readonly Float64Array[] = []
  #passedOver: ReadonlySet<JobId> | undefined

  constructor(jobs: SortedJobs, held: HeldAmounts) {
    this.#jobs = jobs
    this.#held = held
  }

  /** To be called when a look begins, and when something has started or gone. */
  renew(): void {
    this.#isCurrent = false
  }

  /**
   * Who may go for the job, in the order in which they do: of those behind it from the last on, first who was passed over when jobs were chosen by amounts. Empty where
   * not even all of them hold enough. To be asked for in the order of the jobs.
   */
  of(job: JobId, round: Round): readonly JobId[] {
    this.#read(round)
    while (this.#before < this.#others.length && !this.#jobs.isBehind(this.#others[this.#before] as JobId, job, round.lane)) this.#before++
    const behind = this.#behind[this.#before]
    if (behind === undefined || !this.#areEnough(job, behind, round)) return []
    const others = this.#others.slice(this.#before).reverse()
    const last = (this.#passedOver ??= passedOver(this.#jobs.of(round), new Set(this.#others), round, this.#held, (each, lane) => this.#jobs.waits(each, lane)))
    return [...others.filter((other) => last.has(other)), ...others.filter((other) => !last.has(other))]
  }

  #areEnough(job: JobId, behind: Float64Array, { cluster, work, lane }: Round): boolean {
    return (cluster.lanes[lane]?.resources ?? []).every((r, i) => work.asked(job, lane, r) <= (this.#free[i] as number) + (behind[i] as number))
  }

  #read(round: Round): void {
    if (this.#isCurrent) return
    this.#isCurrent = true
    if (round.serial !== this.#serial) {
      this.#serial = round.serial
      this.#passedOver = undefined
      this.#ran = Array.from(this.#jobs.of(round)).filter((job) => round.work.running(job, round.lane) > 0)
    }
    this.#others = this.#ran.filter((job) => this.#held.mayGo(job, round))
    this.#before = 0
    this.#free = freeInSight(round)
    const sum = new Float64Array(this.#free.length)
    this.#behind = this.#others.toReversed().map((job) => {
      for (const [i, amount] of this.#held.of(job, round.lane).entries()) sum[i] = (sum[i] as number) + amount
      return sum.slice()
    }).reverse()
  }
}
