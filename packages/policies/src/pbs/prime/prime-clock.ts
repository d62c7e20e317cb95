import type { Env, Seconds } from '@sched/core'
import { NEW_YEARS_SUNDAY, RunClock } from '../../run-clock.js'
import type { DayPart, Holidays } from './holidays.js'

const DAY: Seconds = 86_400
/** The status that is known never to end within so many days is taken never to end. */
const KNOWN_DAYS = 7
/** No status lasts longer, unless it never ends. */
const MOST_DAYS = 366
const HOLIDAY: readonly DayPart[] = [{ from: 0, isPrime: false }]

/**
 * When it is prime time, by a file of holidays and the clocks of the workload's time zone. A workload that does not say when it began is taken to have begun at midnight
 * of 1 January, a Sunday.
 *
 * Source: OpenPBS, is_prime_time and end_prime_status of prime.cpp.
 */
export class PrimeClock {
  readonly #holidays: Holidays
  readonly #clock: RunClock
  /** What was looked for last: the status from `#from` to `#end`. */
  #from: Seconds = NaN
  #end: Seconds = NaN
  #isPrime = true

  constructor(holidays: Holidays, { start, timeZone, warn }: Pick<Env, 'start' | 'timeZone' | 'warn'>) {
    this.#holidays = holidays
    this.#clock = new RunClock({ start, timeZone }, NEW_YEARS_SUNDAY)
    const { year } = holidays
    const began = new Date(this.#clock.shown(0) * 1000).getUTCFullYear()
    if (year !== 0 && !this.#clock.isDated) warn('prime-time: the workload does not say when it began: days and hours count as if that had been at midnight of 1 January, a Sunday')
    else if (year !== 0 && year !== began) warn(`prime-time: the holidays are those of ${year}, and the workload began in ${began}`)
  }

  isPrime(time: Seconds): boolean {
    this.#look(time)
    return this.#isPrime
  }

  /** The first time after this one at which prime time begins or ends; `Infinity`: never. */
  changeAfter(time: Seconds): Seconds {
    this.#look(time)
    return this.#end
  }

  /** The same as far as it is known at this time: `Infinity` where the day of the change begins more than a week later. */
  knownEnd(time: Seconds): Seconds {
    const change = this.changeAfter(time)
    if (change === Infinity) return change
    const shown = this.#clock.shown(change)
    return this.#clock.timeOf(shown - secondsOf(shown)) > time + KNOWN_DAYS * DAY ? Infinity : change
  }

  #look(time: Seconds): void {
    if (time >= this.#from && time < this.#end) return
    const shown = this.#clock.shown(time)
    const today = shown - secondsOf(shown)
    this.#from = time
    this.#isPrime = this.#partsOf(today).findLast(({ from }) => today + 60 * from <= shown)?.isPrime ?? true
    this.#end = this.#changeFrom(today, time)
  }

  #changeFrom(today: Seconds, time: Seconds): Seconds {
    for (let day = 0; day <= MOST_DAYS; day++)
      for (const { from, isPrime } of this.#partsOf(today + day * DAY)) {
        const change = isPrime === this.#isPrime ? -Infinity : this.#clock.timeOf(today + day * DAY + 60 * from)
        if (change > time) return change
      }
    return Infinity
  }

  /** `midnight`: the beginning of the day as clocks show it. */
  #partsOf(midnight: Seconds): readonly DayPart[] {
    const { year, days, holidays } = this.#holidays
    const date = new Date(midnight * 1000)
    const dayOfYear = 1 + Math.round((midnight - Date.UTC(date.getUTCFullYear(), 0) / 1000) / DAY)
    return year !== 0 && holidays.has(dayOfYear) ? HOLIDAY : year === 0 ? ALWAYS : (days[date.getUTCDay()] as readonly DayPart[])
  }
}

const ALWAYS: readonly DayPart[] = [{ from: 0, isPrime: true }]
const secondsOf = (shown: Seconds): Seconds => shown - Math.floor(shown / DAY) * DAY
