import { defineOrder, forwarding, grown, type JobBlock, type JobId, type LaneId, type Order, type Plug, type Round } from '@sched/core'
import * as z from '@sched/bundled/zod'

const queueDepthOptions = z.strictObject({
  depth: z.number().int().positive().default(32).describe('jobs that are looked at in a round, those that start among them'),
})
/** Options of `queue-depth`; all may be left out. */
export type QueueDepthOptions = z.input<typeof queueDepthOptions>

/**
 * The first so many jobs of another order, as it is when it is first read in a round: nobody looks at the others in that round, whoever starts.
 *
 * Source: Flux, `queue-depth` of its qmanager.
 */
export const queueDepthOrder = defineOrder({
  name: 'queue-depth',
  summary: 'the first so many jobs of another order',
  source: 'Flux, queue-depth',
  options: queueDepthOptions,
  inner: { order: 'order' },
  defaults: { order: 'fifo' },
  create: ({ depth }, env, { order }) => new QueueDepth(depth, order.create(env)),
})

/** The first so many jobs of another order. */
export const queueDepth = (order: Plug<'order'>, options: QueueDepthOptions = {}): Plug<'order'> => queueDepthOrder.plug({ order }, options)

class QueueDepth implements Order {
  readonly priority?: (job: JobId, lane: LaneId) => number
  readonly #depth: number
  readonly #order: Order
  /** The jobs that are looked at in this round. */
  readonly #seen = new Set<number>()
  #round = -1
  #isFirst = false
  readonly #block = { ids: new Int32Array(64), from: 0, to: 0 }

  constructor(depth: number, order: Order) {
    this.#depth = depth
    this.#order = order
    if (order.priority !== undefined) this.priority = (job, lane) => (order as Required<Order>).priority(job, lane)
    Object.assign(this, forwarding(order))
  }

  begin(round: Round): void {
    this.#isFirst = this.#round !== round.serial
    if (this.#isFirst) this.#seen.clear()
    this.#round = round.serial
    this.#order.begin(round)
    this.#block.to = 0
    for (let block = this.#order.next(); block !== undefined && this.#goesOn(); block = this.#order.next()) this.#takeFrom(block)
  }

  next(): JobBlock | undefined {
    const block = this.#block
    if (block.to === 0) return undefined
    const { ids, to } = block
    block.to = 0
    return { ids, from: 0, to }
  }

  #goesOn(): boolean {
    return this.#isFirst ? this.#seen.size < this.#depth : this.#block.to < this.#seen.size
  }

  #takeFrom({ ids, from, to }: JobBlock): void {
    const block = this.#block
    block.ids = grown(block.ids, block.to + to - from)
    for (let i = from; i < to && this.#goesOn(); i++) {
      const job = ids[i] as number
      if (this.#isFirst) this.#seen.add(job)
      if (this.#seen.has(job)) block.ids[block.to++] = job
    }
  }
}
