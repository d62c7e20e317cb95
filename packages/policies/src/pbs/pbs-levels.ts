import { defineOrder, forwarding, grown, type Env, type JobBlock, type JobId, type LaneId, type Order, type Plug, type Round } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { ByLevel } from './by-level.js'
import { levelFields } from './options.js'
import { PreemptLevels } from './preempt-levels.js'
import { PreemptedJobs } from './preempted-jobs.js'

const pbsLevelsOptions = z.strictObject(levelFields)
/** Options of `pbs-levels`; all may be left out. */
export type PbsLevelsOptions = z.input<typeof pbsLevelsOptions>

/**
 * Jobs of a higher preemption level first, of one level those that were preempted, the first to be comes first, then all others in another order. Jobs over a
 * soft limit, whose level is mostly lower, so come after those that are not; who has started is seen at once.
 *
 * Source: OpenPBS, `cmp_sort` of sort.cpp.
 */
export const pbsLevelsOrder = defineOrder({
  name: 'pbs-levels',
  summary: 'by preemption levels and soft limits (OpenPBS), then by another order',
  source: 'OpenPBS, preempt_prio',
  options: pbsLevelsOptions,
  inner: { order: 'order' },
  defaults: { order: 'fifo' },
  create: (options, env, { order }) => new PbsLevels(options, env, order.create(env)),
})

/** By preemption levels, then by another order. */
export const pbsLevels = (order: Plug<'order'>, options: PbsLevelsOptions = {}): Plug<'order'> => pbsLevelsOrder.plug({ order }, options)

class PbsLevels implements Order {
  readonly readsAll: boolean
  readonly priority?: (job: JobId, lane: LaneId) => number
  readonly #order: Order
  readonly #jobs: ByLevel
  #ids = new Int32Array(64)
  #unread: JobBlock | undefined

  constructor(options: z.output<typeof pbsLevelsOptions>, env: Env, order: Order) {
    this.#order = order
    const [levels, preempted] = [new PreemptLevels(options, env, 'pbs-levels'), new PreemptedJobs(env)]
    this.#jobs = new ByLevel(levels, preempted)
    this.readsAll = order.readsAll === true
    if (order.priority !== undefined) this.priority = (job, lane) => (order as Required<Order>).priority(job, lane)
    Object.assign(this, forwarding(levels, preempted, order))
  }

  begin(round: Round): void {
    this.#jobs.take(this.#order, round)
    const sorted = this.#jobs.empty()
    const count = sorted.length
    this.#ids = grown(this.#ids, count)
    this.#ids.set(sorted)
    this.#unread = { ids: this.#ids, from: 0, to: count }
  }

  next(): JobBlock | undefined {
    const block = this.#unread
    this.#unread = undefined
    return block
  }
}
