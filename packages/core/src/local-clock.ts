import { SchedError } from './error.js'
import type { Seconds } from './ids.js'

const DAY: Seconds = 86_400
const FIELDS = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const

/** Whether a name is one of a time zone: of the IANA database (`Europe/Stockholm`) or an older one (`US/Pacific`). */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false // offsets, which only later platforms take
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false // a RangeError
  }
}

/**
 * The clocks of a time zone, by the time zones that the platform knows: the same everywhere but for zones whose rules have been changed since. Times are
 * seconds since 1970, and what clocks show is the time at which clocks of UTC show that. Throws `BAD_OPTION` for a zone that there is not.
 */
export class LocalClock {
  readonly #format: Intl.DateTimeFormat

  constructor(timeZone: string) {
    if (!isTimeZone(timeZone)) throw new SchedError('BAD_OPTION', `there is no time zone ${JSON.stringify(timeZone)}.`, { field: 'timeZone' }, 'Write for example Europe/Stockholm.')
    this.#format = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
      timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric',
    })
  }

  /** What they show at a time. */
  shown(time: Seconds): Seconds {
    return time + this.#ahead(time)
  }

  /** When they first show that; where they skip it, when they go on. */
  first(shown: Seconds): Seconds {
    const [before, after] = [shown - this.#ahead(shown - DAY), shown - this.#ahead(shown + DAY)] // clocks are changed at most once in two days
    const both = [Math.min(before, after), Math.max(before, after)]
    return both.find((time) => this.shown(time) === shown) ?? before
  }

  /** Seconds that they are ahead of UTC. */
  #ahead(time: Seconds): Seconds {
    const whole = Math.floor(time)
    const parts = new Map(this.#format.formatToParts(whole * 1000).map(({ type, value }) => [type, Number(value)] as const))
    const [year, month, day, hour, minute, second] = FIELDS.map((field) => parts.get(field) ?? 0) as [number, number, number, number, number, number]
    return Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - whole
  }
}
