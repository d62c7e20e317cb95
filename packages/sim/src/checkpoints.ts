import { SchedError, type JobId, type Seconds, type TaskId } from '@sched/core'

/** Tasks save their work, so that a lost or preempted task continues from its last save. */
export interface CheckpointOptions {
  /** Seconds of work between saves, > 0; the end of a task saves nothing. Default: never, and then `whenPreempted` must be set. */
  readonly interval?: Seconds | undefined
  /** Seconds that a save takes, in which the task does no work, >= 0. Default 0. */
  readonly cost?: Seconds | undefined
  /**
   * Whether a task that a policy preempts saves all its work, as if it were told in time. Work that is lost with a node stays lost. Default false.
   */
  readonly whenPreempted?: boolean | undefined
  /** Seconds without work at the start of a run that continues from a save, >= 0. Default 0. */
  readonly restore?: Seconds | undefined
}

/** What is known of a task that runs or has run. */
interface Saver {
  /** Seconds that its latest run would take from the beginning, without saves. */
  alone: Seconds
  /** Seconds of these that are done and kept: saved, or in the memory of a task that is or was suspended. */
  kept: Seconds
  /** Seconds of these that are saved. */
  saved: Seconds
  /** Whether all its work is kept in the memory of its node. */
  isInMemory: boolean
  /** Seconds that its latest run spent on restoring before it worked. */
  restoring: Seconds
}

/** Tolerance for rounding, as a fraction of the interval: work that ends this soon after a save point does not save there. */
const ROUNDING = 1e-9

/**
 * What tasks have saved. A run of W seconds of work saves ceil(W / interval) - 1 times. A run that is cut short has saved every interval for which
 * the work and the save were over; with `whenPreempted`, a preempted one has saved everything. The remaining work goes on at the speed of the node
 * where the task runs next.
 */
export class Checkpoints {
  readonly #interval: Seconds
  readonly #cost: Seconds
  readonly #whenPreempted: boolean
  readonly #restore: Seconds
  readonly #tasks = new Map<JobId, Map<TaskId, Saver>>()

  /** Throws `BAD_INPUT` for an invalid interval, cost or restore time, and if nothing would ever be saved. */
  constructor({ interval, cost = 0, whenPreempted = false, restore = 0 }: CheckpointOptions) {
    if (interval === undefined && !whenPreempted) throw badCheckpoint('found no interval.', 'Give the seconds of work after which tasks save it, or set whenPreempted.')
    if (interval !== undefined && !(interval > 0 && interval < Infinity)) throw badCheckpoint(`found an interval of ${interval} s.`, 'It is more than 0 s.')
    if (!(cost >= 0 && cost < Infinity)) throw badCheckpoint(`found a cost of ${cost} s.`, 'It is 0 s or more.')
    if (!(restore >= 0 && restore < Infinity)) throw badCheckpoint(`found ${restore} s to restore.`, 'It is 0 s or more.')
    this.#interval = interval ?? Infinity
    this.#cost = cost
    this.#whenPreempted = whenPreempted
    this.#restore = restore
  }

  /** Forgets the tasks of a job whose id is about to be reused. */
  forget(job: JobId): void {
    this.#tasks.delete(job)
  }

  /** Starts a run of a task that would take `alone` seconds from the beginning without saves. Returns how long the run takes. */
  start(job: JobId, task: TaskId, alone: Seconds): Seconds {
    let tasks = this.#tasks.get(job)
    if (tasks === undefined) this.#tasks.set(job, (tasks = new Map<TaskId, Saver>()))
    let saver = tasks.get(task)
    if (saver === undefined) tasks.set(task, (saver = { alone, kept: 0, saved: 0, isInMemory: false, restoring: 0 }))
    else if (saver.alone !== alone) Object.assign(saver, { alone, kept: saver.kept * (alone / saver.alone), saved: saver.saved * (alone / saver.alone) })
    saver.restoring = saver.kept > 0 && !saver.isInMemory ? this.#restore : 0
    saver.isInMemory = false
    const work = Math.max(0, alone - saver.kept)
    return saver.restoring + work + this.#saves(work) * this.#cost
  }

  /**
   * Cuts a run short `ran` seconds after its start. Returns the seconds of work that it saved; negative if the task was suspended before and has
   * saved nothing since.
   */
  cut(job: JobId, task: TaskId, ran: Seconds, isPreempted: boolean): Seconds {
    const saver = this.#tasks.get(job)?.get(task) as Saver
    if (isPreempted && this.#whenPreempted) {
      const done = this.#keep(saver, ran)
      saver.saved = saver.kept
      return done
    }
    const saves = this.#savesOf(saver, ran)
    if (saves === 0) return -this.#back(saver)
    saver.kept += saves * this.#interval
    saver.saved = saver.kept
    return saves * this.#interval
  }

  /** Suspends a run `ran` seconds after its start, with all its work in memory. Returns the seconds of work that the run did. */
  keep(job: JobId, task: TaskId, ran: Seconds): Seconds {
    const saver = this.#tasks.get(job)?.get(task) as Saver
    saver.isInMemory = true
    return this.#keep(saver, ran)
  }

  #keep(saver: Saver, ran: Seconds): Seconds {
    const saves = this.#savesOf(saver, ran)
    if (saves > 0) saver.saved = saver.kept + saves * this.#interval
    const since = Math.max(0, ran - saver.restoring)
    const done = saves === 0 ? Math.min(this.#interval, since) : saves * this.#interval + Math.min(this.#interval, since - saves * (this.#interval + this.#cost))
    saver.kept += done
    return done
  }

  /** A suspended task loses the work that it has only in memory. Returns the seconds of work lost. */
  lose(job: JobId, task: TaskId): Seconds {
    return this.#back(this.#tasks.get(job)?.get(task) as Saver)
  }

  #back(saver: Saver): Seconds {
    const lost = saver.kept - saver.saved
    saver.kept = saver.saved
    saver.isInMemory = false
    return lost
  }

  /** How often a run has saved `ran` seconds after its start. */
  #savesOf({ alone, kept, restoring }: Saver, ran: Seconds): number {
    return Math.min(this.#saves(alone - kept), Math.max(0, Math.floor((ran - restoring) / (this.#interval + this.#cost) + ROUNDING)))
  }

  /** Forgets an attempt that will not go on. Returns the seconds of work that were kept of it. */
  retire(job: JobId, task: TaskId): Seconds {
    const kept = this.#tasks.get(job)?.get(task)?.kept ?? 0
    this.done(job, task)
    return kept
  }

  /** Forgets a task that is done. */
  done(job: JobId, task: TaskId): void {
    this.#tasks.get(job)?.delete(task)
  }

  /** How often a run with that much work saves. */
  #saves(work: Seconds): number {
    return Math.max(0, Math.ceil(work / this.#interval - ROUNDING) - 1)
  }
}

const badCheckpoint = (fact: string, wayOut: string): SchedError => new SchedError('BAD_INPUT', fact, { field: 'checkpoint' }, wayOut)
