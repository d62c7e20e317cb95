import { grown, None, type JobBlock, type JobId, type Round, type Seconds } from '@sched/core'
import { BlockBounds } from './block-bounds.js'
import type { RigidLane } from './rigid-lane.js'

/** What may pass the first waiting job: see `EasyOptions`. */
interface Passing {
  readonly extra: boolean
  readonly endBefore: boolean
}

/** The largest double below a time; nothing ends before time 0. */
const justBelow = (time: Seconds): Seconds => (time > 0 ? time * (1 - 2 ** -53) : -1)

/**
 * The reservation of the first waiting job: when enough will be free for it, and what else will be free then. It is kept
 * between passes as long as nothing has changed.
 */
export class Shadow {
  head: JobId | None = None
  time: Seconds = Infinity
  /** What passes ends then at the latest, or takes of what is extra. */
  #until: Seconds = Infinity
  /** Free at the shadow time beyond the head's demand. */
  readonly extra: Float64Array
  /** Jobs that may start, in the order in which they are to be tried: see `collect`. */
  candidates = new Int32Array(64)
  #count = 0
  /** The least that any job of the blocks read since `noCandidates`, candidate or not, asks of the first resource. */
  least = NaN
  /** What those found so far leave, if they count as started. */
  #inTurn = true
  readonly #room: Float64Array
  readonly #spare: Float64Array
  readonly #bounds: BlockBounds
  readonly #lane: RigidLane
  readonly #hasExtra: boolean
  readonly #endBefore: boolean
  /** `lane.changes` when it was computed, -1: not to be used again. */
  #seen = -1
  /** Rank of the job that was promised a start last. */
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

  /** To be used again at the next pass if nothing changes until then. */
  keep(): void {
    this.#seen = this.#lane.changes
  }

  /** The shadow of `head`, and the promise of it; `at`: it has been promised that time before. */
  compute(head: JobId, round: Round, at?: Seconds): void {
    this.head = head
    if (at === undefined) this.#find(head, round.now)
    else this.#findAt(head, at)
    if (!this.#hasExtra) this.extra.fill(-Infinity)
    this.#until = this.#endBefore ? justBelow(this.time) : this.time
    const rank = round.work.rank(head)
    if (this.time === Infinity || (rank === this.#promisedTo && this.time === this.#promised)) return
    this.#promisedTo = rank
    this.#promised = this.time
    round.reserve(head, this.time)
  }

  /** Adds up what running pieces give back, by end, until the head fits; all that end at that time are extra. */
  #find(head: JobId, now: Seconds): void {
    const { width, demand, free, running } = this.#lane
    const { extra } = this
    const { from, to, held } = running
    let missing = 0
    for (let r = 0; r < width; r++) {
      const left = (free[r] as number) - (demand[head * width + r] as number)
      extra[r] = left
      if (left < 0) missing++
    }
    let time = now
    for (let at = from; at < to && (missing > 0 || running.endAt(at) === time); at++) {
      time = running.endAt(at)
      const piece = running.pieceAt(at) * width
      for (let r = 0; r < width; r++) {
        const was = extra[r] as number
        const left = was + (held[piece + r] as number)
        extra[r] = left
        if (was < 0 && left >= 0) missing--
      }
    }
    this.time = missing > 0 ? Infinity : time
  }

  /** Below 0 where what should have ended by then will not have. */
  #findAt(head: JobId, time: Seconds): void {
    const { width, demand, free, running } = this.#lane
    const { from, to, held } = running
    for (let r = 0; r < width; r++) {
      let left = (free[r] as number) - (demand[head * width + r] as number)
      for (let at = from; at < to && running.endAt(at) <= time; at++) left += held[running.pieceAt(at) * width + r] as number
      this.extra[r] = left
    }
    this.time = time
  }

  /** Whether the job would end in time if it started now. */
  isBefore(job: JobId, now: Seconds): boolean {
    return now + (this.#lane.length[job] as number) <= this.#until
  }

  /** Whether the job would hold what it asks beyond the shadow time if it started now: one that ends then takes nothing of what is extra, even if it is too late. */
  isBeyond(job: JobId, now: Seconds): boolean {
    return now + (this.#lane.length[job] as number) > this.time
  }

  /** Takes what the job asks from the extra amounts, or gives it back. */
  use(job: JobId, sign: 1 | -1): void {
    subtract(this.extra, this.#lane, job, sign)
  }

  /**
   * Begins a new list of candidates. `inTurn`: each that is found counts as started for those behind it. Otherwise they
   * are all that could start alone, for when a start has failed that was counted on.
   */
  noCandidates(inTurn: boolean): void {
    this.#count = 0
    this.least = Infinity
    this.#inTurn = inTurn
    const { width, free } = this.#lane
    for (let r = 0; r < width; r++) {
      this.#room[r] = free[r] as number // `set` of a short column costs many times as much
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
    if (this.#lane.width === 1 && !this.#endBefore) this.#collectAmounts(block, now)
    else this.#collectVectors(block, now)
  }

  /** For one resource. Only a find is a branch that depends on a job: others would be mispredicted most of the time. */
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
      if (!this.isBefore(job, now) && !lane.fitsIn(this.#spare, job)) continue
      this.candidates[this.#count++] = job
      if (!this.#inTurn) continue
      subtract(this.#room, lane, job, 1)
      if (this.isBeyond(job, now)) subtract(this.#spare, lane, job, 1)
    }
  }

  /** The place, from `from` on, of the first candidate that can start with what is left now; -1 if there is none. */
  nextCandidate(from: number, now: Seconds): number {
    const count = this.#count
    const { width, demand, length, free } = this.#lane
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
    return lane.fitsIn(lane.free, job) && (this.isBefore(job, now) || lane.fitsIn(this.extra, job))
  }
}

function subtract(amounts: Float64Array, { width, demand }: RigidLane, job: JobId, sign: 1 | -1): void {
  for (let r = 0; r < width; r++) amounts[r] = (amounts[r] as number) - sign * (demand[job * width + r] as number)
}
