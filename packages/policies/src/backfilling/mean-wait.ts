import { grown, type JobId, type LaneId, type NodeId, type Release, type Seconds, type TaskId, type WorkListener, type WorkView } from '@sched/core'

/** The mean wait, from submission to first start, of the jobs finished so far; 0 before the first. */
export class MeanWait implements WorkListener {
  /** Set by the policy at the beginning of a round, before it claims. */
  now: Seconds = NaN
  readonly #work: WorkView
  #sum = NaN
  #count = 0
  /** By job: when its first task was claimed, and how many claims were not taken back. */
  #start = new Float64Array(64)
  #claims = new Float64Array(64)

  constructor(work: WorkView) {
    this.#work = work
    this.now = 0
    this.#sum = 0
  }

  get mean(): Seconds {
    return this.#count === 0 ? 0 : this.#sum / this.#count
  }

  onSubmit(job: JobId): void {
    if (job >= this.#start.length) {
      this.#start = grown(this.#start, job + 1)
      this.#claims = grown(this.#claims, job + 1)
    }
    this.#claims[job] = 0
  }

  onClaim(job: JobId): void {
    if (this.#claims[job] === 0) this.#start[job] = this.now
    this.#claims[job] = (this.#claims[job] as number) + 1
  }

  /** A gang that does not fit on the nodes takes its claims back, and goes on waiting. */
  onRelease(job: JobId, _lane: LaneId, _task: TaskId, _node: NodeId, why: Release): void {
    if (why === 'withdrawn') this.#claims[job] = (this.#claims[job] as number) - 1
  }

  onFinish(job: JobId): void {
    if (this.#claims[job] === 0) return // given up before it started
    this.#sum += (this.#start[job] as number) - this.#work.submitted(job)
    this.#count++
  }
}
