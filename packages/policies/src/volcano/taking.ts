import { FirstFit, None, type Env, type JobId, type NodeId, type Placement, type Round, type ShapeId } from '@sched/core'
import { nodeFor } from '../disciplines/lowest-fitting.js'
import { startNearest } from '../disciplines/start-nearest.js'
import type { TakenJobs } from '../disciplines/taken-jobs.js'
import { addTo, minus } from '../shares/vectors.js'
import type { Queue, VolcanoJob } from './queue.js'
import type { VolcanoLane } from './lane.js'
import type { VolcanoSettings } from './options.js'
import type { Session } from './plugin.js'
import { RoomBeside } from './room-beside.js'
import { Standstill, type Hindrance } from './standstill.js'
import { VainTakers } from './vain-takers.js'
import { Victims, type Kind } from './victims.js'

/**
 * Starts tasks of starving jobs in the place of others. It takes the first node, by number, on which the victims named by the plug-ins would leave room
 * for the task; of these as many go as needed, from the last in order on. A gang starts as a whole or not at all.
 *
 * Source: Volcano, actions/preempt and actions/reclaim. Deviations: a taken task is gone at once, one that has just started a moment
 * later; room for which nobody has to go is used first; nodes come by number, not by score; no task takes from
 * its own job; nothing is taken back for a job that its queue may not start.
 */
export class Taking {
  readonly #lane: VolcanoLane
  readonly #placement: Placement
  /** Priorities of jobs that never take anything. */
  readonly #never: ReadonlySet<number>
  readonly #taken: TakenJobs
  readonly #victims: Victims
  /** Jobs that can take nothing now. */
  readonly #vain = new VainTakers()
  /** Queues of which no job can preempt, and those of which none can take back. */
  readonly #standstill = new Standstill()
  readonly #hopeless = new Standstill()
  /** Whether the result for the current queue holds until something changes that is noted; `#hindrances`: what else it depends on. */
  #isLasting = false
  #hasTried = false
  #hindrances: Hindrance[] = []
  /** Shapes for which the result also depends on which nodes have room for tasks: some would start where nobody goes, or where others have gone. */
  readonly #shapes = new Set<ShapeId>()
  /**
   * Whether any task was taken; whether a victim was spared because it has just started (`hasMetNew`), or a job takes nothing only at this look
   * (`hasSpared`).
   */
  hasTaken = false
  hasMetNew = false
  hasSpared = false

  constructor({ never }: VolcanoSettings, env: Env, lane: VolcanoLane, placement: Placement, taken: TakenJobs) {
    this.#never = new Set(never)
    this.#lane = lane
    this.#placement = placement
    this.#taken = taken
    this.#victims = new Victims(env, lane, () => this.#meetNew())
  }

  /** Takes from jobs of the same queue, queue by queue. */
  preempt(round: Round): void {
    const { line } = this.#lane.line('waiting')
    this.#vain.clear()
    for (let queue = line.take(); queue !== undefined; queue = line.take()) {
      if (!hasAnything(queue, this.#lane.session) || this.#standstill.holds(queue, round)) continue
      this.#isLasting = true
      this.#hasTried = false
      this.#hindrances = []
      this.#shapes.clear()
      for (const job of this.takers(queue)) this.#preemptFor(job, round)
      if (this.#isLasting) this.#standstill.note(queue, [...this.#hindrances, ...this.#sameNodes(round), this.#roomBeside(queue, round)], round)
    }
  }

  /** Takes from other queues for the first job of the first queue that has less than it should; then that queue is placed anew in the line. */
  reclaim(round: Round): void {
    const { line } = this.#lane.line('waiting')
    this.#vain.clear()
    const takers = new Map<Queue, Iterator<VolcanoJob, undefined>>()
    for (let queue = line.take(); queue !== undefined; queue = line.take()) {
      if (this.#lane.tiers.isOverused(queue)) continue
      const own = takers.get(queue) ?? this.#reclaimers(queue, round)
      takers.set(queue, own)
      const job = own.next().value
      if (job === undefined) continue
      if (!this.#takeFor(job, 'reclaim', round)) this.#vain.add(job, job.together)
      line.putBack(queue)
    }
  }

  /** The starving jobs of the queue that may find something, in order. */
  *takers({ waiting }: Queue): Generator<VolcanoJob, undefined> {
    const { tiers, jobs } = this.#lane
    for (const id of waiting.ids.slice(waiting.from, waiting.to)) {
      const job = jobs.of(id as JobId)
      if (job.unplaced > 0 && !this.#never.has(job.priority) && tiers.isStarving(job) && !this.#vain.has(job) && !this.#isBarred(job)) yield job
    }
    return undefined
  }

  /** Those of them that may find something in other queues. */
  *#reclaimers(queue: Queue, round: Round): Generator<VolcanoJob, undefined> {
    const gives = (other: Queue): boolean => other !== queue && other.settings.reclaimable !== false && hasAnything(other, this.#lane.session)
    if (!this.#lane.session.queues.live.some(gives) || this.#hopeless.holds(queue, round)) return undefined
    const hindrances: Hindrance[] = []
    let isLasting = (this.#isLasting = true)
    for (const job of this.takers(queue)) {
      if (this.#isHopeless(job, round)) {
        hindrances.push({ holds: (later) => this.#isHopeless(job, later) })
        this.#vain.add(job, job.together)
        continue
      }
      isLasting = false
      yield job
    }
    if (isLasting && this.#isLasting) this.#hopeless.note(queue, hindrances, round)
    return undefined
  }

  #roomBeside(queue: Queue, round: Round): Hindrance {
    return new RoomBeside(queue, this.#lane.session.resources, this.#hasTried || this.#shapes.size > 0, round)
  }

  /** The hindrances that tasks of these shapes still find the same nodes. */
  #sameNodes({ cluster }: Round): Hindrance[] {
    const { places } = this.#lane
    return [...this.#shapes].map((shape) => {
      const version = places.version(shape, cluster)
      return { holds: (later) => version !== undefined && places.version(shape, later.cluster) === version }
    })
  }

  /** Makes the result for the job last only while the same nodes have room for its tasks; with a placement other than first fit it does not last at all. */
  #restOnNodes({ shape }: VolcanoJob): void {
    if (this.#placement instanceof FirstFit) this.#shapes.add(shape)
    else this.#isLasting = false
  }

  #preemptFor(job: VolcanoJob, round: Round): void {
    if (!this.#mayAlone(job, round)) return this.#vain.add(job, job.together)
    const free = this.#lane.startsFree(job, round)
    if (free === undefined || free === job.together) this.#isLasting = false
    else {
      this.#hindrances.push({ holds: (later) => this.#lane.startsFree(job, later) === free })
      if (free > 0 && !this.#couldGoOn(job, free, round)) return this.#vain.add(job, free + 1)
      if (free > 0) this.#restOnNodes(job)
    }
    if (this.#takeFor(job, 'preempt', round)) this.#isLasting = false
    else this.#vain.add(job, job.together)
  }

  /**
   * Whether the queue of the job may start all that must start at once if no other job of it had anything. If not, and another job has a task that has just
   * started, that task can be taken a moment later.
   */
  #mayAlone(job: VolcanoJob, round: Round): boolean {
    const { queue, id } = job
    const others = minus(queue.allocated, job.allocated)
    this.#lane.add(queue, others, -1)
    const may = this.#lane.mayStart(job, round)
    this.#lane.add(queue, others, 1)
    if (!may && this.#lane.jobs.hasFresh((other) => other.queue === queue && other.id !== id)) this.#meetNew()
    return may
  }

  /** Whether on any node others of its queue could make room for one more task, after `started` tasks of the job have started elsewhere. */
  #couldGoOn(job: VolcanoJob, started: number, round: Round): boolean {
    const { tasksOn } = job.queue
    const more = job.demand.map((amount) => amount * started)
    addTo(job.allocated, more)
    this.#lane.add(job.queue, more, 1)
    const could = round.nodes.some((node) => tasksOn.has(node) && round.work.mayRunOn(job.shape, node) && this.#victims.on(node, job, 'preempt', round) !== undefined)
    addTo(job.allocated, more, -1)
    this.#lane.add(job.queue, more, -1)
    return could
  }

  /**
   * Whether reclaiming for the job cannot succeed. It cannot if the queue may not start one task more than there is room for, even if anybody
   * goes, or may take nothing back for that one; nor if it may not start all, and no other queue has tasks that have just started.
   */
  #isHopeless(job: VolcanoJob, round: Round): boolean {
    const { tiers, places, jobs } = this.#lane
    const { queue, demand, together, shape } = job
    const asked = this.#lane.askedBy(job, round)
    if (!job.isGangJob && !round.work.isDistinct(shape) && !round.work.areRules && round.bars === undefined) {
      const room = places.of(shape, round.cluster)
      const first = room < together ? demand.map((amount) => amount * (room + 1)) : asked
      if (!tiers.couldAllocate(queue, first) || (room < together && !tiers.mayReclaim(queue, first))) return true
    }
    const gives = ({ queue: other }: VolcanoJob): boolean => other !== queue && other.settings.reclaimable !== false
    return !tiers.couldAllocate(queue, asked) && !jobs.hasFresh(gives)
  }

  #isBarred({ id }: VolcanoJob): boolean {
    if (!this.#taken.isBarred(id)) return false
    this.#isLasting = false
    if (this.#taken.mayLater(id)) this.hasSpared = true
    return true
  }

  /** Starts what the job must start at once, and then one task after another while it starves; false if nothing has started. */
  #takeFor(job: VolcanoJob, kind: Kind, round: Round): boolean {
    let hasStarted = false
    do {
      const before = round.savepoint()
      const gone: VolcanoJob[] = []
      if (!round.take(job.id)) {
        this.#isLasting = false
        return hasStarted
      }
      for (let left = job.together; left > 0; left--) {
        if (this.#placeOne(job, kind, gone, round)) continue
        round.rollback(before)
        return hasStarted
      }
      for (const each of gone) this.#taken.add(each.id)
      if (gone.length > 0) this.#vain.clear()
      this.hasTaken ||= gone.length > 0
      hasStarted = true
    } while (job.unplaced > 0 && this.#lane.tiers.isStarving(job))
    return hasStarted
  }

  #placeOne(job: VolcanoJob, kind: Kind, gone: VolcanoJob[], round: Round): boolean {
    const { tiers } = this.#lane
    const mayStart = tiers.mayAllocate(job.queue, job.demand)
    if (mayStart && gone.length > 0) this.#restOnNodes(job) // those that have gone may have left room for this task, too
    const free = mayStart ? nodeFor(job.id, round, this.#placement) : None
    if (free !== None && startNearest(job.id, free, round.cluster.levels, round)) return true
    if (this.#mustBeNear(job, round)) return false
    if (kind === 'reclaim' && !(tiers.couldAllocate(job.queue, job.demand) && tiers.mayReclaim(job.queue, job.demand))) return false
    const { tasksOn } = job.queue
    for (const node of round.nodes) if ((kind === 'reclaim' || tasksOn.has(node)) && round.work.mayRunOn(job.shape, node) && this.#placeOn(node, job, kind, gone, round)) return true
    return false
  }

  /** Whether the placement keeps the job in groups of nodes: no place for one task alone is one for all of them. */
  #mustBeNear({ id }: VolcanoJob, round: Round): boolean {
    return this.#placement.confines?.(id, round) === true && round.work.topology(id, round.lane) !== undefined
  }

  #placeOn(node: NodeId, job: VolcanoJob, kind: Kind, gone: VolcanoJob[], round: Round): boolean {
    const { tiers } = this.#lane
    const victims = this.#victims.on(node, job, kind, round)
    if (victims === undefined || this.#placement.wouldAllow?.(job.id, node, victims.map(({ task }) => task), round) === false) return false
    this.#hasTried = true
    const before = round.savepoint()
    for (const [i, { task }] of victims.entries()) {
      round.evict(task)
      if (!round.fits(job.id, node) || this.#placement.wouldAllow?.(job.id, node, [], round) === false) continue
      const mayStart = tiers.mayAllocate(job.queue, job.demand)
      if (!mayStart && kind === 'reclaim') break
      if (!mayStart || !startNearest(job.id, node, round.cluster.levels, round)) continue
      gone.push(...victims.slice(0, i + 1).map((victim) => victim.job))
      return true
    }
    round.rollback(before)
    return false
  }

  /** Notes that a task was met that has just started and can be taken a moment later. */
  #meetNew(): void {
    this.hasMetNew = true
    this.#isLasting = false
  }

}

const hasAnything = ({ allocated }: Queue, { resources }: Session): boolean => resources.some((r) => (allocated[r] as number) > 0)
