import { defineOrder, forwarding, type Env, type JobBlock, type JobId, type LaneId, type Order, type Plug, type Round, type Seconds } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { byKey } from './by-key.js'

const helpStarvingOptions = z.strictObject({
  max_starve: z.number().nonnegative().default(86_400).describe('seconds from its submission on after which a job with tasks that wait is starving'),
})
/** Options of `help-starving`; all may be left out. */
export type HelpStarvingOptions = z.input<typeof helpStarvingOptions>

/**
 * Another order as long as nobody starves. When jobs do, the one that was submitted first is alone until it has started: nobody else takes what it
 * waits for, under any discipline.
 *
 * Source: Torque and OpenPBS 2.3, pbs_sched, `help_starving_jobs` (update_starvation and check_starvation of fifo.c). Deviation: others may start in the
 * pass in which it has started, there in the next one.
 */
export const helpStarvingOrder = defineOrder({
  name: 'help-starving',
  summary: 'another order; a job that has waited for too long holds all others back until it starts',
  source: 'Torque pbs_sched, help_starving_jobs',
  options: helpStarvingOptions,
  inner: { order: 'order' },
  defaults: { order: 'fifo' },
  create: ({ max_starve }, env, { order }) => new HelpStarving(max_starve, env, order.create(env)),
})

/** Another order; a job that has waited for too long holds all others back until it starts. */
export const helpStarving = (order: Plug<'order'>, options: HelpStarvingOptions = {}): Plug<'order'> => helpStarvingOrder.plug({ order }, options)

class HelpStarving implements Order {
  readonly priority?: (job: JobId, lane: LaneId) => number
  readonly #longest: Seconds
  readonly #env: Env
  readonly #order: Order
  readonly #bySubmission: Order
  /** The starving job, and whether it is still to be read. */
  readonly #alone = { ids: new Int32Array(1), from: 0, to: 1 }
  #isStarving = false
  #isRead = false

  constructor(longest: Seconds, env: Env, order: Order) {
    this.#longest = longest
    this.#env = env
    this.#order = order
    this.#bySubmission = byKey(env, () => 0)
    if (order.priority !== undefined) this.priority = (job, lane) => (order as Required<Order>).priority(job, lane)
    Object.assign(this, forwarding(order, this.#bySubmission))
  }

  begin(round: Round): void {
    this.#bySubmission.begin(round)
    const block = this.#bySubmission.next()
    const first = block === undefined ? undefined : (block.ids[block.from] as JobId)
    this.#isStarving = first !== undefined && this.#env.work.submitted(first) + this.#longest < round.now
    this.#isRead = false
    this.#alone.ids[0] = first ?? 0
    if (!this.#isStarving) this.#order.begin(round)
  }

  next(): JobBlock | undefined {
    if (!this.#isStarving) return this.#order.next()
    if (this.#isRead) return undefined
    this.#isRead = true
    return this.#alone
  }
}
