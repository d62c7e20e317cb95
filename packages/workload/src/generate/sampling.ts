import { portableLog, type Duration, type Seconds } from '@sched/core'

/** An exponential value with the given mean, from `u` uniform in [0, 1). */
export function exponential(u: number, mean: number): number {
  return -portableLog(1 - u) * mean
}

/** The items in an order drawn from the stream (Fisher-Yates shuffle). */
export function shuffled<T>(items: readonly T[], next: () => number): T[] {
  const order = [...items]
  for (let left = order.length; left > 1; left--) {
    const chosen = Math.floor(next() * left)
    const last = order[left - 1]!
    order[left - 1] = order[chosen]!
    order[chosen] = last
  }
  return order
}

/**
 * Submit times of `jobs` jobs with exponential gaps, scaled so that the last one is at `jobs` x `meanGap`: a short schedule keeps its published
 * length under every seed. The first gap precedes the first job.
 */
export function arrivals(jobs: number, meanGap: Seconds, next: () => number): Seconds[] {
  let sum = 0
  const times = Array.from({ length: jobs }, () => (sum += exponential(next(), 1)))
  return times.map((time) => toMillis((time / sum) * jobs * meanGap))
}

/** Rounds seconds to milliseconds, so that files stay short and readable. */
export function toMillis(seconds: Seconds): Seconds {
  return Math.round(seconds * 1000) / 1000
}

/** A duration with the given mean, uniform within the fraction `spread` of it on both sides. */
export function around(mean: Seconds, spread: number): Duration {
  return spread === 0 ? mean : { kind: 'uniform', min: mean * (1 - spread), max: mean * (1 + spread) }
}
