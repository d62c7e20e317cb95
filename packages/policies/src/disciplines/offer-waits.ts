import { grown, None, rememberedJobs, type ClusterView, type JobId, type LaneId, type NodeId, type Seconds, type WorkListener, type WorkView } from '@sched/core'

/** By job and lane: the level allowed so far, since when it is (null: from the next look on), and when the job last passed a node over (null: never). */
type OffersMemory = readonly (readonly [job: string, lane: LaneId, level: number, since: Seconds | null, passed: Seconds | null])[]

/**
 * How far from its data each job may launch, by the time since its waits began: at its submission, or for a later stage when the job is first
 * looked at. The waits begin anew at the end of a round in which the job has launched a task and passed no node over, at the level of the
 * nearest of these launches. So a near node that becomes free now and then does not keep other nodes idle. Where nodes come one at a time, with
 * their heartbeats, the job must have passed no node over for a heartbeat interval, in which every node is seen.
 *
 * Source: Spark 3.1 and later, TaskSchedulerImpl.resourceOffers, TaskSetManager.getAllowedLocalityLevel and computeValidLocalityLevels
 * (SPARK-18886). Deviation: all free slots are offered in every round, or with heartbeats in every interval; in Spark every second.
 */
export class OfferWaits implements WorkListener {
  readonly #work: WorkView
  /** Wait at each level before the next is allowed, seconds. */
  readonly #waits: Float64Array
  readonly #lanes: number
  /** Heartbeat interval, within which every node is seen, in seconds; 0 without heartbeats. */
  readonly #interval: Seconds
  /** `[job * lanes + lane]`: the level allowed so far; since when it is (NaN: from the next look on); when the job last passed a node over. */
  #level = new Int8Array(64)
  #since = new Float64Array(64)
  #passed = new Float64Array(64)
  /** `[job * lanes + lane]`: the round of the last launch, the nearest level of its launches, and the round in which the job last passed a node over. */
  #launchedIn = new Int32Array(64)
  #nearest = new Int8Array(64)
  #skippedIn = new Int32Array(64)
  /** Entries that launched a task in this round, and those that passed a node over. */
  readonly #launched: number[] = []
  readonly #skipped: number[] = []
  /** Number of nodes that are down. */
  #down = 0
  #round = 0
  #now: Seconds = NaN

  constructor(waits: Float64Array, lanes: number, interval: Seconds, work: WorkView) {
    this.#waits = waits
    this.#lanes = lanes
    this.#interval = interval
    this.#work = work
  }

  onSubmit(job: JobId): void {
    const needed = (job + 1) * this.#lanes
    this.#level = grown(this.#level, needed)
    this.#since = grown(this.#since, needed)
    this.#passed = grown(this.#passed, needed)
    this.#launchedIn = grown(this.#launchedIn, needed)
    this.#nearest = grown(this.#nearest, needed)
    this.#skippedIn = grown(this.#skippedIn, needed)
    for (let lane = 0; lane < this.#lanes; lane++) this.#begin(job * this.#lanes + lane, 0, this.#work.submitted(job))
  }

  memory(): OffersMemory {
    const row = (job: JobId, lane: number) => {
      const at = job * this.#lanes + lane
      const [since, passed] = [this.#since[at] as number, this.#passed[at] as number]
      return [this.#work.name(job), lane as LaneId, this.#level[at] as number, Number.isNaN(since) ? null : since, passed === -Infinity ? null : passed] as const
    }
    return this.#work.jobs().flatMap((job) => Array.from({ length: this.#lanes }, (_, lane) => row(job, lane)))
  }

  recall(memory: unknown): void {
    for (const [job, lane, level, since, passed] of rememberedJobs(memory as OffersMemory, this.#work)) {
      this.#begin(job * this.#lanes + lane, level, since ?? NaN)
      this.#passed[job * this.#lanes + lane] = passed ?? -Infinity
    }
  }

  onNode(_node: NodeId, up: boolean): void {
    this.#down += up ? -1 : 1
  }

  passRound(_lane: LaneId, now: Seconds): void {
    this.#now = now
    this.#round++
    this.#launched.length = 0
    this.#skipped.length = 0
  }

  /** The farthest level that the waits of `[job * lanes + lane]` allow. */
  allowed(at: number): number {
    let level = this.#level[at] as number
    let since = this.#since[at] as number
    if (Number.isNaN(since)) since = this.#now
    for (; level < this.#waits.length && this.#now - since >= (this.#waits[level] as number); level++) since += this.#waits[level] as number
    this.#since[at] = since
    this.#level[at] = level
    return level
  }

  /** The nearest level, from `level` on, at which the job has a task for a node that is up: waiting at a nearer one is in vain. */
  nearest(job: JobId, lane: LaneId, level: number, cluster: ClusterView): number {
    if (this.#down <= 0) return level
    for (let least = level; least < cluster.levels; least++)
      for (let node = 0 as NodeId; node < cluster.nodes; node++) if (cluster.up(node) && this.#work.taskFor(job, lane, node, least) !== None) return least
    return cluster.levels
  }

  skip(at: number): void {
    if (this.#skippedIn[at] === this.#round) return
    this.#skippedIn[at] = this.#round
    this.#skipped.push(at)
  }

  /** Notes a launch at level `reached`. One that was farther away than the waits allow, since no node with data was up, does not raise the allowed level. */
  launched(at: number, reached: number): void {
    const level = Math.min(reached, this.#level[at] as number)
    if (this.#launchedIn[at] === this.#round) {
      this.#nearest[at] = Math.min(this.#nearest[at] as number, level)
      return
    }
    this.#launchedIn[at] = this.#round
    this.#nearest[at] = level
    this.#launched.push(at)
  }

  /** Begins waits anew where they do. A job with nothing left to place has passed no node over, and its later tasks begin their waits at the next look. */
  endRound(lane: LaneId): void {
    for (const at of this.#skipped) if (this.#waitsFor(at, lane)) this.#passed[at] = this.#now
    for (const at of this.#launched) {
      if (!this.#waitsFor(at, lane)) this.#begin(at, 0, NaN)
      else if (this.#now - (this.#passed[at] as number) > this.#interval) this.#begin(at, this.#nearest[at] as number, this.#now)
    }
  }

  /** Seconds until the next wait of a job that was passed over runs out, `Infinity` where none does. */
  soonest(): Seconds {
    let soonest = Infinity
    for (const at of this.#skipped) {
      const level = this.allowed(at)
      if (level < this.#waits.length) soonest = Math.min(soonest, (this.#since[at] as number) + (this.#waits[level] as number) - this.#now)
    }
    return soonest
  }

  #waitsFor(at: number, lane: LaneId): boolean {
    return this.#work.unplaced(((at - lane) / this.#lanes) as JobId, lane) > 0
  }

  #begin(at: number, level: number, since: Seconds): void {
    this.#level[at] = level
    this.#since[at] = since
    this.#passed[at] = -Infinity
  }
}
