import { askedTogether, definePolicy, FirstFit, forwarding, leastTasks, None, Reason, SchedError, startedTogether, type Env, type JobId, type JobSpec, type LaneId, type NodeId, type Placement, type Plug, type Policy, type Release, type Round, type TaskId } from '@sched/core'
import { startNext, type MostRoom } from '../disciplines/gangs.js'
import { deferWithoutNode, nodeFor } from '../disciplines/lowest-fitting.js'
import { TakenJobs, type TakenMemory } from '../disciplines/taken-jobs.js'
import { allNodes } from '../shares/all-nodes.js'
import type { Queue, VolcanoJob } from './queue.js'
import { VolcanoLane, type LaneMemory } from './lane.js'
import { volcanoOptions, type PluginSettings, type VolcanoOptions, type VolcanoSettings } from './options.js'
import { NoRoom } from './no-room.js'
import { PERIOD } from './plugins/tdm.js'
import { RevocableRound, ZonesFirst } from './revocable-round.js'
import { RevocableZones } from './revocable-zones.js'
import { Revoking } from './revoking.js'
import { GangTaking } from './gang-taking.js'
import { Taking } from './taking.js'

/**
 * The scheduler of Volcano: a sequence of actions over plug-ins in tiers. Jobs are enqueued while there is room for what
 * they must have at once (`enqueue`). Then, again and again, the first job of the first queue starts what it must start at once, or one more task, and
 * the job and its queue are placed anew among the others (`allocate`). Starving jobs may take from others of their queue (`preempt`) or from other
 * queues (`reclaim`).
 *
 * Every look is a session. A job is a PodGroup. Its `minMember` is 1; for a gang it is all tasks or `minTasks`; for a job that is one
 * gang it is the sum of these over its stages. Its `minResources` are what these tasks ask for.
 *
 * Source: Volcano, pkg/scheduler/actions and plugins. Deviations: the tasks of a job exist as soon as it is enqueued, and it stays enqueued;
 * tasks that ask for nothing start with the others, not by `backfill`; a gang that is left with fewer tasks than it must have goes as a whole;
 * ties between queues go by name.
 */
export const volcanoPolicy = definePolicy({
  name: 'volcano',
  summary: 'Volcano: queues by proportion or capacity, jobs by priority, gang and dominant share, with preempt and reclaim',
  source: 'Volcano, actions and plug-ins in tiers',
  options: volcanoOptions,
  inner: { placement: 'placement?' },
  defaults: { placement: 'first-fit' },
  create: (options, env, { placement }) => new Volcano(options, env, placement?.create(env) ?? new FirstFit()),
})

/** The scheduler of Volcano. Where rounds have many nodes the placement names one; default: the lowest with room. */
export const volcano = (options: VolcanoOptions = {}, placement?: Plug<'placement'>): Plug<'policy'> => volcanoPolicy.plug({ placement }, options)

/** Seconds from one session to the next, as in Volcano. */
const SESSION = 1
/** Seconds until tasks that have just started can be taken. */
const MOMENT = 0.001
/** Seconds from one time at which `tdm` takes tasks off closed zones to the next. */
const MINUTE = 60

/** Actions that take tasks of others: from where. */
const KINDS = { preempt: 'preempt', reclaim: 'reclaim', gangpreempt: 'preempt', gangreclaim: 'reclaim' } as const

class Volcano implements Policy {
  readonly startsGangJobs = true
  readonly #actions: VolcanoSettings['actions']
  readonly #lanes: readonly VolcanoLane[]
  readonly #taking: readonly Taking[]
  readonly #placement: Placement
  readonly #gangTaking: readonly GangTaking[]
  readonly #taken = new TakenJobs()
  readonly #most: MostRoom = new Map()
  readonly #env: Env
  /** The zones of the plug-in `tdm`, the round that keeps to them, and by lane what takes tasks off them; absent without it. */
  readonly #zones: RevocableZones | undefined
  readonly #inZones: RevocableRound | undefined
  readonly #revoking: readonly Revoking[]
  readonly #pick = (job: JobId, round: Round): NodeId | None => nodeFor(job, round, this.#placement)

  constructor(settings: VolcanoSettings, env: Env, placement: Placement) {
    this.#actions = settings.actions
    if (!this.#actions.includes('allocate'))
      throw new SchedError('BAD_OPTION', 'actions are without allocate: nothing ever starts.', { field: 'volcano.actions' }, 'Add it, or leave `actions` out.')
    const plugins: readonly PluginSettings[] = settings.tiers.flatMap((tier) => tier.plugins)
    const tdm = plugins.find(({ name }) => name === 'tdm')
    const zones = tdm && new RevocableZones(tdm.revocableZones ?? {}, env)
    this.#env = env
    this.#zones = zones
    this.#inZones = zones && new RevocableRound(zones)
    this.#placement = zones === undefined ? placement : new ZonesFirst(placement)
    this.#lanes = env.cluster.lanes.map((_, lane) => new VolcanoLane(settings, env, lane as LaneId, zones))
    this.#taking = this.#lanes.map((lane) => new Taking(settings, env, lane, this.#placement, this.#taken))
    this.#gangTaking = this.#lanes.map((lane, i) => new GangTaking(settings, env, lane, this.#placement, this.#taken, this.#taking[i] as Taking))
    const revokes = this.#actions.includes('preempt') || this.#actions.includes('shuffle')
    this.#revoking = zones !== undefined && revokes ? this.#lanes.map((lane) => new Revoking(zones, tdm?.arguments?.[PERIOD] ?? MINUTE, lane, env)) : []
    const barred = {
      onFinish: (job: JobId) => { this.#taken.forget(job, env.work) },
      memory: () => this.#taken.memory(env.work),
      recall: (memory: unknown) => { this.#taken.recall(memory as TakenMemory, env.work) },
    }
    Object.assign(this, forwarding(new Telling(this.#lanes), placement, barred, ...this.#revoking, { admits: (job: JobSpec, again?: boolean) => this.#refusal(job, again === true) }))
  }

  #refusal(job: JobSpec, again: boolean): string | undefined {
    const { queue: name, user } = job
    for (const { session, tiers } of this.#lanes) {
      const queue = session.queues.of(name ?? user ?? 'default')
      if (!again && !queue.isOpen) return `queue ${queue.name} is ${(queue.settings.state ?? '').toLowerCase()}`
      for (const stages of startedTogether(job))
        for (const r of session.resources) {
          const resource = session.names[r] as string
          const asked = askedTogether(stages, resource)
          const most = tiers.most(queue, r)
          if (asked > most) return `queue ${queue.name}: ${asked} ${resource} of at most ${most}`
        }
    }
    return this.#zones === undefined || job.preemptible === true ? undefined : this.#whyOnlyInZones(this.#zones, job)
  }

  #whyOnlyInZones(zones: RevocableZones, { stages }: JobSpec): string | undefined {
    const { cluster } = this.#env
    const outside = allNodes(cluster).filter((node) => !zones.isIn(node))
    const stage = stages.find((each) => outside.reduce((tasks, node) => tasks + cluster.couldHold(each, node), 0) < leastTasks(each))
    return stage && `stage ${stage.name} needs nodes of revocable zones, which are for jobs that say that they may be preempted`
  }

  wantsNode(): boolean {
    return this.#takes
  }

  get #takes(): boolean {
    return this.#actions.some((action) => action in KINDS)
  }

  schedule(round: Round): void {
    const lane = this.#lanes[round.lane] as VolcanoLane
    const taking = this.#taking[round.lane] as Taking
    this.#taken.begin(round.now)
    if (this.#zones?.look(round.now) === true) for (const { session } of this.#lanes) for (const queue of session.queues.all) queue.touch()
    if (round.nodes.length > 0 && round.pending > 0) this.#open(lane, taking, this.#inZones?.around(round) ?? round)
    this.#revoking[round.lane]?.revoke(round)
  }

  /** A session: the actions, one after the other. */
  #open(lane: VolcanoLane, taking: Taking, round: Round): void {
    lane.open()
    if (this.#zones !== undefined && this.#zones.next < Infinity && round.cluster.heartbeat === 0) round.wakeAt(this.#zones.next)
    const due = this.#actions.includes('enqueue') ? lane.jobs.fallDue(round.now) : Infinity
    if (due < Infinity && round.cluster.heartbeat === 0) round.wakeAt(due)
    if (!this.#actions.includes('enqueue')) enqueue(lane, () => true)
    taking.hasTaken = taking.hasMetNew = taking.hasSpared = false
    for (const action of this.#actions) {
      if (action === 'enqueue') enqueue(lane, (job) => lane.tiers.mayEnqueue(job), (queue) => lane.mayEnqueueAny(queue))
      else if (action === 'allocate') while (this.#allocate(lane, round)) lane.open()
      else if (action in KINDS && round.jobsLeft === Infinity && round.claimsLeft > 0) this.#take(action as keyof typeof KINDS, taking, round)
    }
    if (round.jobsLeft === Infinity && round.cluster.heartbeat === 0) this.#lookAgain(taking, round)
    if (round.explained) explain(lane, this.#placement, round)
  }

  #take(action: keyof typeof KINDS, taking: Taking, round: Round): void {
    const kind = KINDS[action]
    if (action === kind) taking[kind](round)
    else this.#gangTaking[round.lane]?.take(kind, round)
  }

  #lookAgain({ hasTaken, hasMetNew, hasSpared }: Taking, round: Round): void {
    if (hasMetNew) round.wakeAt(this.#taken.expect(round.now + MOMENT))
    else if (hasTaken || hasSpared) round.wakeAt(this.#taken.expect(round.now + SESSION))
  }

  /**
   * Starts the first job of the first queue that does not have enough, again and again; a job that cannot start is not tried again. True if queues
   * deserve something else by then.
   */
  #allocate(lane: VolcanoLane, round: Round): boolean {
    const isWhole = round.jobsLeft === Infinity
    if (isWhole && (!hasRoom(round) || lane.isAtRest(round))) return false
    let hasStartedAny = false
    const { line, reading } = lane.line('waiting', (queue) => !isWhole || !lane.standstill.holds(queue, round))
    this.#most.clear()
    for (let queue = line.take(); queue !== undefined; queue = line.take()) {
      if (isWhole && !hasRoom(round)) return false
      if (lane.tiers.isOverused(queue)) continue
      const job = reading(queue).next()
      if (job === undefined) {
        if (isWhole) lane.standstill.note(queue, reading(queue).hindrances, round)
        continue
      }
      const hasStarted = lane.mayStart(job, round) ? this.#start(job, round) : undefined
      hasStartedAny ||= hasStarted === true
      if (hasStarted !== true) reading(queue).vain(job)
      if (hasStarted === false) reading(queue).hindrances.push(new NoRoom(job, round.claimsLeft === 0 || !round.take(job.id), lane.places))
      if (round.jobsLeft === 0) {
        this.#finish(job, lane, round)
        return false
      }
      if (hasStarted && lane.jobs.isStale) return true // the rest of the job asks for other amounts
      line.putBack(queue)
    }
    if (isWhole && !hasStartedAny) lane.noteRest(round)
    return false
  }

  /** Starts what else of this job may start, since no other job may be taken up. */
  #finish(job: VolcanoJob, lane: VolcanoLane, round: Round): void {
    while (round.claimsLeft > 0 && job.unplaced > 0 && lane.mayStart(job, round) && this.#start(job, round)) {
      // the next task
    }
  }

  /** Starts what the job must start at once, or its next task. */
  #start({ id }: VolcanoJob, round: Round): boolean {
    return round.take(id) && round.claimsLeft > 0 && startNext(id, round, this.#pick, this.#most)
  }
}

/** Whether any node in sight has room at all. */
function hasRoom(round: Round): boolean {
  return round.nodes.length === 1 ? round.room(round.nodes[0] as NodeId) : round.cluster.nextWithRoom(round.lane, 0) !== None
}

/**
 * Enqueues the first job of the first queue, again and again; a job that may not be enqueued is not tried again. `mayAny`: false for a queue of which no
 * job may be enqueued, whoever else is.
 */
function enqueue(lane: VolcanoLane, may: (job: VolcanoJob) => boolean, mayAny: (queue: Queue) => boolean = () => true): void {
  if (!lane.jobs.isChanged) return
  lane.jobs.isChanged = false
  const { line, reading } = lane.line('outside', mayAny)
  for (let queue = line.take(); queue !== undefined; queue = line.take()) {
    const job = mayAny(queue) ? reading(queue).next() : undefined
    if (job === undefined) continue
    if (may(job)) lane.jobs.enqueue(job)
    else reading(queue).vain(job)
    line.putBack(queue)
  }
  lane.open()
}

function explain(lane: VolcanoLane, placement: Placement, round: Round): void {
  for (const queue of lane.session.queues.live) {
    const isFull = lane.tiers.isOverused(queue)
    const isPart = !lane.tiers.areAmounts
    for (const id of queue.outside.ids.subarray(queue.outside.from, queue.outside.to)) round.defer(id as JobId, Reason.Limit, lane.tiers.refusingJob(lane.jobs.of(id as JobId)))
    for (const id of queue.waiting.ids.subarray(queue.waiting.from, queue.waiting.to)) {
      const job = lane.jobs.of(id as JobId)
      if (isFull || !lane.mayStart(job, round)) round.defer(job.id, Reason.Limit, lane.tiers.refusingMore(queue, lane.askedBy(job, round)), isPart)
      else deferWithoutNode(job.id, round, placement)
    }
  }
}

/** Passes events on to the jobs of each lane. */
class Telling {
  readonly #lanes: readonly VolcanoLane[]

  constructor(lanes: readonly VolcanoLane[]) {
    this.#lanes = lanes
  }

  onReady(job: JobId, lane: LaneId): void {
    this.#lanes[lane]?.jobs.refresh(job, true)
  }
  onMore(job: JobId, lane: LaneId): void {
    this.#lanes[lane]?.jobs.refresh(job, true)
  }
  onDrained(job: JobId, lane: LaneId): void {
    this.#lanes[lane]?.jobs.refresh(job, false)
  }
  onClaim(job: JobId, lane: LaneId, task: TaskId, node: NodeId): void {
    this.#lanes[lane]?.jobs.change(job, task, node, 'claimed')
  }
  onRelease(job: JobId, lane: LaneId, task: TaskId, node: NodeId, why: Release): void {
    this.#lanes[lane]?.jobs.change(job, task, node, why)
  }
  onFinish(job: JobId): void {
    for (const { jobs } of this.#lanes) jobs.close(job)
  }
  memory(): readonly LaneMemory[] {
    return this.#lanes.map((lane) => lane.memory())
  }
  recall(memory: unknown): void {
    for (const [lane, before] of (memory as readonly LaneMemory[]).entries()) this.#lanes[lane]?.recall(before)
  }
}
