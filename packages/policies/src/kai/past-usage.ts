import { portableExp2, type ClusterView, type ResourceId, type Seconds } from '@sched/core'
import type { KaiSettings } from './options.js'

type Settings = NonNullable<KaiSettings['pastUsage']>

/** So many half-lives after it began to be counted anew, time is again: amounts that count twice as much with each would else exceed all numbers. */
const HALVINGS = 400

/** What is written down of one amount: what it was, since when, its sum until then, and the sums at fetches. */
type MeterMemory = readonly [amount: number, since: Seconds, sum: number, fetches: readonly number[], sums: readonly number[]]
/** The same of all, and of when they were fetched. */
export interface PastUsageMemory {
  readonly epoch: Seconds
  readonly fetched: readonly [last: number, first: number]
  /** By what they are of, and by resource. */
  readonly meters: Readonly<Record<string, readonly MeterMemory[]>>
}

/** The meters of what there is. */
const THERE = ''

/**
 * What each queue has had within a window of time, as part of all there was, as of the last time that it was fetched. With a half-life what is so much older
 * counts half.
 *
 * An instant counts 2^(t / half-life), which cancels out of a part, so that nothing needs to be counted anew as it grows old.
 *
 * Source: KAI Scheduler, time-based fairshare, `usagedb`: prometheus.go. Deviations: amounts are integrated, there sampled once a minute (`queryResolution`), and
 * a window begins at a time of fetching.
 */
export class PastUsage {
  readonly #settings: Settings
  readonly #cluster: Pick<ClusterView, 'resources' | 'capacity'>
  readonly #all = new Map<string, readonly Meter[]>()
  /** What there is. */
  readonly #there: readonly Meter[]
  #epoch: Seconds = 0
  /** Which fetch was the last one, and at which its window began. */
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
    for (const [of, before] of Object.entries(meters)) for (const [r, meter] of this.meters(of).entries()) if (before[r] !== undefined) meter.recall(before[r], now)
  }

  get kValue(): number {
    return this.#settings.kValue
  }

  /** Of what one queue has, by resource. */
  meters(of: string): readonly Meter[] {
    const known = this.#all.get(of) ?? this.#cluster.resources.map(() => new Meter(this))
    this.#all.set(of, known)
    return known
  }

  /** Whether it was time to fetch. To be asked whenever what there is has changed. */
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

  /** What was had as part of what there was; 0 where that was nothing. */
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

  /** Fetches are at whole numbers. */
  fetchesUntil(time: Seconds): number {
    return time / this.#settings.fetchInterval
  }

  /** The integral of what an instant counts, up to a constant factor. */
  counted(time: Seconds): number {
    const { halfLifePeriod } = this.#settings
    return halfLifePeriod === undefined ? time : portableExp2((time - this.#epoch) / halfLifePeriod)
  }

  /** Before anything is counted until now. */
  advance(now: Seconds): void {
    const { halfLifePeriod } = this.#settings
    if (halfLifePeriod === undefined || now - this.#epoch <= HALVINGS * halfLifePeriod) return
    const halvings = Math.floor((now - this.#epoch) / halfLifePeriod)
    this.#epoch += halvings * halfLifePeriod
    for (const meters of this.#all.values()) for (const meter of meters) meter.scale(portableExp2(-halvings))
  }
}

/** An amount that changes, summed over time as this counts. The sums at fetches are kept as far as others cannot be had of them. */
export class Meter {
  readonly #usage: PastUsage
  #amount = 0
  #since: Seconds = 0
  /** Until then. */
  #sum = 0
  /** Ascending. Between two of them the amount does not change, if there are fetches between them. */
  #fetches = [0]
  #sums = [0]

  constructor(usage: PastUsage) {
    this.#usage = usage
  }

  memory(): MeterMemory {
    return [this.#amount, this.#since, this.#sum, [...this.#fetches], [...this.#sums]]
  }

  /** With what the amount is now. */
  recall([amount, since, sum, fetches, sums]: MeterMemory, now: Seconds): void {
    const present = this.#amount
    this.#amount = amount
    this.#since = since
    this.#sum = sum
    this.#fetches = [...fetches]
    this.#sums = [...sums]
    this.set(present, now)
  }

  set(amount: number, now: Seconds): void {
    if (amount === this.#amount) return
    const usage = this.#usage
    usage.advance(now)
    const first = Math.ceil(usage.fetchesUntil(this.#since))
    const last = Math.floor(usage.fetchesUntil(now))
    if (first < last) this.#keep(first)
    if (first <= last) this.#keep(last)
    this.#sum = this.#sumAt(now)
    this.#since = now
    this.#amount = amount
  }

  /** The sum from one fetch to another. The first one never goes back. */
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

  /** After the last change. */
  #sumAt(time: Seconds): number {
    return this.#sum + this.#amount * (this.#usage.counted(time) - this.#usage.counted(this.#since))
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

  /** The last kept one that is not after another. */
  #before(fetch: number): number {
    let [low, high] = [0, this.#fetches.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((this.#fetches[middle] as number) <= fetch) low = middle
      else high = middle
    }
    return low
  }
}
