import type { JobEvent, JobSpec, Seconds } from '@sched/core'

/** A job that waits for others, with its number of unmet conditions. */
export class WaitingJob {
  left = 0

  constructor(readonly spec: JobSpec) {}
}

/** A condition that a job waits for: one event, or the first of several. */
export class Condition {
  isMet = false

  constructor(readonly job: WaitingJob) {}
}

/** An event that has not happened yet, and the condition that it meets. */
interface Awaited {
  readonly event: JobEvent
  readonly condition: Condition
}

/** Called when it is known that an event and its think time will be over at `time`. */
export type Due = (condition: Condition, time: Seconds) => void

/**
 * What has happened to known jobs, and who waits for what. An event of an unknown job counts as long past. The start of a job that leaves without a
 * start happens when it leaves.
 */
export class JobEvents {
  /** Known jobs that have not ended, with the events that others wait for. */
  readonly #open = new Map<string, Awaited[] | undefined>()
  readonly #startedAt = new Map<string, Seconds>()
  readonly #endedAt = new Map<string, Seconds>()

  /** From now on other jobs may wait for this job. */
  add(id: string): void {
    if (!this.#open.has(id)) this.#open.set(id, undefined)
  }

  /** The job with its number of conditions that past events do not meet. `due` is called for each event whose time is known but still to come. */
  waiting(spec: JobSpec, now: Seconds, due: Due): WaitingJob {
    const job = new WaitingJob(spec)
    for (const events of conditionsOf(spec)) {
      const condition = new Condition(job)
      job.left++
      for (const event of events) this.#await({ event, condition }, now, due)
    }
    return job
  }

  started(id: string, now: Seconds, due: Due): void {
    if (this.#startedAt.has(id)) return
    this.#startedAt.set(id, now)
    const awaited = this.#open.get(id)
    if (awaited === undefined) return
    this.#open.set(id, awaited.filter(({ event }) => event.on !== 'start'))
    for (const { event, condition } of awaited) if (event.on === 'start') due(condition, now + (event.think ?? 0))
  }

  ended(id: string, now: Seconds, due: Due): void {
    const awaited = this.#open.get(id)
    this.#open.delete(id)
    this.#endedAt.set(id, now)
    for (const { event, condition } of awaited ?? []) due(condition, now + (event.think ?? 0))
  }

  #await(awaited: Awaited, now: Seconds, due: Due): void {
    const { event, condition } = awaited
    const time = this.#timeOf(event)
    if (time === undefined) {
      const others = this.#open.get(event.job)
      if (others === undefined) this.#open.set(event.job, [awaited])
      else others.push(awaited)
    } else if (time + (event.think ?? 0) > now) due(condition, time + (event.think ?? 0))
    else meet(condition)
  }

  /** When the event happened, without its think time; `undefined`: not yet. */
  #timeOf({ job, on }: JobEvent): Seconds | undefined {
    const started = on === 'start' ? this.#startedAt.get(job) : undefined
    return started ?? (this.#open.has(job) ? undefined : (this.#endedAt.get(job) ?? -Infinity))
  }
}

/** Meets a condition; true if it was the last one of its job. */
export function meet(condition: Condition): boolean {
  if (condition.isMet) return false
  condition.isMet = true
  return --condition.job.left === 0
}

/** The conditions of a job, each as a list of events of which one must happen. */
function* conditionsOf({ after, think, afterAll = [], afterAny = [] }: JobSpec): Generator<readonly JobEvent[]> {
  if (after !== undefined) yield [{ job: after, ...(think !== undefined && { think }) }]
  for (const event of afterAll) yield [event]
  if (afterAny.length > 0) yield afterAny
}
