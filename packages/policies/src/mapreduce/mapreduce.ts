import { definePolicy, DoneJobs, FirstFit, forwarding, None, type JobId, type Order, type Placement, type Plug, type Policy, type Round } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { Gang, startGang, startPicked } from '../disciplines/gangs.js'
import { deferWithoutNode, nodeFor } from '../disciplines/lowest-fitting.js'
import { roomFor } from './room.js'
import { asRequested, chooseWorkers, globalCap, maxParallelism, relativeSize, type WorkerLimit } from './workers.js'

const mapReduceOptions = z.strictObject({
  limit: z
    .enum(['max-parallelism', 'relative-size', 'global-cap', 'as-requested'])
    .default('max-parallelism')
    .describe('most workers: all that help; a multiple of what the user asked for; idle resources only while the cell is used below a cap; what the user asked for'),
  factor: z.number().min(1).default(4).describe('relative-size: the multiple'),
  cap: z.number().min(0).max(1).default(0.6).describe('global-cap: part of the cell in use above which none is added'),
})
/** Options of `mapReduce`; all may be left out. */
export type MapReduceOptions = z.input<typeof mapReduceOptions>

/**
 * Chooses how many workers a mouldable job starts. When it takes up a job of which nothing runs, it predicts the finish for
 * every number of workers, from what the user asked for to what the limit and the idle resources in sight allow, and takes the
 * earliest. If a transaction rejects some of the workers, their number stays as chosen; if it rejects all, it is chosen
 * anew. Jobs that are not mouldable, and all jobs in rounds with one node of many in sight, are placed as they are.
 *
 * Source: Schwarzkopf et al., EuroSys 2013, section 6. Set-up time of workers is not modelled, as there.
 */
export const mapReducePolicy = definePolicy({
  name: 'mapreduce',
  summary: 'gives MapReduce jobs workers beyond those asked for while resources are idle',
  source: 'Schwarzkopf et al., EuroSys 2013, section 6',
  options: mapReduceOptions,
  inner: { order: 'order', placement: 'placement?' },
  defaults: { order: 'fifo', placement: 'random-fit' },
  create: (options, env, { order, placement }) => new MapReduce(order.create(env), placement?.create(env) ?? new FirstFit(), limitOf(options)),
})

/** Mouldable jobs get workers beyond those asked for while resources are idle. Without a placement tasks go to the lowest node with room. */
export const mapReduce = (order: Plug<'order'>, options: MapReduceOptions = {}, placement?: Plug<'placement'>): Plug<'policy'> =>
  mapReducePolicy.plug({ order, placement }, options)

function limitOf({ limit, factor, cap }: z.output<typeof mapReduceOptions>): WorkerLimit {
  switch (limit) {
    case 'max-parallelism':
      return maxParallelism
    case 'relative-size':
      return relativeSize(factor)
    case 'global-cap':
      return globalCap(cap)
    case 'as-requested':
      return asRequested
  }
}

class MapReduce implements Policy {
  readonly #order: Order
  readonly #placement: Placement
  readonly #limit: WorkerLimit
  readonly #pick = (job: JobId, round: Round) => nodeFor(job, round, this.#placement)
  /** Jobs that were taken up in this call. */
  readonly #done = new DoneJobs()

  constructor(order: Order, placement: Placement, limit: WorkerLimit) {
    this.#order = order
    this.#placement = placement
    this.#limit = limit
    Object.assign(this, forwarding(order, placement))
  }

  schedule(round: Round): void {
    this.#done.begin()
    if (round.nodes.length === 0) return
    if (round.jobsLeft === Infinity)
      while (this.#readOn(round)) {
        // a change of a job may change the order, so the order is read again
      }
    else
      while (round.jobsLeft > 0) {
        const job = this.#done.takeNext(this.#order, round)
        if (job === None) return
        this.#takeUp(job, round)
      }
  }

  /** Takes jobs up in order until one has changed; false when none is left. */
  #readOn(round: Round): boolean {
    const order = this.#order
    if (round.cluster.nextWithRoom(round.lane, 0) === None) return false
    order.begin(round)
    for (let block = order.next(); block !== undefined; block = order.next())
      for (let i = block.from; i < block.to; i++) {
        const job = block.ids[i] as JobId
        if (this.#done.has(job) || !round.take(job)) continue
        this.#done.add(job)
        if (this.#takeUp(job, round)) return true
      }
    return false
  }

  /** Chooses the number of workers of the job and starts those that find a node; returns whether anything about the job has changed. */
  #takeUp(job: JobId, round: Round): boolean {
    const { work, lane } = round
    const before = work.unplaced(job, lane)
    this.#size(job, round)
    let hasChanged = work.unplaced(job, lane) !== before
    while (round.claimsLeft > 0 && work.unplaced(job, lane) > 0) {
      const outcome = work.together(job, lane) > 1 ? startGang(job, round, this.#pick) : startPicked(job, round, this.#pick) ? Gang.Started : Gang.NoRoom
      if (outcome !== Gang.NoRoom) hasChanged = true
      if (outcome === Gang.Started) continue
      if (round.explained) deferWithoutNode(job, round, this.#placement)
      break
    }
    return hasChanged
  }

  #size(job: JobId, round: Round): void {
    const seesOneOfMany = round.nodes.length === 1 && (round.reach ?? round.nodes).length > 1
    const moulding = seesOneOfMany ? undefined : round.moulding(job)
    if (moulding === undefined) return
    const { total, used, idle } = roomFor(round.work.shape(job, round.lane), round)
    const { requested } = moulding // the requested workers do not count as idle any more
    round.mould(job, chooseWorkers(moulding, this.#limit, { total, used: used + requested, idle: Math.max(0, idle - requested) }))
  }
}
