import { jobsByName, type Env, type JobId, type LaneId, type ResourceId, type Round, type Seconds, type TaskId } from '@sched/core'
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
  /** Its place in its queue among those that ran at the last look, or among those that did not: smaller ones come first. */
  place: number
  /** Whether it ran in its queue at the last look. */
  ranThere: boolean
  /** When it came into its queue, and whether that is at this instant, while it runs. */
  came: Seconds
  isNew: boolean
  /** When it changes its queue if nothing happens to it. */
  next: Seconds
}

/** What is kept of a job for a scheduler that takes this one's place. */
interface AttainedMemory extends Pick<Attained, 'queue' | 'service' | 'ran' | 'waited' | 'at' | 'place' | 'ranThere' | 'came' | 'isNew'> {
  readonly job: string
  /** Computed when what runs of it changed last, and anew it would be another by a rounding; null: never. */
  readonly next: Seconds | null
  /** Whether it has come into another queue since the last look. */
  readonly hasEntered: boolean
}

interface ServiceSettings {
  /** Whose amount times seconds is the service; absent: the seconds in which a task of the job ran. */
  readonly resource: ResourceId | undefined
  /** Service at which a job leaves a queue for the next one, ascending. */
  readonly queues: readonly number[]
  /** How many times as long as it ran a job waits until it returns to the first queue; 0: it never does. */
  readonly promote: number
}

/**
 * Jobs by the queue that their attained service puts them in. Who comes into a queue is its last. After each look those that run come before those that wait,
 * each in the order before.
 *
 * Source: the simulator of Tiresias' authors (`dlas_sim_jobs`), which keeps a list for each queue.
 */
export class AttainedService implements JobOrder {
  readonly width = 3
  readonly #env: Env
  readonly #settings: ServiceSettings
  readonly #jobs = new Map<JobId, Attained>()
  /** What those that run have had grows, and those that wait for a promotion come nearer to it. */
  readonly #counting = new Set<JobId>()
  /** Those that have begun to run, or ceased to, since the last look, or were new in their queue at it; and those that have come into another queue since. */
  readonly #changed = new Set<JobId>()
  readonly #entered = new Set<JobId>()
  #firstPlace = 0
  #lastPlace = 0

  constructor(env: Env, settings: ServiceSettings) {
    this.#env = env
    this.#settings = settings
  }

  begin({ now }: Round): Iterable<JobId> {
    const moved = new Set(this.#changed)
    this.#settle()
    for (const job of this.#counting) this.#advance(job, now)
    for (const job of this.#entered) moved.add(job)
    this.#enter(now)
    return moved
  }

  /** Puts those that run before those that wait, each in the order before. */
  #settle(): void {
    const changed = Array.from(this.#changed, (job) => this.#of(job)).sort((a, b) => Number(b.ranThere) - Number(a.ranThere) || a.place - b.place)
    for (const attained of changed) if (!attained.ranThere && attained.running > 0) Object.assign(attained, { ranThere: true, place: ++this.#lastPlace })
    for (const attained of changed.reverse()) if (attained.ranThere && attained.running === 0) Object.assign(attained, { ranThere: false, place: --this.#firstPlace })
    for (const attained of changed) attained.isNew = false
    this.#changed.clear()
  }

  /** Puts those that have come into a queue at its end: of one instant in the order of their submission. */
  #enter(now: Seconds): void {
    const { work } = this.#env
    for (const job of [...this.#entered].sort((a, b) => this.#of(a).came - this.#of(b).came || work.rank(a) - work.rank(b))) {
      const attained = this.#of(job)
      const runs = attained.running > 0
      attained.place = ++this.#lastPlace
      attained.isNew = runs && attained.came === now
      attained.ranThere = runs && !attained.isNew // nobody has looked since, for nobody waited
      if (attained.isNew) this.#changed.add(job)
    }
    this.#entered.clear()
  }

  keyOf(job: JobId, _: Round, key: Float64Array): void {
    const { queue, ranThere, isNew, place } = this.#of(job)
    key[0] = isNew ? queue + 0.5 : queue // those that wait in the queue may take its place
    key[1] = ranThere ? 0 : 1
    key[2] = place
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
    this.#jobs.set(job, { queue: 0, service: 0, ran: 0, waited: 0, at: now, running: 0, amount: 0, place: ++this.#lastPlace, ranThere: false, came: now, isNew: false, next: Infinity })
  }

  onFinish(job: JobId): void {
    if (this.#env.work.comesAgain(job)) return
    this.#jobs.delete(job)
    for (const jobs of [this.#counting, this.#changed, this.#entered]) jobs.delete(job)
  }

  onClaim(job: JobId, _: LaneId, task: TaskId): void {
    this.#change(job, task, 1)
  }

  onRelease(job: JobId, _: LaneId, task: TaskId): void {
    this.#change(job, task, -1)
  }

  /** A task more or less. */
  #change(job: JobId, task: TaskId, by: number): void {
    const { resource } = this.#settings
    const { work } = this.#env
    const now = this.#env.now()
    const attained = this.#of(job)
    this.#advance(job, now)
    if (resource !== undefined) attained.amount += by * work.demand(work.shapeOf(task), resource)
    const ran = attained.running > 0
    attained.running += by
    if (ran !== attained.running > 0) this.#changed.add(job)
    this.#renew(job, attained)
  }

  #of(job: JobId): Attained {
    return this.#jobs.get(job) as Attained
  }

  /** Counts what it had until now, and puts it in the queue where it belongs. */
  #advance(job: JobId, now: Seconds): void {
    const attained = this.#of(job)
    const seconds = now - attained.at
    if (seconds > 0) {
      const isRunning = attained.running > 0
      attained.service += this.#rateOf(attained) * seconds
      if (isRunning) attained.ran += seconds
      else if (attained.queue > 0) attained.waited += seconds
      attained.at = now
    }
    if (now >= attained.next) this.#requeue(job, attained)
  }

  #requeue(job: JobId, attained: Attained): void {
    const { queues } = this.#settings
    if (attained.running === 0) Object.assign(attained, { queue: 0, service: 0, ran: 0, waited: 0 })
    else
      for (attained.queue++; attained.service >= (queues[attained.queue] ?? Infinity); attained.queue++)
        attained.next = attained.at - (attained.service - (queues[attained.queue] as number)) / this.#rateOf(attained) // reached since it was last looked at, too
    attained.came = attained.next
    this.#entered.add(job)
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
    return Array.from(this.#jobs, ([job, { queue, service, ran, waited, at, place, ranThere, came, isNew, next }]) => (
      { job: this.#env.work.name(job), queue, service, ran, waited, at, place, ranThere, came, isNew, next: next < Infinity ? next : null, hasEntered: this.#entered.has(job) }
    ))
  }

  recall(memory: unknown): void {
    const named = jobsByName(this.#env.work)
    const later = new Set(this.#jobs.values())
    for (const { job, next, hasEntered, ...had } of memory as readonly AttainedMemory[]) {
      const known = named.get(job)
      if (known === undefined) continue
      const attained = Object.assign(this.#of(known), had)
      later.delete(attained)
      this.#renew(known, attained)
      attained.next = next ?? Infinity
      this.#firstPlace = Math.min(this.#firstPlace, attained.place)
      this.#lastPlace = Math.max(this.#lastPlace, attained.place)
      this.#changed.add(known)
      if (hasEntered) this.#entered.add(known)
      else this.#entered.delete(known)
    }
    for (const attained of later) attained.place = ++this.#lastPlace
  }
}
