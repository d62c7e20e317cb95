import { None, type JobBlock, type JobId, type Round, type Seconds } from '@sched/core'
import type { RigidLane } from './rigid-lane.js'

/**
 * The reservation of the first waiting job: when enough will be free for it, and what else will be free then. It is kept
 * between passes as long as nothing has changed.
 */
export class Shadow {
  head: JobId | None = None
  time: Seconds = Infinity
  /** Free at the shadow time beyond the head's demand. */
  readonly extra: Float64Array
  readonly #lane: RigidLane
  /** `lane.changes` when it was computed, -1: not to be used again. */
  #seen = -1
  #promisedTo: JobId | None = None
  #promised: Seconds = Infinity

  constructor(lane: RigidLane) {
    this.#lane = lane
    this.extra = new Float64Array(lane.width)
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

  /** The shadow of `head`, and the promise of it. */
  compute(head: JobId, round: Round): void {
    this.head = head
    this.#find(head, round.now)
    if (this.time === Infinity || (head === this.#promisedTo && this.time === this.#promised)) return
    this.#promisedTo = head
    this.#promised = this.time
    round.reserve(head, this.time)
  }

  /** Adds up what running pieces give back, by end, until the head fits; all that end at that time are extra. */
  #find(head: JobId, now: Seconds): void {
    const { width, demand, free, running } = this.#lane
    const { extra } = this
    const { ends, pieces, held, count } = running
    let missing = 0
    for (let r = 0; r < width; r++) {
      const left = (free[r] as number) - (demand[head * width + r] as number)
      extra[r] = left
      if (left < 0) missing++
    }
    let at = 0
    let time = now
    for (; at < count && (missing > 0 || ends[at] === time); at++) {
      time = ends[at] as number
      const piece = (pieces[at] as number) * width
      for (let r = 0; r < width; r++) {
        const was = extra[r] as number
        const left = was + (held[piece + r] as number)
        extra[r] = left
        if (was < 0 && left >= 0) missing--
      }
    }
    this.time = missing > 0 ? Infinity : time
  }

  /** Whether the job would end by the shadow time if it started now. */
  isBefore(job: JobId, now: Seconds): boolean {
    return now + (this.#lane.length[job] as number) <= this.time
  }

  /** Takes what the job asks from the extra amounts, or gives it back. */
  use(job: JobId, sign: 1 | -1): void {
    const { width, demand } = this.#lane
    for (let r = 0; r < width; r++) this.extra[r] = (this.extra[r] as number) - sign * (demand[job * width + r] as number)
  }

  /** Appends the jobs of a block, other than the head, that could start now. */
  collect({ ids, from, to }: JobBlock, now: Seconds, out: JobId[]): void {
    const { width, demand, length, free } = this.#lane
    if (width > 1) {
      for (let i = from; i < to; i++) if (this.#mayStart(ids[i] as JobId, now)) out.push(ids[i] as JobId)
      return
    }
    const { time, head } = this
    const room = free[0] as number
    const extra = this.extra[0] as number
    for (let i = from; i < to; i++) {
      const job = ids[i] as JobId
      const asks = demand[job] as number
      if (asks <= room && (asks <= extra || now + (length[job] as number) <= time) && job !== head) out.push(job)
    }
  }

  #mayStart(job: JobId, now: Seconds): boolean {
    const lane = this.#lane
    return lane.fitsIn(lane.free, job) && (this.isBefore(job, now) || lane.fitsIn(this.extra, job)) && job !== this.head
  }
}
