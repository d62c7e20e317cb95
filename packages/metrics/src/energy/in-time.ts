import { grown, type NodeId, type Seconds } from '@sched/core'

/**
 * Receives changes on nodes in order of time: how much the held amount, the number of running tasks and the number of times that the node is up go up
 * or down.
 */
export interface Changes {
  change(time: Seconds, node: NodeId, amount: number, tasks: number, up: number): void
}

/** Columns of a row: time, node, amount, tasks, up. */
const WIDTH = 5

/**
 * Sorts changes by time: with heartbeats, the stop of a task is reported after later starts. It keeps changes that may have to wait for an earlier
 * one, since each is reported less than `lag` seconds late; with a lag of 0 it keeps nothing. It is a heap by time; changes of one instant come in
 * any order.
 */
export class InTime {
  readonly #sink: Changes
  readonly #lag: Seconds
  #rows = new Float64Array(WIDTH * 64)
  #count = 0

  constructor(sink: Changes, lag: Seconds) {
    this.#sink = sink
    this.#lag = lag
  }

  /** Takes a change at `time` that is reported at `now`. */
  change(time: Seconds, node: NodeId, amount: number, tasks: number, up: number, now: Seconds): void {
    if (this.#lag === 0) return this.#sink.change(time, node, amount, tasks, up)
    this.#push(time, node, amount, tasks, up)
    this.tellUntil(now - this.#lag)
  }

  /** Passes on all changes up to a time. */
  tellUntil(time: Seconds): void {
    while (this.#count > 0 && (this.#rows[0] as number) <= time) this.#pop()
  }

  #push(time: Seconds, node: NodeId, amount: number, tasks: number, up: number): void {
    let at = this.#count++
    const rows = (this.#rows = grown(this.#rows, this.#count * WIDTH))
    while (at > 0) {
      const above = (at - 1) >> 1
      if ((rows[above * WIDTH] as number) <= time) break
      rows.copyWithin(at * WIDTH, above * WIDTH, (above + 1) * WIDTH)
      at = above
    }
    const row = at * WIDTH
    rows[row] = time
    rows[row + 1] = node
    rows[row + 2] = amount
    rows[row + 3] = tasks
    rows[row + 4] = up
  }

  #pop(): void {
    const rows = this.#rows
    this.#sink.change(rows[0] as number, rows[1] as NodeId, rows[2] as number, rows[3] as number, rows[4] as number)
    const last = --this.#count
    const time = rows[last * WIDTH] as number
    let at = 0
    for (let below = 1; below < last; below = 2 * at + 1) {
      if (below + 1 < last && (rows[(below + 1) * WIDTH] as number) < (rows[below * WIDTH] as number)) below++
      if ((rows[below * WIDTH] as number) >= time) break
      rows.copyWithin(at * WIDTH, below * WIDTH, (below + 1) * WIDTH)
      at = below
    }
    rows.copyWithin(at * WIDTH, last * WIDTH, (last + 1) * WIDTH)
  }
}
