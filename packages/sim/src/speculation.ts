import type { Work } from '@sched/cluster'
import { grown, None, SchedError, type JobId, type JobSpec, type Seconds, type StageSpec, type TaskId } from '@sched/core'
import { EventKind, type EventQueue } from './event-queue.js'

/** Copies of tasks that are slower than others of their stage. */
export interface SpeculationOptions {
  /** Names of the stages of which tasks may be copied; default: all but masters. Hadoop has a switch for maps and one for reduces. */
  readonly stages?: readonly string[] | undefined
  /**
   * Most copies of a stage at once: the largest of these three. A fraction of its running tasks, in [0, 1]; default 0.1. Hadoop's
   * mapreduce.job.speculative.speculative-cap-running-tasks.
   */
  readonly runningCap?: number | undefined
  /** A fraction of all its tasks, in [0, 1]; default 0.01. Hadoop's mapreduce.job.speculative.speculative-cap-total-tasks. */
  readonly totalCap?: number | undefined
  /** This number, whole and at least 0; default 10. Hadoop's mapreduce.job.speculative.minimum-allowed-tasks. */
  readonly minimum?: number | undefined
  /** Seconds between two looks at the tasks of a job, > 0; default 1. Hadoop's mapreduce.job.speculative.retry-after-no-speculate. */
  readonly retry?: Seconds | undefined
  /** The same after a look that has found a task to copy, > 0; default 15. Hadoop's mapreduce.job.speculative.retry-after-speculate. */
  readonly retryAfterCopy?: Seconds | undefined
}

/** What speculation acts on. */
export interface SpeculationEnv {
  readonly work: Work
  readonly queue: EventQueue
  /** Whether the ends of tasks move with what else runs. */
  readonly movesEnds: boolean
}

/** Fraction of a stage's tasks that must be done before any is copied: MINIMUM_COMPLETE_PROPORTION_TO_SPECULATE of Hadoop. */
const LEAST_DONE = 0.05

/**
 * Speculative execution: asks for copies of tasks that would end later than a new attempt. A copy is one more pending task of the job, so schedulers
 * need not know of it; whichever attempt is done first ends the other.
 *
 * A job is looked at once in a while. In each stage of which no task is pending and enough are done, the task is copied that gains most: its expected
 * end minus the end of an attempt that starts now and takes the mean time of those done. The gain must be positive, and there is one copy of a task
 * at a time.
 *
 * Source: DefaultSpeculator and LegacyTaskRuntimeEstimator of Hadoop 2 and 3.
 * Deviations: progress is linear in time, so an expected end is the real one, unless the task fails or is slowed down by others. The looks begin with
 * the first task of the job that is done, not with the job. There is one look per stage, where Hadoop has one for all maps and one for all reduces.
 */
export class Speculation {
  /** Names in `stages` that no stage so far has had. */
  readonly unknown: Set<string>
  readonly #stages: ReadonlySet<string> | undefined
  readonly #runningCap: number
  readonly #totalCap: number
  readonly #minimum: number
  readonly #retry: Seconds
  readonly #retryAfterCopy: Seconds
  readonly #work: Work
  readonly #queue: EventQueue
  /** Whether the ends of tasks move with what else runs. */
  readonly #movesEnds: boolean
  /** By stage: seconds that the attempts took that are done. */
  #seconds = new Float64Array(16)
  /** By run: when it ends if it does not fail. */
  #ends = new Float64Array(64)
  /** By job: the event of the next look. */
  readonly #looks = new Map<JobId, number>()
  /** Jobs that were given up. */
  readonly #over = new Set<JobId>()

  /** Throws `BAD_INPUT` for invalid options. */
  constructor({ stages, runningCap = 0.1, totalCap = 0.01, minimum = 10, retry = 1, retryAfterCopy = 15 }: SpeculationOptions, { work, queue, movesEnds }: SpeculationEnv) {
    for (const [name, cap] of Object.entries({ runningCap, totalCap })) if (!(cap >= 0 && cap <= 1)) throw bad(`found a ${name} of ${cap}.`, 'It is a fraction, from 0 to 1.')
    if (!(Number.isSafeInteger(minimum) && minimum >= 0)) throw bad(`found a minimum of ${minimum}.`, 'It is a whole number, 0 or more.')
    for (const [name, seconds] of Object.entries({ retry, retryAfterCopy })) if (!(seconds > 0 && seconds < Infinity)) throw bad(`found a ${name} of ${seconds} s.`, 'It is more than 0 s.')
    this.#stages = stages === undefined ? undefined : new Set(stages)
    this.unknown = new Set(stages)
    this.#runningCap = runningCap
    this.#totalCap = totalCap
    this.#minimum = minimum
    this.#retry = retry
    this.#retryAfterCopy = retryAfterCopy
    this.#work = work
    this.#queue = queue
    this.#movesEnds = movesEnds
    work.sparesOf = (spec, stage) => this.#sparesOf(spec, stage)
  }

  /** The most copies that a stage may have at once. Throws `BAD_INPUT` for tasks that cannot be copied. */
  #sparesOf(spec: JobSpec, stage: StageSpec): number {
    this.unknown.delete(stage.name)
    if (stage.master === true || this.#stages?.has(stage.name) === false) return 0
    const isGang = stage.gang === true || spec.gang === true
    if (isGang || stage.phases !== undefined)
      throw bad(`stage ${stage.name} of job ${spec.id} ${isGang ? 'is part of a gang' : 'is mouldable'}.`, 'Name in `stages` those of which tasks may be copied, or leave speculation out.')
    return Math.min(stage.tasks, this.#most(stage.tasks, stage.tasks))
  }

  /** Most copies of a stage with so many tasks, of which so many run. */
  #most(tasks: number, running: number): number {
    return Math.floor(Math.max(this.#minimum, this.#totalCap * tasks, this.#runningCap * running))
  }

  /** Forgets what is known under the id of a job that is submitted now. */
  open(job: JobId): void {
    const first = this.#work.jobFirstStage[job] as number
    const end = first + (this.#work.jobStages[job] as number)
    this.#seconds = grown(this.#seconds, end)
    this.#seconds.fill(0, first, end)
    this.#over.delete(job)
  }

  /**
   * Throws `BAD_INPUT` for a task that is suspended and may be copied: when its copy was done, it would be gone, and those who suspend tasks expect them
   * to wait.
   */
  refuseToSuspend(task: TaskId): void {
    const work = this.#work
    if (work.stageSpares[work.taskStage[task] as number] === 0) return
    throw new SchedError(
      'BAD_INPUT',
      `suspends tasks of job ${work.name(work.jobOf(task))}, of which others may be copied (speculation).`,
      { field: 'policy' },
      'Name in `stages` of `speculation` those of other jobs, or let preempted jobs start anew.',
    )
  }

  /** Looks at a job no more: it has left or was given up. */
  leave(job: JobId): void {
    const look = this.#looks.get(job)
    if (look !== undefined) this.#queue.cancel(look)
    this.#looks.delete(job)
    this.#over.add(job)
  }

  /** A run starts that ends at `end` if it does not fail. */
  starts(run: number, end: Seconds): void {
    this.#ends = grown(this.#ends, run + 1)
    this.#ends[run] = end
  }

  /** Tasks of a job have started. */
  started(job: JobId, now: Seconds): void {
    this.#lookAfter(this.#retry, job, now)
  }

  /** A task is done, by an attempt that took so many seconds. */
  done(stage: number, seconds: Seconds, now: Seconds): void {
    this.#seconds[stage] = (this.#seconds[stage] as number) + seconds
    this.#lookAfter(this.#retry, this.#work.stageJob[stage] as JobId, now)
  }

  #lookAfter(seconds: Seconds, job: JobId, now: Seconds): void {
    if (this.#looks.has(job) || this.#over.has(job) || !this.#isWorthALook(job)) return
    this.#looks.set(job, this.#queue.push(now + seconds, EventKind.Look, job))
  }

  /** Whether some tasks of a stage that may be copied are done and others are not. */
  #isWorthALook(job: JobId): boolean {
    const { jobFirstStage, jobStages, stageSpares, stageDone, stageTasks } = this.#work
    const first = jobFirstStage[job] as number
    for (let stage = first; stage < first + (jobStages[job] as number); stage++) {
      const done = stageDone[stage] as number
      if ((stageSpares[stage] as number) > 0 && done > 0 && done < (stageTasks[stage] as number)) return true
    }
    return false
  }

  /** Looks at the tasks of a job, and again after a while if any runs. Returns whether there are new copies. */
  look(job: JobId, now: Seconds): boolean {
    const work = this.#work
    this.#looks.delete(job)
    const first = work.jobFirstStage[job] as number
    let copies = 0
    for (let stage = first; stage < first + (work.jobStages[job] as number); stage++) if (this.#copyOneOf(stage, now)) copies++
    if (work.startedOf(job)[Symbol.iterator]().next().done !== true) this.#lookAfter(copies > 0 ? this.#retryAfterCopy : this.#retry, job, now)
    return copies > 0
  }

  /** Copies the task of a stage that gains most, if any does. */
  #copyOneOf(stage: number, now: Seconds): boolean {
    const work = this.#work
    const [tasks, done] = [work.stageTasks[stage] as number, work.stageDone[stage] as number]
    if (work.stageSpares[stage] === 0 || work.stageUnplaced[stage] !== 0 || done === 0 || done / tasks < LEAST_DONE) return false
    const mean = (this.#seconds[stage] as number) / done
    let [best, most, running, copied] = [None as TaskId | None, 0, 0, 0]
    const first = work.stageFirst[stage] as number
    for (let task = first as TaskId; task < first + tasks; task++) {
      const run = work.taskRun[task] as number
      if (run < 0 || work.isReleased(task)) continue
      if (Number.isNaN(work.runStart(run))) return false // it waits for a decision
      running++
      const gain = this.#endOf(run) - (now + mean)
      if (work.otherAttempt(task) !== None) copied++
      else if (gain > most && gain < Infinity) [best, most] = [task, gain]
    }
    return best !== None && copied < this.#most(tasks, running) && work.addCopy(best)
  }

  /** When a run is expected to end; `Infinity` for one that waits to fetch. */
  #endOf(run: number): Seconds {
    return this.#movesEnds ? this.#work.runEnd(run) : (this.#ends[run] as number)
  }
}

const bad = (fact: string, wayOut: string): SchedError => new SchedError('BAD_INPUT', fact, { field: 'speculation' }, wayOut)
