import { None, type JobId } from './ids.js'
import type { Order } from './plugs.js'
import type { Round } from './round.js'

/** Jobs that a policy is done with in this call of its `schedule`: marked one by one, forgotten together. */
export class DoneJobs {
  readonly #doneIn: number[] = []
  #call = 0

  /** A new call: no job is done. */
  begin(): void {
    this.#call++
  }
  /** Marks a job as done in this call. */
  add(job: JobId): void {
    this.#doneIn[job] = this.#call
  }
  /** Whether it is marked in this call. */
  has(job: JobId): boolean {
    return this.#doneIn[job] === this.#call
  }

  /** In a round for so many jobs: takes up the first in order that is not done, which it is then. `None` where no job is left. */
  takeNext(order: Order, round: Round): JobId | None {
    order.begin(round)
    for (let block = order.next(); block !== undefined; block = order.next())
      for (let i = block.from; i < block.to; i++) {
        const job = block.ids[i] as JobId
        if (this.has(job) || !round.take(job)) continue
        this.add(job)
        return job
      }
    return None
  }
}
