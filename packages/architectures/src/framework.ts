import { None, type Cell, type JobId, type LaneId, type NodeId, type OpenRound, type ResourceId, type Savepoint, type Scheduler, type Seconds, type Stock } from '@sched/core'
import type { Attempts } from './attempts.js'
import type { DecisionTime } from './decision-time.js'
import type { Refusals } from './refusals.js'
import { SERIAL } from './serial-path.js'
import { Timer, timer } from './timers.js'
import type { Usage } from './usage.js'

export interface FrameworkOptions {
  readonly weight: number
  /** The role it is in, a path. */
  readonly role: string | undefined
  /** Resources of which it may be offered nodes that have any, where these are kept for those who ask. */
  readonly wants: readonly string[]
  /** What is offered to it of a node has at least all of one of these, if there are any; absent: as for all. */
  readonly least?: readonly Float64Array[] | undefined
  readonly time: DecisionTime
  readonly attempts: Attempts
  /** Longest time that an incomplete gang keeps what it has collected; 0: it collects nothing. */
  readonly hoard: Seconds
  /** Longest time that an offer may be out. */
  readonly offerTimeout: Seconds
  readonly refusals: Refusals | undefined
}

/** What a framework has decided about one job of an offer. */
interface Answer {
  readonly job: JobId
  readonly opened: Seconds
  readonly closed: Seconds
  readonly claimed: number
}

/** A gang that resources are collected for. */
interface Hoard {
  readonly job: JobId
  readonly lane: LaneId
  /** When it gives back what it has if it is not complete. */
  readonly until: Seconds
}

const FITS = { conflict: 'fit', atomic: false } as const

/**
 * A framework of a two-level architecture: schedules its queued jobs on what it was offered, one after the other, and
 * answers after the sum of their decision times. Until then nobody else can use any of it. Where the cluster has several
 * lanes they are answered one after the other.
 *
 * A gang is placed in full or not at all. A framework that hoards collects for a gang over several offers instead, for
 * this gang alone, and keeps what it has got until there is enough for all of it.
 */
export class Framework {
  readonly scheduler: Scheduler
  readonly weight: number
  readonly stock: Stock
  /** Whether it waits for an offer, and whether one is out to it. */
  isWaiting = false
  isServed = false
  readonly #cell: Cell
  readonly #usage: Usage
  readonly #options: FrameworkOptions
  #nodes: readonly NodeId[] = []
  #lane = 0 as LaneId
  #round: OpenRound | undefined
  readonly #answers: Answer[] = []
  #deadline: Seconds = Infinity
  #isRescinded = false
  #hoard: Hoard | undefined
  /** The gang that it will collect for from its next offer on. */
  #next: Hoard | undefined

  constructor(cell: Cell, scheduler: Scheduler, usage: Usage, options: FrameworkOptions) {
    this.#cell = cell
    this.scheduler = scheduler
    this.stock = cell.stock()
    this.weight = options.weight
    this.#usage = usage
    this.#options = options
  }

  get name(): string {
    return this.scheduler.name
  }
  get role(): string | undefined {
    return this.#options.role
  }
  get wants(): readonly string[] {
    return this.#options.wants
  }
  get least(): readonly Float64Array[] | undefined {
    return this.#options.least
  }
  get held(): Float64Array {
    return this.#usage.held
  }
  get refusals(): Refusals | undefined {
    return this.#options.refusals
  }
  get tasks(): number {
    return this.#usage.tasks
  }

  /** Whether it has jobs to place. */
  get hasWork(): boolean {
    const lanes = this.#cell.cluster.lanes.length
    for (let lane = 0 as LaneId; lane < lanes; lane++) if (this.scheduler.pending(lane) > 0) return true
    return this.#hoard !== undefined
  }

  /** What is on offer to it and not claimed yet. */
  onOffer(): Float64Array {
    const amounts = new Float64Array(this.held.length)
    if (!this.isServed) return amounts
    const { cluster } = this.stock
    for (const node of this.stock.nodes() ?? this.#cell.nodes)
      for (let r = 0; r < amounts.length; r++) amounts[r] = (amounts[r] as number) + cluster.free(node, r as ResourceId)
    return amounts
  }

  /** An offer of these nodes has come. */
  receive(nodes: readonly NodeId[]): void {
    this.#nodes = nodes
    this.#deadline = this.#cell.now() + this.#options.offerTimeout
    this.#lane = this.#hoard?.lane ?? (0 as LaneId)
    this.#decide()
  }

  /** The decision time is over, or the offer is taken back. */
  answer(): void {
    const isLast = this.#isRescinded || this.#hoard !== undefined || this.#next !== undefined || this.#lane + 1 === this.#cell.cluster.lanes.length
    if (this.#hoard === undefined) this.#close(isLast)
    else this.#closeHoard(this.#hoard)
    if (isLast) return this.#end()
    this.#lane = (this.#lane + 1) as LaneId
    this.#decide()
  }

  /** Time is up for the gang that it collects for. */
  giveUp(): void {
    if (this.#hoard !== undefined && !this.isServed && this.#hoard.until <= this.#cell.now()) this.#closeHoard(this.#hoard)
  }

  #end(): void {
    this.isServed = false
    if (this.#next === undefined) return
    const { hoard } = this.#options
    this.#hoard = { ...this.#next, until: this.#cell.now() + hoard }
    this.#next = undefined
    this.#cell.after(hoard, timer(Timer.GiveUp, this.scheduler.id))
  }

  #decide(): void {
    const now = this.#cell.now()
    const end = this.#hoard === undefined ? this.#scheduleAll(now) : this.#collect(this.#hoard, now)
    this.#isRescinded = end > this.#deadline
    this.#cell.after(Math.min(end, this.#deadline) - now, timer(Timer.Answer, this.scheduler.id))
  }

  /** Decides about all jobs of a lane while there may be room in the offer; returns when that is done. */
  #scheduleAll(now: Seconds): Seconds {
    const lane = this.#lane
    const round = this.#cell.draft(this.scheduler, lane, this.#nodes, { jobs: 1, reach: this.#cell.nodes }, this.stock)
    this.#round = round
    let end = now
    while (this.#next === undefined && this.scheduler.pending(lane) > 0 && this.#hasRoom()) {
      const before = round.savepoint()
      const answer = this.#decideNext(round, end)
      if (answer === undefined) break
      end = answer.closed
      const broken = round.brokenGang(answer.job)
      if (broken === undefined) this.#answers.push(answer)
      else this.#giveUpGang(answer, round, Math.max(broken, before) as Savepoint)
      if (round.work.unplaced(answer.job, lane) > 0 && this.#next === undefined) this.#cell.holdBack(answer.job) // its turn is over in this offer
      round.goOn(now, 1)
    }
    if (round.evictions > 0) round.suspend()
    return end
  }

  /** Undefined when the policy takes no job up. */
  #decideNext(round: OpenRound, opened: Seconds): Answer | undefined {
    const before = round.claims
    this.scheduler.policy.schedule(round)
    const job = round.taken
    if (job === None) return undefined
    const claimed = round.claims - before
    const closed = opened + this.#options.time.of(job, this.#lane, claimed + round.work.unplaced(job, this.#lane))
    return { job, opened, closed, claimed }
  }

  /** A gang for which the offer has no room gives back what it has got; from the next offer on the framework may collect for it. */
  #giveUpGang(answer: Answer, round: OpenRound, before: Savepoint): void {
    const { claims } = round
    round.rollback(before)
    this.#answers.push({ ...answer, claimed: answer.claimed - (claims - round.claims) })
    if (this.#options.hoard > 0) this.#next = { job: answer.job, lane: this.#lane, until: Infinity }
  }

  /** Takes what the offer has for the gang, beside what earlier ones had. */
  #collect({ job, lane }: Hoard, now: Seconds): Seconds {
    if (this.#round === undefined) this.#round = this.#cell.draft(this.scheduler, lane, this.#nodes, { jobs: 1, only: job, reach: this.#cell.nodes }, this.stock)
    else this.#round.goOn(now, 1, this.#nodes)
    const round = this.#round
    const answer = this.#hasRoom() ? this.#decideNext(round, now) : undefined
    if (round.evictions > 0) round.rollback(0 as Savepoint) // a draft with evictions cannot be kept
    if (answer !== undefined) this.#answers.push(answer)
    return answer?.closed ?? now
  }

  #hasRoom(): boolean {
    return this.stock.cluster.nextWithRoom(this.#lane, 0) !== None
  }

  #close(isLast: boolean): void {
    const round = this.#round as OpenRound
    const hasEvictions = round.evictions > 0
    this.#round = undefined
    if (this.#isRescinded) round.abandon()
    if (isLast || hasEvictions) this.#giveBack()
    const conflicts = this.#isRescinded ? undefined : this.#accept(round, hasEvictions)
    if (isLast) this.#giveBackConflicts(conflicts)
    for (const answer of this.#answers) this.#settle(answer, conflicts?.get(answer.job) ?? 0)
    this.#answers.length = 0
  }

  /** What it has no use for counts as declined; what was taken back does not. */
  #giveBack(): void {
    if (!this.#isRescinded) this.#options.refusals?.answer(this.#nodes, this.stock.cluster, this.#cell.now())
    this.stock.giveBack()
  }

  /** What claims on nodes that have gone held is on offer again only now. */
  #giveBackConflicts(conflicts: ReadonlyMap<JobId, number> | undefined): void {
    if (conflicts !== undefined && conflicts.size > 0) this.stock.giveBack()
  }

  /** Returns how many claims of each job were for nodes that have gone since, or were not to be had. */
  #accept(round: OpenRound, hasEvictions: boolean): ReadonlyMap<JobId, number> {
    const commit = round.commit(hasEvictions ? FITS : SERIAL)
    this.scheduler.policy.onCommit?.(commit)
    const conflicts = new Map<JobId, number>()
    for (const task of commit.conflicted) {
      const job = this.#cell.work.jobOf(task)
      conflicts.set(job, (conflicts.get(job) ?? 0) + 1)
    }
    return conflicts
  }

  #settle(answer: Answer, conflicts: number): void {
    const { job, claimed, opened } = answer
    const { attempts } = this.#options
    if (this.#isRescinded && opened >= this.#cell.now()) return attempts.wait(job) // it was not begun
    const placed = this.#isRescinded ? 0 : claimed - conflicts
    this.#tell(answer, placed, claimed - placed)
    if (job !== this.#next?.job && this.#cell.work.unplaced(job, this.#lane) > 0) attempts.failed(job, placed)
    else attempts.note(job, placed)
  }

  /** The gang starts if it is complete, with what else the job has got; otherwise what it has is kept, unless time is up. */
  #closeHoard({ job, lane, until }: Hoard): void {
    const round = this.#round
    const answer = this.#answers.pop()
    const broken = round?.brokenGang(job)
    const isComplete = !this.#isRescinded && (round?.claims ?? 0) > 0 && broken !== 0
    const isDropped = !isComplete && (this.#cell.now() >= until || this.#isRescinded || (round?.claims ?? 0) === 0)
    if (isDropped) round?.abandon()
    else if (isComplete && broken !== undefined) round?.rollback(broken)
    this.#giveBack()
    const claimed = round?.claims ?? 0
    const conflicting = isComplete && round !== undefined ? this.#accept(round, false) : undefined
    this.#giveBackConflicts(conflicting)
    const conflicts = conflicting?.get(job) ?? 0
    if (answer !== undefined) this.#tell(answer, isComplete ? claimed - conflicts : 0, conflicts)
    if (!isComplete && !isDropped) return
    this.#round = undefined
    this.#hoard = undefined
    const { attempts } = this.#options
    const placed = isComplete ? claimed - conflicts : 0
    if (this.#cell.work.unplaced(job, lane) > 0) attempts.failed(job, placed)
    else attempts.note(job, placed)
  }

  #tell({ job, opened, closed, claimed }: Answer, accepted: number, conflicted: number): void {
    const { scheduler } = this
    const now = this.#cell.now()
    const attempt = this.#options.attempts.begin(job)
    const unplaced = this.#cell.work.unplaced(job, this.#lane)
    this.#cell.decided({ scheduler, job, attempt, opened, closed: Math.min(closed, now), claimed, accepted, conflicted, unplaced })
  }
}
