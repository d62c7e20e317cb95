import type { Seconds } from '@sched/core'

/**
 * The first multiple of the interval after `now`, also where `now` is a multiple itself and rounding makes `now / interval` a little less than a
 * whole number.
 */
export function multipleAfter(now: Seconds, interval: Seconds): Seconds {
  const count = Math.floor(now / interval) + 1
  return count * interval > now ? count * interval : (count + 1) * interval
}
