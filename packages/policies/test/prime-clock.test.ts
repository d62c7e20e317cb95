import { describe, expect, it } from 'vitest'
import { holidaysOf } from '../src/pbs/prime/holidays.js'
import { PrimeClock } from '../src/pbs/prime/prime-clock.js'

const [HOUR, DAY] = [3600, 86_400]
const warnings: string[] = []
const clockOf = (text: string, env: { readonly start?: number; readonly timeZone?: string } = {}) => new PrimeClock(holidaysOf(text, 'holidays'), { ...env, warn: (message) => warnings.push(message) })
/** When prime time begins and ends from a time on, as often as asked, and the status at that time. */
function changes(clock: PrimeClock, from: number, most: number): [isPrime: boolean, ...changes: number[]] {
  const found: number[] = []
  for (let time = from; found.length < most && clock.changeAfter(time) < Infinity; ) found.push((time = clock.changeAfter(time)))
  return [clock.isPrime(from), ...found]
}
const status = (text: string) => changes(clockOf(text), 0, 2)
const others = (day: string, rest: string) => ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'].filter((each) => each !== day).map((each) => `${each} ${rest}`).join('\n')

describe('the file of holidays (pbs_holidays)', () => {
  // a run that does not say when it began begins on a Sunday
  it('is prime time all day where a day is missing, or has all or none twice (test_missing_days, test_inconsistent_days)', () => {
    for (const today of ['', 'sunday all all', 'sunday none none', 'sunday all none']) expect(status(`YEAR 2026\n${others('sunday', 'none all')}\n${today}`)).toEqual([true, DAY, 7 * DAY])
    expect(status(`YEAR 2026\n${others('sunday', 'all none')}\nsunday none all`)).toEqual([false, DAY, 7 * DAY]) // test_non_prime
  })

  it('is prime time for ever in an empty file, one of comments, of a year alone, and where the year is 0 or missing', () => {
    const none = 'weekday none all\nsaturday none all\nsunday none all'
    for (const text of ['', 'YEAR 2026', 'YEAR 1999', 'YEAR 0', '# YEAR 1970\n* weekday 0600 1730', none, `YEAR 0\\n${none}`.replace('\\n', '\n')]) expect(status(text)).toEqual([true])
  })

  it('has a day of its own behind weekday (test_week_day_after_weekday)', () => {
    expect(status('YEAR 2026\nsunday all none\nweekday all none\nmonday none all')).toEqual([true, DAY, 2 * DAY])
    expect(status('YEAR 2026\nmonday none all\nweekday all none')).toEqual([true])
  })

  it('has non-prime time between two times that are the other way round, and all of holidays', () => {
    expect(changes(clockOf('YEAR 2026\nsunday 1800 0600'), 0, 3)).toEqual([true, 6 * HOUR, 18 * HOUR, 7 * DAY + 6 * HOUR])
    expect(changes(clockOf('YEAR 2026\nsunday 0600 0600'), 0, 3)).toEqual([true])
    expect(changes(clockOf('YEAR 2026\nsunday 0000 0600'), 0, 3)).toEqual([true, 6 * HOUR, DAY, 7 * DAY + 6 * HOUR])
    expect(changes(clockOf('YEAR 2026\nHOLIDAYFILE_VERSION1\n  3 Jan 3 Some day'), 0, 3)).toEqual([true, 2 * DAY, 3 * DAY, 367 * DAY]) // and a year later
  })

  it('goes by the clocks of the workload, and over their changes', () => {
    const start = Date.UTC(2026, 2, 27, 22) / 1000 // a Friday, 23 h in Stockholm, where clocks go forward on Sunday
    const days = 'YEAR 2026\nweekday 0600 1800\nsaturday none all\nsunday 0100 0400'
    expect(changes(clockOf(days, { start, timeZone: 'Europe/Stockholm' }), 0, 3)).toEqual([false, 26 * HOUR, 28 * HOUR, 54 * HOUR])
    expect(changes(clockOf(days, { start }), 0, 3)).toEqual([false, 27 * HOUR, 30 * HOUR, 56 * HOUR])
    expect(clockOf(days, { start }).isPrime(5 * DAY)).toBe(false)
  })

  it('does not know an end that is more than a week away', () => {
    const clock = clockOf('YEAR 2026\nweekday all none\nsaturday all none\nsunday all none\n20 a holiday')
    expect([clock.knownEnd(0), clock.knownEnd(12 * DAY - 1), clock.knownEnd(12 * DAY), clock.knownEnd(19 * DAY)]).toEqual([Infinity, Infinity, 19 * DAY, 20 * DAY])
  })

  it('tells of a workload that does not say when it began, and of holidays of another year', () => {
    warnings.length = 0
    clockOf('')
    clockOf('YEAR 2026')
    clockOf('YEAR 2026', { start: Date.UTC(2026, 6) / 1000 })
    clockOf('YEAR 2025', { start: Date.UTC(2026, 6) / 1000 })
    expect(warnings).toEqual([
      'prime-time: the workload does not say when it began: days and hours count as if that had been at midnight of 1 January, a Sunday',
      'prime-time: the holidays are those of 2025, and the workload began in 2026',
    ])
  })
})
