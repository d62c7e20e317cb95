import {
  listOf, Reason, runningTasks, type Env, type JobId, type JobSpec, type LaneId, type LimitsSay, type NodeId, type NodesSay, type Policy,
  type ResourceId, type Round, type Seconds, type TaskId, type WorkListener,
} from '@sched/core'
import type { UsageMemory } from '../fair-share/decayed-usage.js'
import { refusalOf } from './admission.js'
import { slurmResource } from './amounts.js'
import type { Counted, Entry, Limit } from './counted.js'
import { CountedTasks } from './counted-tasks.js'
import { HeldJobs } from './held-jobs.js'
import { HoldingLimits } from './holding-limits.js'
import { NodeLimits } from './node-limits.js'
import type { ReadOptions } from './options.js'
import { TermsBook } from './terms.js'
import { TermsOfJobs } from './terms-of-jobs.js'

/** Past usage, as it is kept over restarts. */
interface PastMemory {
  readonly usage: UsageMemory
  readonly lasting: UsageMemory
}

/**
 * Keeps account of which waiting jobs are held back by limits. The policy inside is told only of the others: a job that is held back counts as drained for it,
 * and as ready again when the limit has room.
 */
export class LimitedJobs implements WorkListener {
  readonly #env: Env
  readonly #told: WorkListener
  readonly #book: TermsBook
  readonly #lanes: number
  readonly #terms: TermsOfJobs
  readonly #tasks: CountedTasks
  readonly #held = new HeldJobs()
  /** By entry: whether it waits and no limit holds it back; and the number of those. */
  readonly #isShown = listOf<boolean>()
  #shown = 0
  /** Groups of which something was given back; and groups of which tasks started outside of rounds, taken over from another policy or started by others. */
  readonly #looser = new Set<Counted>()
  readonly #tighter = new Set<Counted>()
  /** Waiting jobs of which tasks have ended, or started outside of rounds: limits on what one job holds may let them start again, or not any more. */
  readonly #changed = new Set<Entry>()
  #isInRound = false
  /** Jobs that this round has held back, some of them because of claims that may be taken back. */
  readonly #heldNow: Entry[] = []
  readonly #limits: HoldingLimits
  /** Whether the policy is also told of jobs that a limit of a QOS or an association holds back (assoc_limit_stop). */
  readonly #stops: boolean
  #tick: Seconds = 0
  /** The version of the fair-share factors by which jobs were held back. */
  #factors = NaN
  /** Absent where no limit is about nodes. */
  readonly #nodes: NodeLimits | undefined

  /** `told` is the policy that hears only of jobs that no limit holds back. */
  constructor(options: ReadOptions, env: Env, told: WorkListener & Pick<Policy, 'startsInQueues' | 'fairShare'>) {
    this.#env = env
    this.#told = told
    this.#book = new TermsBook(options, env, told.fairShare)
    this.#lanes = env.cluster.lanes.length
    this.#stops = options.assocLimitStop
    const nodes = this.#book.areOfNodes ? slurmResource('node', env.cluster.resources) : -1
    this.#nodes = nodes < 0 ? undefined : new NodeLimits(env.work, nodes as ResourceId)
    this.#tasks = new CountedTasks(env, this.#book.past, this.#nodes)
    this.#terms = new TermsOfJobs(env.work, this.#book, this.#tasks, told.startsInQueues === true)
    this.#limits = new HoldingLimits(env, this.#terms, this.#tasks, this.#stops)
  }

  // ---- submission ----

  /** Why a job is refused; undefined: it is not. `again`: it is in the system already, so that numbers of jobs and closed partitions do not refuse it. */
  admits(spec: JobSpec, again = false): string | undefined {
    return refusalOf(spec, this.#terms.ofNew(spec), this.#env.cluster, again)
  }

  onSubmit(job: JobId): void {
    this.#terms.enter(job)
    this.#tasks.enter(job)
  }

  onFinish(job: JobId): void {
    this.#terms.leave(job)
    for (let lane = 0; lane < this.#lanes; lane++) this.#changed.delete(job * this.#lanes + lane)
  }

  // ---- waiting ----

  onReady(job: JobId, lane: LaneId): void {
    const limit = this.#limits.of(job, lane)
    if (limit === undefined) return this.#show(job, lane)
    this.#hold(job * this.#lanes + lane, limit)
    if (this.#isSeen(job, limit)) this.#told.onReady?.(job, lane)
  }

  /** A waiting job asks for more: a gang that is preempted comes back task by task. */
  onMore(job: JobId, lane: LaneId): void {
    const entry = job * this.#lanes + lane
    if (this.#held.has(entry)) {
      if (this.#isSeen(job, this.#held.by(entry))) this.#told.onMore?.(job, lane)
      return
    }
    const limit = this.#limits.of(job, lane)
    if (limit !== undefined) this.#holdBack(entry, limit)
    else this.#note(job, lane)
    if (limit === undefined || this.#isSeen(job, limit)) this.#told.onMore?.(job, lane)
  }

  onDrained(job: JobId, lane: LaneId): void {
    const entry = job * this.#lanes + lane
    const isHeld = this.#held.has(entry)
    const isSeen = !isHeld || this.#isSeen(job, this.#held.by(entry))
    if (isHeld) this.#held.delete(entry)
    else this.#hide(job, entry)
    if (isSeen) this.#told.onDrained?.(job, lane)
  }

  /** Whether there is a waiting job that is not held back. */
  get hasShown(): boolean {
    return this.#shown > 0
  }

  /** Whether a limit holds a job back. */
  isHeld(job: JobId, lane: LaneId): boolean {
    return this.#held.has(job * this.#lanes + lane)
  }

  /** Whether the policy knows of the job although the limit holds it back. */
  #isSeen(job: JobId, limit: Limit | undefined): boolean {
    return this.#stops && limit !== undefined && this.#terms.inAnyOf(job).accounting.has(limit)
  }

  /** The groups with a limit that holds for the job, in any of its queues. */
  #limiting(job: JobId): readonly Counted[] {
    return this.#terms.inAnyOf(job).limiting
  }

  /** Tells the policy about the limits of a job, in one of its queues if it has several; undefined if the policy is told of no job that is held back. */
  get say(): ((job: JobId, lane: LaneId, queue?: string) => LimitsSay) | undefined {
    return this.#stops ? (job, lane, queue = '') => this.#limits.say(job, lane, this.isHeld(job, lane), this.#terms.toChoose(job)?.get(queue)) : undefined
  }

  /** Whether limits let the job start in this one of its queues; true, too, if it is held back in all of them, and the policy knows of it nevertheless. */
  get mayStartIn(): ((job: JobId, lane: LaneId, queue: string) => boolean) | undefined {
    return this.#terms.areChosen ? (job, lane, queue) => {
      const terms = this.isHeld(job, lane) ? undefined : this.#terms.byQueue(job)?.get(queue)
      return terms === undefined || this.#limits.in(terms, job, lane) === undefined
    } : undefined
  }

  /** The job starts in this one of its queues, and counts there. */
  startIn(job: JobId, queue: string): void {
    this.#terms.startIn(job, queue)
  }

  /** Tells the policy of limits on nodes; undefined if there are none. */
  get nodes(): ((job: JobId, lane: LaneId, queue?: string) => NodesSay | undefined) | undefined {
    return this.#nodes === undefined ? undefined : (job, lane, queue) => this.#nodesOf(job, lane, queue)
  }

  #nodesOf(job: JobId, lane: LaneId, queue = ''): NodesSay | undefined {
    const { work } = this.#env
    const { ofNodes } = this.#terms.byQueue(job)?.get(queue) ?? this.#terms.of(job)
    return ofNodes.length > 0 && this.#nodes?.isShared(work.shape(job, lane)) === true ? this.#nodes.say(job * this.#lanes + lane, ofNodes) : undefined
  }

  #show(job: JobId, lane: LaneId, isSeen = false): void {
    this.#shown++
    this.#isShown[job * this.#lanes + lane] = true
    this.#note(job, lane)
    if (!isSeen) this.#told.onReady?.(job, lane)
  }

  /** Tells the groups that limit a job which is shown what it asks. */
  #note(job: JobId, lane: LaneId): void {
    const limiting = this.#limiting(job)
    if (limiting.length === 0) return
    const piece = this.#limits.asked(job, lane)
    for (const group of limiting) group.show(job * this.#lanes + lane, piece)
  }

  #hide(job: JobId, entry: Entry): void {
    this.#shown--
    this.#isShown[entry] = false
    for (const group of this.#limiting(job)) group.hide(entry)
  }

  #hold(entry: Entry, limit: Limit): void {
    this.#held.add(entry, limit, this.#limits.inEach(Math.floor(entry / this.#lanes) as JobId, (entry % this.#lanes) as LaneId))
  }

  // ---- rounds ----

  /** Begins a round: tells the policy of the jobs that may start again, and takes away those that past usage or tasks started outside of rounds hold back. */
  begin({ now }: Round): void {
    this.#isInRound = true
    this.#heldNow.length = 0
    this.#nodes?.begin()
    const { usage, lasting, charged, timed } = this.#book.past
    usage.advance(now)
    lasting.advance(now)
    if (usage.tick !== this.#tick) {
      this.#tick = usage.tick
      for (const group of charged) this.#hideOver(group)
      for (const group of charged) this.#looser.add(group)
    }
    this.#lookAtFactors(now)
    for (const group of this.#tighter) if (group.isLimiting) this.#hideOver(group)
    this.#tighter.clear()
    for (const entry of this.#changed)
      if (this.#held.has(entry)) this.#lookAgain(entry)
      else this.#hideIfOver(entry)
    this.#changed.clear()
    for (const group of timed) if (group.held.size > 0) this.#looser.add(group)
    if (this.#looser.size === 0) return
    for (const group of this.#looser) for (const entry of [...group.held]) this.#lookAgain(entry)
    this.#looser.clear()
  }

  /** Looks again at all jobs that fair share holds back or may hold back if its factors have changed. */
  #lookAtFactors(now: Seconds): void {
    const { thresholds, fairShare } = this.#book
    if (thresholds.size === 0 || fairShare === undefined) return
    const version = fairShare.version(now)
    if (version === this.#factors) return
    this.#factors = version
    for (const group of thresholds) this.#hideOver(group)
    for (const group of thresholds) this.#looser.add(group)
  }

  /** What is to be kept over a restart. */
  memory(): PastMemory & ReturnType<TermsOfJobs['memory']> {
    const { usage, lasting } = this.#book.past
    return { usage: usage.memory(), lasting: lasting.memory(), ...this.#terms.memory() }
  }

  recall(memory: unknown): void {
    const { usage, lasting, ...ofTerms } = memory as ReturnType<LimitedJobs['memory']>
    for (const job of this.#terms.recall(ofTerms)) this.#comeAgain(job)
    this.#book.past.usage.recall(usage)
    this.#book.past.lasting.recall(lasting)
    this.#factors = NaN
    this.#tick = NaN // so that the next round checks all jobs anew
    const groups = new Set(this.#env.work.jobs().flatMap((job) => this.#terms.of(job).limiting))
    for (const group of groups) {
      this.#hideOver(group) // running tasks were taken over outside of rounds
      this.#looser.add(group) // and jobs that are counted anew were counted elsewhere before
    }
  }

  /** Counts a job anew, under the terms that it has now. */
  #comeAgain(job: JobId): void {
    const { work } = this.#env
    const lanes = Array.from({ length: this.#lanes }, (_, lane) => lane as LaneId)
    const waiting = lanes.filter((lane) => this.isHeld(job, lane) || this.#isShown[job * this.#lanes + lane] === true)
    const running = lanes.flatMap((lane) => runningTasks(job, lane, work).map((task) => [lane, task] as const))
    for (const lane of waiting) this.onDrained(job, lane)
    for (const [lane, task] of running) this.#tasks.count(job, lane, task, work.nodeOf(task) as NodeId, -1, this.#terms.of(job))
    this.#terms.enterAgain(job)
    this.#tasks.enter(job)
    for (const [lane, task] of running) this.#tasks.count(job, lane, task, work.nodeOf(task) as NodeId, 1, this.#terms.of(job))
    for (const lane of waiting) this.onReady(job, lane)
  }

  /** Whether a piece of the job may start now; asked once before its first claim. */
  mayStart(job: JobId, lane: LaneId): boolean {
    return !this.isHeld(job, lane) && this.#limits.in(this.#terms.of(job), job, lane) === undefined
  }

  /** A piece of the job has been claimed, because of which others may have to wait. */
  claimed(job: JobId): void {
    for (const group of this.#terms.of(job).counted) if (group.isLimiting) this.#hideOver(group)
    if (this.#isOwn(job)) for (let lane = 0; lane < this.#lanes; lane++) this.#hideIfOver(job * this.#lanes + lane)
  }

  /** Claims were taken back: jobs that were held back because of them are checked again. */
  takenBack(): void {
    for (const entry of this.#heldNow.splice(0)) if (this.#held.has(entry)) this.#lookAgain(entry, true)
  }

  /** Ends a round: reports which limits hold jobs back, if reasons are asked for, and asks for a round when a limit changes as time passes. */
  end(round: Round): void {
    this.#isInRound = false
    const { past: { charged, timed }, thresholds } = this.#book
    if ((charged.length > 0 || timed.size > 0 || thresholds.size > 0) && round.cluster.heartbeat === 0) this.#wake(round)
    if (!round.explained) return
    for (const [entry, { reason }] of this.#nodes?.broken ?? [])
      if (this.#isShown[entry] === true && entry % this.#lanes === round.lane) round.defer(Math.floor(entry / this.#lanes) as JobId, Reason.Limit, reason)
    for (const entry of this.#held.entries) {
      const job = Math.floor(entry / this.#lanes) as JobId
      if (entry % this.#lanes === round.lane) round.defer(job, Reason.Limit, (this.#limits.of(job, round.lane) ?? this.#held.by(entry))?.reason)
    }
  }

  /**
   * Asks for a round at the first time at which a limit has room again for a job that it holds back, or at which the usage of running jobs is counted, after
   * which a limit may hold back a waiting job.
   */
  #wake(round: Round): void {
    const { usage, charged } = this.#book.past
    let soonest = charged.some(({ running, shown }) => running > 0 && shown.size > 0) ? usage.next : Infinity
    for (const entry of this.#held.entries) {
      for (const limit of this.#held.all(entry)) {
        if (limit.opensAt === undefined) continue
        const job = Math.floor(entry / this.#lanes) as JobId
        soonest = Math.min(soonest, limit.opensAt(this.#limits.asked(job, (entry % this.#lanes) as LaneId)))
      }
    }
    if (soonest < Infinity) round.wakeAt(soonest)
  }

  /** Holds back the shown jobs of a group that a limit forbids now. */
  #hideOver(group: Counted): void {
    for (const entry of group.shown) this.#hideIfOver(entry)
  }

  /** Holds back a job if it is shown and a limit forbids it now. */
  #hideIfOver(entry: Entry): void {
    if (this.#isShown[entry] !== true) return
    const limit = this.#limits.of(Math.floor(entry / this.#lanes) as JobId, (entry % this.#lanes) as LaneId)
    if (limit !== undefined) this.#holdBack(entry, limit)
  }

  #holdBack(entry: Entry, limit: Limit): void {
    const job = Math.floor(entry / this.#lanes) as JobId
    this.#hide(job, entry)
    this.#hold(entry, limit)
    this.#heldNow.push(entry)
    if (!this.#isSeen(job, limit)) this.#told.onDrained?.(job, (entry % this.#lanes) as LaneId)
  }

  /** Checks a held job again. `isInRound`: it was held back in this round. */
  #lookAgain(entry: Entry, isInRound = false): void {
    const job = Math.floor(entry / this.#lanes) as JobId
    const lane = (entry % this.#lanes) as LaneId
    const limit = this.#limits.of(job, lane)
    const wasHeldBy = this.#held.by(entry)
    if (limit !== undefined && isInRound) this.#heldNow.push(entry)
    if (limit === wasHeldBy && !this.#held.isElsewhere(entry)) return
    const [wasSeen, isSeen] = [this.#isSeen(job, wasHeldBy), this.#isSeen(job, limit)]
    this.#held.delete(entry)
    if (limit === undefined) return this.#show(job, lane, wasSeen)
    this.#hold(entry, limit)
    if (wasSeen && !isSeen) this.#told.onDrained?.(job, lane)
    if (!wasSeen && isSeen) this.#told.onReady?.(job, lane)
  }

  // ---- running ----

  onClaim(job: JobId, lane: LaneId, task: TaskId, node: NodeId): void {
    const terms = this.#terms.of(job)
    this.#tasks.price(job, lane, task, terms.bill)
    this.#tasks.count(job, lane, task, node, 1, terms)
    const isShown = this.#limiting(job)[0]?.shown.has(job * this.#lanes + lane) === true
    if (isShown && this.#env.work.unplaced(job, lane) > 0) this.#note(job, lane) // its next piece may ask for more
    if (this.#isInRound) return
    for (const group of terms.counted) this.#tighter.add(group)
    this.#change(job)
  }

  onRelease(job: JobId, lane: LaneId, task: TaskId, node: NodeId): void {
    const terms = this.#terms.of(job)
    this.#tasks.count(job, lane, task, node, -1, terms)
    for (const group of terms.counted) if (group.held.size > 0) this.#looser.add(group)
    this.#change(job)
  }

  #change(job: JobId): void {
    if (this.#isOwn(job)) for (let lane = 0; lane < this.#lanes; lane++) this.#changed.add(job * this.#lanes + lane)
  }

  /** Whether what runs of the job itself may let a limit hold it back, or not any more. */
  #isOwn(job: JobId): boolean {
    return this.#terms.of(job).areOwn || this.#terms.byQueue(job) !== undefined
  }
}
