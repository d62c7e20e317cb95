import { grown, rememberedJobs, type Env, type JobId, type LaneId, type NodeId, type Release, type Seconds, type TaskId, type WorkListener } from '@sched/core'

interface WaitsMemory {
  /** Sum of the waits of the finished jobs, and their number. */
  readonly sum: Seconds
  readonly count: number
  /** Jobs that have started but not finished: the first start, and the number of claims. */
  readonly started: readonly (readonly [job: string, start: Seconds, claims: number])[]
}

/** The mean wait in seconds, from submission to first start, of the jobs finished so far, whichever policy started them; 0 before the first. */
export class MeanWait implements WorkListener {
  readonly #env: Env
  #sum = NaN
  #count = 0
  /** By job: the time of its first claim, and the number of claims that were not taken back. */
  #start = new Float64Array(64)
  #claims = new Float64Array(64)

  constructor(env: Env) {
    this.#env = env
    this.#sum = 0
  }

  get mean(): Seconds {
    return this.#count === 0 ? 0 : this.#sum / this.#count
  }

  memory(): WaitsMemory {
    const { work } = this.#env
    const started = work.jobs().filter((job) => (this.#claims[job] as number) > 0)
    return { sum: this.#sum, count: this.#count, started: started.map((job) => [work.name(job), this.#start[job] as number, this.#claims[job] as number] as const) }
  }

  recall(memory: unknown): void {
    const { sum, count, started } = memory as WaitsMemory
    this.#sum = sum
    this.#count = count
    for (const [job, start, claims] of rememberedJobs(started, this.#env.work)) {
      this.#start[job] = start
      this.#claims[job] = claims
    }
  }

  /** Number of task starts of the job so far, including tasks that were lost or evicted later. */
  starts(job: JobId): number {
    return this.#claims[job] as number
  }

  onSubmit(job: JobId): void {
    if (job >= this.#start.length) {
      this.#start = grown(this.#start, job + 1)
      this.#claims = grown(this.#claims, job + 1)
    }
    if (!this.#env.work.comesAgain(job)) this.#claims[job] = 0
  }

  /** Counts a claim. Claims of a job that comes again after an update are skipped, since nothing of it starts anew. */
  onClaim(job: JobId): void {
    if (this.#env.work.comesAgain(job)) return
    if (this.#claims[job] === 0) this.#start[job] = this.#env.now()
    this.#claims[job] = (this.#claims[job] as number) + 1
  }

  /** Takes a withdrawn claim out of the count: a gang that does not fit on the nodes takes its claims back and goes on waiting. */
  onRelease(job: JobId, _lane: LaneId, _task: TaskId, _node: NodeId, why: Release): void {
    if (why === 'withdrawn') this.#claims[job] = (this.#claims[job] as number) - 1
  }

  onFinish(job: JobId): void {
    if (this.#claims[job] === 0 || this.#env.work.comesAgain(job)) return // given up before it started
    this.#sum += (this.#start[job] as number) - this.#env.work.submitted(job)
    this.#count++
  }
}
