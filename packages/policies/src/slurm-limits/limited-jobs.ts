import { leastTasks, Reason, type Env, type JobId, type JobSpec, type LaneId, type LimitsSay, type Release, type ResourceId, type Round, type Seconds, type StageSpec, type TaskId, type WorkListener } from '@sched/core'
import type { UsageMemory } from '../fair-share/decayed-usage.js'
import { AskedPiece, runningOf } from './asked-piece.js'
import { billOf, type Bill } from './bills.js'
import type { Counted, Entry, Limit, Piece } from './counted.js'
import { usageOf } from './limits-of-job.js'
import type { ReadOptions } from './options.js'
import { TermsBook, type Terms } from './terms.js'

interface PastMemory {
  readonly usage: UsageMemory
  readonly lasting: UsageMemory
}

/**
 * Which waiting jobs limits hold back. A policy is told only of the others: one that is held back is drained for it, as one that its
 * architecture holds back, and ready again when its limit has room.
 */
export class LimitedJobs implements WorkListener {
  readonly #env: Env
  readonly #told: WorkListener
  readonly #book: TermsBook
  readonly #lanes: number
  readonly #terms: Terms[] = []
  /** By task: when it is expected to end. */
  readonly #endOf: Seconds[] = []
  /** Running tasks by job, and what each task costs: what the job cost more when it started. */
  readonly #running: number[] = []
  readonly #billOf: number[] = []
  /** By entry: the limit that holds the job back. */
  readonly #heldBy: (Limit | undefined)[] = []
  readonly #held = new Set<Entry>()
  /** Waiting jobs that no limit holds back. */
  #shown = 0
  /** Groups of which something was given back, and of which something was taken outside of rounds: what runs was taken over, or others have started it. */
  readonly #looser = new Set<Counted>()
  readonly #tighter = new Set<Counted>()
  #isInRound = false
  /** Jobs held back in this round, some of them by claims that may be taken back. */
  readonly #heldNow: Entry[] = []
  readonly #piece: AskedPiece
  /** Whether the policy is told of jobs, too, that a limit of a QOS or an association holds back. */
  readonly #stops: boolean
  #tick: Seconds = 0

  /** `told` hears of waiting jobs that no limit holds back. */
  constructor(options: ReadOptions, env: Env, told: WorkListener) {
    this.#env = env
    this.#told = told
    this.#book = new TermsBook(options, env)
    this.#lanes = env.cluster.lanes.length
    this.#piece = new AskedPiece(env)
    this.#stops = options.assocLimitStop
  }

  // ---- submission ----

  admits(spec: JobSpec, again = false): string | undefined {
    const { user = 'user', account = '', qos = '', licenses = {} } = spec
    const terms = this.#book.of({ user, account, qos, partition: spec.queue ?? spec.user ?? 'default', licenses })
    if (terms.refusal !== undefined) return terms.refusal
    const full = again ? undefined : terms.submits.find(({ of, most }) => of.submitted >= most)
    if (full !== undefined) return `${full.of.name} has ${full.of.submitted} of ${full.most} jobs in the system (${full.reason})`
    const over = terms.strict.find((limit) => spec.stages.some((stage) => limit.isOver(this.#pieceOf(stage, spec, terms.bill))))
    return over === undefined ? undefined : `it asks for more, less or longer than it may (${over.reason})`
  }

  #pieceOf(stage: StageSpec, { estimate = Infinity }: JobSpec, bill: Bill | undefined): Piece {
    const tasks = leastTasks(stage)
    const { resources } = this.#env.cluster
    const demand = (resource: number) => stage.demand[resources[resource] as string] ?? 0
    const amount = (resource: number) => (resource === resources.length ? (bill?.(tasks, demand) ?? 0) : tasks * demand(resource))
    return { isFirst: true, amount, whole: amount, estimate: stage.estimate ?? estimate }
  }

  onSubmit(job: JobId): void {
    const { work } = this.#env
    const terms = this.#book.of({ user: work.userName(work.user(job)), account: work.account(job), qos: work.qos(job), partition: work.queueName(work.queue(job)), licenses: work.licenses(job) })
    this.#terms[job] = terms
    this.#running[job] = 0
    for (const group of terms.counted) group.submitted++
  }

  onFinish(job: JobId): void {
    for (const group of (this.#terms[job] as Terms).counted) group.submitted--
  }

  // ---- waiting ----

  onReady(job: JobId, lane: LaneId): void {
    const limit = this.#limitOf(job, lane)
    if (limit === undefined) return this.#show(job, lane)
    this.#hold(job * this.#lanes + lane, limit)
    if (this.#isSeen(job, limit)) this.#told.onReady?.(job, lane)
  }

  /** It asks for more: a gang that is preempted comes back task by task. */
  onMore(job: JobId, lane: LaneId): void {
    const entry = job * this.#lanes + lane
    if (this.#held.has(entry)) {
      if (this.#isSeen(job, this.#heldBy[entry])) this.#told.onMore?.(job, lane)
      return
    }
    const limit = this.#limitOf(job, lane)
    if (limit !== undefined) this.#holdBack(entry, limit)
    else this.#note(job, lane)
    if (limit === undefined || this.#isSeen(job, limit)) this.#told.onMore?.(job, lane)
  }

  onDrained(job: JobId, lane: LaneId): void {
    const entry = job * this.#lanes + lane
    const isHeld = this.#held.has(entry)
    const isSeen = !isHeld || this.#isSeen(job, this.#heldBy[entry])
    if (isHeld) this.#forget(entry)
    else this.#hide(job, entry)
    if (isSeen) this.#told.onDrained?.(job, lane)
  }

  /** Whether any waiting job is not held back. */
  get hasShown(): boolean {
    return this.#shown > 0
  }

  isHeld(job: JobId, lane: LaneId): boolean {
    return this.#held.has(job * this.#lanes + lane)
  }

  /** Whether the policy knows of the job although the limit holds it back. */
  #isSeen(job: JobId, limit: Limit | undefined): boolean {
    return this.#stops && limit !== undefined && (this.#terms[job] as Terms).accounting.has(limit)
  }

  /** What a policy may know of the limits of a job that it sees; absent where it sees no job that is held back. */
  get say(): ((job: JobId, lane: LaneId) => LimitsSay) | undefined {
    return this.#stops ? (job, lane) => this.#say(job, lane) : undefined
  }

  /** A limit of numbers comes first: Slurm looks at those before it looks for nodes. */
  #say(job: JobId, lane: LaneId): LimitsSay {
    const { limits, bill, qos } = this.#terms[job] as Terms
    if (!this.isHeld(job, lane)) return { by: '', groups: qos }
    this.#piece.ask(job, lane, this.#running[job] as number, bill)
    const over = limits.filter((limit) => this.#piece.isOver(limit))
    const limit = over.find(({ isOfNumbers }) => isOfNumbers) ?? over[0]
    const name = limit?.of?.name ?? ''
    return { held: limit?.isOfNumbers === true ? 'number' : 'amount', by: qos.includes(name) ? name : '', groups: qos }
  }

  /** The first limit that keeps the next piece of the job from starting; where the policy sees those held back by others, one of a partition or a licence before them. */
  #limitOf(job: JobId, lane: LaneId): Limit | undefined {
    const { limits, accounting, bill } = this.#terms[job] as Terms
    if (limits.length === 0) return undefined
    this.#piece.ask(job, lane, this.#running[job] as number, bill)
    const hiding = this.#stops ? limits.find((limit) => !accounting.has(limit) && this.#piece.isOver(limit)) : undefined
    return hiding ?? limits.find((limit) => this.#piece.isOver(limit))
  }

  #show(job: JobId, lane: LaneId, isSeen = false): void {
    this.#shown++
    this.#note(job, lane)
    if (!isSeen) this.#told.onReady?.(job, lane)
  }

  /** Tells the groups that limit a job which is shown what it asks. */
  #note(job: JobId, lane: LaneId): void {
    const { limiting, bill } = this.#terms[job] as Terms
    if (limiting.length === 0) return
    this.#piece.ask(job, lane, this.#running[job] as number, bill)
    for (const group of limiting) group.show(job * this.#lanes + lane, this.#piece)
  }

  #hide(job: JobId, entry: Entry): void {
    this.#shown--
    for (const group of (this.#terms[job] as Terms).limiting) group.hide(entry)
  }

  #hold(entry: Entry, limit: Limit): void {
    this.#held.add(entry)
    this.#heldBy[entry] = limit
    limit.of?.held.add(entry)
  }

  #forget(entry: Entry): void {
    this.#held.delete(entry)
    this.#heldBy[entry]?.of?.held.delete(entry)
    this.#heldBy[entry] = undefined
  }

  // ---- rounds ----

  /** Shows the jobs that may start again. */
  begin({ now }: Round): void {
    this.#isInRound = true
    this.#heldNow.length = 0
    const { usage, lasting, charged, timed } = this.#book.past
    usage.advance(now)
    lasting.advance(now)
    if (usage.tick !== this.#tick) {
      this.#tick = usage.tick
      for (const group of charged) this.#hideOver(group)
      for (const group of charged) this.#looser.add(group)
    }
    for (const group of this.#tighter) if (group.isLimiting) this.#hideOver(group)
    this.#tighter.clear()
    for (const group of timed) if (group.held.size > 0) this.#looser.add(group)
    if (this.#looser.size === 0) return
    for (const group of this.#looser) for (const entry of [...group.held]) this.#lookAgain(entry)
    this.#looser.clear()
  }

  /** What has been used. */
  memory(): PastMemory {
    const { usage, lasting } = this.#book.past
    return { usage: usage.memory(), lasting: lasting.memory() }
  }

  recall(memory: unknown): void {
    const { usage, lasting } = memory as PastMemory
    this.#book.past.usage.recall(usage)
    this.#book.past.lasting.recall(lasting)
    this.#tick = NaN // jobs are looked at anew
    const groups = new Set(this.#env.work.jobs().flatMap((job) => (this.#terms[job] as Terms).limiting))
    for (const group of groups) this.#hideOver(group) // of what runs nobody has been told in a round
  }

  /** Whether a piece of the job may start now; asked once before its first claim. */
  mayStart(job: JobId, lane: LaneId): boolean {
    return !this.isHeld(job, lane) && this.#limitOf(job, lane) === undefined
  }

  /** A piece of the job has been claimed: others may have to wait for it. */
  claimed(job: JobId): void {
    for (const group of (this.#terms[job] as Terms).counted) if (group.isLimiting) this.#hideOver(group)
  }

  /** Claims were taken back: what they held back need not wait. */
  takenBack(): void {
    for (const entry of this.#heldNow.splice(0)) if (this.#held.has(entry)) this.#lookAgain(entry, true)
  }

  /** Tells who listens which limits keep jobs back, and asks for a round when past usage decays. */
  end(round: Round): void {
    this.#isInRound = false
    const { charged, timed } = this.#book.past
    if ((charged.length > 0 || timed.size > 0) && round.cluster.heartbeat === 0) this.#wake(round)
    if (!round.explained) return
    for (const entry of this.#held) {
      const job = Math.floor(entry / this.#lanes) as JobId
      if (entry % this.#lanes === round.lane) round.defer(job, Reason.Limit, (this.#limitOf(job, round.lane) ?? this.#heldBy[entry])?.reason)
    }
  }

  /** When a limit has room again for one that it holds back, since time passes, or may hold one back that waits, since what runs is counted. */
  #wake(round: Round): void {
    const { usage, charged } = this.#book.past
    let soonest = charged.some(({ running, shown }) => running > 0 && shown.size > 0) ? usage.next : Infinity
    for (const entry of this.#held) {
      const limit = this.#heldBy[entry]
      if (limit?.opensAt === undefined) continue
      const job = Math.floor(entry / this.#lanes) as JobId
      this.#piece.ask(job, (entry % this.#lanes) as LaneId, this.#running[job] as number, (this.#terms[job] as Terms).bill)
      soonest = Math.min(soonest, limit.opensAt(this.#piece))
    }
    if (soonest < Infinity) round.wakeAt(soonest)
  }

  #hideOver(group: Counted): void {
    for (const entry of group.shown) {
      const job = Math.floor(entry / this.#lanes) as JobId
      const lane = (entry % this.#lanes) as LaneId
      const limit = this.#limitOf(job, lane)
      if (limit !== undefined) this.#holdBack(entry, limit)
    }
  }

  #holdBack(entry: Entry, limit: Limit): void {
    const job = Math.floor(entry / this.#lanes) as JobId
    this.#hide(job, entry)
    this.#hold(entry, limit)
    this.#heldNow.push(entry)
    if (!this.#isSeen(job, limit)) this.#told.onDrained?.(job, (entry % this.#lanes) as LaneId)
  }

  #lookAgain(entry: Entry, isInRound = false): void {
    const job = Math.floor(entry / this.#lanes) as JobId
    const lane = (entry % this.#lanes) as LaneId
    const limit = this.#limitOf(job, lane)
    const wasHeldBy = this.#heldBy[entry]
    if (limit !== undefined && isInRound) this.#heldNow.push(entry)
    if (limit === wasHeldBy) return
    const [wasSeen, isSeen] = [this.#isSeen(job, wasHeldBy), this.#isSeen(job, limit)]
    this.#forget(entry)
    if (limit === undefined) return this.#show(job, lane, wasSeen)
    this.#hold(entry, limit)
    if (wasSeen && !isSeen) this.#told.onDrained?.(job, lane)
    if (!wasSeen && isSeen) this.#told.onReady?.(job, lane)
  }

  // ---- running ----

  onClaim(job: JobId, lane: LaneId, task: TaskId): void {
    this.#running[job] = (this.#running[job] as number) + 1
    this.#count(job, lane, task, 1, this.#running[job] === 1)
    const isShown = (this.#terms[job] as Terms).limiting[0]?.shown.has(job * this.#lanes + lane) === true
    if (isShown && this.#env.work.unplaced(job, lane) > 0) this.#note(job, lane) // its next piece may ask for more
    if (!this.#isInRound) for (const group of (this.#terms[job] as Terms).counted) this.#tighter.add(group)
  }

  onRelease(job: JobId, lane: LaneId, task: TaskId, _node: unknown, _why: Release): void {
    this.#running[job] = (this.#running[job] as number) - 1
    this.#count(job, lane, task, -1, this.#running[job] === 0)
    for (const group of (this.#terms[job] as Terms).counted) if (group.held.size > 0) this.#looser.add(group)
  }

  #count(job: JobId, lane: LaneId, task: TaskId, sign: 1 | -1, isWhole: boolean): void {
    const { work, cluster } = this.#env
    const now = this.#env.now()
    const shape = work.shapeOf(task)
    const { past } = this.#book
    const { counted, factor, licenses, bill } = this.#terms[job] as Terms
    const billing = cluster.resources.length
    if (sign > 0 && bill !== undefined) {
      const running = work.isGangJob(job) ? runningOf(job, lane, work.stageOf(task), work) : (this.#running[job] as number) // this task is one of them
      this.#billOf[task] = billOf(bill, running, shape, lane, this.#env) - billOf(bill, running - 1, shape, lane, this.#env)
    }
    const cost = bill === undefined ? 0 : (this.#billOf[task] as number)
    const started = work.started(task) // of one whose eviction is taken back
    if (sign > 0) this.#endOf[task] = (Number.isNaN(started) ? now : started) + work.taskEstimate(task) - work.worked(task)
    const end = this.#endOf[task] as number
    if (isWhole) for (const { of, amount } of licenses) of.licenses += sign * amount
    for (const group of counted) {
      if (isWhole) group.running += sign
      for (const resource of cluster.lanes[lane]?.resources ?? []) group.holds(resource, sign * work.demand(shape, resource), end, factor)
      if (cost > 0) group.holds(billing, sign * cost, end, factor)
      for (const { id, resource } of group.charges) {
        const amount = resource < 0 ? Number(isWhole) : resource === billing ? cost : work.demand(shape, resource as ResourceId)
        if (amount > 0) usageOf(group, past).change(id, sign * amount * factor, now)
      }
    }
  }
}
