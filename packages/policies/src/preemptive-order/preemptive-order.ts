import { forwarding, None, type Env, type JobId, type NodeId, type Placement, type Policy, type Round, type Seconds } from '@sched/core'
import { greedyPolicy } from '../disciplines/greedy.js'
import { deferWithoutNode } from '../disciplines/lowest-fitting.js'
import { EvictedNow } from './evicted-now.js'
import { HeldAmounts } from './held-amounts.js'
import type { JobOrder } from './job-order.js'
import { MakingRoom } from './making-room.js'
import { SortedJobs } from './sorted-jobs.js'
import { Victims } from './victims.js'

/** Seconds after which those are tried again that were evicted, for whom there may be room elsewhere. */
const MOMENT: Seconds = 0.001

/**
 * All jobs in one order, those that run and those that wait. Who waits starts in this order, where there is no room in the place of jobs that are behind: those
 * go first that find no place where jobs are chosen by amounts in the order, from the last on, then others, and no more than must; where not even all of them
 * help nobody goes. A job goes as a whole, with all that runs of it in the lane, and does not come back at the same instant.
 *
 * Where nodes report by heartbeat, or decisions take time, jobs start in the order and run to their end.
 *
 * Deviation from Tiresias: it stops all jobs that were not chosen, also those that are in nobody's way, and gives all others places anew.
 */
export class PreemptiveOrder implements Policy {
  readonly startsGangJobs = true
  readonly #name: string
  readonly #warn: Env['warn']
  readonly #order: JobOrder
  readonly #placement: Placement
  readonly #jobs: SortedJobs
  readonly #evicted: EvictedNow
  readonly #victims: Victims
  readonly #making: MakingRoom
  /** For rounds in which nobody is preempted. */
  readonly #greedy: Policy

  constructor(name: string, order: JobOrder, env: Env, placement: Placement) {
    if (env.cluster.heartbeat > 0) env.warn(`${name} preempts only where all nodes are seen at once. This cluster has heartbeats, so jobs start in its order and run to their end.`)
    this.#name = name
    this.#warn = (message) => env.warn(message)
    this.#order = order
    this.#placement = placement
    this.#evicted = new EvictedNow(env.work)
    this.#jobs = new SortedJobs(order, env, (job) => this.#evicted.has(job))
    const held = new HeldAmounts(env)
    this.#victims = new Victims(this.#jobs, held)
    this.#making = new MakingRoom(held, placement)
    this.#greedy = greedyPolicy
      .plug({ order: { kind: 'order', name, create: () => this.#jobs }, placement: { kind: 'placement', name: 'placement', create: () => placement } })
      .create(env)
    Object.assign(this, forwarding(order, this.#greedy, held, this.#evicted))
  }

  schedule(round: Round): void {
    this.#evicted.begin(round.now)
    if (round.nodes.length === 0 || round.pending === 0) return
    if (round.jobsLeft < Infinity) this.#warn(`${this.#name} preempts only where decisions take no time. Here they take some, so jobs start in its order and run to their end.`)
    if (mayPreempt(round)) this.#preempt(round)
    else this.#greedy.schedule(round)
    this.#order.end?.()
  }

  #preempt(round: Round): void {
    const { lane, explained } = round
    const jobs = this.#jobs.of(round)
    this.#victims.renew()
    this.#making.begin()
    for (let i = 0; i < jobs.length; i++) {
      const job = jobs[i] as JobId
      if (!this.#jobs.waits(job, lane)) continue
      if (!explained && this.#isFull(round) && !this.#victims.areAny(job, round)) break // those that wait behind it do not start, either
      while (this.#jobs.waits(job, lane) && round.claimsLeft > 0 && this.#startNext(job, round)) {
        // its next task
      }
      if (explained && this.#jobs.waits(job, lane)) deferWithoutNode(job, round, this.#placement)
    }
    const next = this.#order.nextChange((job) => this.#jobs.isIn(job, lane))
    if (next > round.now && next < Infinity) round.wakeAt(next)
    if (this.#evicted.areAny) round.wakeAt(round.now + MOMENT)
  }

  /** Starts the next task of the job, or its gang, on what is free or in the place of others. */
  #startNext(job: JobId, round: Round): boolean {
    const starts = (this.#hasRoom(job, round) && this.#making.start(job, round)) || this.#startInstead(job, round)
    if (starts) this.#victims.renew()
    return starts
  }

  /** Whether nobody who waits can start on what is free. Of many nodes any room counts: a placement is asked for a node, and may draw a random number even where no task fits. */
  #isFull({ cluster, nodes, lane }: Round): boolean {
    if (cluster.nextWithRoom(lane, 0) === None) return true
    const resources = cluster.lanes[lane]?.resources ?? []
    const least = this.#jobs.leastAsked(lane)
    return nodes.length === 1 && resources.some((r, i) => cluster.free(nodes[0] as NodeId, r) < (least[i] as number))
  }

  /** Whether there may be room for the next task of the job on what is free. */
  #hasRoom(job: JobId, round: Round): boolean {
    const { cluster, nodes, lane } = round
    return nodes.length === 1 ? round.fits(job, nodes[0] as NodeId) : cluster.nextWithRoom(lane, 0) !== None
  }

  #startInstead(job: JobId, round: Round): boolean {
    const others = this.#victims.of(job, round)
    if (others.length === 0 || !round.take(job)) return false
    const gone = this.#making.startInstead(job, others, round)
    for (const other of gone) this.#evicted.add(other)
    return gone.length > 0
  }
}

/** Whether all nodes of the scheduler are in sight, and all jobs may be taken up. */
const mayPreempt = ({ cluster, nodes, reach = nodes, jobsLeft, claimsLeft }: Round): boolean =>
  cluster.heartbeat === 0 && reach.length === nodes.length && jobsLeft === Infinity && claimsLeft > 0
