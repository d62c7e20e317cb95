import { None, type Cell, type CommitMode, type JobId, type LaneId, type OpenRound, type RoundLimits, type Savepoint, type Scheduler, type Seconds } from '@sched/core'
import type { Attempts } from './attempts.js'
import type { Bell } from './bell.js'
import type { DecisionTime } from './decision-time.js'
import type { Limits } from './limits.js'
import type { Precedence } from './precedence.js'
import { SERIAL } from './serial-path.js'
import { Timer, timer } from './timers.js'

export interface TransactionOptions {
  readonly mode: CommitMode
  /** Whether a gang is committed of which only a part could be placed on the snapshot. */
  readonly partialGangs: boolean
  readonly time: DecisionTime
  readonly attempts: Attempts
  readonly limits: Limits | undefined
  readonly precedence: Precedence | undefined
  /** Rings when its scheduler may have got work. */
  readonly bell: Bell
}

const ONE_JOB: RoundLimits = { jobs: 1 }

/**
 * One scheduler over shared state, one job at a time: what it places on its snapshot is set aside for the decision time, then committed as far as it
 * does not conflict with what others have committed meanwhile.
 *
 * The snapshot is not a copy: the policy drafts on the live state, which is the snapshot at that instant. The draft is then taken off the live state,
 * and remembers its claims and the node versions it saw.
 */
export class Transactions {
  readonly scheduler: Scheduler
  readonly #cell: Cell
  readonly #options: TransactionOptions
  readonly #lanes: number
  #round: OpenRound | undefined
  #job: JobId | None = None
  #rank = 0
  #lane = 0 as LaneId
  #opened: Seconds = 0
  #isLimited = false

  constructor(cell: Cell, scheduler: Scheduler, options: TransactionOptions) {
    this.#cell = cell
    this.scheduler = scheduler
    this.#options = options
    this.#lanes = cell.cluster.lanes.length
  }

  /** Takes up a job if it is idle and some wait; lanes take turns. */
  look(): void {
    for (let tried = 0; tried < this.#lanes && this.#job === None; ) {
      this.#lane = ((this.#lane + 1) % this.#lanes) as LaneId
      if (this.scheduler.pending(this.#lane) === 0) tried++
      else if (this.#begin(this.#lane)) tried = 0
      else {
        tried++
        this.#options.bell.isRung = true // the policy takes nothing up now, so look again
      }
    }
  }

  /** Lets the policy draft on the present state, then waits for the decision time; false if the policy takes up no job. */
  #begin(lane: LaneId): boolean {
    const cell = this.#cell
    const { limits, time } = this.#options
    const { policy } = this.scheduler
    const round = cell.draft(this.scheduler, lane, cell.nodes, this.#limits())
    policy.schedule(round)
    const job = round.taken
    if (job === None) {
      round.commit(SERIAL)
      return false
    }
    this.#job = job
    this.#rank = cell.work.rank(job)
    this.#round = round
    this.#opened = cell.now()
    const unplaced = round.work.unplaced(job, lane)
    const tasks = round.claims + unplaced
    this.#isLimited = unplaced > 0 && limits?.forbids(job, lane) === true
    this.#drop(job, round, unplaced)
    const decision = time.of(job, lane, tasks)
    if (decision === 0) this.close()
    else {
      round.suspend()
      cell.after(decision, timer(Timer.Close, this.scheduler.id))
    }
    return true
  }

  #limits(): RoundLimits {
    const { limits } = this.#options
    return limits === undefined ? ONE_JOB : { jobs: 1, amounts: limits.left() }
  }

  /** Takes back a gang, or with all-or-nothing a job, that the snapshot has no room for as a whole. */
  #drop(job: JobId, round: OpenRound, unplaced: number): void {
    const { mode, partialGangs } = this.#options
    const broken = mode.atomic && !partialGangs && unplaced > 0 ? (0 as Savepoint) : round.brokenGang(job)
    if (broken !== undefined) round.rollback(broken)
  }

  /** Commits the transaction when the decision time is over. */
  close(): void {
    const { scheduler } = this
    const { attempts, bell, mode, precedence } = this.#options
    const job = this.#job as JobId
    const lane = this.#lane
    const round = this.#round as OpenRound
    const isThere = this.#cell.isThere(job, this.#rank)
    const claimed = round.claims
    const commit = round.commit(mode)
    let accepted = commit.accepted.length
    const conflicted = commit.conflicted.length
    precedence?.note(scheduler, commit.accepted)
    scheduler.policy.onCommit?.(commit)
    this.#job = None
    bell.isRung = true
    if (!isThere) return
    const attempt = attempts.begin(job)
    if (precedence !== undefined) accepted += precedence.takeFromLower(job, lane, scheduler, mode.atomic, this.#limits())
    const unplaced = round.work.unplaced(job, lane)
    this.#cell.decided({ scheduler, job, attempt, opened: this.#opened, closed: this.#cell.now(), claimed, accepted, conflicted, unplaced })
    if (unplaced === 0) attempts.note(job, accepted)
    else if (this.#isLimited && claimed + accepted === 0) attempts.excuse(job) // without claims only the limit is to blame; a conflict would be the cell's
    else attempts.failed(job, accepted)
  }
}
