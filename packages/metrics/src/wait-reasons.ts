import {
  grown,
  Reason,
  reasonNames,
  type JobId,
  type JobSpec,
  type LaneId,
  type NodeId,
  type Observer,
  type Seconds,
  type TaskId,
  type WorkView,
} from '@sched/core'
import { exactParts } from './exact-parts.js'
import { byLabel, JobClasses, type ClassOf } from './job-classes.js'

/** Names of the parts of a wait: the reasons that a policy gives for a deferral, then the job's own set-up. */
export const waitParts: readonly string[] = [...reasonNames, 'start-up']

/** The wait of one job: `parts[i]` is the seconds for `waitParts[i]`; their sum, in any order, is exactly `wait`. */
export interface WaitRow {
  /** Its id in the workload. */
  readonly id: string
  /** Its class; empty when it has none. */
  readonly label: string
  /** From submission to the start of the first task, seconds. */
  readonly wait: Seconds
  /** False if the job had not started when it was abandoned or the run ended; its wait is counted until then. */
  readonly started: boolean
  /** Seconds for each of `waitParts`. */
  readonly parts: readonly Seconds[]
}

/** Where the waits of some jobs went, in seconds summed over them. */
export interface WaitTotals {
  /** Number of jobs, including those abandoned before a start or still waiting when the run ended. */
  readonly jobs: number
  /** Total wait, seconds. */
  readonly wait: Seconds
  /** Seconds by part, in the order of `waitParts`. */
  readonly parts: Readonly<Record<string, Seconds>>
}

/** Why jobs waited, all of them and by class. */
export interface WaitReasonsResult {
  /** Over all jobs. */
  readonly overall: WaitTotals
  /** By class, in natural order of labels; empty if no job has a class. */
  readonly classes: readonly ({ readonly label: string } & WaitTotals)[]
}

/** Options of `waitReasons`; all may be left out. */
export interface WaitReasonsOptions {
  /** Class of a job. Default: `JobSpec.label`. */
  readonly classOf?: ClassOf | undefined
  /** Called for every job when its wait is over. */
  readonly onRow?: ((row: WaitRow) => void) | undefined
}

/**
 * Explains waits: each second from a job's submission to the start of its first task goes to one reason. Between two observations that is the reason
 * that the policy gave last; before the first, the job is behind others. The time of `JobSpec.startup` goes to `start-up`.
 */
export const waitReasons = (options: WaitReasonsOptions = {}): WaitReasons => new WaitReasons(options)

const PARTS = waitParts.length
const START_UP = PARTS - 1
const STARTED = -1

export class WaitReasons implements Observer {
  #work!: WorkView
  readonly #classes: JobClasses<Totals>
  readonly #onRow: ((row: WaitRow) => void) | undefined
  readonly #specs: (JobSpec | undefined)[] = []
  #submits = new Float64Array(0)
  /** By job: when its set-up is over. */
  #ready = new Float64Array(0)
  /** By job: the current reason, and since when; `STARTED` once the wait is over. */
  #current = new Int32Array(0)
  #since = new Float64Array(0)
  /** Seconds so far, `[job * PARTS + part]`. */
  #parts = new Float64Array(0)

  constructor({ classOf = byLabel, onRow }: WaitReasonsOptions) {
    this.#classes = new JobClasses(classOf, () => new Totals())
    this.#onRow = onRow
  }

  onRunStart({ work }: { readonly work: WorkView }): void {
    this.#work = work
  }

  onSubmit(job: JobId, spec: JobSpec, now: Seconds): void {
    const startup = spec.startup ?? 0
    this.#grow(job + 1)
    this.#specs[job] = spec
    this.#submits[job] = now
    this.#ready[job] = now + startup
    this.#current[job] = startup > 0 ? START_UP : Reason.Order
    this.#since[job] = now
    this.#parts.fill(0, job * PARTS, (job + 1) * PARTS)
    this.#classes.add(job, spec)
  }

  onDefer(job: JobId, _lane: LaneId, reason: Reason, now: Seconds): void {
    const current = this.#current[job] as number
    if (current === reason || current === STARTED) return
    this.#attribute(job, now)
    if (this.#current[job] !== START_UP) this.#current[job] = reason
  }

  onTaskStart(_task: TaskId, job: JobId, _lane: LaneId, _node: NodeId, _level: number, now: Seconds): void {
    if (this.#current[job] !== STARTED) this.#end(job, now, true)
  }

  /** An abandoned job ends without a start. */
  onJobEnd(job: JobId, _spec: JobSpec, now: Seconds): void {
    if (this.#current[job] !== STARTED) this.#end(job, now, false)
    this.#specs[job] = undefined
  }

  onRunEnd(now: Seconds): void {
    for (const job of this.#work.jobs()) if (this.#current[job] !== STARTED) this.#end(job, now, false)
  }

  result(): WaitReasonsResult {
    return this.#classes.results((totals) => totals.result())
  }

  #attribute(job: JobId, now: Seconds): void {
    if (this.#current[job] === START_UP) {
      const ready = this.#ready[job] as number
      this.#add(job, Math.min(now, ready))
      if (now < ready) return
      this.#current[job] = Reason.Order
    }
    this.#add(job, now)
  }

  #add(job: JobId, until: Seconds): void {
    const at = job * PARTS + (this.#current[job] as number)
    this.#parts[at] = (this.#parts[at] as number) + (until - (this.#since[job] as number))
    this.#since[job] = until
  }

  #end(job: JobId, now: Seconds, started: boolean): void {
    this.#attribute(job, now)
    this.#current[job] = STARTED
    const wait = now - (this.#submits[job] as number)
    const parts = exactParts(this.#parts.slice(job * PARTS, (job + 1) * PARTS), wait)
    this.#classes.overall.add(wait, parts)
    this.#classes.of(job)?.add(wait, parts)
    const spec = this.#specs[job] as JobSpec
    this.#onRow?.({ id: spec.id, label: spec.label ?? '', wait, started, parts: [...parts] })
  }

  #grow(jobs: number): void {
    this.#submits = grown(this.#submits, jobs)
    this.#ready = grown(this.#ready, jobs)
    this.#current = grown(this.#current, jobs)
    this.#since = grown(this.#since, jobs)
    this.#parts = grown(this.#parts, jobs * PARTS)
  }
}

class Totals {
  #jobs = 0
  #wait = 0
  readonly #parts = new Float64Array(PARTS)

  add(wait: Seconds, parts: Float64Array): void {
    this.#jobs++
    this.#wait += wait
    for (let part = 0; part < PARTS; part++) this.#parts[part] = (this.#parts[part] as number) + (parts[part] as number)
  }

  result(): WaitTotals {
    const parts = exactParts(this.#parts, this.#wait)
    return { jobs: this.#jobs, wait: this.#wait, parts: Object.fromEntries(waitParts.map((name, part) => [name, parts[part] as number])) }
  }
}
