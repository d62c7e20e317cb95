import { grown, type JobId, type ResourceId, type Round } from '@sched/core'
import { passedOver } from './choice.js'
import { freeInSight, type HeldAmounts } from './held-amounts.js'
import type { SortedJobs } from './sorted-jobs.js'

const NOBODY: readonly JobId[] = []

/** Who may be preempted for whom in a round. */
export class Victims {
  readonly #jobs: SortedJobs
  readonly #held: HeldAmounts
  #serial = -1
  #isCurrent = false
  /** Jobs that ran when the round began, in order, and how many. */
  readonly #ran: JobId[] = []
  #running = 0
  /** Jobs that may go, in order; how many, and how many of them are not behind the job asked about last. */
  readonly #others: JobId[] = []
  #count = 0
  #before = 0
  #free: Float64Array = new Float64Array()
  /** By index in `#others`, in rows as wide as `#free`: what that job and all after it hold. */
  #behind = new Float64Array(64)
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
    if (!this.areAny(job, round) || !this.#areEnough(job, round)) return NOBODY
    const others = this.#others.slice(this.#before, this.#count).reverse()
    const last = (this.#passedOver ??= passedOver(this.#jobs.of(round), new Set(this.#others.slice(0, this.#count)), round, this.#held, (each, lane) => this.#jobs.waits(each, lane)))
    return [...others.filter((other) => last.has(other)), ...others.filter((other) => !last.has(other))]
  }

  /** Whether any job that may go is behind this one. To be asked in the order of the jobs. */
  areAny(job: JobId, round: Round): boolean {
    this.#read(round)
    while (this.#before < this.#count && !this.#jobs.isBehind(this.#others[this.#before] as JobId, job, round.lane)) this.#before++
    return this.#before < this.#count
  }

  #areEnough(job: JobId, { cluster, work, lane }: Round): boolean {
    const resources = cluster.lanes[lane]?.resources ?? []
    const from = this.#before * resources.length
    for (let i = 0; i < resources.length; i++)
      if (work.asked(job, lane, resources[i] as ResourceId) > (this.#free[i] as number) + (this.#behind[from + i] as number)) return false
    return true
  }

  #read(round: Round): void {
    const { work, lane } = round
    if (this.#isCurrent) return
    this.#isCurrent = true
    if (round.serial !== this.#serial) {
      this.#serial = round.serial
      this.#passedOver = undefined
      this.#running = 0
      const jobs = this.#jobs.of(round)
      for (let i = 0; i < jobs.length; i++) if (work.running(jobs[i] as JobId, lane) > 0) this.#ran[this.#running++] = jobs[i] as JobId
    }
    this.#count = 0
    this.#before = 0
    for (let i = 0; i < this.#running; i++) if (this.#held.mayGo(this.#ran[i] as JobId, round)) this.#others[this.#count++] = this.#ran[i] as JobId
    this.#free = freeInSight(round)
    this.#sumUp(round)
  }

  #sumUp({ lane }: Round): void {
    const width = this.#free.length
    this.#behind = grown(this.#behind, (this.#count + 1) * width)
    this.#behind.fill(0, this.#count * width, (this.#count + 1) * width)
    for (let i = this.#count - 1; i >= 0; i--) {
      const held = this.#held.of(this.#others[i] as JobId, lane)
      for (let r = 0; r < width; r++) this.#behind[i * width + r] = (this.#behind[(i + 1) * width + r] as number) + (held[r] as number)
    }
  }
}
