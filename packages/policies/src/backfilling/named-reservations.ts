import { grown, listOf, nodesByName, rememberedJobs, type Env, type JobId, type NodeId, type Round, type Seconds } from '@sched/core'
import { byStart, finiteStart, type Compression, type Promises } from './promises.js'
import type { RigidJobs } from './rigid-jobs.js'
import type { RigidLane } from './rigid-lane.js'
import type { WholeNodes } from './whole-nodes.js'

/** What the reservations of a lane go by beside what waits and runs: as of the last pass. */
interface NamedMemory {
  /** The time of that pass. */
  readonly at: Seconds
  /** What the lane had of each resource: where that is another now, no plan holds. */
  readonly capacity: readonly number[]
  /** By name of job: the reserved start, null where there is none that could be reserved, and the names of the nodes, one per task. */
  readonly reserved: readonly (readonly [job: string, start: Seconds | null, nodes: readonly string[]])[]
  /** Whether something ended since then, or lost its reservation, so that others may move. */
  readonly hasRoom: boolean
}

/**
 * The reserved starts of all waiting jobs of a lane, each on nodes of its own by name: conservative backfilling. A compression takes out each job in turn and
 * puts it back where it can start first, which is never later, on the lowest nodes that are free there. When a job outlives its estimate, all are placed
 * anew; also when one could not start at its time, as where decisions take time, and such jobs are the first then.
 *
 * Source: batsched, conservative_bf.
 */
export class NamedReservations implements Promises {
  readonly #lane: RigidLane
  readonly #jobs: RigidJobs
  readonly #plan: WholeNodes
  readonly #atAnyEnd: boolean
  readonly #byStart: boolean
  /** By job: the reserved start, `NaN` without one, `Infinity` for a job that has no start to reserve. */
  #start = new Float64Array(64).fill(NaN)
  /** The planned length of the reservation, in seconds. */
  #length = new Float64Array(64)
  /** The nodes reserved, one per task. */
  readonly #places = listOf<readonly NodeId[]>()
  /** Jobs with a reservation. */
  readonly #reserved = new Set<JobId>()
  readonly #queue: JobId[] = []
  #mustCompress = false
  #surprises = -1
  #now: Seconds

  constructor(lane: RigidLane, jobs: RigidJobs, plan: WholeNodes, { compress, compressOrder }: Compression) {
    this.#lane = lane
    this.#jobs = jobs
    this.#plan = plan
    this.#atAnyEnd = compress === 'all-ends'
    this.#byStart = compressOrder === 'start'
    lane.released = []
    this.#now = 0
  }

  reset(job: JobId): void {
    if (job >= this.#start.length) {
      this.#start = grown(this.#start, job + 1, NaN)
      this.#length = grown(this.#length, this.#start.length)
    }
    this.#forget(job)
  }

  withdraw(job: JobId): void {
    if (!this.#reserved.has(job)) return
    this.#forget(job)
    this.#mustCompress = true
  }

  startOf(job: JobId): Seconds | undefined {
    return finiteStart(this.#start[job])
  }

  memory(work: Env['work']): NamedMemory | null {
    if (this.#surprises !== this.#lane.surprises || this.#jobs.hasEarly(this.#lane)) return null
    const name = this.#plan.nameOf
    const reserved = [...this.#reserved].map((job) => {
      const start = this.#start[job] as number
      return [work.name(job), start === Infinity ? null : start, this.#placesOf(job).map(name)] as const
    })
    return { at: this.#now, capacity: [...this.#lane.capacity], reserved, hasRoom: this.#hasRoom() }
  }

  recall(memory: unknown, { cluster, work }: Env): void {
    const { at, capacity, reserved, hasRoom } = memory as NamedMemory
    const lane = this.#jobs.open({ now: at, lane: this.#lane.lane, cluster })
    if (!lane.hasCapacity(capacity)) return
    this.#now = at
    this.#surprises = lane.surprises
    this.#mustCompress = hasRoom
    ;(lane.released as number[]).length = 0
    const nodes = nodesByName(cluster)
    for (const [job, start, names] of rememberedJobs(reserved, work)) {
      const places = names.map((node) => nodes.get(node)).filter((node) => node !== undefined)
      if (lane.waits[job] === true && places.length === names.length) this.#keep(job, start ?? Infinity, places)
    }
  }

  update(round: Round): void {
    const { now } = round
    this.#now = now
    for (const job of this.#reserved) if (this.#length[job] !== this.#lane.length[job]) this.withdraw(job) // it is planned to run for another time now
    const late = new Set([...this.#reserved].filter((job) => (this.#start[job] as number) < now))
    if (this.#surprises !== this.#lane.surprises || late.size > 0) for (const job of this.#reserved) this.#forget(job)
    this.#surprises = this.#lane.surprises
    const mayMove = this.#hasRoom()
    this.#mustCompress = false
    ;(this.#lane.released as number[]).length = 0
    this.#plan.begin(round)
    for (const job of this.#reserved) this.#plan.hold(job, this.#placesOf(job), this.#start[job] as number)
    this.#queue.length = 0
    this.#jobs.read(round, this.#queue)
    if (mayMove) for (const job of this.#byStart ? this.#queueByStart() : this.#queue) this.#placeAnew(job, round)
    if (late.size > 0) for (const job of this.#queue) if (late.has(job)) this.#place(job, round)
    for (const job of this.#queue) if (!this.#reserved.has(job)) this.#place(job, round)
  }

  /** Whether something has ended, or lost its reservation, since the last pass. */
  #hasRoom(): boolean {
    return this.#mustCompress || this.#lane.hasReleased(this.#now, this.#atAnyEnd)
  }

  startDue(round: Round): boolean {
    for (const job of this.#queue) if ((this.#start[job] as number) <= round.now) this.#startPieces(job, round)
    return this.#mustCompress
  }

  /** Starts the job's next piece, and further ones that have a start now. One that cannot start keeps its nodes in this pass. */
  #startPieces(job: JobId, round: Round): void {
    do {
      const places = this.#placesOf(job)
      this.#forget(job)
      if (!this.#lane.fitsIn(this.#lane.free, job) || !this.#plan.sees(places) || !this.#jobs.start(job, round, places)) return this.#keep(job, round.now, places)
      if (round.work.unplaced(job, round.lane) > 0 && this.#lane.waits[job] === true) this.#place(job, round)
    } while (this.#start[job] === round.now)
  }

  wake(round: Round): void {
    let soonest = Infinity
    for (const job of this.#reserved) if ((this.#start[job] as number) > round.now) soonest = Math.min(soonest, this.#start[job] as number)
    if (soonest < Infinity) round.wakeAt(soonest)
  }

  /** Those with a reservation by its start (those that have none to reserve last), then by the length that is planned, then in the order of the queue. */
  #queueByStart(): JobId[] {
    return this.#queue.filter((job) => this.#reserved.has(job)).sort(byStart(this.#start, this.#length))
  }

  #placeAnew(job: JobId, round: Round): void {
    const before = this.#start[job] as number
    if (Number.isNaN(before)) return
    this.#plan.release(job, this.#placesOf(job), before)
    this.#place(job, round, before)
  }

  /** Reserves the earliest start, and tells it if it is another one than `before`. */
  #place(job: JobId, round: Round, before = NaN): void {
    const start = this.#plan.earliest(job)
    this.#keep(job, start, [...this.#plan.places])
    this.#plan.hold(job, this.#placesOf(job), start)
    if (start < Infinity && start !== before) round.reserve(job, start)
  }

  #keep(job: JobId, start: Seconds, places: readonly NodeId[]): void {
    this.#start[job] = start
    this.#length[job] = this.#lane.length[job] as number
    this.#places[job] = places
    this.#reserved.add(job)
  }

  #forget(job: JobId): void {
    this.#start[job] = NaN
    this.#reserved.delete(job)
  }

  #placesOf(job: JobId): readonly NodeId[] {
    return this.#places[job] as readonly NodeId[]
  }
}
