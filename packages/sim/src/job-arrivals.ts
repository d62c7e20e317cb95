import { isFollower, listOf, SchedError, type JobSource, type JobSpec, type Seconds, type Workload } from '@sched/core'
import { EventKind, type EventQueue } from './event-queue.js'
import { Condition, JobEvents, meet, WaitingJob } from './job-events.js'

/** Whose jobs they are. */
export interface ArrivalsHost {
  submit(spec: JobSpec): void
  pass(): void
}

/**
 * Jobs from where they are read to where they are submitted: those of the instant, those that wait for the end of
 * another, and those of a closed loop.
 */
export class JobArrivals {
  /** The submit time of the next job that is known, `Infinity` for none. */
  next: Seconds = Infinity
  /** Jobs that are known and not submitted, for the time until which or the jobs after which they wait. */
  held = 0
  readonly #source: JobSource
  readonly #queue: EventQueue
  readonly #host: ArrivalsHost
  /** Of events at which jobs that have waited for others are submitted. */
  readonly #kind: EventKind
  /** Whether jobs may follow others, so that names must be remembered. */
  readonly #isChained: boolean
  /** Of pending events, what is met as they fire. */
  readonly #conditions = listOf<Condition | undefined>()
  readonly #freeConditions: number[] = []
  readonly #events = new JobEvents()
  #job: JobSpec | undefined
  /** Jobs of the instant that have been read and not submitted. */
  readonly #due = listOf<JobSpec>()
  /** Whether the source can give no job that it has not given yet. */
  #drained: boolean
  #last: Seconds = 0

  /** `kind`: of events at which jobs that have waited for others are submitted. */
  constructor(workload: Workload, queue: EventQueue, host: ArrivalsHost, kind: EventKind = EventKind.Submit) {
    this.#queue = queue
    this.#host = host
    this.#kind = kind
    this.#isChained = workload.chained !== false
    this.#source = workload.open()
    this.#drained = this.#source.more === undefined
    this.#read()
  }

  /** Whether jobs of the instant have been read and not submitted. */
  get areDue(): boolean {
    return this.#due.length > 0
  }

  /** Whether the next job of a stream has to be awaited. */
  isStarved(): boolean {
    if (this.#job !== undefined || this.#drained) return false
    this.#read()
    return this.#job === undefined
  }

  /** Awaits the next job of a stream. */
  async more(): Promise<void> {
    this.#drained = (await this.#source.more?.()) !== true
    this.#read()
  }

  /** Reads all jobs due at `time`, since a round sees the whole instant; false when a stream must be awaited for that. */
  collect(time: Seconds): boolean {
    while (this.#job !== undefined && this.#job.submit <= time) {
      this.#due.push(this.#job)
      this.#read()
    }
    return !this.isStarved()
  }

  /** Submits what is due; with `hasPasses` each is followed by a pass. */
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

  /** A time for which a held job waits has come. */
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

  /** A task of a job has started: others may follow that. */
  started(id: string, now: Seconds): void {
    this.#events.started(id, now, this.#fireAt)
  }

  /** A job has ended, or was left out: others follow it, and in a closed loop another one takes its place. */
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

  /** A job read from the workload: submitted now, or held until what it waits for has happened to others. */
  #arrive(spec: JobSpec, now: Seconds): void {
    if (!isFollower(spec)) return this.submit(spec)
    if (!this.#isChained) throw unexpectedChain(spec)
    const job = this.#events.waiting(spec, now, this.#fireAt)
    if (job.left === 0) return this.submit(spec)
    this.held++
    this.#events.add(spec.id)
  }

  /** A job of a closed loop. */
  #hold(spec: JobSpec, time: Seconds): void {
    if (this.#isChained) this.#events.add(spec.id) // others may follow it already
    const job = new WaitingJob(spec)
    job.left = 1
    this.held++
    this.#fireAt(new Condition(job), time)
  }

  /** What is waited for is over at `time`. */
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
