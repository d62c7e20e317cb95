import { grown, None, rememberedJobs, type Env, type JobId, type Order, type Round, type Seconds } from '@sched/core'
import { Gaps } from './gaps.js'
import { Profile } from './profile.js'
import { byStart, finiteStart, type Compression, type Promises } from './promises.js'
import type { RigidJobs } from './rigid-jobs.js'
import type { RigidLane } from './rigid-lane.js'
import { planRunning, type Windows } from './windows.js'

/** What a plan goes by beside what waits and runs: as of the last pass. */
interface PlanMemory {
  /** The time of that pass. */
  readonly at: Seconds
  /** What the lane had of each resource: where that is another now, no plan holds. */
  readonly capacity: readonly number[]
  /** Reserved starts by name of job; null: there is none that could be reserved. */
  readonly starts: readonly (readonly [job: string, start: Seconds | null])[]
  /** Jobs that wait and were not placed, since a limit held them back. */
  readonly passedOver: readonly string[]
  /** Whether one of them should have started then and could not, and whether something was given back that others may move to. */
  readonly isStuck: boolean
  readonly hasRoom: boolean
  readonly hides: boolean
}

/** The reserved starts of all waiting jobs of a lane, and the profile that they and what runs leave: conservative backfilling. */
export class Reservations implements Promises {
  readonly #lane: RigidLane
  readonly #jobs: RigidJobs
  readonly #order: Order
  readonly #windows: Windows
  readonly #profile: Profile
  readonly #gaps: Gaps
  readonly #atAnyEnd: boolean
  readonly #byStart: boolean
  /** Reserved start by job: `NaN` without one, `Infinity` for a job that has no start to reserve. */
  #start = new Float64Array(64).fill(NaN)
  /** No reserved start is earlier, except of jobs that could not start when their time came, which was then. */
  #soonest: Seconds = Infinity
  #stuck: Seconds = Infinity
  #mustCompress = false
  #surprises = -1
  /** Whether a limit held jobs back when the order was read last. */
  #hides = false
  readonly #due: JobId[] = []

  constructor(lane: RigidLane, jobs: RigidJobs, order: Order, windows: Windows, { compress, compressOrder }: Compression) {
    this.#lane = lane
    this.#jobs = jobs
    this.#order = order
    this.#windows = windows
    this.#atAnyEnd = compress === 'all-ends'
    this.#byStart = compressOrder === 'start'
    this.#profile = new Profile(lane.width)
    this.#gaps = new Gaps(this.#profile)
    lane.released = []
  }

  reset(job: JobId): void {
    if (job >= this.#start.length) this.#start = grown(this.#start, job + 1, NaN)
    this.#start[job] = NaN
  }

  withdraw(job: JobId): void {
    const start = this.#start[job] as number
    if (Number.isNaN(start)) return
    this.#fill(job, start, -1)
    this.#start[job] = NaN
    this.#mustCompress = true
    this.#lane.newcomers = 2 // if it still waits, it will be found when the queue is read
  }

  startOf(job: JobId): Seconds | undefined {
    return finiteStart(this.#start[job])
  }

  memory(work: Env['work']): PlanMemory | null {
    if (this.#surprises !== this.#lane.surprises || this.#jobs.hasEarly(this.#lane)) return null
    const { newcomers, newcomer } = this.#lane
    const placed = work.jobs().filter((job) => !Number.isNaN(this.#start[job] as number))
    const starts = placed.map((job) => [work.name(job), finite(this.#start[job] as number)] as const)
    const passedOver = newcomers > 1 ? [] : this.#withoutStart(work).filter((job) => newcomers === 0 || job !== newcomer).map((job) => work.name(job))
    return { at: this.#profile.times[this.#profile.first] as number, capacity: [...this.#lane.capacity], starts, passedOver, isStuck: this.#stuck < Infinity, hasRoom: this.#mustCompress || this.#givesBack(), hides: this.#hides }
  }

  recall(memory: unknown, { cluster, work }: Env): void {
    const { at, capacity, starts, passedOver, isStuck, hasRoom, hides } = memory as PlanMemory
    const lane = this.#jobs.open({ now: at, lane: this.#lane.lane, cluster })
    if (!lane.hasCapacity(capacity)) return
    planRunning(this.#profile, lane, this.#windows, at)
    this.#surprises = lane.surprises
    ;(lane.released as number[]).length = 0
    this.#mustCompress = hasRoom
    this.#stuck = isStuck ? at : Infinity
    this.#hides = hides
    for (const [job, start] of rememberedJobs(starts, work)) if (lane.waits[job] === true) this.#take(job, start ?? Infinity, at)
    const newcomers = this.#withoutStart(work).filter((job) => !passedOver.includes(work.name(job)))
    lane.newcomers = newcomers.length
    lane.newcomer = newcomers.at(-1) ?? None
  }

  /** Jobs that wait and have none. */
  #withoutStart(work: Env['work']): JobId[] {
    return work.jobs().filter((job) => this.#lane.waits[job] === true && Number.isNaN(this.#start[job] as number))
  }

  #take(job: JobId, start: Seconds, at: Seconds): void {
    const { demand, length, width } = this.#lane
    this.#fill(job, start, 1)
    this.#gaps.want(demand[job * width] as number, length[job] as number)
    this.#start[job] = start
    if (start > at && start < this.#soonest) this.#soonest = start
  }

  /** Whether what ended since the last pass lets others move. */
  #givesBack(): boolean {
    return this.#lane.hasReleased(this.#profile.times[this.#profile.first] as number, this.#atAnyEnd)
  }

  update(round: Round): void {
    const lane = this.#lane
    if (this.#surprises !== lane.surprises || this.#soonest < round.now || this.#stuck < round.now) return this.#planAnew(round)
    this.#profile.advance(round.now)
    this.#giveBack(round.now)
    if (this.#mustCompress) this.#compress(round)
    if (lane.newcomers === 1) this.#placeNewcomer(lane.newcomer as JobId, round)
    else if (lane.newcomers > 1) this.#placeNewcomers(round)
    if (this.#hides) this.#placeNewcomers(round) // a limit may let them go when nobody arrives
  }

  startDue(round: Round): boolean {
    const { now } = round
    if (this.#soonest > now && this.#stuck > now) return false
    this.#stuck = Infinity
    const due = this.#due
    due.length = 0
    let soonest = Infinity
    let seen = 0
    const order = this.#order
    order.begin(round)
    for (let block = order.next(); block !== undefined; block = order.next())
      for (let i = block.from; i < block.to; i++) {
        const job = block.ids[i] as JobId
        const start = this.#start[job] as number
        seen++
        if (start <= now) due.push(job)
        else if (start < soonest) soonest = start
      }
    this.#hides = seen < this.#lane.waiting
    this.#soonest = this.#hides ? this.#soonestOfAll(now) : soonest
    for (const job of due) if (!Number.isNaN(this.#start[job])) this.#startPieces(job, round) // one may be withdrawn as another starts: a limit holds it back
    return this.#mustCompress
  }

  /** Also of jobs that a limit holds back. One that is due waits for a new plan. */
  #soonestOfAll(now: Seconds): Seconds {
    let soonest = Infinity
    let due = 0
    for (const start of this.#start)
      if (start <= now) due++
      else if (start < soonest) soonest = start
    if (due > this.#due.length) this.#stuck = now
    return soonest
  }

  /** A start can fall due when nothing else happens: where a job that moved later in the compression was to end. */
  wake(round: Round): void {
    if (this.#soonest < Infinity) round.wakeAt(this.#soonest)
  }

  /** Starts the job's next piece, and further ones that have a start now. */
  #startPieces(job: JobId, round: Round): void {
    do {
      this.#start[job] = NaN
      if (!this.#lane.fitsIn(this.#lane.free, job) || !this.#jobs.start(job, round)) {
        this.#start[job] = round.now // what should have ended still holds its room, or the nodes are in pieces: again at the next pass
        this.#stuck = round.now
        return
      }
      const soonest = this.#soonest
      if (round.work.unplaced(job, round.lane) > 0 && this.#lane.waits[job] === true) this.#place(job, round)
      if (this.#start[job] === round.now) this.#soonest = soonest // it starts at once, and nothing of it is left to come
    } while (this.#start[job] === round.now)
  }

  /** Reserves the earliest start. */
  #place(job: JobId, round: Round): void {
    const lane = this.#lane
    const start = this.#profile.earliest(lane.length[job] as number, lane.demand, job * lane.width)
    this.#fill(job, start, 1)
    this.#gaps.want(lane.demand[job * lane.width] as number, lane.length[job] as number)
    this.#promise(job, start, round)
  }

  #promise(job: JobId, start: Seconds, round: Round): void {
    this.#start[job] = start
    if (start < this.#soonest) this.#soonest = start
    if (start < Infinity) round.reserve(job, start)
  }

  #fill(job: JobId, start: Seconds, sign: 1 | -1): void {
    const lane = this.#lane
    if (start < Infinity) this.#profile.take(start, start + (lane.length[job] as number), lane.demand, job * lane.width, sign)
  }

  /** What ended before its expected end is free from now until then. */
  #giveBack(now: Seconds): void {
    const released = this.#lane.released as number[]
    if (released.length === 0) return
    const amounts = Float64Array.from(released)
    for (let at = 0; at < amounts.length; at += this.#lane.width + 1) {
      const until = amounts[at] as number
      if (Number.isNaN(until)) continue
      if (until > now) this.#profile.take(now, until, amounts, at + 1, -1)
      else if (!this.#atAnyEnd) continue
      this.#mustCompress = true
    }
    released.length = 0
  }

  /** Each job in order moves to an earlier start if it has one; its own reservation stays in place while one is looked for. */
  #compress(round: Round): void {
    this.#mustCompress = false
    this.#gaps.build()
    if (this.#byStart) {
      for (const job of this.#reservedByStart(round)) this.#bringForward(job, round)
      return
    }
    const order = this.#order
    order.begin(round)
    for (let block = order.next(); block !== undefined; block = order.next())
      for (let i = block.from; i < block.to; i++) this.#bringForward(block.ids[i] as JobId, round)
  }

  /** Jobs with a reservation by its start (those that have none to reserve last), then by the length that is planned, then in the order of the queue. */
  #reservedByStart(round: Round): JobId[] {
    const jobs: JobId[] = []
    this.#jobs.read(round, jobs)
    return jobs.filter((job) => (this.#start[job] as number) > round.now).sort(byStart(this.#start, this.#lane.length))
  }

  #bringForward(job: JobId, round: Round): void {
    const start = this.#start[job] as number
    if (!(start > round.now)) return
    const earlier = this.#earlier(job, start)
    if (earlier >= start) return
    this.#move(job, start, earlier)
    this.#promise(job, earlier, round)
  }

  /**
   * The earliest start before the reserved one, or no earlier time. The job fits into a gap that is as long as the job,
   * or into one that ends where its own reservation begins.
   */
  #earlier(job: JobId, start: Seconds): Seconds {
    const profile = this.#profile
    const { demand, length, width } = this.#lane
    const at = job * width
    const amount = demand[at] as number // gaps are those of the first resource: who asks none of it may go in others
    if (amount === 0 || this.#gaps.first(amount, length[job] as number) < start) return profile.earliestBefore(start, length[job] as number, demand, at)
    return profile.roomUntil(start, demand, at)
  }

  #move(job: JobId, start: Seconds, to: Seconds): void {
    const { demand, length, width } = this.#lane
    if (start === Infinity) return this.#fill(job, to, 1)
    const end = to + (length[job] as number)
    this.#profile.move(start, to, length[job] as number, demand, job * width)
    this.#gaps.note(Math.max(start, end), start + (length[job] as number))
  }

  /** Between its arrival and now a limit may have held it back. */
  #placeNewcomer(job: JobId, round: Round): void {
    if (this.#lane.waits[job] === true) this.#place(job, round)
  }

  #placeNewcomers(round: Round): void {
    const order = this.#order
    let seen = 0
    order.begin(round)
    for (let block = order.next(); block !== undefined; block = order.next())
      for (let i = block.from; i < block.to; i++) {
        seen++
        const job = block.ids[i] as JobId
        if (Number.isNaN(this.#start[job])) this.#place(job, round)
      }
    this.#hides = seen < this.#lane.waiting
  }

  /**
   * Every job is placed again, in order: what was planned does not hold, or a job could not start when its time came
   * (what should have ended had not, or no node had room for one of its tasks).
   */
  #planAnew(round: Round): void {
    const lane = this.#lane
    this.#surprises = lane.surprises
    ;(lane.released as number[]).length = 0
    this.#mustCompress = false
    this.#soonest = this.#stuck = Infinity
    planRunning(this.#profile, lane, this.#windows, round.now)
    this.#start.fill(NaN) // whom a limit holds back is placed when it lets him go
    this.#placeNewcomers(round)
  }
}

/** As JSON has it. */
const finite = (time: Seconds): Seconds | null => (time === Infinity ? null : time)
