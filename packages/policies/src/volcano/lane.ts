import { partitionPoint, type Env, type LaneId, type ResourceId, type Round } from '@sched/core'
import { KeyRows } from '../orders/ranked-ids.js'
import { totalOfAll } from '../shares/all-nodes.js'
import type { Amounts } from './amounts.js'
import { Jobs, type EnqueuedMemory } from './jobs.js'
import type { PluginSettings, VolcanoSettings } from './options.js'
import { Places } from '../disciplines/places.js'
import type { Session } from './plugin.js'
import { tiersOf } from './plugins.js'
import { longestWaitOf } from './plugins/sla.js'
import type { Queue, VolcanoJob } from './queue.js'
import { isGuaranteed, Queues } from './queues.js'
import type { RevocableZones } from './revocable-zones.js'
import { QueueLine, Reading } from './reading.js'
import { Standstill } from './standstill.js'
import type { Tiers } from './tiers.js'

/** Names of all queues that have come, each of which may be guaranteed something, and of the jobs that were enqueued. */
export interface LaneMemory {
  readonly queues: readonly string[]
  readonly enqueued: EnqueuedMemory
}

/** The state of Volcano in one lane: queues, jobs and plug-ins, kept from one session to the next. */
export class VolcanoLane {
  readonly session: Session
  readonly tiers: Tiers
  readonly jobs: Jobs
  readonly places = new Places()
  /** Queues of which no job could be started, as long as that holds. */
  readonly standstill = new Standstill()
  readonly #env: Env
  /** How often what queues deserve was computed. */
  #sessions = 0

  constructor(settings: VolcanoSettings, env: Env, lane: LaneId, zones: RevocableZones | undefined) {
    const { cluster } = env
    const resources = cluster.lanes[lane]?.resources ?? []
    const ranks = new KeyRows(settings.tiers.flatMap(({ plugins }) => plugins).length)
    const whole = Float64Array.from(cluster.resources, (_, r) => totalOfAll(cluster, r as ResourceId))
    this.#env = env
    this.session = { queues: new Queues(settings, cluster, ranks), resources, names: cluster.resources, total: whole.slice(), whole, zones }
    this.tiers = tiersOf(settings, this.session)
    this.jobs = new Jobs(env, lane, this.session, this.tiers, ranks, longestWaits(settings))
  }

  /** Brings the figures of plug-ins about all queues up to date. */
  open(): void {
    const { total, resources, queues } = this.session
    let isOther = false
    for (const r of resources) {
      const capacity = this.#env.cluster.capacity(r as ResourceId)
      if (capacity === total[r]) continue
      total[r] = capacity
      isOther = true
      this.jobs.isChanged = true
    }
    const made = queues.made.splice(0)
    const unbound = isOther || made.some(isGuaranteed) ? queues.all : made
    if (unbound.length > 0 || this.jobs.isStale) this.#openTiers(unbound)
    this.jobs.isStale = false
  }

  /** `unbound`: queues whose bounds depend on something that has changed; of others only what live ones deserve does. */
  #openTiers(unbound: readonly Queue[]): void {
    const { queues } = this.session
    this.#sessions++
    queues.prune()
    if (unbound.length > 0) this.tiers.bound(unbound)
    this.tiers.open()
    for (const queue of [...unbound, ...queues.live]) queue.noteBounds()
  }

  /** Whether any job of the queue may be enqueued, as far as the least minimum of them tells. */
  mayEnqueueAny(queue: Queue): boolean {
    this.jobs.narrow(queue)
    return this.tiers.mayEnqueueAny(queue)
  }

  /** Whether a round found that nothing could be started, and no queue has changed since, nor what queues deserve. */
  isAtRest(round: Round): boolean {
    return this.standstill.holdsForAll(this.#changes, round)
  }

  /** To be called after a round that has asked all queues and started nothing. */
  noteRest(round: Round): void {
    this.standstill.noteAll(this.session.queues.live.filter((queue) => queue.waiting.size > 0 && !this.tiers.isOverused(queue)), this.#changes, round)
  }

  /** Both counts only grow, so their sum stays the same only if both do. */
  get #changes(): number {
    return this.session.queues.root.changes + this.#sessions
  }

  memory(): LaneMemory {
    return { queues: this.session.queues.all.map(({ name }) => name), enqueued: this.jobs.memory() }
  }

  recall({ queues, enqueued }: LaneMemory): void {
    for (const name of queues) this.session.queues.of(name)
    this.jobs.recall(enqueued)
  }

  /** Pretends that jobs of the queue have so much more (`sign` 1) or less (-1); the caller must take it back. */
  add(queue: Queue, amounts: Amounts, sign: 1 | -1): void {
    for (const r of this.session.resources) queue.add('allocated', r, sign * (amounts[r] as number))
  }

  /** What the tasks that the job must start at once ask for together. */
  askedBy({ id, demand, together }: VolcanoJob, { work, lane }: Round): Amounts {
    if (together === 1) return demand
    const asked = new Float64Array(demand.length)
    for (const r of this.session.resources) asked[r] = work.asked(id, lane, r as ResourceId)
    return asked
  }

  /** Whether the job's queue may have that. */
  mayStart(job: VolcanoJob, round: Round): boolean {
    return this.tiers.mayAllocate(job.queue, this.askedBy(job, round))
  }

  /**
   * How many of the tasks that the job must start at once could start without anybody going: by the room on all nodes and by what its queue
   * may have. `undefined` if that cannot be counted, since tasks are not alike, or not all nodes are for the job.
   */
  startsFree({ shape, together, demand, isGangJob, queue }: VolcanoJob, { cluster, nodes, work, bars }: Round): number | undefined {
    if (isGangJob || work.isDistinct(shape) || work.areRules || bars !== undefined || nodes.length !== cluster.nodes) return undefined
    const most = Math.min(together, this.places.of(shape, cluster))
    return partitionPoint(1, most + 1, (tasks) => this.tiers.mayAllocate(queue, demand.map((amount) => amount * tasks))) - 1
  }

  /** The queues with jobs in that list, in line, and a reading of the jobs of each. */
  line(list: 'outside' | 'waiting', isAsked: (queue: Queue) => boolean = () => true): { readonly line: QueueLine; readonly reading: (queue: Queue) => Reading } {
    const queues = this.session.queues.live.filter((queue) => queue[list].size > 0 && isAsked(queue))
    const readings = new Map<Queue, Reading>()
    const reading = (queue: Queue): Reading => {
      const known = readings.get(queue) ?? new Reading(queue, list, this.jobs)
      readings.set(queue, known)
      return known
    }
    return { line: new QueueLine(queues, this.tiers), reading }
  }
}

/** The most seconds that `sla` lets a job wait to be enqueued; `Infinity`: for ever. */
function longestWaits({ tiers }: VolcanoSettings): (job: Pick<VolcanoJob, 'longestWait'>) => number {
  const plugins: readonly PluginSettings[] = tiers.flatMap((tier) => tier.plugins)
  const given = plugins.find(({ name, enableJobEnqueued }) => name === 'sla' && enableJobEnqueued !== false)
  return (job) => (given === undefined ? Infinity : longestWaitOf(job, given))
}
