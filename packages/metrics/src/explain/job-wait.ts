import {
  askedTogether,
  isGangJob,
  leastTasks,
  Reason,
  reasonNames,
  type Architecture,
  type ClusterView,
  type Decision,
  type JobId,
  type JobSpec,
  type LaneId,
  type NodeId,
  type Observer,
  type ResourceId,
  type Seconds,
  type StageSpec,
  type TaskEnd,
  type TaskId,
  type WorkView,
} from '@sched/core'
import { keptOff, type KeptOff } from './kept-off.js'
import { Meanwhile, type Holder, type Prefilled } from './meanwhile.js'
import { addSpan, overlaid, partsOf, type WaitSpan } from './wait-spans.js'

/** Why one job waited for its first task. */
export interface JobWait {
  /** As the workload names it. */
  readonly id: string
  /** As the workload names it, else ''. */
  readonly user: string
  /** The queue that it was submitted to. */
  readonly queue: string
  /** When it was submitted, seconds. */
  readonly submit: Seconds
  /** How the wait ended; `rejected`: the job was left out when it was submitted. */
  readonly outcome: 'started' | 'abandoned' | 'still waiting' | 'rejected'
  /** The limit that forbids a rejected job, else ''. */
  readonly rejection: string
  /** When the wait was over: the start of its first task, or when it was given up or the run ended. */
  readonly until: Seconds
  /** `until` less `submit`, seconds. */
  readonly wait: Seconds
  /** Start of the last of its tasks, seconds; null where the run ended before. */
  readonly lastStart: Seconds | null
  /** The job's end, seconds; null where the run ended before. */
  readonly end: Seconds | null
  /** Seconds by reason, most first; they add up to `wait` exactly. */
  readonly parts: Readonly<Record<string, Seconds>>
  /** What it waited for, in order of time and without gaps. */
  readonly spans: readonly WaitSpan[]
  /** The first and the last start that the policy promised, and when. */
  readonly promises: readonly { readonly at: Seconds; readonly start: Seconds }[]
  /** Decisions about it that took time. */
  readonly attempts: number
  /** Decisions about it that lost all they claimed to others. */
  readonly conflicts: number
  /** Jobs that were waiting when it was submitted. */
  readonly ahead: number
  /** Jobs submitted after it that started before it did. */
  readonly passedBy: number
  /** The first of these by name, at most 5. */
  readonly passing: readonly string[]
  /** Who held most of the cluster meanwhile. */
  readonly holders: readonly Holder[]
  /** The same of tasks of no job, which ran when the run began, together; 0 where there were none. */
  readonly prefilled: number
  /** Nodes that were away meanwhile, on average. */
  readonly nodesAway: number
  /** Nodes that it could not begin on, whatever was free there. */
  readonly keptOff: readonly KeptOff[]
}

/** Names of the reasons beside those that a policy gives. */
const BEHIND = reasonNames[Reason.Order] as string
const START_UP = 'start-up'
const SET_UP = 'set-up of nodes'
const HEARTBEAT = 'next heartbeat'
const DECISION = 'decision'
const BUSY = 'scheduler busy'
const AGAIN = 'next attempt'
/** So many passing jobs and holders are named. */
const NAMED = 5

/**
 * Explains the wait of the job of that id under any policy and architecture. Whether there was room, it sees from the cluster;
 * what a policy did with room, from the reason it gave. From the job's submission to the start of its first task, in this order:
 * - `set-up of nodes`: those that are kept for it are made ready (a virtual cluster); `start-up`: its own set-up;
 * - `queue limit`: the policy says that a limit forbids it, and which where it names them;
 * - `no room`: no node that its scheduler may use (of its partition, for its virtual cluster) could take a task of it, or not all of a
 *   gang, or of stages that start together not all they ask;
 * - what the policy said last, `locality delay`, `placement rule` and which, or `reservation`;
 * - `decision`, `scheduler busy`: its scheduler was deciding about it, or about others (where decisions take time);
 * - `next attempt`: before the decision that follows one which found no room, or lost all it claimed to others;
 * - `next heartbeat`: the node with room had not reported yet, at most an interval; `behind others`: it was not its turn.
 *
 * `prefilled` are the tasks of no job with which the run begins, so that it says what they held.
 */
export const jobWait = (id: string, prefilled: readonly Prefilled[] = []): JobWaitObserver => new JobWaitObserver(id, prefilled)

/** Follows one job of a run; `result` says why it waited. */
export class JobWaitObserver implements Observer {
  readonly #id: string
  readonly #prefilled: readonly Prefilled[]
  #cluster!: ClusterView
  #architecture: Architecture | undefined
  #work!: WorkView
  #meanwhile!: Meanwhile
  #job: JobId | undefined
  #stages: readonly StageSpec[] = []
  #isOneGang = false
  #facts = { user: '', queue: '', submit: NaN, ready: NaN, ahead: 0, rank: 0 }
  #outcome: JobWait['outcome'] = 'still waiting'
  #rejection = ''
  #until: Seconds = NaN
  #lastStart: Seconds | null = null
  #end: Seconds | null = null
  readonly #spans: WaitSpan[] = []
  #since: Seconds = 0
  #why = ''
  #unusedSince: Seconds = NaN
  #setUp: { readonly from: Seconds; readonly to: Seconds } | undefined
  #deferred: Reason | undefined
  #deferredAt: Seconds = NaN
  #limit: string | undefined
  #witness = 0
  readonly #decisions: {
    readonly scheduler: number
    readonly isOwn: boolean
    readonly isLost: boolean
    readonly isVain: boolean
    readonly opened: Seconds
    readonly closed: Seconds
  }[] = []
  readonly #promises: { at: Seconds; start: Seconds }[] = []
  readonly #waiting = new Set<JobId>()
  readonly #passing: string[] = []
  #passedBy = 0
  /** Later jobs that started last, at one instant: they were first when it is over. */
  readonly #passingNow: string[] = []
  #passingAt: Seconds = NaN

  constructor(id: string, prefilled: readonly Prefilled[] = []) {
    this.#id = id
    this.#prefilled = prefilled
  }

  /** Whether the job has ended or was left out: what happens later changes nothing in the result. */
  get isOver(): boolean {
    return this.#end !== null || this.#outcome === 'rejected'
  }

  /** Undefined when no such job was submitted. */
  result(): JobWait | undefined {
    if (Number.isNaN(this.#facts.submit)) return undefined
    const { user, queue, submit, ahead } = this.#facts
    const until = Number.isNaN(this.#until) ? submit : this.#until
    const spans = this.#overlaid(until)
    const own = this.#decisions.filter(({ isOwn }) => isOwn)
    this.#passed()
    return {
      id: this.#id, user, queue, submit, outcome: this.#outcome, rejection: this.#rejection, until, wait: until - submit, lastStart: this.#lastStart, end: this.#end,
      parts: partsOf(spans, until - submit), spans,
      promises: this.#promises,
      attempts: own.length, conflicts: own.filter(({ isLost }) => isLost).length,
      ahead, passedBy: this.#passedBy, passing: this.#passing,
      holders: this.#meanwhile.holders(NAMED),
      prefilled: this.#meanwhile.prefilled(),
      nodesAway: this.#meanwhile.nodesAway(),
      keptOff: keptOff(this.#stages, this.#cluster),
    }
  }

  // ---- what happens ----

  onRunStart({ cluster, work, architecture }: { readonly cluster: ClusterView; readonly work: WorkView; readonly architecture: Architecture }): void {
    this.#cluster = cluster
    this.#architecture = architecture
    this.#work = work
    this.#meanwhile = new Meanwhile(cluster, work, this.#prefilled)
  }

  onSubmit(job: JobId, spec: JobSpec, now: Seconds): void {
    if (spec.id === this.#id) this.#begin(job, spec, now)
    else this.#waiting.add(job)
  }

  onReject({ id, submit, user = '', queue = '' }: JobSpec, reason: string): void {
    if (id !== this.#id) return
    this.#facts = { ...this.#facts, user, queue, submit }
    this.#outcome = 'rejected'
    this.#rejection = reason
  }

  onDefer(job: JobId, _lane: LaneId, reason: Reason, now: Seconds, limit?: string): void {
    if (job !== this.#job || !this.#isWaiting()) return
    this.#limit = limit
    this.#deferred = reason
    this.#deferredAt = now
    this.#look(now)
  }

  onReserve(job: JobId, start: Seconds, now: Seconds): void {
    if (job === this.#job && this.#isWaiting()) this.#promises.splice(1, 1, { at: now, start })
  }

  onTaskStart(task: TaskId, job: JobId, _lane: LaneId, _node: NodeId, _level: number, now: Seconds): void {
    if (job === this.#job) {
      this.#lastStart = now
      if (!this.#isWaiting()) return
      if (this.#passingAt === now) this.#passingNow.length = 0 // with it
      this.#over('started', now)
    } else {
      const isFirst = this.#waiting.delete(job)
      this.#meanwhile.started(task, job, now)
      if (!this.#isWaiting()) return
      if (this.#deferred === Reason.Limit && this.#deferredAt < now) this.#deferred = undefined // a round that still keeps to it says so before others start
      if (isFirst && this.#work.rank(job) > this.#facts.rank) this.#pass(job, now)
      this.#look(now)
    }
  }

  #pass(job: JobId, now: Seconds): void {
    if (now > this.#passingAt) this.#passed()
    this.#passingAt = now
    this.#passingNow.push(this.#work.name(job))
  }

  #passed(): void {
    for (const name of this.#passingNow.splice(0)) if (this.#passedBy++ < NAMED) this.#passing.push(name)
  }

  onTaskEnd(task: TaskId, job: JobId, _lane: LaneId, _node: NodeId, _how: TaskEnd, _started: Seconds, _stopped: Seconds, now: Seconds): void {
    this.#meanwhile.ended(task, job, now)
    if (this.#isWaiting()) this.#look(now)
  }

  onNode(_node: NodeId, up: boolean, now: Seconds): void {
    this.#meanwhile.moved(up, now)
    if (this.#isWaiting()) this.#look(now)
  }

  onDecision({ scheduler, job, opened, closed, accepted, conflicted }: Decision): void {
    const isOwn = job === this.#job && this.#job !== undefined
    if (isOwn || this.#isWaiting()) this.#decisions.push({ scheduler: scheduler.id, isOwn, isLost: conflicted > 0 && accepted === 0, isVain: accepted === 0, opened, closed })
  }

  onJobEnd(job: JobId, _spec: JobSpec, now: Seconds): void {
    if (job === this.#job) {
      this.#end = now
      if (this.#isWaiting()) this.#over('abandoned', now)
      this.#job = undefined
    }
    this.#waiting.delete(job)
    this.#meanwhile.left(job)
  }

  onRunEnd(now: Seconds): void {
    if (this.#isWaiting()) this.#over('still waiting', now)
  }

  // ---- its wait ----

  #isWaiting = () => this.#job !== undefined && Number.isNaN(this.#until)

  #begin(job: JobId, spec: JobSpec, now: Seconds): void {
    const work = this.#work
    this.#job = job
    this.#stages = spec.stages[0]?.master === true ? spec.stages.slice(0, 1) : spec.stages.filter(({ after = [] }) => after.length === 0)
    this.#isOneGang = isGangJob(spec)
    this.#facts = { user: spec.user ?? '', queue: work.queueName(work.queue(job)), submit: now, ready: now + (spec.startup ?? 0), ahead: this.#waiting.size, rank: work.rank(job) }
    this.#since = now
    this.#meanwhile.begin(now)
    this.#look(now)
  }

  #over(outcome: JobWait['outcome'], now: Seconds): void {
    this.#attribute(now)
    this.#setUp = this.#architecture?.settingUp?.(this.#job as JobId)
    this.#outcome = outcome
    this.#until = now
    this.#meanwhile.end(now)
  }

  /** The reason from now on, until something happens. */
  #look(now: Seconds): void {
    this.#attribute(now)
    const given = this.#deferred
    if (given === Reason.Limit) this.#why = this.#named(given)
    else if (!this.#hasRoom()) this.#why = reasonNames[Reason.NoRoom] as string
    else if (given === Reason.Locality || given === Reason.Rule || given === Reason.Reservation) this.#why = this.#named(given)
    else if (this.#why !== UNUSED) {
      this.#why = UNUSED
      this.#unusedSince = Math.max(now, this.#facts.ready)
    }
  }

  /** A reason, and which limit or rules it is. */
  #named(reason: Reason): string {
    return `${reasonNames[reason] as string}${this.#limit === undefined ? '' : ` ${this.#limit}`}`
  }

  #attribute(now: Seconds): void {
    const from = Math.min(now, Math.max(this.#since, this.#facts.ready))
    addSpan(this.#spans, this.#since, from, START_UP)
    if (this.#why === UNUSED) {
      const heard = Math.max(from, Math.min(now, this.#unusedSince + this.#cluster.heartbeat))
      addSpan(this.#spans, from, heard, HEARTBEAT)
      addSpan(this.#spans, heard, now, BEHIND)
    } else addSpan(this.#spans, from, now, this.#why)
    this.#since = now
  }

  /** Whether a node that its scheduler may use, or for a gang all of them, could take the tasks of a stage it may begin with. */
  #hasRoom(): boolean {
    if (!this.#isOneGang) return this.#stages.some((stage) => this.#holds(stage))
    const stages = this.#stages.filter(({ gang }) => gang === true)
    return stages.every((stage) => this.#holds(stage)) && this.#holdsAmounts(stages)
  }

  /** Whether as much is free as stages ask that start at once: who could not be placed even so, waits behind others as far as is known. */
  #holdsAmounts(stages: readonly StageSpec[]): boolean {
    const cluster = this.#cluster
    return cluster.resources.every((name, r) => {
      let lacks = askedTogether(stages, name)
      for (let node = 0 as NodeId; node < cluster.nodes && lacks > 0; node++) if (cluster.up(node)) lacks -= cluster.free(node, r as ResourceId)
      return lacks <= 0
    })
  }

  #holds(stage: StageSpec): boolean {
    const least = leastTasks(stage)
    return this.#architecture?.hasRoom?.(this.#job as JobId, stage, least) ?? (least > 1 ? this.#holdsSome(stage, least) : this.#holdsOne(stage))
  }

  #holdsOne(stage: StageSpec): boolean {
    const cluster = this.#cluster
    if (cluster.couldStart(stage, this.#witness as NodeId) > 0) return true
    for (let node = 0; node < cluster.nodes; node++) {
      if (cluster.couldStart(stage, node as NodeId) === 0) continue
      this.#witness = node
      return true
    }
    return false
  }

  #holdsSome(stage: StageSpec, least: number): boolean {
    let room = 0
    for (let node = 0; node < this.#cluster.nodes && room < least; node++) room += this.#cluster.couldStart(stage, node as NodeId)
    return room >= least
  }

  #overlaid(until: Seconds): WaitSpan[] {
    const spans = this.#withSetUp(until)
    const own = this.#decisions.find(({ isOwn }) => isOwn)
    if (own === undefined) return spans
    const above: WaitSpan[] = []
    const ofScheduler = this.#decisions.filter(({ scheduler, closed }) => scheduler === own.scheduler && closed > this.#facts.submit)
    let at = this.#facts.submit
    let wasVain = false
    for (const { isOwn, isVain, opened, closed } of ofScheduler.sort((a, b) => a.opened - b.opened)) {
      if (wasVain) addSpan(above, at, opened, AGAIN)
      addSpan(above, Math.max(opened, at), Math.min(closed, until), isOwn ? DECISION : BUSY)
      at = Math.max(at, closed)
      if (isOwn) wasVain = isVain
    }
    return overlaid(spans, above, [HEARTBEAT, BEHIND])
  }

  #withSetUp(until: Seconds): WaitSpan[] {
    const { from = 0, to = 0 } = this.#setUp ?? {}
    const above: WaitSpan[] = []
    addSpan(above, Math.max(from, this.#facts.submit), Math.min(to, until), SET_UP)
    return above.length === 0 ? this.#spans : overlaid(this.#spans, above, this.#spans.map(({ why }) => why))
  }
}

/** There is room: what that is called depends on how long it is left unused. */
const UNUSED = 'unused'
