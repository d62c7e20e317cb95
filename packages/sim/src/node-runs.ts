import { grown, type NodeId, type Seconds } from '@sched/core'

/** The runs on each node, as linked lists, and the next time at which one of them stops: what a heartbeat reports. */
export class NodeRuns {
  /** Earliest stop on each node, `Infinity` if nothing runs there. */
  readonly nextStop: Float64Array
  /** The runs that the last call of `takeStopped` removed. */
  stopped = new Int32Array(8)
  readonly #heads: Int32Array
  #after = new Int32Array(64)
  #stops = new Float64Array(64)

  constructor(nodes: number) {
    this.nextStop = new Float64Array(nodes).fill(Infinity)
    this.#heads = new Int32Array(nodes).fill(-1)
  }

  add(run: number, node: NodeId, stop: Seconds): void {
    if (run >= this.#after.length) {
      this.#after = grown(this.#after, run + 1)
      this.#stops = grown(this.#stops, run + 1)
    }
    this.#stops[run] = stop
    this.#after[run] = this.#heads[node] as number
    this.#heads[node] = run
    if (stop < (this.nextStop[node] as number)) this.nextStop[node] = stop
  }

  /** Moves the runs of a node that have stopped by `now` into `stopped`, ordered by (stop, run); returns their number. */
  takeStopped(node: NodeId, now: Seconds): number {
    let count = 0
    let before = -1
    let next = Infinity
    for (let run = this.#heads[node] as number; run >= 0; ) {
      const after = this.#after[run] as number
      const stop = this.#stops[run] as number
      if (stop <= now) {
        this.#unlink(node, before, after)
        this.#insert(count++, run)
      } else {
        if (stop < next) next = stop
        before = run
      }
      run = after
    }
    this.nextStop[node] = next
    return count
  }

  /** Removes a run from its node; true if it was there. */
  remove(target: number, node: NodeId): boolean {
    let before = -1
    let found = false
    let next = Infinity
    for (let run = this.#heads[node] as number; run >= 0; ) {
      const after = this.#after[run] as number
      if (run === target) {
        this.#unlink(node, before, after)
        found = true
      } else {
        next = Math.min(next, this.#stops[run] as number)
        before = run
      }
      run = after
    }
    this.nextStop[node] = next
    return found
  }

  #unlink(node: NodeId, before: number, after: number): void {
    if (before < 0) this.#heads[node] = after
    else this.#after[before] = after
  }

  /** Inserts a run into the first `count` entries of `stopped`, which are in order. */
  #insert(count: number, run: number): void {
    if (count === this.stopped.length) this.stopped = grown(this.stopped, count + 1)
    const { stopped } = this
    let at = count
    while (at > 0 && this.#fires(run, stopped[at - 1] as number)) {
      stopped[at] = stopped[at - 1] as number
      at--
    }
    stopped[at] = run
  }

  #fires(a: number, b: number): boolean {
    const before = (this.#stops[a] as number) - (this.#stops[b] as number)
    return before < 0 || (before === 0 && a < b)
  }
}
