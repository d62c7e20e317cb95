import { grown, type Seconds } from '@sched/core'
import { jainIndex } from './jain-index.js'
import { naturalOrder } from './natural-order.js'
import type { LaneShares } from './queue-shares.js'

/** Shares of one queue in a lane, as fractions of the lane: means over the time in which it was active beside others. */
export interface QueueFairness {
  /** Its full name. */
  readonly queue: string
  /** Time in which it was active beside another queue, seconds; the means are over this time. */
  readonly seconds: Seconds
  /** Mean fraction of the lane that it held. */
  readonly share: number
  /** Mean fair share. */
  readonly fairShare: number
  /** Mean of |share - fair share|. */
  readonly deviation: number
}

/** Shares of one queue at `LaneFairnessResult.times`, as fractions of the lane. */
export interface QueueSeries {
  /** Its full name. */
  readonly queue: string
  /** Fraction of the lane that it held. */
  readonly share: readonly number[]
  /** Fair share. */
  readonly fairShare: readonly number[]
}

/** How far the queues of a lane were from their fair shares. */
export interface LaneFairnessResult {
  /** The slot type, or the name of the only lane. */
  readonly lane: string
  /** Time in which at least two queues were active (had running or placeable tasks), seconds; the means are over this time. */
  readonly seconds: Seconds
  /** Mean over the active queues, then over time, of |share - fair share|, as a fraction of the lane; NaN when `seconds` is 0. */
  readonly meanDeviation: number
  /** Mean over time of Jain's index of share / fair share, in (0, 1]; instants in which nothing runs are left out. */
  readonly jain: number
  /** By queue, if asked for. */
  readonly queues: readonly QueueFairness[]
  /** Sampling times; empty unless series were asked for. */
  readonly times: readonly Seconds[]
  /** By queue that was asked for: one value for each of `times`. */
  readonly series: readonly QueueSeries[]
}

interface Series {
  readonly share: number[]
  readonly fairShare: number[]
}

const SECONDS = 0, SHARE = 1, FAIR = 2, DEVIATION = 3, WIDTH = 4

/** Adds up the samples of one lane. */
export class LaneFairness {
  #seconds = NaN
  #deviation = NaN
  #jainSeconds = NaN
  #jain = NaN
  /** Time-weighted sums, `[queue * WIDTH + column]`. */
  #sums = new Float64Array(0)
  readonly #times: number[] = []
  readonly #series = new Map<string, Series>()

  constructor(series: readonly string[]) {
    this.#seconds = this.#deviation = this.#jainSeconds = this.#jain = 0
    for (const queue of series) this.#series.set(queue, { share: [], fairShare: [] })
  }

  /** Adds a state that lasts for `seconds`; a negative number subtracts it. */
  add(seconds: Seconds, { count, queues, share, fair }: LaneShares): void {
    if (count < 2) return
    let deviations = 0
    for (let i = 0; i < count; i++) deviations += this.#addQueue(queues[i] as number, share[i] as number, fair[i] as number, seconds)
    this.#seconds += seconds
    this.#deviation += (seconds * deviations) / count
    const jain = jainIndex(share, fair, count)
    if (Number.isNaN(jain)) return
    this.#jainSeconds += seconds
    this.#jain += seconds * jain
  }

  /** Records a point of the series. */
  record(time: Seconds, { count, queues, share, fair }: LaneShares, names: readonly string[]): void {
    if (this.#series.size === 0) return
    this.#times.push(time)
    for (const series of this.#series.values()) {
      series.share.push(0)
      series.fairShare.push(0)
    }
    const last = this.#times.length - 1
    for (let i = 0; i < count; i++) {
      const series = this.#series.get(names[queues[i] as number] as string)
      if (series === undefined) continue
      series.share[last] = share[i] as number
      series.fairShare[last] = fair[i] as number
    }
  }

  /** Drops every other point of the series. */
  thin(): void {
    for (const points of [this.#times, ...[...this.#series.values()].flatMap(({ share, fairShare }) => [share, fairShare])]) {
      for (let i = 0; 2 * i < points.length; i++) points[i] = points[2 * i] as number
      points.length = Math.ceil(points.length / 2)
    }
  }

  result(lane: string, names: readonly string[], withQueues: boolean): LaneFairnessResult {
    const queues = withQueues ? names.flatMap((name, queue) => this.#queue(name, queue)) : []
    return {
      lane,
      seconds: this.#seconds,
      meanDeviation: this.#deviation / this.#seconds,
      jain: this.#jain / this.#jainSeconds,
      queues: queues.sort((a, b) => naturalOrder(a.queue, b.queue)),
      times: this.#times,
      series: [...this.#series].map(([queue, series]) => ({ queue, ...series })),
    }
  }

  #addQueue(queue: number, share: number, fair: number, seconds: Seconds): number {
    const at = queue * WIDTH
    const deviation = Math.abs(share - fair)
    this.#sums = grown(this.#sums, at + WIDTH)
    const sums = this.#sums
    sums[at + SECONDS] = (sums[at + SECONDS] as number) + seconds
    sums[at + SHARE] = (sums[at + SHARE] as number) + seconds * share
    sums[at + FAIR] = (sums[at + FAIR] as number) + seconds * fair
    sums[at + DEVIATION] = (sums[at + DEVIATION] as number) + seconds * deviation
    return deviation
  }

  #queue(queue: string, id: number): QueueFairness[] {
    const [seconds = 0, share = 0, fair = 0, deviation = 0] = this.#sums.subarray(id * WIDTH, (id + 1) * WIDTH)
    return seconds === 0 ? [] : [{ queue, seconds, share: share / seconds, fairShare: fair / seconds, deviation: deviation / seconds }]
  }
}
