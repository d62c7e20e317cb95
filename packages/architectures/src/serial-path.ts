import { None, type Cell, type CommitMode, type JobId, type LaneId, type NodeId, type OpenRound, type Scheduler, type Seconds } from '@sched/core'
import type { Attempts } from './attempts.js'
import type { DecisionTime } from './decision-time.js'
import { Timer, timer } from './timers.js'

export const SERIAL: CommitMode = { conflict: 'none', atomic: false }
/** Limits of a round that only asks which job the policy would take up. */
const PEEK = { jobs: 1, peek: true } as const
const ONE_JOB = { jobs: 1 } as const
const NOBODY: readonly NodeId[] = []

/**
 * A scheduler that decides about one job at a time, alone on its nodes: it takes up the next job, waits for the decision time, then places the job on
 * the state of that moment. A job that was not fully placed may be tried again later.
 *
 * Source: Schwarzkopf et al., EuroSys 2013, section 4.1.
 */
export class SerialPath {
  readonly scheduler: Scheduler
  readonly #cell: Cell
  readonly #nodes: readonly NodeId[]
  readonly #time: DecisionTime
  readonly #attempts: Attempts
  /** The job that it is deciding about, `None` if it is idle. */
  #job: JobId | None = None
  #rank = 0
  #lane = 0 as LaneId
  #opened: Seconds = 0

  constructor(cell: Cell, scheduler: Scheduler, nodes: readonly NodeId[], time: DecisionTime, attempts: Attempts) {
    this.#cell = cell
    this.scheduler = scheduler
    this.#nodes = nodes
    this.#time = time
    this.#attempts = attempts
  }

  /** Takes up a job if it is idle and some wait; lanes take turns. Where nothing waits, it gives the policy a round if it wants one at this time. */
  look(): void {
    const lanes = this.#cell.cluster.lanes.length
    const { policy } = this.scheduler
    if (policy.wantsRound !== undefined)
      for (let lane = 0 as LaneId; lane < lanes; lane++) if (this.scheduler.pending(lane) === 0 && policy.wantsRound(this.#cell.now())) this.#lookAround(lane)
    for (let tried = 0; tried < lanes && this.#job === None; ) {
      this.#lane = ((this.#lane + 1) % lanes) as LaneId
      if (this.scheduler.pending(this.#lane) > 0 && (this.#time.isZero ? this.#decideNow() : this.#takeUp())) tried = 0
      else tried++
    }
  }

  /** Handles the end of the decision time. */
  close(): void {
    const job = this.#job as JobId
    this.#job = None
    if (!this.#cell.isThere(job, this.#rank)) return
    const round = this.#cell.draft(this.scheduler, this.#lane, this.#nodes, { jobs: 1, only: job })
    this.scheduler.policy.schedule(round)
    this.#settle(job, round)
  }

  /** Runs a round without nodes, which takes no decision time. */
  #lookAround(lane: LaneId): void {
    const round = this.#cell.draft(this.scheduler, lane, NOBODY)
    this.scheduler.policy.schedule(round)
    round.commit(SERIAL)
  }

  /** Starts to decide about the next job; evictions that the policy makes here take effect at once. */
  #takeUp(): boolean {
    const round = this.#cell.draft(this.scheduler, this.#lane, this.#nodes, PEEK)
    this.scheduler.policy.schedule(round)
    const job = round.taken
    round.commit(SERIAL)
    if (job === None) return false
    this.#job = job
    this.#rank = this.#cell.work.rank(job)
    this.#opened = this.#cell.now()
    this.#cell.after(this.#time.of(job, this.#lane), timer(Timer.Close, this.scheduler.id))
    return true
  }

  #decideNow(): boolean {
    this.#opened = this.#cell.now()
    const round = this.#cell.draft(this.scheduler, this.#lane, this.#nodes, ONE_JOB)
    this.scheduler.policy.schedule(round)
    const job = round.taken
    if (job === None) round.commit(SERIAL)
    else this.#settle(job, round)
    return job !== None
  }

  #settle(job: JobId, round: OpenRound): void {
    const { scheduler } = this
    const attempt = this.#attempts.begin(job)
    const broken = round.brokenGang(job)
    if (broken !== undefined) round.rollback(broken)
    const claimed = round.claims
    const commit = round.commit(SERIAL)
    scheduler.policy.onCommit?.(commit)
    const unplaced = round.work.unplaced(job, this.#lane)
    const [opened, closed] = [this.#opened, this.#cell.now()]
    this.#cell.decided({ scheduler, job, attempt, opened, closed, claimed, accepted: claimed, conflicted: 0, unplaced })
    if (unplaced > 0) this.#attempts.failed(job, claimed)
    else this.#attempts.note(job, claimed)
  }
}
