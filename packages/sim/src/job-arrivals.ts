import { listOf, SchedError, type JobSource, type JobSpec, type Seconds, type Workload } from '@sched/core'
import { EventKind, type EventQueue } from './event-queue.js'

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
  /** Jobs that are known and not submitted, for the time until which or the job after which they wait. */
  held = 0
  readonly #source: JobSource
  readonly #queue: EventQueue
  readonly #host: ArrivalsHost
  /** Whether jobs may follow others, so that names must be remembered. */
  readonly #isChained: boolean
  readonly #specs = listOf<JobSpec | undefined>()
  readonly #freeSpecs: number[] = []
  /** Jobs that are known and have not ended, with those that follow them. */
  readonly #names = new Map<string, JobSpec[] | undefined>()
  /** End of jobs that others may follow. */
  readonly #endedAt = new Map<string, Seconds>()
  #job: JobSpec | undefined
  /** Jobs of the instant that have been read and not submitted. */
  readonly #due = listOf<JobSpec>()
  /** Whether the source can give no job that it has not given yet. */
  #drained: boolean
  #last: Seconds = 0

  constructor(workload: Workload, queue: EventQueue, host: ArrivalsHost) {
    this.#queue = queue
    this.#host = host
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

  /** The time of a held job has come. */
  release(index: number): void {
    const spec = this.#specs[index] as JobSpec
    this.#specs[index] = undefined
    this.#freeSpecs.push(index)
    this.held--
    this.submit(spec)
  }

  submit(spec: JobSpec): void {
    if (this.#isChained && !this.#names.has(spec.id)) this.#names.set(spec.id, undefined)
    this.#host.submit(spec)
  }

  /** A job has ended, or was left out: others follow it, and in a closed loop another one takes its place. */
  ended(id: string, now: Seconds): void {
    if (this.#isChained) this.#releaseFollowers(id, now)
    const next = this.#source.ended?.(id, now)
    if (next !== undefined) this.#hold(next, now)
  }

  #read(): void {
    const spec = this.#source.next()
    this.#job = spec
    if (spec !== undefined) {
      if (!(spec.submit >= 0 && spec.submit < Infinity))
        throw new SchedError('BAD_INPUT', `job ${spec.id} is submitted at ${spec.submit}.`, {}, 'Give seconds from the start of the workload, at least 0.')
      if (spec.submit < this.#last)
        throw new SchedError('BAD_INPUT', `job ${spec.id} is submitted at ${spec.submit} after a job at ${this.#last}.`, {}, 'Sort the workload by submit time.')
      this.#last = spec.submit
    }
    this.#note()
  }

  #note(): void {
    this.next = this.#due[0]?.submit ?? this.#job?.submit ?? Infinity
  }

  /** A job read from the workload: submitted now, or held until the job it follows has ended. */
  #arrive(spec: JobSpec, now: Seconds): void {
    if (spec.after === undefined) return this.submit(spec)
    if (!this.#isChained) throw unexpectedChain(spec)
    if (this.#names.has(spec.after)) {
      this.held++
      const followers = this.#names.get(spec.after)
      if (followers === undefined) this.#names.set(spec.after, [spec])
      else followers.push(spec)
      this.#names.set(spec.id, undefined)
      return
    }
    const start = (this.#endedAt.get(spec.after) ?? -Infinity) + (spec.think ?? 0)
    if (start > now) this.#hold(spec, start)
    else this.submit(spec)
  }

  #releaseFollowers(id: string, now: Seconds): void {
    const followers = this.#names.get(id)
    this.#names.delete(id)
    this.#endedAt.set(id, now)
    for (const follower of followers ?? []) {
      this.held--
      this.#hold(follower, Math.max(follower.submit, now + (follower.think ?? 0)))
    }
  }

  #hold(spec: JobSpec, time: Seconds): void {
    if (this.#isChained && !this.#names.has(spec.id)) this.#names.set(spec.id, undefined) // others may follow it already
    const index = this.#freeSpecs.pop() ?? this.#specs.length
    this.#specs[index] = spec
    this.held++
    this.#queue.push(time, EventKind.Submit, index)
  }
}

function unexpectedChain({ id, after }: JobSpec): SchedError {
  const fact = `job ${id} follows ${after ?? ''}, and the workload says that no job follows another`
  return new SchedError('BROKEN_CONTRACT', fact, {}, 'Give the workload `chained: true`.')
}
