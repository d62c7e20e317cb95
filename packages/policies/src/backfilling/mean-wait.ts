import type { JobId, Seconds, WorkListener, WorkView } from '@sched/core'
import { wider } from './running-pieces.js'

/** The mean wait, from submission to first start, of the jobs finished so far; 0 before the first. */
export class MeanWait implements WorkListener {
  /** Set by the policy at the beginning of a round, before it claims. */
  now: Seconds = 0
  readonly #work: WorkView
  #sum = 0
  #count = 0
  /** By job: when its first task was claimed, `NaN` before. */
  #start = new Float64Array(64)

  constructor(work: WorkView) {
    this.#work = work
  }

  get mean(): Seconds {
    return this.#count === 0 ? 0 : this.#sum / this.#count
  }

  onSubmit(job: JobId): void {
    if (job >= this.#start.length) this.#start = wider(this.#start, job + 1)
    this.#start[job] = NaN
  }

  onClaim(job: JobId): void {
    if (Number.isNaN(this.#start[job])) this.#start[job] = this.now
  }

  onFinish(job: JobId): void {
    const start = this.#start[job] as number
    if (Number.isNaN(start)) return // given up before it started
    this.#sum += start - this.#work.submitted(job)
    this.#count++
  }
}
