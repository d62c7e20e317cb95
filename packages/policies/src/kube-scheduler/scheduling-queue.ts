import { jobsByName, Reason, type Env, type JobBlock, type JobId, type LaneId, type NodeId, type Order, type Release, type Round, type Seconds, type TaskId } from '@sched/core'

/** How long jobs back off, in seconds, and whether they are tried all the same when nobody else is. */
interface BackoffSettings {
  readonly podInitialBackoffSeconds: number
  readonly podMaxBackoffSeconds: number
  readonly popFromBackoffQ: boolean
}

/** What is known of a job that waits in a lane. */
interface Entry {
  /** How often it was tried in vain. */
  attempts: number
  /** When it was last tried, in seconds; before that NaN. */
  tried: Seconds
  /** A number that rises by when it last came into the queue: when its tasks began to wait, and each time that it was tried in vain. */
  came: number
  /** The number of events when it was last tried. */
  events: number
}

/** By lane; `isUpToDate`: whether nothing has happened since it was tried. */
type Kept = readonly (readonly (readonly [job: string, attempts: number, tried: Seconds | null, isUpToDate: boolean])[])[]

/** Seconds in which backoff times that end together are not told apart. Source: kube-scheduler, `backoffQOrderingWindowDuration`. */
const WINDOW: Seconds = 1

/** The time for which a job backs off after so many attempts in vain, at least 1, in seconds. Source: kube-scheduler, `calculateBackoffDuration`. */
export const backoffTime = (attempts: number, { podInitialBackoffSeconds, podMaxBackoffSeconds }: BackoffSettings): Seconds =>
  Math.min(podInitialBackoffSeconds * 2 ** (attempts - 1), podMaxBackoffSeconds)

/**
 * The jobs that wait, in the order in which kube-scheduler takes their pods: by priority, then by when they last came into the queue. Jobs that were tried
 * in vain back off, for twice the time after each attempt. Meanwhile they come behind all others, those first whose time ends in an earlier second; or, without
 * `popFromBackoffQ`, not at all. An attempt counts only if something has ended or a node has come up since the one before.
 *
 * Source: kube-scheduler, backend/queue (active_queue.go, backoff_queue.go, scheduling_queue.go), PrioritySort, KEP 5142. Deviations: the tasks of a job that
 * wait are tried together; a backoff ends on its second and not when the queue is next looked at, up to 1 s later; every end may make room for any job.
 */
export class SchedulingQueue implements Order {
  readonly #env: Env
  readonly #settings: BackoffSettings
  readonly #waiting: readonly Set<JobId>[]
  readonly #entries: readonly Map<JobId, Entry>[]
  #events = 0
  /** Tasks that have ended or gone since the last count of events. */
  #gone = 0
  #came = 0
  #serial = -1
  #sorted: JobId[] = []
  /** Jobs that the round does not see, since they back off. */
  #kept: readonly JobId[] = []
  #ids = new Int32Array(0)
  #left = 0

  constructor(env: Env, settings: BackoffSettings) {
    this.#env = env
    this.#settings = settings
    this.#waiting = env.cluster.lanes.map(() => new Set())
    this.#entries = env.cluster.lanes.map(() => new Map())
  }

  // ---- the order ----

  begin(round: Round): void {
    if (round.serial !== this.#serial) this.#sort(round)
    const waiting = this.#waiting[round.lane] as Set<JobId>
    if (this.#ids.length < this.#sorted.length) this.#ids = new Int32Array(2 * this.#sorted.length)
    this.#left = 0
    for (const job of this.#sorted) if (waiting.has(job)) this.#ids[this.#left++] = job
  }

  next(): JobBlock | undefined {
    const to = this.#left
    this.#left = 0
    return to === 0 ? undefined : { ids: this.#ids, from: 0, to }
  }

  /** The job was looked at among all nodes and found no place. */
  tried(job: JobId, { lane, now }: Round): void {
    const entry = this.#entry(job, lane)
    if (entry.events === this.#events) return
    entry.attempts++
    entry.events = this.#events
    entry.tried = now
    entry.came = this.#came++
  }

  /** To be called last in a round that is explained: tells of those who back off although there is room. */
  explain(round: Round): void {
    if (round.serial !== this.#serial) return // nobody waits
    for (const job of this.#kept)
      if (round.nodes.some((node) => round.fits(job, node))) round.defer(job, Reason.Limit, 'backoff')
      else round.defer(job, Reason.NoRoom)
  }

  #sort(round: Round): void {
    const { lane, now } = round
    const { work } = this.#env
    this.#serial = round.serial
    this.#count()
    const inTurn = (a: JobId, b: JobId) => work.priority(b) - work.priority(a) || this.#entry(a, lane).came - this.#entry(b, lane).came
    const waiting = [...(this.#waiting[lane] as Set<JobId>)]
    const ends = new Map(waiting.map((job) => [job, this.#end(job, lane)]))
    const isOver = (end: Seconds) => (this.#settings.popFromBackoffQ ? end < this.#aligned(now) : end <= now) // in its last second it is not
    const backingOff = waiting.filter((job) => !isOver(ends.get(job) as Seconds))
    this.#sorted = waiting.filter((job) => isOver(ends.get(job) as Seconds)).sort(inTurn)
    if (this.#settings.popFromBackoffQ) this.#sorted.push(...backingOff.sort((a, b) => (ends.get(a) as Seconds) - (ends.get(b) as Seconds) || inTurn(a, b)))
    else this.#kept = backingOff
    if (round.cluster.heartbeat === 0) for (const job of this.#kept) round.wakeAt(ends.get(job) as Seconds)
  }

  /** When the job's backoff ends; before all times for one that was not tried. */
  #end(job: JobId, lane: LaneId): Seconds {
    const { attempts, tried } = this.#entry(job, lane)
    return attempts === 0 ? -Infinity : this.#aligned(tried + backoffTime(attempts, this.#settings))
  }

  #aligned(time: Seconds): Seconds {
    return this.#settings.popFromBackoffQ ? Math.floor(time / WINDOW) * WINDOW : time
  }

  #count(): void {
    if (this.#gone > 0) this.#events++
    this.#gone = 0
  }

  #entry(job: JobId, lane: LaneId): Entry {
    return this.#entries[lane]?.get(job) as Entry
  }

  // ---- what keeps it current ----

  onReady(job: JobId, lane: LaneId): void {
    this.#waiting[lane]?.add(job)
    const entries = this.#entries[lane] as Map<JobId, Entry>
    if (!entries.has(job)) entries.set(job, { attempts: 0, tried: NaN, came: this.#came++, events: -1 }) // else what was drafted is taken back
  }

  onDrained(job: JobId, lane: LaneId): void {
    this.#waiting[lane]?.delete(job)
  }

  onClaim(_job: JobId, _lane: LaneId, task: TaskId): void {
    if (!Number.isNaN(this.#env.work.started(task))) this.#gone-- // it goes on running
  }

  onRelease(_job: JobId, _lane: LaneId, _task: TaskId, _node: NodeId, why: Release): void {
    if (why !== 'withdrawn') this.#gone++
  }

  onNode(_node: NodeId, up: boolean): void {
    if (up) this.#events++
  }

  onFinish(job: JobId): void {
    if (this.#env.work.comesAgain(job)) return
    for (const lane of this.#entries.keys()) {
      this.#waiting[lane]?.delete(job)
      this.#entries[lane]?.delete(job)
    }
  }

  /** What has started does not come again as what it was. */
  onCommit(): void {
    for (const [lane, entries] of this.#entries.entries()) for (const job of entries.keys()) if (this.#waiting[lane]?.has(job) !== true) entries.delete(job)
  }

  memory(): Kept {
    const isCounted = this.#gone <= 0
    return this.#waiting.map((jobs, lane) =>
      [...jobs]
        .sort((a, b) => this.#entry(a, lane as LaneId).came - this.#entry(b, lane as LaneId).came)
        .map((job) => {
          const { attempts, tried, events } = this.#entry(job, lane as LaneId)
          return [this.#env.work.name(job), attempts, attempts === 0 ? null : tried, isCounted && events === this.#events] as const
        }))
  }

  recall(memory: unknown): void {
    const jobs = jobsByName(this.#env.work)
    this.#gone = 0
    this.onCommit() // what was adopted
    for (const [lane, entries] of (memory as Kept).entries())
      for (const [name, attempts, tried, isUpToDate] of entries) {
        const job = jobs.get(name)
        if (job === undefined || this.#waiting[lane]?.has(job) !== true) continue
        this.#entries[lane]?.set(job, { attempts, tried: tried ?? NaN, came: this.#came++, events: isUpToDate ? this.#events : -1 })
      }
  }
}
