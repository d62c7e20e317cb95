import type { Env, JobBlock, JobId, LaneId, Order, Round, WorkView } from '@sched/core'
import type { JobOrder } from './job-order.js'

/** The jobs with tasks in a lane, sorted once per round; those that wait as an order for a discipline, without those that stay away. */
export class SortedJobs implements Order {
  readonly #order: JobOrder
  readonly #work: WorkView
  readonly #staysAway: (job: JobId) => boolean
  /** As they were sorted last: sorting what is almost sorted costs little. */
  #all: JobId[] = []
  #sorted: JobId[] = []
  #serial = -1
  /** By lane: jobs with tasks that may be placed, and that nobody holds back. */
  readonly #ready: readonly Set<JobId>[]
  #ids = new Int32Array(16)
  #block: JobBlock | undefined

  constructor(order: JobOrder, { cluster, work }: Env, staysAway: (job: JobId) => boolean) {
    this.#order = order
    this.#work = work
    this.#staysAway = staysAway
    this.#ready = cluster.lanes.map(() => new Set())
  }

  onSubmit(job: JobId): void {
    this.#all.push(job)
  }

  onReady(job: JobId, lane: LaneId): void {
    this.#ready[lane]?.add(job)
  }

  onDrained(job: JobId, lane: LaneId): void {
    this.#ready[lane]?.delete(job)
  }

  onFinish(job: JobId): void {
    this.#all.splice(this.#all.indexOf(job), 1)
  }

  /** All that run or wait in the lane of the round, as they stood when it was asked first. */
  of(round: Round): readonly JobId[] {
    if (round.serial === this.#serial) return this.#sorted
    this.#serial = round.serial
    const order = this.#order
    order.begin(this.#all, round)
    this.#all.sort((a, b) => order.compare(a, b))
    const ready = this.#ready[round.lane] as Set<JobId>
    this.#sorted = this.#all.filter((job) => ready.has(job) || this.#work.running(job, round.lane) > 0)
    return this.#sorted
  }

  /** Whether tasks of it may start. */
  waits(job: JobId, lane: LaneId): boolean {
    return this.#ready[lane]?.has(job) === true && !this.#staysAway(job)
  }

  begin(round: Round): void {
    const sorted = this.of(round)
    if (this.#ids.length < sorted.length) this.#ids = new Int32Array(2 * sorted.length)
    let to = 0
    for (const job of sorted) if (this.waits(job, round.lane)) this.#ids[to++] = job
    this.#block = { ids: this.#ids, from: 0, to }
  }

  next(): JobBlock | undefined {
    const block = this.#block
    this.#block = undefined
    return block
  }
}
