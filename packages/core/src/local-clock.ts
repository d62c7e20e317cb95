import { SchedError } from './error.js'
import type { Seconds } from './ids.js'

const DAY: Seconds = 86_400
const FIELDS = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const

/** Whether a name denotes a time zone: of the IANA database (`Europe/Stockholm`) or an older name (`US/Pacific`). */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false // an offset such as +01:00, which only newer platforms accept
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false // it throws a RangeError
  }
}

/**
 * The local clock of a time zone, from the platform's time zone data: results are the same everywhere except for zones whose rules have changed
 * since. Times are seconds since 1970. A local time is given as the time at which a UTC clock shows the same. Throws `BAD_OPTION` for an unknown
 * zone.
 */
export class LocalClock {
  readonly #format: Intl.DateTimeFormat

  constructor(timeZone: string) {
    if (!isTimeZone(timeZone)) throw new SchedError('BAD_OPTION', `there is no time zone ${JSON.stringify(timeZone)}.`, { field: 'timeZone' }, 'Write for example Europe/Stockholm.')
    this.#format = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
      timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric',
    })
  }

  /** The local time at a time. */
  shown(time: Seconds): Seconds {
    return time + this.#ahead(time)
  }

  /** The first time at which the clock shows a local time; if the clock skips it, the corresponding time after the skip. */
  first(shown: Seconds): Seconds {
    const [before, after] = [shown - this.#ahead(shown - DAY), shown - this.#ahead(shown + DAY)] // the offset changes at most once in two days
    const both = [Math.min(before, after), Math.max(before, after)]
    return both.find((time) => this.shown(time) === shown) ?? before
  }

  /** Seconds by which the clock is ahead of UTC. */
  #ahead(time: Seconds): Seconds {
    const whole = Math.floor(time)
    const parts = new Map(this.#format.formatToParts(whole * 1000).map(({ type, value }) => [type, Number(value)] as const))
    const [year, month, day, hour, minute, second] = FIELDS.map((field) => parts.get(field) ?? 0) as [number, number, number, number, number, number]
    return Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - whole
  }
}
