import { defineOrder, forwarding, Reason, type Env, type JobBlock, type JobId, type Order, type Plug, type Round, type Seconds, type WorkView } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { byKey } from './by-key.js'

/**
 * Jobs by the start time in their log; none is given before that time. A job without a recorded start is given from its submission on, but not
 * before `unknown`, in seconds.
 */
export const asRecorded = (unknown: Seconds): Plug<'order'> => asRecordedOrder.plug({}, { unknown })

const asRecordedOrder = defineOrder({
  name: 'as-recorded',
  summary: 'by when their log says that they started',
  options: z.strictObject({ unknown: z.number() }),
  create: ({ unknown }, env) => new AsRecorded(env, unknown),
})

class AsRecorded implements Order {
  readonly #work: WorkView
  readonly #unknown: Seconds
  readonly #order: Order
  #round: Round | undefined

  constructor(env: Env, unknown: Seconds) {
    this.#work = env.work
    this.#unknown = unknown
    this.#order = byKey(env, (job) => this.#start(job))
    Object.assign(this, forwarding(this.#order))
  }

  #start(job: JobId): Seconds {
    const wait = this.#work.recordedWait(job)
    const submitted = this.#work.submitted(job)
    return Number.isNaN(wait) ? Math.max(this.#unknown, submitted) : submitted + wait
  }

  begin(round: Round): void {
    this.#round = round
    this.#order.begin(round)
  }

  /** The last block ends before the first job that is not due yet; the order asks for a round at the time when that job is due. */
  next(): JobBlock | undefined {
    const round = this.#round
    const block = round === undefined ? undefined : this.#order.next()
    if (round === undefined || block === undefined || this.#start(block.ids[block.to - 1] as JobId) <= round.now) return block
    this.#round = undefined
    let { from: to } = block
    while (this.#start(block.ids[to] as JobId) <= round.now) to++
    round.wakeAt(this.#start(block.ids[to] as JobId))
    if (round.explained) this.#explain(block, to, round)
    return to > block.from ? { ids: block.ids, from: block.from, to } : undefined
  }

  /** Says of the jobs from index `from` of the block on that they are not due yet. */
  #explain(first: JobBlock, from: number, round: Round): void {
    const ids = [...first.ids.subarray(from, first.to)]
    for (let block = this.#order.next(); block !== undefined; block = this.#order.next()) ids.push(...block.ids.subarray(block.from, block.to))
    for (const job of ids) round.defer(job as JobId, Reason.Limit, 'start in the log')
  }
}
