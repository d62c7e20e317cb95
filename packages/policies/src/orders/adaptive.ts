import { defineOrder, type Env, type JobBlock, type JobId, type LaneId, type NodeId, type Order, type Plug, type Release, type Round, type Seconds, type TaskId } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { slotsNeeded } from './adaptive-need.js'
import { Keys, SortedIds } from './sorted-ids.js'

/**
 * Orders jobs by the slots that they need to meet their deadlines, in four groups. First come jobs, before their deadline, of which no task has ended and
 * none runs: one slot shows how long a task takes. Then come jobs that run on fewer slots than they need to finish in time, the
 * largest need first; then those that can no longer finish in time; then all others. The last two groups go by running tasks over
 * weight, smallest first. Ties by submission.
 *
 * A job can finish in time while a task that starts now would end by the deadline and the job needs no more slots than the
 * cluster has. A job without a deadline is one of the others. Each lane is ordered by itself.
 *
 * Source: after Polo et al., NOMS 2010, as the survey's sheet reconstructs it (section 7).
 */
export const adaptiveOrder = defineOrder({
  name: 'adaptive',
  summary: 'by the slots that jobs need to meet their deadlines, learnt from their tasks that have ended',
  source: 'after Polo et al., NOMS 2010; Lin et al., survey, section 7',
  options: z.strictObject({}),
  create: (_, env) => new Adaptive(env),
})

/** By the slots that jobs need to meet their deadlines. */
export const adaptive = (): Plug<'order'> => adaptiveOrder.plug({})

/**
 * Keys, smallest first: -3 is a job that needs its first slot; a need maps to (-2, -1), the largest lowest; late jobs to [-1, 0); the others are 0
 * or more.
 */
const PROBE = -3
const ofNeed = (need: number) => -2 + 1 / (1 + need)
const ofLate = (share: number) => -1 + share / (1 + share)

/** What a job has done in a lane and what it runs there: ended tasks, the sum of their durations, and the running tasks. */
interface Course {
  ended: number
  seconds: Seconds
  readonly running: TaskId[]
}

class Adaptive implements Order {
  readonly #env: Env
  readonly #lanes: number
  readonly #keys: readonly Keys[]
  readonly #lists: readonly SortedIds[]
  /** By lane: the listed jobs, ordered by the time at which their keys become wrong without any event (see `#expiryOf`). */
  readonly #expiries: readonly Keys[]
  readonly #expiring: readonly SortedIds[]
  /** By lane: the time for which its keys were computed. */
  readonly #asOf: Seconds[]
  /** `[job * lanes + lane]`. */
  readonly #courses: Course[] = []
  readonly #isListed: boolean[] = []
  readonly #elapsed: Seconds[] = []
  readonly #expired: JobId[] = []
  #unread: SortedIds | undefined

  constructor(env: Env) {
    this.#env = env
    this.#lanes = env.cluster.lanes.length
    this.#keys = env.cluster.lanes.map(() => new Keys())
    this.#lists = this.#keys.map((keys) => new SortedIds(keys))
    this.#expiries = this.#keys.map(() => new Keys())
    this.#expiring = this.#expiries.map((keys) => new SortedIds(keys))
    this.#asOf = this.#keys.map(() => -1)
  }

  begin({ lane, now }: Round): void {
    const list = this.#lists[lane] as SortedIds
    this.#unread = list
    if (this.#asOf[lane] === now) return
    this.#asOf[lane] = now
    const { ids, from, to } = this.#expiring[lane] as SortedIds
    const expired = this.#expired
    expired.length = 0
    for (let i = from; i < to && (this.#expiries[lane]?.key[ids[i] as number] as number) <= now; i++) expired.push(ids[i] as JobId)
    for (const job of expired) this.#rekey(job, lane, now)
  }

  next(): JobBlock | undefined {
    const block = this.#unread
    this.#unread = undefined
    return block
  }

  #keyOf(job: JobId, lane: LaneId, now: Seconds): number {
    const { work } = this.#env
    const { ended, seconds, running } = this.#courses[job * this.#lanes + lane] as Course
    const share = running.length / work.weight(job)
    const deadline = work.deadline(job)
    if (deadline === Infinity) return share
    const left = deadline - now
    if (left <= 0) return ofLate(share)
    if (ended === 0) return running.length === 0 ? PROBE : share
    const mean = seconds / ended
    const need = slotsNeeded({ mean, pending: work.unplaced(job, lane), elapsed: this.#elapsedOf(running, now) }, left)
    if (left < mean || need > this.#slots(job, lane)) return ofLate(share)
    return running.length < need ? ofNeed(need) : share
  }

  /**
   * Until when the key of a job stays right without any event. Once a task has ended, the need depends on the time that is left, so
   * the key is wrong at every later instant (-1); before that it changes only at the deadline.
   */
  #expiryOf(job: JobId, lane: LaneId, now: Seconds): Seconds {
    const deadline = this.#env.work.deadline(job)
    if (deadline <= now || deadline === Infinity) return Infinity
    return (this.#courses[job * this.#lanes + lane] as Course).ended > 0 ? -1 : deadline
  }

  #rekey(job: JobId, lane: LaneId, now: Seconds): void {
    this.#lists[lane]?.rekey(job, this.#keyOf(job, lane, now))
    this.#expiring[lane]?.rekey(job, this.#expiryOf(job, lane, now))
  }

  #elapsedOf(running: readonly TaskId[], now: Seconds): readonly Seconds[] {
    const elapsed = this.#elapsed
    elapsed.length = 0
    for (const task of running) {
      const started = this.#env.work.started(task)
      elapsed.push(Number.isNaN(started) || started > now ? 0 : now - started)
    }
    return elapsed
  }

  /** Most tasks of the job that could run at once, by the amounts of the whole cluster. */
  #slots(job: JobId, lane: LaneId): number {
    const { work, cluster } = this.#env
    const shape = work.shape(job, lane)
    let slots = Infinity
    for (const resource of cluster.lanes[lane]?.resources ?? []) {
      const amount = work.demand(shape, resource)
      if (amount > 0) slots = Math.min(slots, Math.floor(cluster.capacity(resource) / amount))
    }
    return slots
  }

  // ---- keeping current ----

  onSubmit(job: JobId): void {
    const goesOn = this.#env.work.comesAgain(job)
    for (let lane = 0; lane < this.#lanes; lane++) {
      if (!goesOn) this.#courses[job * this.#lanes + lane] = { ended: 0, seconds: 0, running: [] }
      this.#isListed[job * this.#lanes + lane] = false
    }
  }

  onReady(job: JobId, lane: LaneId): void {
    const now = this.#env.now()
    const rank = this.#env.work.rank(job)
    this.#keys[lane]?.set(job, this.#keyOf(job, lane, now), rank)
    this.#lists[lane]?.add(job)
    this.#expiries[lane]?.set(job, this.#expiryOf(job, lane, now), rank)
    this.#expiring[lane]?.add(job)
    this.#isListed[job * this.#lanes + lane] = true
  }

  onDrained(job: JobId, lane: LaneId): void {
    this.#lists[lane]?.remove(job)
    this.#expiring[lane]?.remove(job)
    this.#isListed[job * this.#lanes + lane] = false
  }

  onMore(job: JobId, lane: LaneId): void {
    this.#place(job, lane)
  }

  onClaim(job: JobId, lane: LaneId, task: TaskId): void {
    this.#courses[job * this.#lanes + lane]?.running.push(task)
    this.#place(job, lane)
  }

  onRelease(job: JobId, lane: LaneId, task: TaskId, _node: NodeId, why: Release): void {
    const course = this.#courses[job * this.#lanes + lane] as Course
    course.running.splice(course.running.indexOf(task), 1)
    if (why === 'ended' && !this.#env.work.comesAgain(job)) {
      course.ended++
      course.seconds += this.#env.now() - this.#env.work.started(task)
    }
    this.#place(job, lane)
  }

  #place(job: JobId, lane: LaneId): void {
    if (this.#isListed[job * this.#lanes + lane] === true && this.#env.work.unplaced(job, lane) > 0) this.#rekey(job, lane, this.#env.now())
  }
}
