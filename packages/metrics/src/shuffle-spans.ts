import type { Seconds } from '@sched/core'

/** When tasks of one job fetched: the union of their time spans, which are reported in order of their ends. */
export class ShuffleSpans {
  #started = Infinity
  #opened = Infinity
  /** Disjoint spans, ascending: from, to, from, to, ... */
  readonly #spans: Seconds[] = []

  /** A task of the job has started. */
  start(now: Seconds): void {
    if (now < this.#started) this.#started = now
  }

  /** The job has something to fetch. */
  open(now: Seconds): void {
    if (now < this.#opened) this.#opened = now
  }

  /** A task that started at `started` has all its input. Returns how long it fetched. */
  fetched(started: Seconds, now: Seconds): Seconds {
    const spans = this.#spans
    const from = Math.min(now, Math.max(started, this.#opened))
    let first = from
    while (spans.length > 0 && (spans[spans.length - 1] as number) >= from) {
      spans.pop()
      first = Math.min(first, spans.pop() as number)
    }
    spans.push(first, now)
    return now - from
  }

  get hasFetched(): boolean {
    return this.#spans.length > 0
  }

  /** Seconds in which at least one task fetched. */
  get seconds(): Seconds {
    return this.#spans.reduce((sum, at, i) => (i % 2 === 0 ? sum - at : sum + at), 0)
  }

  /** These seconds as a fraction of the job's time from its first start; 0 for a job that took no time. */
  shareOf(end: Seconds): number {
    return end > this.#started ? this.seconds / (end - this.#started) : 0
  }
}
