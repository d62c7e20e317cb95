import { None, type Env, type JobId, type NodeId, type Placement, type ResourceId, type Round, type ShapeId } from '@sched/core'
import { nodeFor } from '../disciplines/lowest-fitting.js'
import { startNearest } from '../disciplines/start-nearest.js'
import type { TakenJobs } from '../disciplines/taken-jobs.js'
import type { Amounts } from './amounts.js'
import type { Likeness, Queue, VolcanoJob } from './queue.js'
import type { VolcanoLane } from './lane.js'
import type { Session, Victim } from './plugin.js'
import { Standstill } from './standstill.js'

/** Of whom is taken: of other jobs of the queue, or of other queues. */
type Kind = 'preempt' | 'reclaim'

/**
 * Starts tasks of jobs that starve in the place of others, node by node: on the first node, by number, where those whom the plug-ins
 * name leave room when they go, as many go as are needed, in the order of their ranks from the last. A gang starts whole or not at all.
 *
 * Source: Volcano, actions/preempt and actions/reclaim. Deviations: who is taken is gone at once, one that has just started a moment
 * later; where there is room without anybody going that is used first; nodes come by number, not by score; no task takes of
 * its own job; nothing is taken back for a job that its queue may not start.
 */
export class Taking {
  readonly #env: Env
  readonly #lane: VolcanoLane
  readonly #placement: Placement
  readonly #taken: TakenJobs
  readonly #demands = new Map<ShapeId, Amounts>()
  /** Who takes nothing: by what it asks, its priority and the tasks it has. */
  readonly #vain = new Map<Likeness, Set<string>>()
  /** Queues of which no job can preempt; whether what is found of the next one stays so until something changes that is noted there. */
  readonly #standstill: Standstill
  #isLasting = false
  /** Whether somebody was taken; whether somebody was spared who has just started, or takes nothing at this look alone. */
  hasTaken = false
  hasMetNew = false
  hasSpared = false

  constructor(env: Env, lane: VolcanoLane, placement: Placement, taken: TakenJobs) {
    this.#env = env
    this.#lane = lane
    this.#placement = placement
    this.#taken = taken
    this.#standstill = new Standstill(lane.session.resources)
  }

  /** Queue by queue, of jobs of the same queue. */
  preempt(round: Round): void {
    const { line } = this.#lane.line('waiting')
    this.#vain.clear()
    for (let queue = line.take(); queue !== undefined; queue = line.take()) {
      if (this.#standstill.holds(queue, round)) continue
      this.#isLasting = true
      for (const job of this.#takers(queue, 'preempt')) this.#serve(job, 'preempt', round)
      if (this.#isLasting) this.#standstill.note(queue, round)
    }
  }

  /** For the first job of the first queue that has less than it should, of other queues; then its queue is placed anew. */
  reclaim(round: Round): void {
    const { line } = this.#lane.line('waiting')
    this.#vain.clear()
    const takers = new Map<Queue, Iterator<VolcanoJob, undefined>>()
    for (let queue = line.take(); queue !== undefined; queue = line.take()) {
      if (this.#lane.tiers.isOverused(queue)) continue
      const own = takers.get(queue) ?? this.#takers(queue, 'reclaim')
      takers.set(queue, own)
      const job = own.next().value
      if (job === undefined) continue
      this.#serve(job, 'reclaim', round)
      line.putBack(queue)
    }
  }

  /** Jobs of the queue that starve and may find something, in order. */
  *#takers(queue: Queue, kind: Kind): Generator<VolcanoJob, undefined> {
    const { tiers, jobs, session } = this.#lane
    const gives = (other: Queue): boolean => other !== queue && (other.settings.reclaimable ?? true) && hasAnything(other, session)
    if (kind === 'preempt' ? !hasAnything(queue, session) : !session.queues.all.some(gives)) return undefined
    for (const id of queue.waiting.ids.slice(queue.waiting.from, queue.waiting.to)) {
      const job = jobs.of(id as JobId)
      if (job.unplaced > 0 && tiers.isStarving(job) && !this.#isVain(job) && !this.#isBarred(job)) yield job
    }
    return undefined
  }

  #serve(job: VolcanoJob, kind: Kind, round: Round): void {
    if (!this.#takeFor(job, kind, round)) this.#note(job)
  }

  #isBarred({ id }: VolcanoJob): boolean {
    if (!this.#taken.isBarred(id)) return false
    this.#isLasting = false
    if (this.#taken.mayLater(id)) this.hasSpared = true
    return true
  }

  #isVain({ likeness, priority, running }: VolcanoJob): boolean {
    return this.#vain.get(likeness as Likeness)?.has(`${priority} ${running}`) === true
  }

  #note({ likeness, priority, running }: VolcanoJob): void {
    const known = this.#vain.get(likeness as Likeness) ?? new Set()
    this.#vain.set(likeness as Likeness, known.add(`${priority} ${running}`))
  }

  /** What must start at once, and then one task after the other while the job starves; false where nothing has started. */
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
    if (mayStart) this.#isLasting = false
    const free = mayStart ? nodeFor(job.id, round, this.#placement) : None
    if (free !== None && startNearest(job.id, free, round.cluster.levels, round)) return true
    if (kind === 'reclaim' && !(tiers.couldAllocate(job.queue, job.demand) && tiers.mayReclaim(job.queue, job.demand))) return false
    const { tasksOn } = job.queue
    for (const node of round.nodes) if ((kind === 'reclaim' || tasksOn.has(node)) && round.work.mayRunOn(job.shape, node) && this.#placeOn(node, job, kind, gone, round)) return true
    return false
  }

  #placeOn(node: NodeId, job: VolcanoJob, kind: Kind, gone: VolcanoJob[], round: Round): boolean {
    const { tiers } = this.#lane
    const candidates = this.#candidates(node, job, kind)
    if (!this.#couldStart(node, job, candidates, round)) return false
    candidates.sort((a, b) => this.#compare(a, b, job.queue))
    const victims = kind === 'preempt' ? tiers.preemptable(job, candidates) : tiers.reclaimable(job, candidates)
    if (!this.#couldStart(node, job, victims, round)) return false
    this.#isLasting = false
    const before = round.savepoint()
    for (const [i, { task }] of victims.entries()) {
      round.evict(task)
      if (!round.fits(job.id, node)) continue
      const mayStart = tiers.mayAllocate(job.queue, job.demand)
      if (!mayStart && kind === 'reclaim') break
      if (!mayStart || !startNearest(job.id, node, round.cluster.levels, round)) continue
      gone.push(...victims.slice(0, i + 1).map((victim) => victim.job))
      return true
    }
    round.rollback(before)
    return false
  }

  /** Whether there is enough of all that is asked when all of them are gone, and the queue may start it then. */
  #couldStart(node: NodeId, job: VolcanoJob, victims: readonly Victim[], { cluster }: Round): boolean {
    if (victims.length === 0) return false
    for (const r of this.#lane.session.resources) {
      let free = cluster.free(node, r as ResourceId)
      for (const { demand } of victims) free += demand[r] as number
      if (free < (job.demand[r] as number)) return false
    }
    return this.#mayOnceGone(job, victims)
  }

  /** Where it may not, it may not when fewer are gone. With a master more goes than it has itself. */
  #mayOnceGone({ queue, demand }: VolcanoJob, victims: readonly Victim[]): boolean {
    if (victims.some(({ job }) => this.#env.work.masterShape(job.id) !== None)) return true
    this.#count(victims, -1)
    const may = this.#lane.tiers.mayAllocate(queue, demand)
    this.#count(victims, 1)
    return may
  }

  #count(victims: readonly Victim[], sign: 1 | -1): void {
    for (const { job, demand } of victims) for (const r of this.#lane.session.resources) job.queue.add('allocated', r, sign * (demand[r] as number))
  }

  /** Running tasks on the node that the kind is about. */
  #candidates(node: NodeId, taker: VolcanoJob, kind: Kind): Victim[] {
    const { work } = this.#env
    const found: Victim[] = []
    for (const task of this.#lane.jobs.onNode[node] ?? []) {
      const job = this.#lane.jobs.of(work.jobOf(task))
      if (job === taker || (kind === 'preempt') !== (job.queue === taker.queue) || (kind === 'reclaim' && job.queue.settings.reclaimable === false)) continue
      if (Number.isNaN(work.started(task))) this.#meetNew()
      else found.push({ job, task, demand: this.#demandOf(work.shapeOf(task)), isCore: job.isGangJob && work.inGang(task) })
    }
    return found
  }

  /** A moment later it can be taken. */
  #meetNew(): void {
    this.hasMetNew = true
    this.#isLasting = false
  }

  /** By queue as plug-ins say, of one queue the last job in order first, of one job the last task, of one that is one gang first those that it can do without. */
  #compare(a: Victim, b: Victim, taker: Queue): number {
    if (a.job === b.job) return Number(a.isCore) - Number(b.isCore) || b.task - a.task
    if (a.job.queue !== b.job.queue) return this.#lane.tiers.compareVictims(a.job.queue, b.job.queue, taker)
    const { keys: keysA } = a.job
    const { keys: keysB } = b.job
    for (let k = 0; k < keysA.length; k++) if (keysA[k] !== keysB[k]) return (keysB[k] as number) - (keysA[k] as number)
    return b.job.rank - a.job.rank
  }

  #demandOf(shape: ShapeId): Amounts {
    const known = this.#demands.get(shape)
    if (known !== undefined) return known
    const demand = Float64Array.from(this.#lane.session.names, () => 0)
    for (const r of this.#lane.session.resources) demand[r] = this.#env.work.demand(shape, r as ResourceId)
    this.#demands.set(shape, demand)
    return demand
  }
}

const hasAnything = ({ allocated }: Queue, { resources }: Session): boolean => resources.some((r) => (allocated[r] as number) > 0)
