import type { JobId, Order, Round } from '@sched/core'
import type { PreemptLevels } from './preempt-levels.js'
import type { PreemptedJobs } from './preempted-jobs.js'

/** Jobs by level, the highest first; of one level those that were preempted, the first to be comes first, then the others as they are given. */
export class ByLevel {
  readonly #levels: Pick<PreemptLevels, 'of'>
  readonly #preempted: PreemptedJobs
  readonly #jobs = new Map<number, JobId[]>()
  /** By job: when it was last among those to be taken. */
  readonly #marks: number[] = []
  #mark = 0

  constructor(levels: Pick<PreemptLevels, 'of'>, preempted: PreemptedJobs) {
    this.#levels = levels
    this.#preempted = preempted
  }

  /** Takes the jobs that an order lists. */
  take(order: Order, round: Round): void {
    order.begin(round)
    for (let block = order.next(); block !== undefined; block = order.next())
      for (let i = block.from; i < block.to; i++) this.add(block.ids[i] as JobId, this.#levels.of(block.ids[i] as JobId))
  }

  /** Takes those of these jobs that an order lists, as it lists them. */
  takeOf(jobs: readonly JobId[], order: Order, round: Round): void {
    this.#mark++
    for (const job of jobs) this.#marks[job] = this.#mark
    let left = jobs.length
    order.begin(round)
    for (let block = left > 0 ? order.next() : undefined; block !== undefined; block = left > 0 ? order.next() : undefined)
      for (let i = block.from; i < block.to && left > 0; i++) {
        const job = block.ids[i] as JobId
        if (this.#marks[job] !== this.#mark) continue
        this.add(job, this.#levels.of(job))
        left--
      }
  }

  add(job: JobId, level: number): void {
    const jobs = this.#jobs.get(level)
    if (jobs === undefined) this.#jobs.set(level, [job])
    else jobs.push(job)
  }

  /** All of them in order, and none any more. */
  empty(): JobId[] {
    const all = [...this.#jobs].sort(([a], [b]) => b - a).flatMap(([, jobs]) => this.#preempted.first(jobs))
    this.#jobs.clear()
    return all
  }
}
