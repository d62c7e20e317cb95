import type { CellState, Shapes } from '@sched/cluster'
import { ANYWHERE, SchedError, type NodeId, type Seconds, type ShapeId } from '@sched/core'
import { EventKind, type EventQueue } from './event-queue.js'
import type { PrefillTask } from './options.js'
import type { SleepingNodes } from './sleeping-nodes.js'

interface Held {
  readonly shape: ShapeId
  readonly node: NodeId
  /** The devices that it holds, one bit each. */
  readonly devices: number
}

/** Prefilled tasks: they run from the start, belong to no job, and hold resources until they end. */
export class Prefill {
  readonly #cell: CellState
  readonly #shapes: Shapes
  readonly #queue: EventQueue
  readonly #sleep: SleepingNodes | undefined
  readonly #held: Held[] = []
  /** Number of these tasks that never end. */
  endless = 0

  constructor(cell: CellState, shapes: Shapes, queue: EventQueue, sleep: SleepingNodes | undefined) {
    this.#cell = cell
    this.#shapes = shapes
    this.#queue = queue
    this.#sleep = sleep
  }

  /** Adds a prefilled task. Throws `BAD_INPUT` if it does not fit. */
  add({ node, demand, end }: PrefillTask): void {
    const shape = this.#shapes.intern(demand, ANYWHERE)
    if (!this.#cell.fits(shape, node))
      throw new SchedError(
        'BAD_INPUT',
        `a prefilled task with ${JSON.stringify(demand)} does not fit on ${this.#cell.name(node)}`,
        { field: 'prefill' },
        'Prefill less, or describe larger nodes.',
      )
    this.#held.push({ shape, node, devices: this.#cell.take(shape, node) })
    this.#sleep?.hold(node)
    if (end === Infinity) this.endless++
    else this.#queue.push(end, EventKind.PrefillEnd, this.#held.length - 1)
  }

  /** Ends the task with this index, in the order of `add`. */
  ended(index: number, now: Seconds): void {
    const { shape, node, devices } = this.#held[index] as Held
    this.#cell.give(shape, node, devices)
    this.#sleep?.release(node, now)
  }
}
