import { grown, type JobId, type LaneId, type ShapeId } from '@sched/core'
import type { Pots } from './pots.js'
import type { QueueTree } from './queue-tree.js'

/** What reservations in the default partition hold: a job may give one up to start on another node, although a limit forbids it more. */
export class HeldAmounts {
  readonly #pots: Pots
  readonly #tree: QueueTree
  /** By `job * lanes + lane`: the counted amounts that a job holds, and the number of its reservations. */
  readonly #ofJob = new Map<number, Float64Array>()
  /** `[pair * pots + pot]` and `[queue * pots + pot]`: the number of reservations of a user in a leaf, and of a queue. */
  readonly #ofPair: number[] = []
  #ofQueue = new Int32Array(64)

  constructor(tree: QueueTree, pots: Pots) {
    this.#tree = tree
    this.#pots = pots
  }

  /** A reservation of a job, whose user in its leaf is `pair`, was made (`sign` 1) or given up (-1). */
  change(job: JobId, lane: LaneId, shape: ShapeId, pot: number, pair: number, leaf: number, sign: 1 | -1): void {
    const { width, lanes, count, demands } = this.#pots
    const from = this.#pots.demandAt(shape, lane)
    const key = job * lanes + lane
    const held = this.#ofJob.get(key) ?? new Float64Array(width + 1)
    this.#ofJob.set(key, held)
    for (let i = 0; i < width; i++) held[i] = (held[i] as number) + sign * (demands[from + i] as number)
    held[width] = (held[width] as number) + sign
    if (held[width] === 0) this.#ofJob.delete(key)
    this.#ofPair[pair * count + pot] = (this.#ofPair[pair * count + pot] ?? 0) + sign
    this.#ofQueue = grown(this.#ofQueue, this.#tree.queues.length * count)
    for (let id = leaf; id >= 0; id = this.#tree.parents[id] as number) this.#ofQueue[id * count + pot] = (this.#ofQueue[id * count + pot] as number) + sign
  }

  /** The counted amounts that the job could give up; `undefined`: none. */
  of(job: JobId, lane: LaneId): Float64Array | undefined {
    return this.#ofJob.size === 0 ? undefined : this.#ofJob.get(job * this.#pots.lanes + lane)
  }

  /** Whether a user in a leaf has reservations. */
  isAnyOfPair(pair: number, pot: number): boolean {
    return (this.#ofPair[pair * this.#pots.count + pot] ?? 0) > 0
  }

  /** Whether jobs in a queue have reservations. */
  isAnyIn(queue: number, pot: number): boolean {
    return (this.#ofQueue[queue * this.#pots.count + pot] ?? 0) > 0
  }
}
