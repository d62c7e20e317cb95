import {
  Reason, reasonNames, type Architecture, type ClusterView, type Decision, type JobId, type JobSpec, type LaneId, type NodeId, type Observer,
  type Seconds, type TaskEnd, type TaskId, type WorkView,
} from '@sched/core'
import { Interruptions, type Interruption } from './interruptions.js'
import { keptOff, type KeptOff } from './kept-off.js'
import { Meanwhile, type Holder, type Prefilled } from './meanwhile.js'
import { Passing } from './passing.js'
import { RoomToBegin } from './room-to-begin.js'
import { addSpan, overlaid, partsOf, type WaitSpan } from './wait-spans.js'
import { WaitsForDecisions } from './waits-for-decisions.js'

/** Why one job waited for its first task. */
export interface JobWait {
  /** Its id in the workload. */
  readonly id: string
  /** Its user in the workload, else ''. */
  readonly user: string
  /** The queue that it was submitted to. */
  readonly queue: string
  /** When it was submitted, seconds. */
  readonly submit: Seconds
  /** How the wait ended; `rejected`: the job was left out when it was submitted. */
  readonly outcome: 'started' | 'abandoned' | 'still waiting' | 'rejected'
  /** The limit or reason for which the job was left out, else ''. */
  readonly rejection: string
  /** When the wait was over: the start of its first task, or when it was given up, or the end of the run. */
  readonly until: Seconds
  /** `until` - `submit`, seconds. */
  readonly wait: Seconds
  /** Start of its last task so far, seconds; null if none started. */
  readonly lastStart: Seconds | null
  /** End of the job, seconds; null if the run ended before. */
  readonly end: Seconds | null
  /** Seconds by reason, largest first; they add up to `wait` exactly. */
  readonly parts: Readonly<Record<string, Seconds>>
  /** What it waited for, in order of time and without gaps. */
  readonly spans: readonly WaitSpan[]
  /** The first and the last start that the policy promised, and when it promised them. */
  readonly promises: readonly { readonly at: Seconds; readonly start: Seconds }[]
  /** Number of decisions about it that took time. */
  readonly attempts: number
  /** Number of decisions about it of which all claims conflicted. */
  readonly conflicts: number
  /** Number of jobs that were waiting when it was submitted. */
  readonly ahead: number
  /** Number of jobs submitted after it that started before it. */
  readonly passedBy: number
  /** Ids of the first of these, at most 5. */
  readonly passing: readonly string[]
  /** The jobs that held most of the cluster during the wait. */
  readonly holders: readonly Holder[]
  /** Dominant share of prefilled tasks during the wait, taken together; 0 if there were none. */
  readonly prefilled: number
  /** Mean number of nodes that were down during the wait. */
  readonly nodesAway: number
  /** Nodes on which it could not begin, whatever was free there. */
  readonly keptOff: readonly KeptOff[]
  /** When tasks of it were evicted, lost with their nodes or failed, in order of time. */
  readonly interruptions: readonly Interruption[]
}

/** Names of the reasons, besides those that a policy gives. */
const BEHIND = reasonNames[Reason.Order] as string
const START_UP = 'start-up'
const SET_UP = 'set-up of nodes'
const HEARTBEAT = 'next heartbeat'
/** Most passing jobs, and most holders, to name. */
const NAMED = 5

/**
 * Explains the wait of one job under any policy and architecture. It checks itself whether there was room; what the policy did with room follows from
 * the reason that the policy gave. Each part of the time from submission to the start of the first task gets one of these reasons; the first that
 * applies counts:
 * - `set-up of nodes`: the nodes reserved for the job were being set up (a virtual cluster); `start-up`: the job's own set-up;
 * - `queue limit`: the policy says that a limit forbids the job, and which one if it names it;
 * - `no room`: no node that its scheduler may use (of its partition, or for its virtual cluster) could take a task of it, or all of a gang, or what
 *   stages that start together ask for; `no room in` a part of the cluster: the policy says that its jobs may use that part alone;
 * - `locality delay`, `placement rule` and which, or `reservation`: what the policy said last;
 * - `decision`, `scheduler busy`: its scheduler was deciding about it, or about other jobs (where decisions take time);
 * - `next attempt`: the time before the decision that follows one which found no room or lost all its claims;
 * - `next heartbeat`: the node with room had not reported yet, at most one interval; `behind others`: it was not its turn.
 *
 * `prefilled`: the tasks of no job with which the run begins, so that the result says what they held.
 */
export const jobWait = (id: string, prefilled: readonly Prefilled[] = []): JobWaitObserver => new JobWaitObserver(id, prefilled)

/** Follows one job of a run; `result` says why it waited. */
export class JobWaitObserver implements Observer {
  readonly #id: string
  readonly #prefilled: readonly Prefilled[]
  #cluster!: ClusterView
  #architecture!: Architecture
  #work!: WorkView
  #meanwhile!: Meanwhile
  #job: JobId | undefined
  /** Present once the job was submitted. */
  #room: RoomToBegin | undefined
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
  readonly #decisions = new WaitsForDecisions()
  readonly #promises: { at: Seconds; start: Seconds }[] = []
  readonly #waiting = new Set<JobId>()
  readonly #passing = new Passing(NAMED)
  readonly #interruptions = new Interruptions()

  constructor(id: string, prefilled: readonly Prefilled[] = []) {
    this.#id = id
    this.#prefilled = prefilled
  }

  /** Whether the job has ended or was left out, and it is known who came in its place, so that nothing later changes the result. */
  get isOver(): boolean {
    return (this.#end !== null && !this.#interruptions.areOpen) || this.#outcome === 'rejected'
  }

  /** `undefined` if no such job was submitted. */
  result(): JobWait | undefined {
    if (Number.isNaN(this.#facts.submit)) return undefined
    const { user, queue, submit, ahead } = this.#facts
    const until = Number.isNaN(this.#until) ? submit : this.#until
    const spans = overlaid(this.#withSetUp(until), this.#decisions.spans(submit, until), [HEARTBEAT, BEHIND])
    const { attempts, conflicts } = this.#decisions
    this.#passing.settle()
    return {
      id: this.#id, user, queue, submit, outcome: this.#outcome, rejection: this.#rejection, until, wait: until - submit, lastStart: this.#lastStart, end: this.#end,
      parts: partsOf(spans, until - submit), spans,
      promises: this.#promises,
      attempts, conflicts,
      ahead, passedBy: this.#passing.count, passing: this.#passing.first,
      holders: this.#meanwhile.holders(NAMED),
      prefilled: this.#meanwhile.prefilled(),
      nodesAway: this.#meanwhile.nodesAway(),
      keptOff: keptOff(this.#room?.stages ?? [], this.#cluster),
      interruptions: this.#interruptions.inOrder(),
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
    if (reason === Reason.NoRoom && limit === undefined && this.#isToldWhere() && this.#deferredAt === now) return // of a single node
    this.#limit = limit
    this.#deferred = reason
    this.#deferredAt = now
    this.#look(now)
  }

  onReserve(job: JobId, start: Seconds, now: Seconds): void {
    if (job === this.#job && this.#isWaiting()) this.#promises.splice(1, 1, { at: now, start })
  }

  onTaskStart(task: TaskId, job: JobId, lane: LaneId, node: NodeId, _level: number, now: Seconds): void {
    this.#interruptions.started(job, lane, node, now, this.#work)
    if (job === this.#job) {
      this.#lastStart = now
      if (!this.#isWaiting()) return
      this.#passing.over(now)
      this.#over('started', now)
    } else {
      const isFirst = this.#waiting.delete(job)
      this.#meanwhile.started(task, job, now)
      if (!this.#isWaiting()) return
      // a policy that still holds it back for a limit says so in the same round, before others start
      if ((this.#deferred === Reason.Limit || this.#isToldWhere()) && this.#deferredAt < now) this.#deferred = undefined
      if (isFirst && this.#work.rank(job) > this.#facts.rank) this.#passing.started(this.#work.name(job), now)
      this.#look(now)
    }
  }

  onTaskEnd(task: TaskId, job: JobId, lane: LaneId, node: NodeId, how: TaskEnd, _started: Seconds, stopped: Seconds, now: Seconds): void {
    if (job === this.#job) this.#interruptions.ended(how, lane, node, stopped)
    else this.#interruptions.passed(now)
    this.#meanwhile.ended(task, job, now)
    if (this.#isWaiting()) this.#look(now)
  }

  onNode(_node: NodeId, up: boolean, now: Seconds): void {
    this.#meanwhile.moved(up, now)
    if (this.#isWaiting()) this.#look(now)
  }

  onDecision(decision: Decision): void {
    const isOwn = decision.job === this.#job && this.#job !== undefined
    if (isOwn || this.#isWaiting()) this.#decisions.add(decision, isOwn)
  }

  onJobEnd(job: JobId, _spec: JobSpec, now: Seconds): void {
    if (job === this.#job) {
      this.#end = now
      this.#interruptions.over(now)
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
    this.#room = new RoomToBegin(job, spec, this.#cluster, this.#architecture)
    this.#facts = { user: spec.user ?? '', queue: work.queueName(work.queue(job)), submit: now, ready: now + (spec.startup ?? 0), ahead: this.#waiting.size, rank: work.rank(job) }
    this.#since = now
    this.#meanwhile.begin(now)
    this.#look(now)
  }

  #over(outcome: JobWait['outcome'], now: Seconds): void {
    this.#attribute(now)
    this.#setUp = this.#architecture.settingUp?.(this.#job as JobId)
    this.#outcome = outcome
    this.#until = now
    this.#meanwhile.end(now)
  }

  /** Finds the reason that holds from now on, until something happens. */
  #look(now: Seconds): void {
    this.#attribute(now)
    const given = this.#deferred
    if (given === Reason.Limit || this.#isToldWhere()) this.#why = this.#named(given as Reason)
    else if (this.#room?.isThere === false) this.#why = reasonNames[Reason.NoRoom]
    else if (given === Reason.Locality || given === Reason.Rule || given === Reason.Reservation) this.#why = this.#named(given)
    else if (this.#why !== UNUSED) {
      this.#why = UNUSED
      this.#unusedSince = Math.max(now, this.#facts.ready)
    }
  }

  /** Whether the policy knows the nodes that the job may use, which the job does not ask for itself, and has found no room on them. */
  #isToldWhere(): boolean {
    return this.#deferred === Reason.NoRoom && this.#limit !== undefined
  }

  /** The name of a reason, with the limit, rules or nodes that the policy named. */
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

  #withSetUp(until: Seconds): WaitSpan[] {
    const { from = 0, to = 0 } = this.#setUp ?? {}
    const above: WaitSpan[] = []
    addSpan(above, Math.max(from, this.#facts.submit), Math.min(to, until), SET_UP)
    return above.length === 0 ? this.#spans : overlaid(this.#spans, above, this.#spans.map(({ why }) => why))
  }
}

/** There is room. The name of this reason depends on how long the room is left unused. */
const UNUSED = 'unused'
