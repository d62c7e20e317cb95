import { SchedError } from '@sched/core'

/** A part of a day, from its first minute on (minutes after midnight), and whether it is prime time. */
export interface DayPart {
  readonly from: number
  readonly isPrime: boolean
}

/** What a file of holidays says. */
export interface Holidays {
  /** The year of the file; 0: there is none, and it is always prime time. */
  readonly year: number
  /** By day of the week, Sunday first: its parts, the first from midnight on. */
  readonly days: readonly (readonly DayPart[])[]
  /** Days of the year, 1 for 1 January, that are not prime time. */
  readonly holidays: ReadonlySet<number>
}

const ALWAYS: readonly DayPart[] = [{ from: 0, isPrime: true }]
const NEVER: readonly DayPart[] = [{ from: 0, isPrime: false }]
const WEEK = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/**
 * Reads the file `holidays` of PBS: a line `YEAR 2026`, lines of days (`weekday 0600 1730`, `saturday none all`) with the times at which prime time and
 * non-prime time begin, and lines of holidays that begin with the day of the year. Days that are not there are prime time, as are those with `all all` and
 * `none none`. Lines with # or * are comments. Throws `BAD_OPTION` with the line for anything else.
 *
 * Source: OpenPBS, parse_holidays, load_day and check_prime of prime.cpp. Deviations: a later line of a day takes the place of all of an earlier one, where there
 * `all` and `none` stay; prime time may begin at 0000, which there counts as not given; a line that is wrong is an error, and passed over there.
 */
export function holidaysOf(text: string, field: string): Holidays {
  let year = 0
  const days = WEEK.map(() => ALWAYS)
  const holidays = new Set<number>()
  for (const [i, line] of text.split('\n').entries()) {
    const [first, ...words] = line.trim().split(/\s+/)
    if (first === undefined || first === '' || /^[#*]/.test(first) || first === 'HOLIDAYFILE_VERSION1') continue
    const parts = partsOf(words)
    if (first === 'YEAR' && /^\d+$/.test(words[0] ?? '')) year = Number(words[0])
    else if (first === 'weekday' && parts !== undefined) for (let day = 1; day <= 5; day++) days[day] = parts
    else if (WEEK.includes(first) && parts !== undefined) days[WEEK.indexOf(first)] = parts
    else if (/^\d+$/.test(first) && Number(first) >= 1 && Number(first) <= 366) holidays.add(Number(first))
    else throw new SchedError('BAD_OPTION', `line ${i + 1} is ${JSON.stringify(line.trim())}.`, { field }, 'Write YEAR 2026, weekday 0600 1730, saturday none all, or a day of the year.')
  }
  return { year, days, holidays }
}

/** The parts of a day on which prime time and non-prime time begin as told; `undefined` if that cannot be read. */
function partsOf([prime, other]: readonly string[]): readonly DayPart[] | undefined {
  const [from, to] = [prime, other].map((word) => (/^(all|none)$/i.test(word ?? '') ? word?.toLowerCase() : minutesOf(word ?? '')))
  if (from === undefined || to === undefined) return undefined
  if (from === 'all' || to === 'none') return ALWAYS
  if (to === 'all' || from === 'none') return NEVER
  const [begins, ends] = [from as number, to as number]
  const inner = begins < ends ? [{ from: begins, isPrime: true }, { from: ends, isPrime: false }] : [{ from: ends, isPrime: false }, { from: begins, isPrime: true }]
  return [{ from: 0, isPrime: begins >= ends }, ...(begins === ends ? [] : inner)].filter((part, i, all) => all[i + 1]?.from !== part.from)
}

/** Minutes after midnight of a time of four digits, hours and minutes. */
function minutesOf(word: string): number | undefined {
  const [, hours, minutes] = /^(\d{1,2})(\d\d)$/.exec(word.padStart(3, '0')) ?? []
  return hours === undefined || Number(hours) > 24 || Number(minutes) > 59 ? undefined : Number(hours) * 60 + Number(minutes)
}
