import { jobsByName, type Env, type JobId, type LaneId, type Release, type ResourceId, type Round, type Seconds, type TaskId } from '@sched/core'
import type { JobOrder } from './job-order.js'

/** What a job has had, until the time `at`. */
interface Attained {
  /** From 0. */
  queue: number
  /** Since it last began to count. */
  service: number
  /** Seconds in which a task of it ran, since then. */
  ran: Seconds
  /** Seconds in which none did, since it was last in the first queue. */
  waited: Seconds
  at: Seconds
  /** Claimed and running tasks, and the sum of what they hold of the resource. */
  running: number
  amount: number
  /** Since when it runs in its queue, or waits there; and what that was before its first task was claimed, or its last one evicted. */
  since: Seconds
  before: Seconds
  /** When it changes its queue if nothing happens to it. */
  next: Seconds
}

/** What is kept of a job for a scheduler that takes this one's place. */
interface AttainedMemory extends Pick<Attained, 'queue' | 'service' | 'ran' | 'waited' | 'at' | 'since'> {
  readonly job: string
  /** Computed when what runs of it changed last, and anew it would be another by a rounding; null: never. */
  readonly next: Seconds | null
}

interface ServiceSettings {
  /** Whose amount times seconds is the service; absent: the seconds in which a task of the job ran. */
  readonly resource: ResourceId | undefined
  /** Service at which a job leaves a queue for the next one, ascending. */
  readonly queues: readonly number[]
  /** How many times as long as it ran a job waits until it returns to the first queue; 0: it never does. */
  readonly promote: number
}

/** Jobs by the queue that their attained service puts them in; inside a queue those that run before those that wait, each in the order in which they came to that. */
export class AttainedService implements JobOrder {
  readonly width = 3
  readonly #env: Env
  readonly #settings: ServiceSettings
  readonly #jobs = new Map<JobId, Attained>()
  /** What those that run have had grows, and those that wait for a promotion come nearer to it. */
  readonly #counting = new Set<JobId>()

  constructor(env: Env, settings: ServiceSettings) {
    this.#env = env
    this.#settings = settings
  }

  begin({ now }: Round): readonly JobId[] {
    const moved: JobId[] = []
    for (const job of this.#counting) if (this.#advance(job, now)) moved.push(job)
    return moved
  }

  keyOf(job: JobId, _: Round, key: Float64Array): void {
    const { queue, running, since } = this.#of(job)
    key[0] = queue
    key[1] = running > 0 ? 0 : 1
    key[2] = since
  }

  nextChange(isMeant: (job: JobId) => boolean): Seconds {
    let next = Infinity
    for (const job of this.#counting) if (isMeant(job)) next = Math.min(next, this.#of(job).next)
    return next
  }

  /** What a job has had stays its own when it is updated. */
  onSubmit(job: JobId): void {
    if (this.#env.work.comesAgain(job)) return
    const now = this.#env.now()
    this.#jobs.set(job, { queue: 0, service: 0, ran: 0, waited: 0, at: now, running: 0, amount: 0, since: now, before: now, next: Infinity })
  }

  onFinish(job: JobId): void {
    if (this.#env.work.comesAgain(job)) return
    this.#jobs.delete(job)
    this.#counting.delete(job)
  }

  onClaim(job: JobId, _: LaneId, task: TaskId): void {
    this.#change(job, task, 1, !Number.isNaN(this.#env.work.started(task)))
  }

  onRelease(job: JobId, _: LaneId, task: TaskId, _node: unknown, why: Release): void {
    this.#change(job, task, -1, why === 'withdrawn')
  }

  /** A task more or less. What is taken back leaves the job where it stood before: a claim that is withdrawn, an eviction, or all that ran of a job that is updated. */
  #change(job: JobId, task: TaskId, by: number, isTakenBack: boolean): void {
    const { resource } = this.#settings
    const { work } = this.#env
    const now = this.#env.now()
    const attained = this.#of(job)
    this.#advance(job, now)
    if (resource !== undefined) attained.amount += by * work.demand(work.shapeOf(task), resource)
    const ran = attained.running > 0
    attained.running += by
    if (ran !== attained.running > 0) {
      if (!isTakenBack) attained.before = attained.since
      attained.since = isTakenBack ? attained.before : now
    }
    this.#renew(job, attained)
  }

  #of(job: JobId): Attained {
    return this.#jobs.get(job) as Attained
  }

  /** Counts what it had until now, and puts it in the queue where it belongs; whether that is another one, or it begins anew in it. */
  #advance(job: JobId, now: Seconds): boolean {
    const attained = this.#of(job)
    const seconds = now - attained.at
    if (seconds > 0) {
      const isRunning = attained.running > 0
      attained.service += this.#rateOf(attained) * seconds
      if (isRunning) attained.ran += seconds
      else if (attained.queue > 0) attained.waited += seconds
      attained.at = now
    }
    if (now < attained.next) return false
    this.#requeue(job, attained)
    return true
  }

  #requeue(job: JobId, attained: Attained): void {
    const { queues } = this.#settings
    if (attained.running === 0) Object.assign(attained, { queue: 0, service: 0, ran: 0, waited: 0 })
    else
      for (attained.queue++; attained.service >= (queues[attained.queue] ?? Infinity); attained.queue++)
        attained.next = attained.at - (attained.service - (queues[attained.queue] as number)) / this.#rateOf(attained) // reached since it was last looked at, too
    attained.since = attained.before = attained.next
    this.#renew(job, attained)
  }

  /** When it changes its queue now that it is as it is, and whether time changes it. */
  #renew(job: JobId, attained: Attained): void {
    attained.next = this.#nextOf(attained)
    if (attained.running > 0 || attained.next < Infinity) this.#counting.add(job)
    else this.#counting.delete(job)
  }

  #rateOf({ running, amount }: Attained): number {
    if (this.#settings.resource !== undefined) return amount
    return running > 0 ? 1 : 0
  }

  #nextOf(attained: Attained): Seconds {
    const { queues, promote } = this.#settings
    const { queue, service, ran, waited, at, running } = attained
    if (running === 0) return queue > 0 && promote > 0 ? at + promote * ran - waited : Infinity
    const rate = this.#rateOf(attained)
    return rate > 0 && queue < queues.length ? at + ((queues[queue] as number) - service) / rate : Infinity
  }

  memory(): readonly AttainedMemory[] {
    return Array.from(this.#jobs, ([job, { queue, service, ran, waited, at, since, next }]) => (
      { job: this.#env.work.name(job), queue, service, ran, waited, at, since, next: next < Infinity ? next : null }
    ))
  }

  recall(memory: unknown): void {
    const named = jobsByName(this.#env.work)
    for (const { job, next, ...had } of memory as readonly AttainedMemory[]) {
      const known = named.get(job)
      if (known === undefined) continue
      const attained = Object.assign(this.#of(known), had, { before: had.since })
      this.#renew(known, attained)
      attained.next = next ?? Infinity
    }
  }
}
