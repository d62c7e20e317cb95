import type { Heartbeat } from '@sched/cluster'
import { SchedError, type NodeId, type Seconds } from '@sched/core'

/**
 * Heartbeats of all nodes: node i beats at `k * interval + offset(i)`. They are periodic, so the ring computes the next one, and none is in the event
 * queue.
 */
export class HeartbeatRing {
  /** Node of the next heartbeat. */
  node = 0 as NodeId
  /** Time of the next heartbeat, in seconds. */
  next: Seconds
  readonly #offsets: Float64Array
  readonly #interval: Seconds
  #cycle = 0

  constructor(heartbeat: Heartbeat, nodes: number) {
    this.#interval = heartbeat.interval
    this.#offsets = Float64Array.from({ length: nodes }, (_, i) => (heartbeat.stagger !== false ? (i * heartbeat.interval) / nodes : 0))
    this.next = 0
  }

  /** Goes on to the next heartbeat. */
  advance(): void {
    let node = this.node + 1
    if (node === this.#offsets.length) {
      node = 0
      this.#cycle++
    }
    this.node = node as NodeId
    this.next = this.#cycle * this.#interval + (this.#offsets[node] as number)
  }

  /** Skips all heartbeats before `time`. Throws `BAD_INPUT` for a time so late that doubles cannot distinguish successive heartbeats. */
  skipTo(time: Seconds): void {
    if (time <= this.next) return
    const cycle = Math.max(this.#cycle, Math.floor(time / this.#interval) - 1)
    if (cycle >= Number.MAX_SAFE_INTEGER)
      throw new SchedError(
        'BAD_INPUT',
        `at ${time} s heartbeats of every ${this.#interval} s cannot be told apart.`,
        {},
        'Are the times of the workload in seconds? Or use a longer interval, or none.',
      )
    if (cycle > this.#cycle) {
      this.#cycle = cycle - 1
      this.node = (this.#offsets.length - 1) as NodeId
      this.advance()
    }
    while (this.next < time) this.advance()
  }
}
