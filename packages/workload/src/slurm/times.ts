/** Words for an unknown time, in Slurm's records and in tables made from them. */
const unknown = /^(|unknown|none|null|none assigned|invalid|nat|nan|n\/a|-)$/i

const date = /^(\d{4})([-/])(\d{1,2})\2(\d{1,2})(?:[T ](\d{1,2}):(\d\d)(?::(\d\d(?:\.\d+)?))? ?(Z|UTC|GMT|[-+]\d\d(?::?\d\d)?)?)?$/

/** Whether a text stands for an unknown time. */
export const isUnknown = (text: string): boolean => unknown.test(text)

/**
 * A time in seconds since 1970. The text is a date and time such as `2024-01-31T10:00:00` or `2024-01-31 10:00:00`, also with slashes, with a zone
 * (Z, UTC, GMT, +01, +01:00), or without seconds or time of day; the output of `date` (`Wed Jan 31 10:00:00 UTC 2024`); or a number of seconds since
 * 1970. NaN if unknown, `undefined` for any other text. Without a zone the time is taken as UTC; hours that a change of clocks repeats or skips are
 * not noticed.
 */
export function instant(text: string): number | undefined {
  if (unknown.test(text)) return NaN
  if (/^\d{1,15}(\.\d+)?$/.test(text)) return Number(text)
  const parts = date.exec(text) ?? date.exec(isoOf(text))
  if (parts === null) return undefined
  const [year, month, day, hour, minute, second] = [1, 3, 4, 5, 6, 7].map((part) => Number(parts[part] ?? 0)) as [number, number, number, number, number, number]
  if (month < 1 || month > 12 || day < 1 || day > daysOf(year, month) || hour > 23 || minute > 59 || second >= 61) return undefined
  return daysSince1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset(parts[8])
}

/** Whether a time is one of the clock where it was written: it has no zone, and is no number of seconds since 1970. */
export const isWithoutZone = (text: string): boolean => date.test(text) && date.exec(text)?.[8] === undefined

/** Turns `Wed Jan 31 10:00:00 UTC 2024` into `2024-01-31 10:00:00UTC`; other text is returned as it is. */
function isoOf(text: string): string {
  const parts = /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) +(\d{1,2}) (\d\d:\d\d:\d\d)(?: (UTC|GMT))? (\d{4})$/.exec(text)
  if (parts === null) return text
  return `${parts[5]}-${'JanFebMarAprMayJunJulAugSepOctNovDec'.indexOf(parts[1]!) / 3 + 1}-${parts[2]} ${parts[3]}${parts[4] ?? ''}`
}

/**
 * A span of time in seconds, from `[days-]hours:minutes:seconds`, `minutes:seconds` or `2 days, 10:00:00`. `Infinity` for `UNLIMITED`, `INFINITE` and `inf`,
 * NaN if unknown, `undefined` for any other text.
 */
export function timeSpan(text: string): number | undefined {
  if (unknown.test(text) || /^partition_limit$/i.test(text)) return NaN
  if (/^(unlimited|inf(inite|inity)?)$/i.test(text)) return Infinity
  const parts = /^(?:(\d+)(?:-| days?,? ))?(?:(\d+):)?(\d+):(\d\d(?:\.\d+)?)$/.exec(text)
  if (parts === null || (parts[1] !== undefined && parts[2] === undefined)) return undefined
  const [days, hours, minutes, seconds] = parts.slice(1).map((part) => Number(part ?? 0)) as [number, number, number, number]
  return ((days * 24 + hours) * 60 + minutes) * 60 + seconds
}

/**
 * Seconds of a time limit in one of the forms `minutes`, `minutes:seconds`, `hours:minutes:seconds`, `days-hours`, `days-hours:minutes` and
 * `days-hours:minutes:seconds`; `undefined` for any other text.
 *
 * Source: Slurm, manual page of `sbatch`.
 */
export function timeLimit(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text) * 60
  const days = /^(\d+-\d+)(:\d+)?$/.exec(text)
  const seconds = timeSpan(days === null ? text : `${days[1] ?? ''}${days[2] ?? ':00'}:00`)
  return seconds === undefined || Number.isNaN(seconds) ? undefined : seconds
}

/** Days of the Gregorian calendar since January 1, 1970. Years start in March here, so that the leap day comes last. */
function daysSince1970(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400)
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1 // from March on, months have 31, 30, 31, 30, 31 days repeatedly: 153 days in 5 months
  return marchYear * 365 + leapDays + dayOfYear - 719_468 // days from March 1 of year 0 to January 1, 1970
}

function daysOf(year: number, month: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  return month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31
}

function offset(zone: string | undefined): number {
  if (zone === undefined || !/^[-+]/.test(zone)) return 0
  const seconds = Number(zone.slice(1, 3)) * 3600 + (zone.length > 3 ? Number(zone.slice(-2)) * 60 : 0)
  return zone.startsWith('-') ? -seconds : seconds
}
