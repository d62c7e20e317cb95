import type { Seconds } from '@sched/core'

/** Growing columns of tasks, 38 bytes per task: a month of the trace has 25 million tasks. Unknown times are NaN. */
export class TaskColumns {
  count = 0
  submitted = new Float64Array(1024)
  /** Start of the latest run, seconds. */
  started = new Float64Array(1024)
  /** End of the latest run, seconds. */
  ended = new Float64Array(1024)
  shape = new Int32Array(1024)
  /** Type of the latest event that changed the task's state. */
  state = new Uint8Array(1024)
  /** Whether it ran at time 0 (1) or not (0). */
  running = new Uint8Array(1024)

  add(submitted: Seconds, shape: number): number {
    if (this.count === this.submitted.length) this.#grow()
    const task = this.count++
    this.submitted[task] = submitted
    this.started[task] = NaN
    this.ended[task] = NaN
    this.shape[task] = shape
    return task
  }

  #grow(): void {
    const size = 2 * this.count
    const larger = <T extends Float64Array | Int32Array | Uint8Array>(into: T, from: T): T => {
      into.set(from)
      return into
    }
    this.submitted = larger(new Float64Array(size), this.submitted)
    this.started = larger(new Float64Array(size), this.started)
    this.ended = larger(new Float64Array(size), this.ended)
    this.shape = larger(new Int32Array(size), this.shape)
    this.state = larger(new Uint8Array(size), this.state)
    this.running = larger(new Uint8Array(size), this.running)
  }
}
