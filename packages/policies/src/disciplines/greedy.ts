import {
  definePolicy, DoneJobs, FirstFit, forwarding, None, type Env, type JobId, type NodeId, type Order, type Placement, type Plug,
  type Policy, type Round,
} from '@sched/core'
import * as z from '@sched/bundled/zod'
import { FullShapes } from './full-shapes.js'
import { Gangs } from './gangs.js'
import { deferWithoutNode, nodeFor, onlyNode, rulesHold } from './lowest-fitting.js'
import { startNearest } from './start-nearest.js'

/**
 * Starts the first job in order that fits, again and again, without waiting for data or for room. On a node's heartbeat the job
 * starts its task nearest to the node; in a pass over many nodes the placement names the node. With the order `fifo` it
 * is Hadoop's default scheduler, with `fair` Algorithm 1.
 *
 * Source: Zaharia et al., EuroSys 2010, section 2 and Algorithm 1.
 */
export const greedyPolicy = definePolicy({
  name: 'greedy',
  summary: 'the first job in order that fits starts, without waiting',
  source: 'Zaharia et al., EuroSys 2010, section 2 and Algorithm 1',
  options: z.strictObject({}),
  inner: { order: 'order', placement: 'placement?' },
  defaults: { order: 'fifo', placement: 'first-fit' },
  create: (_, env, { order, placement }) => new Greedy(env, order.create(env), placement?.create(env) ?? new FirstFit()),
})

/** The first job in order that fits starts. Where rounds have many nodes the placement names one; default: the lowest with room. */
export const greedy = (order: Plug<'order'>, placement?: Plug<'placement'>): Plug<'policy'> =>
  greedyPolicy.plug({ order, placement })

class Greedy implements Policy {
  readonly startsGangJobs: boolean
  readonly #order: Order
  readonly #placement: Placement
  readonly #levels: number
  /** Jobs that are not looked at again in this call: they were taken up in turn, or found no node. */
  readonly #done = new DoneJobs()
  readonly #gangs = new Gangs()
  /** Absent where a placement goes by more than room, or would not be asked as often: it may keep count. */
  readonly #full: FullShapes | undefined
  readonly #pick = (job: JobId, round: Round) => nodeFor(job, round, this.#placement)

  constructor({ cluster }: Env, order: Order, placement: Placement) {
    this.#order = order
    this.startsGangJobs = order.startsGangJobs !== false
    this.#placement = placement
    this.#full = placement instanceof FirstFit ? new FullShapes() : undefined
    this.#levels = cluster.levels
    Object.assign(this, forwarding(order, placement))
  }

  schedule(round: Round): void {
    this.#done.begin()
    this.#gangs.begin()
    this.#full?.begin()
    if (round.jobsLeft < Infinity) this.#takeInTurn(round)
    else if (round.nodes.length === 1) {
      const node = round.nodes[0] as NodeId
      while (round.room(node) && this.#startOn(node, round)) {
        // each start changes the order, so it is read again
      }
    } else if (round.nodes.length > 0)
      while (this.#startAnywhere(round)) {
        // likewise
      }
  }

  /** A round for a limited number of jobs: each job in order uses one up, even if it does not fit, since its decision takes time all the same. */
  #takeInTurn(round: Round): void {
    if (round.nodes.length === 0) return
    while (round.jobsLeft > 0) {
      const job = this.#done.takeNext(this.#order, round)
      if (job === None) return
      while (round.claimsLeft > 0 && round.work.unplaced(job, round.lane) > 0 && this.#place(job, round)) {
        // the next task
      }
    }
  }

  #startOn(node: NodeId, round: Round): boolean {
    const order = this.#order
    const { areGangs } = round.work
    const areRules = rulesHold(round)
    order.begin(round)
    for (let block = order.next(); block !== undefined; block = order.next())
      for (let i = block.from; i < block.to; i++) {
        const job = block.ids[i] as JobId
        if (!round.fits(job, node)) continue
        if (areRules && onlyNode(job, round, this.#placement) === None) {
          if (round.explained) deferWithoutNode(job, round, this.#placement) // the only node has room, and nobody else would say why it is not taken
          continue
        }
        if (areGangs && round.work.together(job, round.lane) > 1) {
          if (this.#gangs.start(job, round, this.#pick)) return true
        } else if (startNearest(job, node, this.#levels, round)) return true
      }
    return false
  }

  #startAnywhere(round: Round): boolean {
    const { lane, cluster } = round
    if (cluster.nextWithRoom(lane, 0) === None) return false
    const order = this.#order
    const { areGangs } = round.work
    order.begin(round)
    for (let block = order.next(); block !== undefined; block = order.next())
      for (let i = block.from; i < block.to; i++) {
        const job = block.ids[i] as JobId
        if (this.#done.has(job)) continue
        if (areGangs && round.work.together(job, lane) > 1 ? this.#gangs.start(job, round, this.#pick) : this.#placeIfRoom(job, round)) return true
        this.#done.add(job) // nothing is given back while a round lasts, so it will find no node later, either
        if (round.explained) deferWithoutNode(job, round, this.#placement) // a node may have room that the placement does not take, or not for all of a gang
      }
    return false
  }

  #placeIfRoom(job: JobId, round: Round): boolean {
    if (this.#full?.has(job, round) === true) return false
    if (this.#place(job, round)) return true
    this.#full?.note(job, round)
    return false
  }

  #place(job: JobId, round: Round): boolean {
    const node = this.#pick(job, round)
    if (node === None) return false
    const task = round.work.taskFor(job, round.lane, node, this.#levels)
    return task !== None && round.claim(task, node)
  }
}
