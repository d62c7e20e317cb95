import { grown, None, type JobBlock, type JobId, type Round, type Seconds } from '@sched/core'
import { BlockBounds } from './block-bounds.js'
import type { RigidLane } from './rigid-lane.js'

/** What may pass the first waiting job: see `EasyOptions`. */
interface Passing {
  readonly extra: boolean
  readonly endBefore: boolean
}

/** The largest double below a time; -1 for time 0, before which nothing ends. */
const justBelow = (time: Seconds): Seconds => (time > 0 ? time * (1 - 2 ** -53) : -1)

/**
 * The reservation of the first waiting job: when enough will be free for it, and what else will be free then. It is kept
 * between passes as long as nothing has changed.
 */
export class Shadow {
  head: JobId | None = None
  time: Seconds = Infinity
  /** A job that passes the head must end by this time, or take only extra amounts. */
  #until: Seconds = Infinity
  /** Free at the shadow time beyond the head's demand. */
  readonly extra: Float64Array
  /** Jobs that may start, in the order in which they are to be tried: see `collect`. */
  candidates = new Int32Array(64)
  #count = 0
  /** The least that a job of the blocks read since `noCandidates` asks of the first resource, whether it is a candidate or not. */
  least = NaN
  /** Whether candidates count as started when those behind them are chosen; if so, `#room` and `#spare` are the free and extra amounts that they leave. */
  #inTurn = true
  readonly #room: Float64Array
  readonly #spare: Float64Array
  readonly #bounds: BlockBounds
  readonly #lane: RigidLane
  readonly #hasExtra: boolean
  readonly #endBefore: boolean
  /** The value of `lane.changes` when the shadow was computed; -1: it must not be used again. */
  #seen = -1
  /** Rank of the job that was last promised a start, and that start. */
  #promisedTo = NaN
  #promised: Seconds = Infinity

  constructor(lane: RigidLane, { extra, endBefore }: Passing) {
    this.#lane = lane
    this.#hasExtra = extra
    this.#endBefore = endBefore
    this.extra = new Float64Array(lane.width)
    this.#room = new Float64Array(lane.width)
    this.#spare = new Float64Array(lane.width)
    this.#bounds = new BlockBounds(lane)
  }

  get isCurrent(): boolean {
    return this.#seen === this.#lane.changes
  }

  forget(): void {
    this.head = None
    this.#seen = -1
  }

  /** The start that the job is promised; `undefined` if it is not the head, or has no shadow time. */
  startOf(job: JobId): Seconds | undefined {
    return job === this.head && this.time < Infinity ? this.time : undefined
  }

  /** Lets the next pass use the shadow again if nothing changes until then. */
  keep(): void {
    this.#seen = this.#lane.changes
  }

  /** Computes the shadow of `head` and promises it that start. `at`: the shadow time that it was promised before, which is kept. */
  compute(head: JobId, round: Round, at?: Seconds): void {
    this.head = head
    if (at === undefined) this.#findAllowed(head, round)
    else this.#findAt(head, at)
    if (!this.#hasExtra) this.extra.fill(-Infinity)
    this.#until = this.#endBefore ? justBelow(this.time) : this.time
    const rank = round.work.rank(head)
    if (this.time === Infinity || (rank === this.#promisedTo && this.time === this.#promised)) return
    this.#promisedTo = rank
    this.#promised = this.time
    round.reserve(head, this.time)
  }

  /** The first time at which the head fits and rules about the time of day let it start: what is free only grows until then. */
  #findAllowed(head: JobId, round: Round): void {
    this.#find(head, round.now)
    const from = this.time === Infinity ? undefined : round.mayStartFrom?.(head, this.time)
    if (from !== undefined && from > this.time) this.#findAt(head, from)
  }

  /** Adds up what running pieces give back, by end, until the head fits; what all pieces that end at that time leave beyond its demand is extra. */
  #find(head: JobId, now: Seconds): void {
    const { width, demand, free, running, capacity } = this.#lane
    const { extra } = this
    const { ends, held } = running
    const { to } = ends
    for (let r = 0; r < width; r++) extra[r] = (free[r] as number) - (demand[head * width + r] as number)
    let at = ends.areMany ? running.addWhileLacking(extra) : 0
    let missing = 0
    for (let r = 0; r < width; r++) if ((extra[r] as number) < 0) missing++
    let time = now
    for (; at < to && missing > 0; at = ends.after(at)) {
      time = ends.endAt(at)
      if (time === Infinity) {
        for (let r = 0; r < width; r++) extra[r] = (capacity[r] as number) - (demand[head * width + r] as number) // with all that is held, without a look at each
        break
      }
      const piece = ends.pieceAt(at) * width
      for (let r = 0; r < width; r++) {
        const was = extra[r] as number
        const left = was + (held[piece + r] as number)
        extra[r] = left
        if (was < 0 && left >= 0) missing--
      }
    }
    if (missing === 0 && at < to && ends.endAt(at) === time) running.addUntil(extra, time, at)
    this.time = missing > 0 ? Infinity : time
  }

  /** Computes the extra amounts at a given shadow time; they are below 0 where pieces that should have ended by then will still run. */
  #findAt(head: JobId, time: Seconds): void {
    const { width, demand, free, running } = this.#lane
    for (let r = 0; r < width; r++) this.extra[r] = (free[r] as number) - (demand[head * width + r] as number)
    running.addUntil(this.extra, time)
    this.time = time
  }

  /** Whether the job would end early enough to pass the head if it started now. */
  isBefore(job: JobId, now: Seconds): boolean {
    return now + (this.#lane.length[job] as number) <= this.#until
  }

  /** The same for the least that it may be planned to run. */
  mayBeBefore(job: JobId, now: Seconds): boolean {
    return now + (this.#lane.shortest[job] as number) <= this.#until
  }

  /** For how long a job that starts now may run to pass the head, seconds. */
  timeLeft(now: Seconds): Seconds {
    return this.#until - now
  }

  /**
   * Whether the job would still run after the shadow time if it started now. One that ends at that very time takes no extra amounts, even where
   * `endBefore` calls it too late.
   */
  isBeyond(job: JobId, now: Seconds): boolean {
    return now + (this.#lane.length[job] as number) > this.time
  }

  /** Takes what the job asks for from the extra amounts (`sign` 1), or gives it back (-1). */
  use(job: JobId, sign: 1 | -1): void {
    subtract(this.extra, this.#lane, job, sign)
  }

  /**
   * Begins a new list of candidates. With `inTurn` each candidate counts as started when those behind it are chosen. Otherwise the
   * candidates are all jobs that could start alone; that is for when an expected start has failed.
   */
  noCandidates(inTurn: boolean): void {
    this.#count = 0
    this.least = Infinity
    this.#inTurn = inTurn
    const { width, free } = this.#lane
    for (let r = 0; r < width; r++) {
      this.#room[r] = free[r] as number // for a short column `set` would cost many times as much
      this.#spare[r] = this.extra[r] as number
    }
  }

  /** Adds the jobs of a block that may start to the candidates. */
  collect(block: JobBlock, now: Seconds): void {
    if (!this.#bounds.mayHold(block, this.#room[0] as number, this.#spare[0] as number, now, this.#until)) {
      this.least = Math.min(this.least, this.#bounds.leastOf(block))
      return
    }
    if (this.#count + block.to - block.from > this.candidates.length) this.candidates = grown(this.candidates, this.#count + block.to - block.from)
    if (this.#lane.width === 1 && !this.#endBefore && !this.#lane.areShorter) this.#collectAmounts(block, now)
    else this.#collectVectors(block, now)
  }

  /** The same for one resource. Only finding a candidate is a branch that depends on the job; other such branches would be mispredicted most of the time. */
  #collectAmounts({ ids, from, to }: JobBlock, now: Seconds): void {
    const { demand, length } = this.#lane
    const { candidates, head } = this
    const until = this.#until
    const take = this.#inTurn ? 1 : 0
    let room = this.#room[0] as number
    let spare = this.#spare[0] as number
    let least = this.least
    for (let i = from; i < to; i++) {
      const job = ids[i] as number
      const asks = demand[job] as number
      if (asks < least) least = asks
      const isBefore = +(now + (length[job] as number) <= until)
      if ((+(asks <= room) & (isBefore | +(asks <= spare))) === 0 || job === head) continue
      candidates[this.#count++] = job
      room -= take * asks
      spare -= take * asks * (1 - isBefore)
    }
    this.#room[0] = room
    this.#spare[0] = spare
    this.least = least
  }

  #collectVectors({ ids, from, to }: JobBlock, now: Seconds): void {
    const lane = this.#lane
    for (let i = from; i < to; i++) {
      const job = ids[i] as JobId
      this.least = Math.min(this.least, lane.demand[job * lane.width] as number)
      if (!lane.fitsIn(this.#room, job) || job === this.head) continue
      const isShort = !this.isBefore(job, now) && !lane.fitsIn(this.#spare, job)
      if (isShort && !this.mayBeBefore(job, now)) continue
      this.candidates[this.#count++] = job
      if (!this.#inTurn) continue
      subtract(this.#room, lane, job, 1)
      if (!isShort && this.isBeyond(job, now)) subtract(this.#spare, lane, job, 1)
    }
  }

  /** The index, from `from` on, of the first candidate that can start with what is left now; -1 if there is none. */
  nextCandidate(from: number, now: Seconds): number {
    const count = this.#count
    const { width, demand, shortest: length, free } = this.#lane
    const { candidates, head } = this
    const until = this.#until
    const room = free[0] as number
    const extra = this.extra[0] as number
    for (let i = from; i < count; i++) {
      const job = candidates[i] as JobId
      const asks = demand[job * width] as number
      if (asks > room || (asks > extra && now + (length[job] as number) > until) || job === head) continue
      if (width === 1 || this.#mayStart(job, now)) return i
    }
    return -1
  }

  #mayStart(job: JobId, now: Seconds): boolean {
    const lane = this.#lane
    return lane.fitsIn(lane.free, job) && (this.mayBeBefore(job, now) || lane.fitsIn(this.extra, job))
  }
}

function subtract(amounts: Float64Array, { width, demand }: RigidLane, job: JobId, sign: 1 | -1): void {
  for (let r = 0; r < width; r++) amounts[r] = (amounts[r] as number) - sign * (demand[job * width + r] as number)
}
