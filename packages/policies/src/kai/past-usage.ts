import { partitionPoint, portableExp2, type ClusterView, type ResourceId, type Seconds } from '@sched/core'
import type { KaiSettings } from './options.js'

type Settings = NonNullable<KaiSettings['pastUsage']>

/** After so many half-lives the origin of time is moved: what an instant counts doubles with each half-life and would exceed all numbers. */
const HALVINGS = 400

/** State of a meter: its amount, the time since when, its sum until then, and the sums at fetches. */
type MeterMemory = readonly [amount: number, since: Seconds, sum: number, fetches: readonly number[], sums: readonly number[]]
/** State of all meters, and of the fetches. */
export interface PastUsageMemory {
  readonly epoch: Seconds
  readonly fetched: readonly [last: number, first: number]
  /** By name of a queue ('' for the cluster), then by resource. */
  readonly meters: Readonly<Record<string, readonly MeterMemory[]>>
}

/** Name of the meters of the cluster's capacity. */
const THERE = ''

/**
 * What each queue has had within a window of time, as a fraction of all there was, as of the last fetch. With a half-life, usage that is one half-life older
 * counts half.
 *
 * An instant t counts 2^(t / half-life). That factor cancels out of a fraction, so that nothing has to be counted anew as it grows old.
 *
 * Source: KAI Scheduler, time-based fairshare, `usagedb`: prometheus.go. Deviations: amounts are integrated, in KAI sampled once a minute
 * (`queryResolution`); a window begins at the time of a fetch.
 */
export class PastUsage {
  readonly #settings: Settings
  readonly #cluster: Pick<ClusterView, 'resources' | 'capacity'>
  readonly #all = new Map<string, readonly Meter[]>()
  /** Meters of the cluster's capacity. */
  readonly #there: readonly Meter[]
  #epoch: Seconds = 0
  /** The number of the last fetch, and that of the fetch at which its window began. */
  #last = 0
  #first = 0

  constructor(settings: Settings, cluster: Pick<ClusterView, 'resources' | 'capacity'>, now: Seconds) {
    this.#settings = settings
    this.#cluster = cluster
    this.#there = this.meters(THERE)
    this.#lookAround(now)
  }

  memory(): PastUsageMemory {
    return { epoch: this.#epoch, fetched: [this.#last, this.#first], meters: Object.fromEntries(Array.from(this.#all, ([of, meters]) => [of, meters.map((meter) => meter.memory())])) }
  }

  recall({ epoch, fetched, meters }: PastUsageMemory, now: Seconds): void {
    this.#epoch = epoch
    ;[this.#last, this.#first] = fetched
    for (const [of, before] of Object.entries(meters))
      for (const [r, meter] of this.meters(of).entries()) {
        if (before[r] === undefined) continue
        const present = meter.amount
        meter.recall(before[r])
        if (of !== THERE) meter.set(present, now) // what is there is looked at with the next fetch, as without the restart
      }
  }

  get kValue(): number {
    return this.#settings.kValue
  }

  /** The meters of what a queue has, by resource. */
  meters(of: string): readonly Meter[] {
    const known = this.#all.get(of) ?? this.#cluster.resources.map(() => new Meter(this))
    this.#all.set(of, known)
    return known
  }

  /** Fetches if it is time to; returns whether it did. To be called whenever the capacity has changed. */
  fetch(now: Seconds): boolean {
    this.#lookAround(now)
    const { fetchInterval, windowSize, windowType } = this.#settings
    const last = Math.floor(now / fetchInterval)
    if (last <= this.#last) return false
    this.#last = last
    const end = last * fetchInterval
    const start = windowType === 'sliding' ? end - windowSize : (Math.ceil(end / windowSize) - 1) * windowSize
    this.#first = Math.max(0, Math.floor(start / fetchInterval))
    this.advance(now)
    return true
  }

  /** When it is time to fetch again. */
  get next(): Seconds {
    return this.timeOf(this.#last + 1)
  }

  /** The fraction of the capacity that was had within the window; 0 if there was no capacity. */
  part(had: readonly Meter[], r: ResourceId): number {
    const sum = (meter: Meter | undefined) => meter?.between(this.#first, this.#last) ?? 0
    const all = sum(this.#there[r])
    return all === 0 ? 0 : sum(had[r]) / all
  }

  #lookAround(now: Seconds): void {
    for (const [r, meter] of this.#there.entries()) meter.set(this.#cluster.capacity(r as ResourceId), now)
  }

  timeOf(fetch: number): Seconds {
    return fetch * this.#settings.fetchInterval
  }

  /** A time in fetch intervals; fetches are at whole numbers. */
  fetchesUntil(time: Seconds): number {
    return time / this.#settings.fetchInterval
  }

  /** The integral of what an instant counts, up to a constant factor. */
  counted(time: Seconds): number {
    const { halfLifePeriod } = this.#settings
    return halfLifePeriod === undefined ? time : portableExp2((time - this.#epoch) / halfLifePeriod)
  }

  /** Moves the origin of time if needed; to be called before anything is counted up to now. */
  advance(now: Seconds): void {
    const { halfLifePeriod } = this.#settings
    if (halfLifePeriod === undefined || now - this.#epoch <= HALVINGS * halfLifePeriod) return
    const halvings = Math.floor((now - this.#epoch) / halfLifePeriod)
    this.#epoch += halvings * halfLifePeriod
    for (const meters of this.#all.values()) for (const meter of meters) meter.scale(portableExp2(-halvings))
  }
}

/** An amount that changes, integrated over time as `PastUsage` counts it. Sums at fetches are kept as far as they cannot be interpolated from others. */
export class Meter {
  readonly #usage: PastUsage
  /** The amount at present; `set` changes it. */
  amount = 0
  #since: Seconds = 0
  /** The sum until `#since`. */
  #sum = 0
  /** Kept fetches, ascending, and the sums at them. If other fetches lie between two kept ones, the amount did not change in between. */
  #fetches = [0]
  #sums = [0]

  constructor(usage: PastUsage) {
    this.#usage = usage
  }

  memory(): MeterMemory {
    return [this.amount, this.#since, this.#sum, [...this.#fetches], [...this.#sums]]
  }

  recall([amount, since, sum, fetches, sums]: MeterMemory): void {
    this.amount = amount
    this.#since = since
    this.#sum = sum
    this.#fetches = [...fetches]
    this.#sums = [...sums]
  }

  set(amount: number, now: Seconds): void {
    if (amount === this.amount) return
    const usage = this.#usage
    usage.advance(now)
    const first = Math.ceil(usage.fetchesUntil(this.#since))
    const last = Math.floor(usage.fetchesUntil(now))
    if (first < last) this.#keep(first)
    if (first <= last) this.#keep(last)
    this.#sum = this.#sumAt(now)
    this.#since = now
    this.amount = amount
  }

  /** The sum from fetch `first` to fetch `last`. `first` never decreases from call to call, so that older sums are dropped. */
  between(first: number, last: number): number {
    const index = this.#before(first)
    if (index > this.#fetches.length / 2) {
      this.#fetches = this.#fetches.slice(index)
      this.#sums = this.#sums.slice(index)
    }
    return this.#until(last) - this.#until(first)
  }

  scale(factor: number): void {
    this.#sum *= factor
    this.#sums = this.#sums.map((sum) => sum * factor)
  }

  #keep(fetch: number): void {
    if (fetch <= (this.#fetches.at(-1) as number)) return
    this.#fetches.push(fetch)
    this.#sums.push(this.#sumAt(this.#usage.timeOf(fetch)))
  }

  /** The sum at a time after the last change. */
  #sumAt(time: Seconds): number {
    return this.#sum + this.amount * (this.#usage.counted(time) - this.#usage.counted(this.#since))
  }

  #until(fetch: number): number {
    const usage = this.#usage
    if (usage.timeOf(fetch) >= this.#since) return this.#sumAt(usage.timeOf(fetch))
    const index = this.#before(fetch)
    const [from, sum] = [this.#fetches[index] as number, this.#sums[index] as number]
    if (from === fetch) return sum
    const [start, end] = [usage.counted(usage.timeOf(from)), usage.counted(usage.timeOf(this.#fetches[index + 1] as number))]
    return start === end ? sum : sum + (((this.#sums[index + 1] as number) - sum) * (usage.counted(usage.timeOf(fetch)) - start)) / (end - start)
  }

  /** The index of the last kept fetch that is not after `fetch`. */
  #before(fetch: number): number {
    return partitionPoint(1, this.#fetches.length, (i) => (this.#fetches[i] as number) <= fetch) - 1
  }
}
