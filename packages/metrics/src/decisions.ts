import type { Decision, EndRow, JobId, JobSpec, Observer, Seconds, StartRow, WorkView } from '@sched/core'
import { BusyTime, DAY, type Daily } from './busyness.js'
import { ConflictFraction } from './conflicts.js'
import { decidedJobs, type DecidedJobs, type DecidedJobsResult } from './decisions-jobs.js'
import type { ClassOf } from './job-classes.js'
import { naturalOrder } from './natural-order.js'

/** Options of `decisions`; all may be left out. */
export interface DecisionsOptions {
  /** Class of a job; default: `JobSpec.class`. */
  readonly classOf?: ClassOf | undefined
  /** Longest wait for the first attempt with which a job counts as in time, seconds. Default 30. */
  readonly slo?: Seconds | undefined
  /** Length of a day, seconds. Default 86,400. */
  readonly day?: Seconds | undefined
  /** Number of values per distribution up to which percentiles are exact. Default 100,000. */
  readonly exact?: number | undefined
}

/**
 * Figures about the decisions of one scheduler, or of all schedulers of a kind. An attempt is wasted if it had at least one conflict; useful if it
 * had none and claimed something, or placed something by preemption; otherwise it found no room.
 */
export interface DecisionFigures {
  /** Decisions about a job that took time. */
  readonly attempts: number
  /** Attempts that claimed or placed something without a conflict. */
  readonly useful: number
  /** Attempts with at least one conflict. */
  readonly wasted: number
  /** Attempts that found no room. */
  readonly noRoom: number
  /** Seconds spent on useful attempts. */
  readonly usefulTime: Seconds
  /** Seconds spent on wasted attempts. */
  readonly wastedTime: Seconds
  /** Seconds spent on attempts that found no room. */
  readonly noRoomTime: Seconds
  /** Fraction of time spent on useful and wasted attempts, in [0, 1]. */
  readonly busyness: Daily
  /** The same without attempts that follow a conflict of the same job. */
  readonly noConflictBusyness: Daily
  /** Fraction of time spent on attempts that found no room, in [0, 1]. */
  readonly noRoomBusyness: Daily
  /** Number of transactions with a conflict per transaction without one. */
  readonly conflictFraction: Daily
  /** Tasks that were claimed. */
  readonly claimed: number
  /** Tasks that started. */
  readonly accepted: number
  /** Claimed tasks that conflicted. */
  readonly conflicted: number
  /** Attempts at a job after its first. */
  readonly retries: number
}

/** What schedulers did with their time. */
export interface DecisionsResult extends DecidedJobsResult {
  /** By name. Schedulers that never took time to decide are missing. */
  readonly schedulers: readonly ({ readonly scheduler: string; readonly group: string } & DecisionFigures)[]
  /** By kind of scheduler: sums over its schedulers; busyness is a fraction of the time of all of them. */
  readonly groups: readonly ({ readonly group: string; readonly schedulers: number } & DecisionFigures)[]
}

/**
 * Measures what schedulers do with their time, and how long jobs wait for them: busyness, conflicts, retries, jobs given up. A decision that is not
 * over when the run ends does not count.
 *
 * Source: Schwarzkopf et al., EuroSys 2013, section 4, and its authors' simulator.
 */
export const decisions = (options: DecisionsOptions = {}): Decisions => new Decisions(options)

class Decisions implements Observer {
  readonly #jobs: DecidedJobs
  readonly #day: Seconds
  /** By scheduler id. */
  readonly #schedulers: SchedulerAccounts[] = []
  readonly #groups = new Map<string, { account: Account; schedulers: number }>()
  /** By job: whether its last attempt had a conflict. */
  readonly #hadConflict: boolean[] = []
  #end: Seconds = NaN

  constructor({ classOf, slo, day = DAY, exact }: DecisionsOptions) {
    this.#jobs = decidedJobs({ classOf, slo, exact })
    this.#day = day
  }

  onRunStart(run: { readonly work: WorkView }): void {
    this.#jobs.onRunStart(run)
  }

  onSubmit(job: JobId, spec: JobSpec, now: Seconds): void {
    this.#jobs.onSubmit(job, spec, now)
    this.#hadConflict[job] = false
  }

  onTasksStart(row: StartRow, now: Seconds): void {
    this.#jobs.onTasksStart(row, now)
  }

  onTasksEnd(row: EndRow): void {
    this.#jobs.onTasksEnd(row)
  }

  onDecision(decision: Decision): void {
    const { job } = decision
    this.#jobs.onDecision(decision)
    const { own, shared } = this.#schedulers[decision.scheduler.id] ?? this.#add(decision.scheduler)
    const isRepeat = this.#hadConflict[job] === true
    own.add(decision, isRepeat)
    shared.add(decision, isRepeat)
    this.#hadConflict[job] = decision.conflicted > 0
  }

  onAbandon(job: JobId): void {
    this.#jobs.onAbandon(job)
  }

  onJobEnd(job: JobId): void {
    this.#jobs.onJobEnd(job)
  }

  onRunEnd(now: Seconds): void {
    this.#end = now
    this.#jobs.onRunEnd()
  }

  result(): DecisionsResult {
    const schedulers = this.#schedulers.filter((each) => each !== undefined)
    const groups = [...this.#groups].map(([group, { account, schedulers }]) => ({ group, schedulers, ...account.result(this.#end, schedulers) }))
    return {
      schedulers: schedulers
        .map(({ name, group, own }) => ({ scheduler: name, group, ...own.result(this.#end, 1) }))
        .sort((a, b) => naturalOrder(a.scheduler, b.scheduler)),
      groups: groups.sort((a, b) => naturalOrder(a.group, b.group)),
      ...this.#jobs.result(),
    }
  }

  #add({ id, name, group }: Decision['scheduler']): SchedulerAccounts {
    let shared = this.#groups.get(group)
    if (shared === undefined) this.#groups.set(group, (shared = { account: new Account(this.#day), schedulers: 0 }))
    shared.schedulers++
    const accounts = { name, group, own: new Account(this.#day), shared: shared.account }
    this.#schedulers[id] = accounts
    return accounts
  }
}

interface SchedulerAccounts {
  readonly name: string
  readonly group: string
  readonly own: Account
  /** Account of its kind of scheduler. */
  readonly shared: Account
}

/** Attempts and the time spent on them. */
class Account {
  readonly #useful
  readonly #wasted
  readonly #noRoom
  readonly #busy
  readonly #noConflict
  readonly #conflicts
  #noRooms = 0
  #claimed = 0
  #accepted = 0
  #conflicted = 0
  #retries = 0

  constructor(day: Seconds) {
    this.#useful = new BusyTime(day)
    this.#wasted = new BusyTime(day)
    this.#noRoom = new BusyTime(day)
    this.#busy = new BusyTime(day)
    this.#noConflict = new BusyTime(day)
    this.#conflicts = new ConflictFraction(day)
  }

  /** `isRepeat`: the previous attempt at the job had a conflict. */
  add({ opened, closed, attempt, claimed, accepted, conflicted }: Decision, isRepeat: boolean): void {
    this.#claimed += claimed
    this.#accepted += accepted
    this.#conflicted += conflicted
    if (attempt > 1) this.#retries++
    if (claimed === 0 && accepted === 0) {
      this.#noRooms++
      this.#noRoom.add(opened, closed)
      return
    }
    this.#busy.add(opened, closed)
    if (!isRepeat) this.#noConflict.add(opened, closed)
    ;(conflicted > 0 ? this.#wasted : this.#useful).add(opened, closed)
    this.#conflicts.add(conflicted > 0, closed)
  }

  result(end: Seconds, schedulers: number): DecisionFigures {
    const { successful: useful, conflicted: wasted } = this.#conflicts
    return {
      attempts: useful + wasted + this.#noRooms,
      useful,
      wasted,
      noRoom: this.#noRooms,
      usefulTime: this.#useful.total,
      wastedTime: this.#wasted.total,
      noRoomTime: this.#noRoom.total,
      busyness: this.#busy.fraction(end, schedulers),
      noConflictBusyness: this.#noConflict.fraction(end, schedulers),
      noRoomBusyness: this.#noRoom.fraction(end, schedulers),
      conflictFraction: this.#conflicts.result(end),
      claimed: this.#claimed,
      accepted: this.#accepted,
      conflicted: this.#conflicted,
      retries: this.#retries,
    }
  }
}
