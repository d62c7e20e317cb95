import { grown, None, type JobId, type NodeId, type Seconds, type StageSpec, type TaskId } from '@sched/core'
import type { Attempts } from './attempts.js'
import { bad, checkFractions, checkTimes } from './checks.js'
import type { Copy, SpeculationRule } from './rule.js'

/** Limits of the rule of Hadoop 2 and 3. */
export interface HadoopSpeculation {
  readonly rule?: 'hadoop' | undefined
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

/** Fraction of a stage's tasks that must be done before any is copied: MINIMUM_COMPLETE_PROPORTION_TO_SPECULATE of Hadoop. */
const LEAST_DONE = 0.05

/**
 * In each stage of which no task is pending and enough are done, the task is copied that gains most: its expected end minus the end of an attempt that
 * starts now and takes the mean time of those done. The gain must be positive, and there is one copy of a task at a time.
 *
 * Source: DefaultSpeculator and LegacyTaskRuntimeEstimator of Hadoop 2 and 3.
 * Deviations: progress is linear in time, so an expected end is the real one, unless the task fails or is slowed down by others. The looks begin with
 * the first task of the job that is done, not with the job. There is one look per stage, where Hadoop has one for all maps and one for all reduces.
 */
export class HadoopRule implements SpeculationRule {
  readonly barsNodes = false
  readonly isForNow = false
  readonly isPrompt = false
  readonly #attempts: Attempts
  readonly #runningCap: number
  readonly #totalCap: number
  readonly #minimum: number
  readonly #retry: Seconds
  readonly #retryAfterCopy: Seconds
  /** By stage: seconds that the attempts took that are done. */
  #seconds = new Float64Array(16)

  /** Throws `BAD_INPUT` for invalid options. */
  constructor({ runningCap = 0.1, totalCap = 0.01, minimum = 10, retry = 1, retryAfterCopy = 15 }: HadoopSpeculation, attempts: Attempts) {
    checkFractions({ runningCap, totalCap })
    if (!(Number.isSafeInteger(minimum) && minimum >= 0)) throw bad(`found a minimum of ${minimum}.`, 'It is a whole number, 0 or more.')
    checkTimes({ retry, retryAfterCopy })
    this.#attempts = attempts
    this.#runningCap = runningCap
    this.#totalCap = totalCap
    this.#minimum = minimum
    this.#retry = retry
    this.#retryAfterCopy = retryAfterCopy
  }

  mostCopies({ tasks }: StageSpec): number {
    return this.#most(tasks, tasks)
  }

  /** Most copies of a stage with so many tasks, of which so many run. */
  #most(tasks: number, running: number): number {
    return Math.floor(Math.max(this.#minimum, this.#totalCap * tasks, this.#runningCap * running))
  }

  leastDone(): number {
    return 1
  }

  open(job: JobId): void {
    const { jobFirstStage, jobStages } = this.#attempts.work
    const first = jobFirstStage[job] as number
    const end = first + (jobStages[job] as number)
    this.#seconds = grown(this.#seconds, end)
    this.#seconds.fill(0, first, end)
  }

  done(stage: number, _: NodeId, seconds: Seconds): void {
    this.#seconds[stage] = (this.#seconds[stage] as number) + seconds
  }

  afterLook(now: Seconds, copies: number): Seconds {
    return now + (copies > 0 ? this.#retryAfterCopy : this.#retry)
  }

  afterNews(now: Seconds): Seconds {
    return now + this.#retry
  }

  copies(stage: number, now: Seconds): readonly Copy[] {
    const { work } = this.#attempts
    const [tasks, done] = [work.stageTasks[stage] as number, work.stageDone[stage] as number]
    if (work.stageUnplaced[stage] !== 0 || done === 0 || done / tasks < LEAST_DONE) return []
    const mean = (this.#seconds[stage] as number) / done
    let [best, most, running, copied] = [None as TaskId | None, 0, 0, 0]
    const first = work.stageFirst[stage] as number
    for (let task = first as TaskId; task < first + tasks; task++) {
      const run = work.taskRun[task] as number
      if (run < 0 || work.isReleased(task)) continue
      if (Number.isNaN(work.runStart(run))) return [] // it waits for a decision
      running++
      const gain = this.#attempts.endOf(run) - (now + mean)
      if (work.otherAttempt(task) !== None) copied++
      else if (gain > most && gain < Infinity) [best, most] = [task, gain]
    }
    return best !== None && copied < this.#most(tasks, running) ? [{ task: best }] : []
  }
}
