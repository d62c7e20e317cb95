import { SchedError, type JobId, type Seconds, type TaskId } from '@sched/core'

/** Tasks that save what they have done, so that one that is lost or preempted goes on from there. */
export interface CheckpointOptions {
  /** Seconds of work after which a task saves it, > 0; the end of a task saves nothing. Default: never, for which `whenPreempted` must be set. */
  readonly interval?: Seconds | undefined
  /** Seconds that saving takes, in which the task does no work, >= 0. Default 0. */
  readonly cost?: Seconds | undefined
  /** Whether a task that a policy preempts has saved all it did, as one that is told in time; what a node takes with it is lost all the same. Default false. */
  readonly whenPreempted?: boolean | undefined
  /** Seconds with which a run begins that goes on from what was saved, in which it does no work, >= 0. Default 0. */
  readonly restore?: Seconds | undefined
}

/** A task that runs or has run. */
interface Saver {
  /** Seconds that its latest run would take from the beginning, without saving. */
  alone: Seconds
  /** Seconds of these that are behind it: saved, or in the memory of a task that is suspended or was. */
  kept: Seconds
  /** Seconds of these that are saved. */
  saved: Seconds
  /** Whether its node has all that is behind it in memory. */
  isInMemory: boolean
  /** Seconds with which its latest run began, before it worked. */
  restoring: Seconds
}

/** Rounding, as a fraction of the interval: work that ends within it of a save needs none. */
const ROUNDING = 1e-9

/**
 * What tasks have saved. A run of W seconds of work saves ceil(W / interval) - 1 times; one that ends early has saved every
 * interval that was over, with its saving, and of one that is preempted all, where that is told. What is left goes on at the speed of wherever the task runs next.
 */
export class Checkpoints {
  readonly #interval: Seconds
  readonly #cost: Seconds
  readonly #whenPreempted: boolean
  readonly #restore: Seconds
  readonly #tasks = new Map<JobId, Map<TaskId, Saver>>()

  /** Throws `BAD_INPUT` for an interval, a cost or a time to restore that is none, and where nothing is ever saved. */
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

  /** The number of a job is that of a new one from here on. */
  forget(job: JobId): void {
    this.#tasks.delete(job)
  }

  /** A run starts of a task that would take `alone` seconds from its beginning, without saving; returns how long it takes. */
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

  /** The run ends `ran` seconds after its start and is not done; returns the seconds of work that it saved: below 0 where it was suspended before and has saved nothing since. */
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

  /** The run stops `ran` seconds after its start with all that it has done in memory; returns the seconds of work that it did. */
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

  /** A suspended task loses what it has in memory; returns the seconds of work that it had there. */
  lose(job: JobId, task: TaskId): Seconds {
    return this.#back(this.#tasks.get(job)?.get(task) as Saver)
  }

  #back(saver: Saver): Seconds {
    const lost = saver.kept - saver.saved
    saver.kept = saver.saved
    saver.isInMemory = false
    return lost
  }

  /** How often it has saved `ran` seconds after the start of its run. */
  #savesOf({ alone, kept, restoring }: Saver, ran: Seconds): number {
    return Math.min(this.#saves(alone - kept), Math.max(0, Math.floor((ran - restoring) / (this.#interval + this.#cost) + ROUNDING)))
  }

  /** The task is done. */
  done(job: JobId, task: TaskId): void {
    this.#tasks.get(job)?.delete(task)
  }

  /** How often a run of so much work saves. */
  #saves(work: Seconds): number {
    return Math.max(0, Math.ceil(work / this.#interval - ROUNDING) - 1)
  }
}

const badCheckpoint = (fact: string, wayOut: string): SchedError => new SchedError('BAD_INPUT', fact, { field: 'checkpoint' }, wayOut)
