import { None, type JobId } from './ids.js'
import type { Order } from './plugs.js'
import type { Round } from './round.js'

/** Jobs that a policy is done with in the current call of its `schedule`. They are marked one by one and forgotten all at once. */
export class DoneJobs {
  readonly #doneIn: number[] = []
  #call = 0

  /** Starts a new call: no job is done. */
  begin(): void {
    this.#call++
  }
  /** Marks a job as done in this call. */
  add(job: JobId): void {
    this.#doneIn[job] = this.#call
  }
  /** Whether the job is marked in this call. */
  has(job: JobId): boolean {
    return this.#doneIn[job] === this.#call
  }

  /** Takes up the first job of the order that is not done and that the round lets it take, and marks it. `None` where no job is left. */
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
