import { grown, type JobId, type LaneId, type NodeId, type Seconds, type WorkListener } from '@sched/core'

/** A job's state since the last heartbeat. ENDED: the job before it with this id stands in the list of skipped ones. */
const NOT = 0
const SKIPPED = 1
const ENDED = 2

/**
 * How far from its data each job may launch, and how long it has waited for that: of the time between two heartbeats a
 * job's wait is that which follows a heartbeat at which it was skipped. Without heartbeats rounds take their place.
 *
 * Source: Zaharia et al., EuroSys 2010, Algorithm 3.
 */
export class DelayWaits implements WorkListener {
  /** Wait at each level before the next is allowed, seconds. */
  readonly #waits: Float64Array
  readonly #lanes: number
  /** `[job * lanes + lane]`: level, seconds waited at it, and whether it was skipped at the last heartbeat. */
  #level = new Int8Array(64)
  #waited = new Float64Array(64)
  #isSkipped = new Uint8Array(64)
  /** The one skipped before it; -1 for the first. */
  #before = new Int32Array(64)
  /** Per lane: the one skipped last, -1 for none, and without heartbeats the time of the last round. */
  readonly #last: Int32Array
  readonly #lastRound: Float64Array
  #lastBeat: Seconds = NaN

  constructor(waits: Float64Array, lanes: number) {
    this.#waits = waits
    this.#lanes = lanes
    this.#last = new Int32Array(lanes).fill(-1)
    this.#lastRound = new Float64Array(lanes)
    this.#lastBeat = 0
  }

  onSubmit(job: JobId): void {
    const needed = (job + 1) * this.#lanes
    this.#level = grown(this.#level, needed)
    this.#waited = grown(this.#waited, needed)
    this.#isSkipped = grown(this.#isSkipped, needed)
    this.#before = grown(this.#before, needed)
    for (let at = job * this.#lanes; at < needed; at++) {
      this.#level[at] = 0
      this.#waited[at] = 0
      if (this.#isSkipped[at] === SKIPPED) this.#isSkipped[at] = ENDED
    }
  }

  /** A heartbeat of any node: jobs skipped at the one before have waited since. */
  onHeartbeat(_node: NodeId, now: Seconds): void {
    if (now === this.#lastBeat) return
    for (let lane = 0 as LaneId; lane < this.#lanes; lane++) this.#passTime(lane, now - this.#lastBeat)
    this.#lastBeat = now
  }

  /** A round of the lane where there are no heartbeats. */
  passRound(lane: LaneId, now: Seconds): void {
    this.#passTime(lane, now - (this.#lastRound[lane] as number))
    this.#lastRound[lane] = now
  }

  /** The farthest level that the waits of `[job * lanes + lane]` allow. */
  allowed(at: number): number {
    const waits = this.#waits
    const waited = this.#waited[at] as number
    let level = this.#level[at] as number
    let needed = 0
    while (level < waits.length) {
      needed += waits[level] as number
      if (waited < needed) break
      level++
    }
    return level
  }

  skip(at: number, lane: LaneId): void {
    if (this.#isSkipped[at] === NOT) {
      this.#before[at] = this.#last[lane] as number
      this.#last[lane] = at
    }
    this.#isSkipped[at] = SKIPPED
  }

  launched(at: number, level: number): void {
    this.#level[at] = level
    this.#waited[at] = 0
  }

  /** Seconds until the next delay of a job of the lane that was skipped runs out, `Infinity` where none does. */
  soonest(lane: LaneId): Seconds {
    let soonest = Infinity
    for (let at = this.#last[lane] as number; at >= 0; at = this.#before[at] as number) {
      if (this.#isSkipped[at] !== SKIPPED) continue
      let needed = 0
      for (let level = this.#level[at] as number; level < this.#waits.length; level++) {
        needed += this.#waits[level] as number
        const left = needed - (this.#waited[at] as number)
        if (left > 0 && left < soonest) soonest = left
      }
    }
    return soonest
  }

  /** Jobs of the lane that were skipped have waited. */
  #passTime(lane: LaneId, gap: Seconds): void {
    for (let at = this.#last[lane] as number; at >= 0; at = this.#before[at] as number) {
      if (this.#isSkipped[at] === SKIPPED) this.#waited[at] = (this.#waited[at] as number) + gap
      this.#isSkipped[at] = NOT
    }
    this.#last[lane] = -1
  }
}
