import { definePolicy, forwarding, None, Reason, type Env, type JobId, type NodeId, type Order, type Plug, type Policy, type Round, type Seconds, type Sharing, type TaskId } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { DelayWaits } from './delay-waits.js'
import { Gangs } from './gangs.js'
import { lowestFitting } from './lowest-fitting.js'
import { OfferWaits } from './offer-waits.js'

const wait = z.number().nonnegative()
const delayOptions = z.strictObject({
  node: z.union([wait, z.literal('auto')]).default('auto').describe('W1: seconds a job waits for a node with its data; auto: 1.5 heartbeat intervals, at most 15 s'),
  rack: z.union([wait, z.literal('auto')]).optional().describe('W2: seconds more before it leaves the rack; default as `node`'),
  waits: z.array(wait).optional().describe('W1, W2, ... for networks of any depth, instead of `node` and `rack`'),
  resetOnLaunch: z
    .boolean()
    .default(true)
    .describe('a launch begins the waits of its job anew; false: only where the job has passed no node over meanwhile, and they run from then on (Spark 3.1 and later)'),
})
/** Options of `delay`, in seconds. */
export type DelayOptions = z.input<typeof delayOptions>

/** Longest automatic delay, in seconds, as in Hadoop. */
const LONGEST_AUTO = 15

/**
 * Delay scheduling by time with any number of locality levels, over any order: a job whose turn it is but that has no
 * task near the node lets others go first, up to W1 seconds for a node, then W2 for a rack, and so on.
 *
 * A job has a level (how far from its data it may launch) and a wait. Only the time between a heartbeat at which it was
 * skipped and the next heartbeat of any node counts as wait. A launch sets the wait to 0 and the level to that of the launch.
 * Without heartbeats every round is an opportunity, and the policy asks for a round when the next wait is over. Heartbeats of one
 * instant count as one: where all nodes beat together, no time would pass between a skip and the next heartbeat.
 *
 * Without `resetOnLaunch` waits run by the clock, and a launch begins them anew only if the job passed no free node over meanwhile (see
 * `OfferWaits`). Under Algorithm 3 each launch on a near node resets the wait, so a job whose waits are longer than its tasks never launches
 * elsewhere and other nodes stand idle. Without `resetOnLaunch` nobody waits for nodes that are down, either.
 *
 * A gang is not delayed: it starts when the nodes in sight have room for all of it.
 *
 * Source: Zaharia et al., EuroSys 2010, Algorithm 3. As in Hadoop, a job without located data is not delayed, nor is one
 * of a pool that is starved past its timeout.
 */
export const delayPolicy = definePolicy({
  name: 'delay',
  summary: 'a job waits up to W1 s for a node with its data, then W2 s for a rack',
  source: 'Zaharia et al., EuroSys 2010, Algorithm 3',
  options: delayOptions,
  inner: { order: 'order' },
  defaults: { order: 'fair' },
  create: (options, env, { order }) => new Delay(waitsOf(options, env), options.resetOnLaunch, env, order.create(env)),
})

/** Delay scheduling by time (Algorithm 3) over an order. */
export const delay = (order: Plug<'order'>, options: DelayOptions = {}): Plug<'policy'> => delayPolicy.plug({ order }, options)

function waitsOf({ node, rack, waits }: z.output<typeof delayOptions>, { cluster }: Env): Float64Array {
  const auto = Math.min(LONGEST_AUTO, 1.5 * cluster.heartbeat)
  const first = node === 'auto' ? auto : node
  const second = rack === undefined ? first : rack === 'auto' ? auto : rack
  return Float64Array.from({ length: cluster.levels }, (_, level) => (waits === undefined ? (level === 0 ? first : second) : (waits[level] ?? 0)))
}

class Delay implements Policy {
  readonly startsGangJobs: boolean
  readonly #order: Order
  readonly #waits: DelayWaits | OfferWaits
  /** The same object as `#waits`, present without `resetOnLaunch`. */
  readonly #offers: OfferWaits | undefined
  readonly #lanes: number
  readonly #levels: number
  readonly #sharing: Sharing | undefined
  readonly #hasHeartbeats: boolean
  readonly #gangs = new Gangs()

  constructor(waits: Float64Array, resetOnLaunch: boolean, { cluster, work }: Env, order: Order) {
    this.#order = order
    this.#offers = resetOnLaunch ? undefined : new OfferWaits(waits, cluster.lanes.length, cluster.heartbeat, work)
    this.#waits = this.#offers ?? new DelayWaits(waits, cluster.lanes.length, work)
    this.#lanes = cluster.lanes.length
    this.#levels = cluster.levels
    this.#sharing = order.sharing
    this.#hasHeartbeats = cluster.heartbeat > 0
    this.startsGangJobs = order.startsGangJobs !== false
    Object.assign(this, forwarding(order, this.#waits))
  }

  schedule(round: Round): void {
    const { nodes, lane } = round
    this.#gangs.begin()
    if (!this.#hasHeartbeats || this.#offers !== undefined) this.#waits.passRound(lane, round.now)
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[i] as NodeId
      while (round.room(node) && this.#startOn(node, round)) {
        // the next free slot of the node, with the order as it is now
      }
    }
    this.#offers?.endRound(lane)
    if (!this.#hasHeartbeats) this.#askAgain(round)
  }

  /**
   * Goes through the jobs in order until one launches a task near enough on the node or starts a gang; jobs before it that have a task that fits
   * but no near one are skipped. One loop, since a call for each job makes a run a tenth slower.
   */
  #startOn(node: NodeId, round: Round): boolean {
    const { lane, work } = round
    const order = this.#order
    const waits = this.#waits
    const sharing = this.#sharing
    const lanes = this.#lanes
    const { areGangs } = work
    order.begin(round)
    for (let block = order.next(); block !== undefined; block = order.next()) {
      const { ids, to } = block
      for (let i = block.from; i < to; i++) {
        const job = ids[i] as JobId
        if (!round.fits(job, node)) continue
        if (areGangs && work.together(job, lane) > 1) {
          if (this.#gangs.start(job, round, lowestFitting)) return true
          continue
        }
        const at = job * lanes + lane
        const level = sharing?.starved(job, lane) === true ? this.#levels : waits.allowed(at)
        let task = work.taskFor(job, lane, node, level)
        if (task === None && this.#offers !== undefined) task = this.#unawaited(job, node, level, round, this.#offers)
        if (task !== None) {
          if (this.#launch(task, at, node, round)) return true
          continue
        }
        if (round.explained) round.defer(job, Reason.Locality)
        waits.skip(at, lane)
      }
    }
    return false
  }

  /** A task for the node that is farther away than `level`, but as near as any task of the job can be on the nodes that are up. */
  #unawaited(job: JobId, node: NodeId, level: number, { lane, work, cluster }: Round, offers: OfferWaits): TaskId | None {
    const nearest = offers.nearest(job, lane, level, cluster)
    return nearest > level ? work.taskFor(job, lane, node, nearest) : None
  }

  #launch(task: TaskId, at: number, node: NodeId, round: Round): boolean {
    if (!round.claim(task, node)) return false
    this.#waits.launched(at, round.work.level(task, node))
    return true
  }

  /** Asks for a round when the next delay runs out: without heartbeats nothing else might happen by then. */
  #askAgain(round: Round): void {
    const soonest = this.#waits.soonest(round.lane)
    if (soonest < Infinity) round.wakeAt(timeAfter(round.now, soonest))
  }
}

/** The first time at which `wait` seconds have passed since `now`: their sum, or a little more where the sum was rounded down. */
function timeAfter(now: Seconds, wait: Seconds): Seconds {
  const time = now + wait
  return time - now < wait ? time * (1 + Number.EPSILON) : time
}
