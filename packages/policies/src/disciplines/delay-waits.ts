import { grown, rememberedJobs, type JobId, type LaneId, type NodeId, type Seconds, type WorkListener, type WorkView } from '@sched/core'

/** Links of the lists of skipped jobs: OUT is an entry that is in no list; a link to `at` is `at + LINK`, and the first entry of a list has LINK - 1. */
const OUT = 0
const LINK = 2

/** Sums of gaps between heartbeats are rounded: a wait that is short of its end by this part of it is over. */
const ROUNDING = 1e-9

interface DelayMemory {
  /** By job and lane: the level allowed, the seconds waited, the wait from which the next level is allowed (null: none is), and whether it was skipped. */
  readonly waits: readonly (readonly [job: string, lane: LaneId, level: number, waited: Seconds, until: Seconds | null, isSkipped: boolean])[]
  readonly lastRounds: readonly Seconds[]
  readonly lastBeat: Seconds
}

/**
 * How far from its data each job may launch, and how long it has waited at that level. The time between two heartbeats counts as wait of a
 * job if the job was skipped at the first of them. Without heartbeats rounds take their place.
 *
 * Source: Zaharia et al., EuroSys 2010, Algorithm 3.
 */
export class DelayWaits implements WorkListener {
  /** Wait at each level before the next is allowed, seconds. */
  readonly #waits: Float64Array
  readonly #lanes: number
  readonly #work: WorkView
  /**
   * `[job * lanes + lane]`: the level allowed so far, the seconds waited since the last launch, and the wait in seconds from which the next level
   * is allowed.
   */
  #level = new Int8Array(64)
  #waited = new Float64Array(64)
  #until = new Float64Array(64)
  /** Of entries skipped since the last heartbeat: the link to the one skipped before it. */
  #before = new Int32Array(64)
  /** Per lane: the entry skipped last, -1 for none; and, used without heartbeats, the time of the last round. */
  readonly #last: Int32Array
  readonly #lastRound: Float64Array
  #lastBeat: Seconds = NaN

  constructor(waits: Float64Array, lanes: number, work: WorkView) {
    this.#waits = waits
    this.#work = work
    this.#lanes = lanes
    this.#last = new Int32Array(lanes).fill(-1)
    this.#lastRound = new Float64Array(lanes)
    this.#lastBeat = 0
  }

  onSubmit(job: JobId): void {
    const needed = (job + 1) * this.#lanes
    this.#level = grown(this.#level, needed)
    this.#waited = grown(this.#waited, needed)
    this.#until = grown(this.#until, needed)
    this.#before = grown(this.#before, needed)
    for (let lane = 0 as LaneId; lane < this.#lanes; lane++) {
      const at = job * this.#lanes + lane
      if (this.#before[at] !== OUT) this.#unlink(at, lane) // left by an earlier job with this id
      this.launched(at, 0)
    }
  }

  memory(): DelayMemory {
    const row = (job: JobId, lane: LaneId) => {
      const at = job * this.#lanes + lane
      const until = this.#until[at] as number
      return [this.#work.name(job), lane, this.#level[at] as number, this.#waited[at] as number, until === Infinity ? null : until, this.#before[at] !== OUT] as const
    }
    const all = this.#work.jobs().flatMap((job) => Array.from(this.#lastRound, (_, lane) => row(job, lane as LaneId)))
    return { waits: all.filter(([, , level, waited, , isSkipped]) => level > 0 || waited > 0 || isSkipped), lastRounds: [...this.#lastRound], lastBeat: this.#lastBeat }
  }

  recall(memory: unknown): void {
    const { waits, lastRounds, lastBeat } = memory as DelayMemory
    this.#lastBeat = lastBeat
    this.#lastRound.set(lastRounds.slice(0, this.#lanes))
    for (const [job, lane, level, waited, until, isSkipped] of rememberedJobs(waits, this.#work)) {
      const at = job * this.#lanes + lane
      this.#level[at] = level
      this.#waited[at] = waited
      this.#until[at] = until ?? Infinity
      if (isSkipped) this.skip(at, lane)
    }
  }

  /** A heartbeat of any node: jobs skipped at the heartbeat before it have waited since then. */
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
    return waitedFor(this.#waited[at] as number) < (this.#until[at] as number) ? (this.#level[at] as number) : this.#allowMore(at)
  }

  #allowMore(at: number): number {
    let level = this.#level[at] as number
    let until = this.#until[at] as number
    const waited = waitedFor(this.#waited[at] as number)
    while (waited >= until) until += this.#wait(++level)
    this.#until[at] = until
    this.#level[at] = level
    return level
  }

  #wait(level: number): Seconds {
    return level < this.#waits.length ? (this.#waits[level] as number) : Infinity
  }

  skip(at: number, lane: LaneId): void {
    if (this.#before[at] !== OUT) return
    this.#before[at] = (this.#last[lane] as number) + LINK
    this.#last[lane] = at
  }

  launched(at: number, level: number): void {
    this.#level[at] = level
    this.#waited[at] = 0
    this.#until[at] = this.#wait(level)
  }

  /** Seconds until the next delay of a job of the lane that was skipped runs out, `Infinity` where none does. */
  soonest(lane: LaneId): Seconds {
    let soonest = Infinity
    for (let at = this.#last[lane] as number; at >= 0; at = (this.#before[at] as number) - LINK) {
      this.allowed(at) // moves on past waits that are over already
      soonest = Math.min(soonest, (this.#until[at] as number) - (this.#waited[at] as number))
    }
    return soonest
  }

  /** Adds `gap` seconds to the waits of the skipped jobs of the lane, and empties their list. */
  #passTime(lane: LaneId, gap: Seconds): void {
    for (let at = this.#last[lane] as number; at >= 0; ) {
      const before = (this.#before[at] as number) - LINK
      this.#waited[at] = (this.#waited[at] as number) + gap
      this.#before[at] = OUT
      at = before
    }
    this.#last[lane] = -1
  }

  /** Takes an entry out of the list of its lane. */
  #unlink(at: number, lane: LaneId): void {
    let after = this.#last[lane] as number
    if (after === at) this.#last[lane] = (this.#before[at] as number) - LINK
    else {
      while (this.#before[after] !== at + LINK) after = (this.#before[after] as number) - LINK
      this.#before[after] = this.#before[at] as number
    }
    this.#before[at] = OUT
  }
}

/** What so many seconds of waiting count as. */
const waitedFor = (seconds: Seconds): Seconds => seconds * (1 + ROUNDING)
