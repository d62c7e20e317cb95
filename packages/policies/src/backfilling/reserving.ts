import { None, type Env, type JobId, type Order, type Round } from '@sched/core'
import { startHeads } from './heads.js'
import type { Window } from './options.js'
import { Profile } from './profile.js'
import type { RigidJobs } from './rigid-jobs.js'
import type { RigidLane } from './rigid-lane.js'
import { planRunning, Windows } from './windows.js'

/** Planned length for an estimate of 0, in seconds: a reservation of no length would keep nothing free for its job. */
const A_SECOND = 1

/**
 * Backfilling by a plan that is made anew at every pass. The first k waiting jobs in order get reservations, each at the earliest
 * start that running jobs, windows and the reservations before it leave. Every other job starts if it can do so now without moving a
 * reservation; so may a job between two jobs with reservations.
 */
export class Reserving {
  readonly #jobs: RigidJobs
  readonly #backfillOrder: Order | undefined
  readonly #reservations: number
  readonly #windows: Windows
  readonly #profiles: readonly Profile[]
  readonly #queue: JobId[] = []
  /** Jobs that have reservations in this plan. */
  readonly #reserved: JobId[] = []
  /** By lane: what the piece asks that is being started. */
  readonly #asked: readonly Float64Array[]

  /** `passOn`: see the option of `easy`. */
  constructor(env: Env, jobs: RigidJobs, backfillOrder: Order | undefined, reservations: number, windows: readonly Window[], private readonly passOn: boolean) {
    this.#jobs = jobs
    this.#backfillOrder = backfillOrder
    this.#reservations = reservations
    this.#windows = new Windows(windows, env.cluster)
    this.#profiles = jobs.lanes.map(({ width }) => new Profile(width))
    this.#asked = jobs.lanes.map(({ width }) => new Float64Array(width))
  }

  /** Returns the first job that must wait, or `None`. Plans again if a job with a reservation is held back by a limit, because one behind it started. */
  pass(round: Round, lane: RigidLane): JobId | None {
    for (;;) {
      const head = this.#planOnce(round, lane)
      if (this.#reserved.every((job) => lane.waits[job] === true)) return head
    }
  }

  #planOnce(round: Round, lane: RigidLane): JobId | None {
    this.#reserved.length = 0
    const profile = this.#profiles[lane.lane] as Profile
    const plan = () => planRunning(profile, lane, this.#windows, round.now)
    const head = startHeads(round, this.#jobs, lane, (job) => {
      plan()
      return fitsNow(job, lane, profile)
    })
    if (!this.#windows.isEmpty) this.#windows.wake(round)
    if (head === None) return None
    plan()
    const next = this.#reserve(round, lane, profile)
    if (this.#backfillOrder !== undefined) this.#readRest(round, this.#backfillOrder, next)
    for (let i = this.#backfillOrder === undefined ? next : 0; i < this.#queue.length; i++) this.#startNow(this.#queue[i] as JobId, round, lane, profile)
    return head
  }

  /** Goes through the queue until all reservations are made; returns the index in the queue after the last of them. */
  #reserve(round: Round, lane: RigidLane, profile: Profile): number {
    const queue = this.#queue
    queue.length = 0
    this.#jobs.read(round, queue)
    let made = 0
    let i = 0
    for (; i < queue.length && made < this.#reservations; i++) {
      const job = queue[i] as JobId
      this.#startNow(job, round, lane, profile)
      if (lane.waits[job] !== true) continue
      const at = job * lane.width
      const length = (lane.length[job] as number) || A_SECOND
      const start = profile.earliest(length, lane.demand, at)
      if (start === Infinity && this.passOn) continue
      made++
      this.#reserved.push(job)
      if (start === Infinity) continue // it waits for a job without an estimate or for nodes that are away; its reservation goes to no other job
      profile.take(start, start + length, lane.demand, at)
      round.reserve(job, start)
    }
    return i
  }

  /** The jobs without a reservation, in the order in which they are tried. */
  #readRest(round: Round, order: Order, reserved: number): void {
    const isReserved = new Set(this.#queue.slice(0, reserved))
    this.#queue.length = 0
    order.begin(round)
    for (let block = order.next(); block !== undefined; block = order.next())
      for (let i = block.from; i < block.to; i++) if (!isReserved.has(block.ids[i] as JobId)) this.#queue.push(block.ids[i] as JobId)
  }

  /** Starts the pieces of the job for which there is room at once. Of those that find no node, which may be most that wait, the plan need not know. */
  #startNow(job: JobId, round: Round, lane: RigidLane, profile: Profile): void {
    const asked = this.#asked[lane.lane] as Float64Array
    while (lane.waits[job] === true && lane.fitsIn(lane.free, job) && fitsNow(job, lane, profile)) {
      const now = profile.times[profile.first] as number
      const end = now + (lane.length[job] as number)
      const at = job * lane.width
      asked.set(lane.demand.subarray(at, at + lane.width)) // once it has started what the job asks is its next piece
      if (!this.#jobs.start(job, round)) return
      profile.take(now, end, asked, 0)
    }
  }
}

const fitsNow = (job: JobId, lane: RigidLane, profile: Profile) => profile.fitsNow(lane.length[job] as number, lane.demand, job * lane.width)
