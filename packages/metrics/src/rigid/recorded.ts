import { grown, isGangJob, type JobId, type JobSpec, type LaneId, type NodeId, type Observer, type Seconds, type TaskId } from '@sched/core'
import { boundedSlowdown, TAU } from '../bounded-slowdown.js'
import { EXACT_VALUES, Values, type Distribution } from '../distribution.js'
import { counts, wholeRun, type Period } from '../period.js'

/** What a log recorded of its jobs, and how far the run is from it; over the jobs that started and have a recorded wait. */
export interface RecordedResult {
  /** Number of these jobs. */
  readonly jobs: number
  /** Recorded wait, seconds. */
  readonly wait: Distribution
  /** Recorded time from submission to the end, seconds. */
  readonly response: Distribution
  /** Bounded slowdown by the recorded times, a pure number. */
  readonly slowdown: Distribution
  /** From the first submission to the last recorded end, seconds; NaN if there are no jobs. */
  readonly makespan: Seconds
  /** Mean over the jobs of |wait in the run - recorded wait|, seconds. */
  readonly meanAbsoluteError: Seconds
  /** Mean of wait in the run - recorded wait, seconds: positive if jobs wait longer in the run. */
  readonly meanDifference: Seconds
}

/** Options of `recorded`; all may be left out. */
export interface RecordedOptions {
  /** Jobs submitted outside this period do not count. Default: all count. */
  readonly period?: Period | undefined
  /** Threshold tau of the bounded slowdown, seconds. Default 10. */
  readonly tau?: Seconds | undefined
  /** Number of values up to which percentiles are exact. Default 100,000. */
  readonly exact?: number | undefined
}

/** Compares the recorded waits of a log with those of the run. */
export const recorded = (options: RecordedOptions = {}): Recorded => new Recorded(options)

export class Recorded implements Observer {
  readonly #period: Period
  readonly #tau: Seconds
  readonly #wait: Values
  readonly #response: Values
  readonly #slowdown: Values
  /** By job that waits for its first task: its specification. */
  readonly #waiting: (JobSpec | undefined)[] = []
  #submits = new Float64Array(0)
  #absolute = 0
  #difference = 0
  #first = Infinity
  #last = NaN

  constructor({ period = wholeRun, tau = TAU, exact = EXACT_VALUES }: RecordedOptions) {
    this.#period = period
    this.#tau = tau
    this.#wait = new Values(exact)
    this.#response = new Values(exact)
    this.#slowdown = new Values(exact)
  }

  onSubmit(job: JobId, spec: JobSpec, now: Seconds): void {
    this.#submits = grown(this.#submits, job + 1)
    this.#submits[job] = now
    this.#waiting[job] = spec.recorded?.wait !== undefined && counts(this.#period, now) ? spec : undefined
  }

  onTaskStart(_task: TaskId, job: JobId, _lane: LaneId, _node: NodeId, _level: number, now: Seconds): void {
    const spec = this.#waiting[job]
    if (spec === undefined) return
    this.#waiting[job] = undefined
    const wait = spec.recorded?.wait as number
    const submit = this.#submits[job] as number
    const error = now - submit - wait
    this.#absolute += Math.abs(error)
    this.#difference += error
    this.#wait.add(wait)
    this.#add(submit, wait, runtimeOf(spec))
  }

  result(): RecordedResult {
    const { count } = this.#wait
    return {
      jobs: count,
      wait: this.#wait.result(),
      response: this.#response.result(),
      slowdown: this.#slowdown.result(),
      makespan: this.#last - this.#first,
      meanAbsoluteError: this.#absolute / count,
      meanDifference: this.#difference / count,
    }
  }

  /** Adds the figures that require a known run time. */
  #add(submit: Seconds, wait: Seconds, runtime: Seconds | undefined): void {
    if (runtime === undefined) return
    const end = submit + wait + runtime
    this.#response.add(end - submit)
    this.#slowdown.add(boundedSlowdown(submit, submit + wait, end, this.#tau))
    this.#first = Math.min(this.#first, submit)
    this.#last = Number.isNaN(this.#last) ? end : Math.max(this.#last, end)
  }
}

/** The recorded run time or, where none is recorded, that of the stages; for a job that is one gang, of its longest stage. */
function runtimeOf(spec: JobSpec): Seconds | undefined {
  const { recorded, stages } = spec
  if (recorded?.runtime !== undefined) return recorded.runtime
  const times = stages.flatMap(({ duration }) => (typeof duration === 'number' ? [duration] : []))
  return times.length === stages.length && (stages.length === 1 || isGangJob(spec)) ? Math.max(...times) : undefined
}
