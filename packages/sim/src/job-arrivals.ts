import { isFollower, listOf, SchedError, type JobSource, type JobSpec, type Seconds, type Workload } from '@sched/core'
import { EventKind, type EventQueue } from './event-queue.js'
import { Condition, JobEvents, meet, WaitingJob } from './job-events.js'

/** The engine's side of job arrivals. */
export interface ArrivalsHost {
  submit(spec: JobSpec): void
  pass(): void
}

/** Jobs on their way from the workload to their submission: those due in the instant, those that wait for others, and those of a closed loop. */
export class JobArrivals {
  /** Submit time of the next known job, `Infinity` for none. */
  next: Seconds = Infinity
  /** Number of known jobs that wait for a time or for other jobs before they are submitted. */
  held = 0
  readonly #source: JobSource
  readonly #queue: EventQueue
  readonly #host: ArrivalsHost
  /** Kind of the events that submit jobs which have waited for others. */
  readonly #kind: EventKind
  /** Whether jobs may follow others, so that job names must be remembered. */
  readonly #isChained: boolean
  /** By subject of a pending event: the condition that it meets. */
  readonly #conditions = listOf<Condition | undefined>()
  readonly #freeConditions: number[] = []
  readonly #events = new JobEvents()
  #job: JobSpec | undefined
  /** Jobs of the instant that have been read but not submitted. */
  readonly #due = listOf<JobSpec>()
  /** Whether the source has no further jobs beyond those it has given. */
  #drained: boolean
  #last: Seconds = 0

  /** `kind`: kind of the events that submit jobs which have waited for others. */
  constructor(workload: Workload, queue: EventQueue, host: ArrivalsHost, kind: EventKind = EventKind.Submit) {
    this.#queue = queue
    this.#host = host
    this.#kind = kind
    this.#isChained = workload.chained !== false
    this.#source = workload.open()
    this.#drained = this.#source.more === undefined
    this.#read()
  }

  /** Whether jobs of the instant have been read but not submitted. */
  get areDue(): boolean {
    return this.#due.length > 0
  }

  /** Whether a stream must be awaited for the next job. */
  isStarved(): boolean {
    if (this.#job !== undefined || this.#drained) return false
    this.#read()
    return this.#job === undefined
  }

  /** Waits for the next job of a stream. */
  async more(): Promise<void> {
    this.#drained = (await this.#source.more?.()) !== true
    this.#read()
  }

  /** Reads all jobs due at `time`, since a round sees the whole instant; false if a stream must be awaited first. */
  collect(time: Seconds): boolean {
    while (this.#job !== undefined && this.#job.submit <= time) {
      this.#due.push(this.#job)
      this.#read()
    }
    return !this.isStarved()
  }

  /** Submits the jobs that are due; with `hasPasses`, a pass follows each. */
  arrive(now: Seconds, hasPasses: boolean): void {
    const due = this.#due
    if (due.length === 0) return
    for (let i = 0; i < due.length; i++) {
      this.#arrive(due[i] as JobSpec, now)
      if (hasPasses) this.#host.pass()
    }
    while (due.length > 0) due.pop()
    this.#note()
  }

  /** Handles the event that meets a condition of a held job. */
  release(index: number): void {
    const condition = this.#conditions[index] as Condition
    this.#conditions[index] = undefined
    this.#freeConditions.push(index)
    if (!meet(condition)) return
    this.held--
    this.submit(condition.job.spec)
  }

  submit(spec: JobSpec): void {
    if (this.#isChained) this.#events.add(spec.id)
    this.#host.submit(spec)
  }

  /** Records that the first task of a job has started: other jobs may follow that. */
  started(id: string, now: Seconds): void {
    this.#events.started(id, now, this.#fireAt)
  }

  /** Records that a job has ended or was left out: other jobs may follow it, and in a closed loop the source may give another one. */
  ended(id: string, now: Seconds): void {
    if (this.#isChained) this.#events.ended(id, now, this.#fireAt)
    const next = this.#source.ended?.(id, now)
    if (next !== undefined) this.#hold(next, now)
  }

  #read(): void {
    const spec = this.#source.next()
    this.#job = spec
    if (spec !== undefined) {
      if (!(typeof spec.submit === 'number' && spec.submit >= 0 && spec.submit < Infinity))
        throw new SchedError('BAD_INPUT', `job ${spec.id} is submitted at ${typeof spec.submit === 'number' ? spec.submit : JSON.stringify(spec.submit)}.`, {}, 'Give seconds from the start of the workload, at least 0.')
      if (spec.submit < this.#last)
        throw new SchedError('BAD_INPUT', `job ${spec.id} is submitted at ${spec.submit} after a job at ${this.#last}.`, {}, 'Sort the workload by submit time.')
      this.#last = spec.submit
    }
    this.#note()
  }

  #note(): void {
    this.next = this.#due[0]?.submit ?? this.#job?.submit ?? Infinity
  }

  /** Submits a job of the workload or, if it waits for others, holds it. */
  #arrive(spec: JobSpec, now: Seconds): void {
    if (!isFollower(spec)) return this.submit(spec)
    if (!this.#isChained) throw unexpectedChain(spec)
    const job = this.#events.waiting(spec, now, this.#fireAt)
    if (job.left === 0) return this.submit(spec)
    this.held++
    this.#events.add(spec.id)
  }

  /** Holds a job of a closed loop until its submit time. */
  #hold(spec: JobSpec, time: Seconds): void {
    if (this.#isChained) this.#events.add(spec.id) // other jobs may wait for it already
    const job = new WaitingJob(spec)
    job.left = 1
    this.held++
    this.#fireAt(new Condition(job), time)
  }

  /** Schedules the event that meets a condition at `time`. */
  readonly #fireAt = (condition: Condition, time: Seconds): void => {
    const index = this.#freeConditions.pop() ?? this.#conditions.length
    this.#conditions[index] = condition
    this.#queue.push(time, this.#kind, index)
  }
}

function unexpectedChain({ id, after, afterAll = [], afterAny = [] }: JobSpec): SchedError {
  const fact = `job ${id} follows ${after ?? [...afterAll, ...afterAny].map(({ job }) => job).join(', ')}, and the workload says that no job follows another`
  return new SchedError('BROKEN_CONTRACT', fact, {}, 'Give the workload `chained: true`.')
}
