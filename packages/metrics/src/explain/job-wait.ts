import {
  Reason, type Architecture, type ClusterView, type Decision, type JobId, type JobSpec, type LaneId, type NodeId, type None, type Observer,
  type Seconds, type TaskEnd, type TaskId, type WorkView,
} from '@sched/core'
import { Interruptions, type Interruption } from './interruptions.js'
import { keptOff, type KeptOff } from './kept-off.js'
import { LaterWaits, type LaterTasks } from './later-tasks.js'
import { Meanwhile, type Holder, type Prefilled } from './meanwhile.js'
import { Passing } from './passing.js'
import { RoomToBegin } from './room-to-begin.js'
import { BEHIND, HEARTBEAT, ToldReason, UNUSED } from './told-reason.js'
import { addSpan, overlaid, partsOf, type WaitSpan } from './wait-spans.js'
import { WaitsForDecisions } from './waits-for-decisions.js'
import { NO_ROOM, WaitsForNodes } from './waits-for-nodes.js'

/** Why one job waited for its first task, and its later tasks after that. */
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
  /** Why its later tasks started later; null where none did, and for a job of one task. */
  readonly later: LaterTasks | null
}

/** Names of the reasons, besides those that a policy gives. */
const START_UP = 'start-up'
const SET_UP = 'set-up of nodes'
/** Most passing jobs, and most holders, to name. */
const NAMED = 5

/**
 * Explains the wait of one job under any policy and architecture. It checks itself whether there was room; what the policy did with room follows from
 * the reason that the policy gave. Each part of the time from submission to the start of the first task gets one of these reasons; the first that
 * applies counts:
 * - `set-up of nodes`: the nodes reserved for the job were being set up (a virtual cluster); `start-up`: the job's own set-up;
 * - `queue limit`: the policy says that a limit forbids the job, and which one if it names it; with heartbeats also before it was told, if nothing has started or
 *   ended since the last event, nor starts at that instant: then the limit held before;
 * - `no room`: no node that its scheduler may use (of its partition, or for its virtual cluster) could take a task of it, or all of a gang, or what
 *   stages that start together ask for; where groups of nodes follow demand what the autoscaler says of that, such as `nodes of large on their way`,
 *   from its first look on; `no room in` a part of the cluster: the policy says that its jobs may use that part alone;
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
  #spec: JobSpec | undefined
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
  /** The time before a limit was told, in which room was unused; until it is known whether others start at that instant. */
  #beforeLimit: WaitSpan | undefined
  #setUp: { readonly from: Seconds; readonly to: Seconds } | undefined
  readonly #told = new ToldReason()
  /** The lane of which the policy told last. */
  #toldOf = 0 as LaneId
  readonly #decisions = new WaitsForDecisions()
  readonly #nodes = new WaitsForNodes()
  readonly #promises: { at: Seconds; start: Seconds }[] = []
  readonly #waiting = new Set<JobId>()
  readonly #passing = new Passing(NAMED)
  readonly #interruptions = new Interruptions()
  /** What was held, and away, during the wait. */
  #held: Pick<JobWait, 'holders' | 'prefilled' | 'nodesAway'> = { holders: [], prefilled: 0, nodesAway: 0 }
  /** Present once a job of several tasks has started. */
  #later: LaterWaits | undefined

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
    const decided = overlaid(this.#withSetUp(until), this.#decisions.spans(submit, until), [HEARTBEAT, BEHIND])
    const spans = overlaid(decided, this.#nodes.spans(submit, until), [NO_ROOM])
    const { attempts, conflicts } = this.#decisions
    this.#passing.settle()
    return {
      id: this.#id, user, queue, submit, outcome: this.#outcome, rejection: this.#rejection, until, wait: until - submit, lastStart: this.#lastStart, end: this.#end,
      parts: partsOf(spans, until - submit), spans,
      promises: this.#promises,
      attempts, conflicts,
      ahead, passedBy: this.#passing.count, passing: this.#passing.first,
      ...this.#held,
      keptOff: keptOff(this.#room?.stages ?? [], this.#cluster),
      interruptions: this.#interruptions.inOrder(),
      later: this.#later?.result() ?? null,
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

  onDefer(job: JobId, lane: LaneId, reason: Reason, now: Seconds, limit?: string): void {
    if (job !== this.#job) return
    if (!this.#isWaiting()) return this.#later?.defer(lane, reason, now, limit)
    this.#toldOf = lane
    if (!this.#told.defer(reason, now, limit)) return
    if (reason === Reason.Limit && this.#why === UNUSED && this.#cluster.heartbeat > 0 && now > this.#since && this.#since >= this.#facts.ready) this.#hold(now)
    this.#look(now)
  }

  onReserve(job: JobId, start: Seconds, now: Seconds): void {
    if (job === this.#job && this.#isWaiting()) this.#promises.splice(1, 1, { at: now, start })
  }

  onTaskStart(task: TaskId, job: JobId, lane: LaneId, node: NodeId, _level: number, now: Seconds): void {
    this.#interruptions.started(job, lane, node, now, this.#work)
    if (job === this.#job) {
      this.#lastStart = now
      if (this.#isWaiting()) this.#begins(job, now)
      this.#later?.started(task, lane, now)
      if (this.#cluster.lanes.every((_, each) => this.#work.unplaced(job, each as LaneId) === 0)) this.#nodes.says(undefined, now)
    } else {
      const isFirst = this.#waiting.delete(job)
      this.#meanwhile.started(task, job, now)
      this.#later?.othersStart(job, now)
      if (!this.#isWaiting()) return
      this.#settle(now)
      this.#told.othersStart(now)
      if (isFirst && this.#work.rank(job) > this.#facts.rank) this.#passing.started(this.#work.name(job), now)
      this.#look(now)
    }
  }

  onTaskEnd(task: TaskId, job: JobId, lane: LaneId, node: NodeId, how: TaskEnd, _started: Seconds, stopped: Seconds, now: Seconds): void {
    if (job === this.#job) this.#interruptions.ended(how, lane, node, stopped)
    else this.#interruptions.passed(now)
    this.#meanwhile.ended(task, job, now)
    if (this.#isWaiting()) this.#look(now)
    else if (job === this.#job) this.#later?.ended(task, how, now)
    else this.#later?.changed(now)
  }

  onNode(_node: NodeId, up: boolean, now: Seconds): void {
    this.#meanwhile.moved(up, now)
    if (up) this.#nodes.says(undefined, now)
    if (this.#isWaiting()) this.#look(now)
    else this.#later?.changed(now)
  }

  onScaleWait(job: JobId, why: string, now: Seconds): void {
    if (job === this.#job) this.#nodes.says(why, now)
  }

  onAvoid(node: NodeId, job: JobId | None, stage: number, task: number, isAvoided: boolean, now: Seconds): void {
    if (job === this.#job) this.#later?.avoids(node, stage, task, isAvoided, now)
  }

  onDecision(decision: Decision): void {
    const isOwn = decision.job === this.#job && this.#job !== undefined
    if (isOwn || this.#isWaiting()) this.#decisions.add(decision, isOwn)
    this.#later?.decided(decision, isOwn)
  }

  onJobEnd(job: JobId, _spec: JobSpec, now: Seconds): void {
    if (job === this.#job) {
      this.#end = now
      this.#interruptions.over(now)
      if (this.#isWaiting()) this.#over('abandoned', now)
      this.#job = undefined
      this.#later?.over()
    }
    this.#waiting.delete(job)
    this.#meanwhile.left(job)
    this.#later?.left(job)
  }

  onRunEnd(now: Seconds): void {
    if (this.#isWaiting()) this.#over('still waiting', now)
  }

  // ---- its wait ----

  #isWaiting = () => this.#job !== undefined && Number.isNaN(this.#until)

  #begin(job: JobId, spec: JobSpec, now: Seconds): void {
    const work = this.#work
    this.#job = job
    this.#spec = spec
    this.#room = new RoomToBegin(job, spec, this.#cluster, this.#architecture)
    this.#facts = { user: spec.user ?? '', queue: work.queueName(work.queue(job)), submit: now, ready: now + (spec.startup ?? 0), ahead: this.#waiting.size, rank: work.rank(job) }
    this.#since = now
    this.#meanwhile.begin(now)
    this.#look(now)
  }

  /** Its first task starts. */
  #begins(job: JobId, now: Seconds): void {
    this.#passing.over(now)
    this.#over('started', now)
    const [spec, work] = [this.#spec, this.#work]
    if (spec !== undefined && work.tasks(job) > 1) this.#later = new LaterWaits(job, spec, now, this.#cluster, work, this.#architecture, this.#meanwhile, this.#nodes)
    this.#later?.isTold(this.#toldOf, this.#told) // in the round that starts the first task
  }

  #over(outcome: JobWait['outcome'], now: Seconds): void {
    this.#settle(now)
    this.#attribute(now)
    this.#setUp = this.#architecture.settingUp?.(this.#job as JobId)
    this.#outcome = outcome
    this.#until = now
    const held = this.#meanwhile
    held.end(now)
    this.#held = { holders: held.holders(NAMED), prefilled: held.prefilled(), nodesAway: held.nodesAway() }
  }

  /** Finds the reason that holds from now on, until something happens. */
  #look(now: Seconds): void {
    this.#attribute(now)
    const why = this.#told.why(() => this.#room?.isThere !== false)
    if (why === UNUSED && this.#why !== UNUSED) this.#unusedSince = Math.max(now, this.#facts.ready)
    this.#why = why
  }

  /** Keeps the time since the last event for when it is known whether the limit, which has been told now, held in it. */
  #hold(now: Seconds): void {
    this.#beforeLimit = { from: this.#since, to: now, why: this.#told.why(() => true) }
    this.#since = now
  }

  /** Something happens now. If others start at the instant at which a limit was told, they may have been what it left no place beside. */
  #settle(now: Seconds): void {
    const held = this.#beforeLimit
    if (held === undefined) return
    this.#beforeLimit = undefined
    if (now > held.to) addSpan(this.#spans, held.from, held.to, held.why)
    else this.#addUnused(held.from, held.to)
  }

  #attribute(now: Seconds): void {
    if (now > this.#since) this.#settle(now)
    const from = Math.min(now, Math.max(this.#since, this.#facts.ready))
    addSpan(this.#spans, this.#since, from, START_UP)
    if (this.#why === UNUSED) this.#addUnused(from, now)
    else addSpan(this.#spans, from, now, this.#why)
    this.#since = now
  }

  #addUnused(from: Seconds, to: Seconds): void {
    const heard = Math.max(from, Math.min(to, this.#unusedSince + this.#cluster.heartbeat))
    addSpan(this.#spans, from, heard, HEARTBEAT)
    addSpan(this.#spans, heard, to, BEHIND)
  }

  #withSetUp(until: Seconds): WaitSpan[] {
    const { from = 0, to = 0 } = this.#setUp ?? {}
    const above: WaitSpan[] = []
    addSpan(above, Math.max(from, this.#facts.submit), Math.min(to, until), SET_UP)
    return above.length === 0 ? this.#spans : overlaid(this.#spans, above, this.#spans.map(({ why }) => why))
  }
}
