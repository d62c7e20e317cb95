import type { Seconds } from '@sched/core'

/** The next multiple of an interval after `now`; also where `now` is one and `now / interval` a little less than a whole number, as 9.9 / 3.3 may be. */
export function multipleAfter(now: Seconds, interval: Seconds): Seconds {
  const count = Math.floor(now / interval) + 1
  return count * interval > now ? count * interval : (count + 1) * interval
}
