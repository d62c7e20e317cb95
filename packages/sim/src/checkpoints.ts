import { SchedError, type JobId, type Seconds, type TaskId } from '@sched/core'

/** Tasks that save what they have done, so that one that is lost or preempted goes on from there. */
export interface CheckpointOptions {
  /** Seconds of work after which a task saves it, > 0; the end of a task saves nothing. */
  readonly interval: Seconds
  /** Seconds that saving takes, in which the task does no work, >= 0. Default 0. */
  readonly cost?: Seconds | undefined
}

/** A task that runs or has run. */
interface Saver {
  /** Seconds that its latest run would take from the beginning, without saving. */
  alone: Seconds
  /** Seconds of these that are behind it: saved, or in the memory of a task that is suspended or was. */
  kept: Seconds
  /** Seconds of these that are saved. */
  saved: Seconds
}

/** Rounding, as a fraction of the interval: work that ends within it of a save needs none. */
const ROUNDING = 1e-9

/**
 * What tasks have saved. A run of W seconds of work saves ceil(W / interval) - 1 times; one that ends early has saved every
 * interval that was over, with its saving. What is left goes on at the speed of wherever the task runs next.
 */
export class Checkpoints {
  readonly #interval: Seconds
  readonly #cost: Seconds
  readonly #tasks = new Map<JobId, Map<TaskId, Saver>>()

  /** Throws `BAD_INPUT` for an interval or a cost that is none. */
  constructor({ interval, cost = 0 }: CheckpointOptions) {
    if (!(interval > 0 && interval < Infinity)) throw new SchedError('BAD_INPUT', `found an interval of ${interval} s.`, { field: 'checkpoint' }, 'It is more than 0 s.')
    if (!(cost >= 0 && cost < Infinity)) throw new SchedError('BAD_INPUT', `found a cost of ${cost} s.`, { field: 'checkpoint' }, 'It is 0 s or more.')
    this.#interval = interval
    this.#cost = cost
  }

  /** The number of a job is that of a new one from here on. */
  forget(job: JobId): void {
    this.#tasks.delete(job)
  }

  /** A run starts of a task that would take `alone` seconds from its beginning, without saving; returns how long it takes. */
  start(job: JobId, task: TaskId, alone: Seconds): Seconds {
    let tasks = this.#tasks.get(job)
    if (tasks === undefined) this.#tasks.set(job, (tasks = new Map<TaskId, Saver>()))
    const saver = tasks.get(task)
    if (saver === undefined) tasks.set(task, { alone, kept: 0, saved: 0 })
    else if (saver.alone !== alone) Object.assign(saver, { alone, kept: saver.kept * (alone / saver.alone), saved: saver.saved * (alone / saver.alone) })
    const work = Math.max(0, alone - (saver?.kept ?? 0))
    return work + this.#saves(work) * this.#cost
  }

  /** The run ends `ran` seconds after its start and is not done; returns the seconds of work that it saved: below 0 where it was suspended before and has saved nothing since. */
  cut(job: JobId, task: TaskId, ran: Seconds): Seconds {
    const saver = this.#tasks.get(job)?.get(task) as Saver
    const saves = this.#savesOf(saver, ran)
    if (saves === 0) return -this.#back(saver)
    saver.kept += saves * this.#interval
    saver.saved = saver.kept
    return saves * this.#interval
  }

  /** The run stops `ran` seconds after its start with all that it has done in memory; returns the seconds of work that it did. */
  keep(job: JobId, task: TaskId, ran: Seconds): Seconds {
    const saver = this.#tasks.get(job)?.get(task) as Saver
    const saves = this.#savesOf(saver, ran)
    if (saves > 0) saver.saved = saver.kept + saves * this.#interval
    const done = saves * this.#interval + Math.min(this.#interval, ran - saves * (this.#interval + this.#cost))
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
    return lost
  }

  /** How often it has saved `ran` seconds after the start of its run. */
  #savesOf({ alone, kept }: Saver, ran: Seconds): number {
    return Math.min(this.#saves(alone - kept), Math.floor(ran / (this.#interval + this.#cost) + ROUNDING))
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
