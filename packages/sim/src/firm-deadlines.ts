import type { Unheeded, Work } from '@sched/cluster'
import type { JobId, JobSpec, LaneId, Seconds, TaskId } from '@sched/core'
import { EventKind, type EventQueue } from './event-queue.js'

/** A job may still start at the last time at which it could end by its deadline, in the round of that time. It is given up so many seconds later. */
const MOMENT = 0.001
/** Seconds until the next look at a job of which a decision that takes time has claims. */
const WHILE_CLAIMED = 1
const NONE = -1

interface Watched {
  /** The last time at which it could start to end by its deadline. */
  readonly latest: Seconds
  /** The event of the next look at it, `NONE` if there is none. */
  event: number
}

/**
 * Jobs that are of no use after their deadlines (`JobSpec.firmDeadline`). Each is looked at when it could not end by its deadline any more, and whenever it has
 * lost a task after that. Source: Slurm, `deadline_ok` of slurmctld/job_scheduler.c, which is asked at each look at the job.
 */
export class FirmDeadlines {
  readonly #work: Work
  readonly #queue: EventQueue
  readonly #unheeded: Pick<Unheeded, 'lowersEstimates'>
  readonly #watched = new Map<JobId, Watched>()

  constructor(work: Work, queue: EventQueue, unheeded: Pick<Unheeded, 'lowersEstimates'>) {
    this.#work = work
    this.#queue = queue
    this.#unheeded = unheeded
  }

  /** A job has come; one that is late already is to be looked at. */
  watch(job: JobId, spec: JobSpec, now: Seconds): void {
    const { deadline, firmDeadline, estimate = 0, minEstimate = Infinity } = spec
    if (firmDeadline !== true || deadline === undefined || deadline === Infinity) return
    const latest = deadline - (this.#unheeded.lowersEstimates && startsAtOnce(spec) ? Math.min(estimate, minEstimate) : estimate)
    this.#watched.set(job, { latest, event: now > latest ? NONE : this.#queue.push(latest + MOMENT, EventKind.Withdrawn, job) })
  }

  /** A task of the job has stopped, or one that was suspended will start anew. */
  stopped(job: JobId, now: Seconds): void {
    const watched = this.#watched.size === 0 ? undefined : this.#watched.get(job)
    if (watched !== undefined && now > watched.latest && watched.event === NONE) watched.event = this.#queue.push(now, EventKind.Withdrawn, job)
  }

  /** Whether a job that is looked at is late, and nothing of it runs or is suspended. */
  isLate(job: JobId, now: Seconds): boolean {
    const watched = this.#watched.size === 0 ? undefined : this.#watched.get(job)
    if (watched === undefined || now <= watched.latest) return false
    watched.event = NONE
    const claimed = this.#claimed(job)
    if (claimed === 'waiting') watched.event = this.#queue.push(now + WHILE_CLAIMED, EventKind.Withdrawn, job)
    return claimed === 'nothing'
  }

  /** A job has left. */
  leave(job: JobId): void {
    const watched = this.#watched.size === 0 ? undefined : this.#watched.get(job)
    if (watched === undefined) return
    if (watched.event !== NONE) this.#queue.cancel(watched.event)
    this.#watched.delete(job)
  }

  /** What of the job has nodes: something that runs or is suspended, only what waits for the end of a decision, or nothing. */
  #claimed(job: JobId): 'running' | 'waiting' | 'nothing' {
    const work = this.#work
    const tasks: TaskId[] = []
    for (let lane = 0 as LaneId; lane < work.lanes; lane++) work.runningTasks(job, lane, tasks)
    for (const [task] of work.suspended.entries()) if (work.jobOf(task) === job) return 'running'
    if (tasks.length === 0) return 'nothing'
    return tasks.some((task) => !Number.isNaN(work.started(task))) ? 'running' : 'waiting'
  }
}

/** Whether all tasks of a job start together, as those of one gang or a single one: only then its estimate is lowered. */
function startsAtOnce({ gang, stages: [first, ...others] }: JobSpec): boolean {
  return gang !== true && others.length === 0 && (first?.gang === true || first?.tasks === 1)
}
