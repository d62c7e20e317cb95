import { None, type Cell, type JobId, type LaneId, type NodeId, type OpenRound, type ResourceId, type Savepoint, type Scheduler, type Seconds, type Stock } from '@sched/core'
import type { Attempts } from './attempts.js'
import type { DecisionTime } from './decision-time.js'
import type { Refusals } from './refusals.js'
import { SERIAL } from './serial-path.js'
import { Timer, timer } from './timers.js'
import type { Usage } from './usage.js'

export interface FrameworkOptions {
  readonly weight: number
  /** Path of its role. */
  readonly role: string | undefined
  /** Resources that its jobs want: nodes with kept resources are offered only to frameworks that want these. */
  readonly wants: readonly string[]
  /** An offered part of a node must have at least all amounts of one of these, if there are any; absent: the general rule holds. */
  readonly least?: readonly Float64Array[] | undefined
  readonly time: DecisionTime
  readonly attempts: Attempts
  /** Longest time that an incomplete gang keeps what it has collected, in seconds; 0: nothing is collected. */
  readonly hoard: Seconds
  /** Longest time until an offer must be answered, in seconds. */
  readonly offerTimeout: Seconds
  readonly refusals: Refusals | undefined
}

/** What a framework has decided about one job. */
interface Answer {
  readonly job: JobId
  readonly rank: number
  readonly opened: Seconds
  readonly closed: Seconds
  readonly claimed: number
}

/** What became of the claims of a job. */
interface Outcome {
  accepted: number
  conflicted: number
}

/** A gang for which the framework collects resources. */
interface Hoard {
  readonly job: JobId
  readonly rank: number
  readonly lane: LaneId
  /** When an incomplete gang gives back what it has collected. */
  readonly until: Seconds
}

const NOTHING: Outcome = { accepted: 0, conflicted: 0 }
const FITS = { conflict: 'fit', atomic: false } as const

/**
 * A framework of a two-level architecture. It schedules its queued jobs on an offer one after the other, and answers after the sum of their decision
 * times. Until then nobody else can use any of the offer. Several lanes are handled one after the other.
 *
 * A gang is placed in full or not at all. A framework that hoards instead collects over several offers, for one gang alone, and keeps what it has
 * until there is enough for the whole gang.
 */
export class Framework {
  readonly scheduler: Scheduler
  readonly weight: number
  readonly stock: Stock
  /** Whether it waits for an offer, and whether an offer to it is unanswered. */
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
  /** The gang to collect for from the next offer on. */
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

  /** Amounts on offer to it that are not claimed yet. */
  onOffer(): Float64Array {
    const amounts = new Float64Array(this.held.length)
    if (!this.isServed) return amounts
    const { cluster } = this.stock
    for (const node of this.stock.nodes() ?? this.#cell.nodes)
      for (let r = 0; r < amounts.length; r++) amounts[r] = (amounts[r] as number) + cluster.free(node, r as ResourceId)
    return amounts
  }

  /** Handles an offer of these nodes. */
  receive(nodes: readonly NodeId[]): void {
    this.#nodes = nodes
    this.#deadline = this.#cell.now() + this.#options.offerTimeout
    this.#lane = this.#hoard?.lane ?? (0 as LaneId)
    this.#decide()
  }

  /** Answers the offer: the decision time is over, or the offer is taken back. */
  answer(): void {
    const isLast = this.#isRescinded || this.#hoard !== undefined || this.#next !== undefined || this.#lane + 1 === this.#cell.cluster.lanes.length
    if (this.#hoard === undefined) this.#close(isLast)
    else this.#closeHoard(this.#hoard)
    if (isLast) return this.#end()
    this.#lane = (this.#lane + 1) as LaneId
    this.#decide()
  }

  /** The time to collect for a gang is over. */
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

  /** Decides about the jobs of the lane while the offer may have room; returns when the decisions are done. */
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
      if (round.work.unplaced(answer.job, lane) > 0 && this.#next === undefined) this.#cell.holdBack(answer.job) // the job has had its turn in this offer
      round.goOn(now, 1)
    }
    if (round.evictions > 0) round.suspend()
    return end
  }

  /** Lets the policy decide about one job; `undefined` if it takes none up. */
  #decideNext(round: OpenRound, opened: Seconds): Answer | undefined {
    const before = round.claims
    this.scheduler.policy.schedule(round)
    const job = round.taken
    if (job === None) return undefined
    const claimed = round.claims - before
    const closed = opened + this.#options.time.of(job, this.#lane, claimed + round.work.unplaced(job, this.#lane))
    return { job, rank: round.work.rank(job), opened, closed, claimed }
  }

  /** Takes back a gang that does not fully fit in the offer. If the framework hoards, it collects for the gang from the next offer on. */
  #giveUpGang(answer: Answer, round: OpenRound, before: Savepoint): void {
    const { claims } = round
    round.rollback(before)
    this.#answers.push({ ...answer, claimed: answer.claimed - (claims - round.claims) })
    if (this.#options.hoard > 0) this.#next = { job: answer.job, rank: answer.rank, lane: this.#lane, until: Infinity }
  }

  /** Adds what this offer has to what earlier offers had for the gang. */
  #collect({ job, lane }: Hoard, now: Seconds): Seconds {
    if (this.#round === undefined) this.#round = this.#cell.draft(this.scheduler, lane, this.#nodes, { jobs: 1, only: job, reach: this.#cell.nodes }, this.stock)
    else this.#round.goOn(now, 1, this.#nodes)
    const round = this.#round
    const answer = this.#hasRoom() ? this.#decideNext(round, now) : undefined
    if (round.evictions > 0) round.rollback(0 as Savepoint) // a draft with evictions cannot be kept over time
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
    const outcomes = this.#isRescinded ? undefined : this.#accept(round, hasEvictions)
    if (isLast) this.#giveBackConflicts(outcomes)
    for (const answer of this.#answers) this.#settle(answer, outcomes?.get(answer.job))
    this.#answers.length = 0
  }

  /** Gives back the unused part of the offer, which counts as declined unless the offer was taken back. */
  #giveBack(): void {
    if (!this.#isRescinded) this.#options.refusals?.answer(this.#nodes, this.stock.cluster, this.#cell.now())
    this.stock.giveBack()
  }

  /** Gives back what conflicting claims on lost nodes held: it is free only after the commit. */
  #giveBackConflicts(outcomes: ReadonlyMap<JobId, Outcome> | undefined): void {
    for (const { conflicted } of outcomes?.values() ?? []) if (conflicted > 0) return this.stock.giveBack()
  }

  /** Commits the round; returns what became of its claims by job. Claims that were taken back meanwhile count nowhere. */
  #accept(round: OpenRound, hasEvictions: boolean): ReadonlyMap<JobId, Outcome> {
    const commit = round.commit(hasEvictions ? FITS : SERIAL)
    this.scheduler.policy.onCommit?.(commit)
    const outcomes = new Map<JobId, Outcome>()
    for (const kind of ['accepted', 'conflicted'] as const)
      for (const task of commit[kind]) {
        const job = this.#cell.work.jobOf(task)
        const outcome = outcomes.get(job) ?? { accepted: 0, conflicted: 0 }
        outcome[kind]++
        outcomes.set(job, outcome)
      }
    return outcomes
  }

  #settle(answer: Answer, { accepted, conflicted }: Outcome = NOTHING): void {
    const { job, rank, claimed, opened } = answer
    const { attempts } = this.#options
    if (!this.#cell.isThere(job, rank)) return
    if (this.#isRescinded && opened >= this.#cell.now()) return attempts.wait(job) // its decision had not begun
    if (this.#isRescinded) this.#tell(answer, 0, claimed)
    else this.#tell({ ...answer, claimed: accepted + conflicted }, accepted, conflicted)
    if (job !== this.#next?.job && this.#cell.work.unplaced(job, this.#lane) > 0) attempts.failed(job, accepted)
    else {
      attempts.note(job, accepted)
      this.#cell.letGo(job) // it may have been held back for a task that is not pending any more
    }
  }

  /**
   * Ends a round of collecting. A complete gang starts, with the other tasks placed of its job. An incomplete one keeps what it has, unless its time
   * is up.
   */
  #closeHoard({ job, rank, lane, until }: Hoard): void {
    const isThere = this.#cell.isThere(job, rank)
    const round = this.#round
    const answer = this.#answers.pop()
    const broken = round?.brokenGang(job)
    const isComplete = !this.#isRescinded && (round?.claims ?? 0) > 0 && broken !== 0
    const isDropped = !isComplete && (!isThere || this.#cell.now() >= until || this.#isRescinded || (round?.claims ?? 0) === 0)
    if (isDropped) round?.abandon()
    else if (isComplete && broken !== undefined) round?.rollback(broken)
    this.#giveBack()
    const claimed = round?.claims ?? 0
    const outcomes = isComplete && round !== undefined ? this.#accept(round, false) : undefined
    this.#giveBackConflicts(outcomes)
    const conflicts = outcomes?.get(job)?.conflicted ?? 0
    if (answer !== undefined && isThere) this.#tell(answer, isComplete ? claimed - conflicts : 0, conflicts)
    if (!isComplete && !isDropped) return
    this.#round = undefined
    this.#hoard = undefined
    if (!isThere) return
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
