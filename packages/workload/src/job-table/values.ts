import { knownWords, type Seconds, type TaintEffect, type Toleration } from '@sched/core'
import { instant, timeSpan } from '../slurm/times.js'
import { BadLine } from '../trace/format.js'

const perSecond: Readonly<Record<string, number>> = { s: 1, ms: 1e3, us: 1e6, ns: 1e9 }
const seconds: Readonly<Record<string, number>> = { min: 60, h: 3600, d: 86_400 }

const plain = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i

/** A number of at least `least`. Throws `BadLine`. */
export function numberIn(text: string, field: string, least = -Infinity): number {
  const value = plain.test(text) ? Number(text) : NaN
  if (value >= least && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value
  const found = `found ${JSON.stringify(text.slice(0, 40))}`
  if (value > Number.MAX_SAFE_INTEGER) throw new BadLine(field, `${found}, more than 2^53 - 1, above which numbers are not exact.`)
  throw new BadLine(field, `${found}, expected a number${least === -Infinity ? '' : ` of at least ${least}`}.`)
}

const factors: Readonly<Record<string, number>> = { n: 1e-9, u: 1e-6, m: 1e-3, k: 1e3, K: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 }

/** An amount of at least 0: a number, a quantity in the notation of Kubernetes (500m, 64Gi), or bytes (64 GB, 64GiB). Throws `BadLine`. */
export function quantityIn(text: string, field: string): number {
  const [, digits, unit, bytes] = /^(.*[\d.])(?:([numk]|[MGTPE]|[KMGTPE]i)| ?([kKMGTP]i?)B)$/.exec(text) ?? []
  return digits === undefined ? numberIn(text, field, 0) : numberIn(digits, field, 0) * (factors[(unit ?? bytes)!] as number)
}

/** A whole number of at least `least`. Throws `BadLine`. */
export function wholeIn(text: string, field: string, least: number): number {
  const value = numberIn(text, field, least)
  if (Number.isInteger(value)) return value
  throw new BadLine(field, `found ${JSON.stringify(text.slice(0, 40))}, expected a whole number.`)
}

/** Order of day and month in dates with the year last. */
export type DateOrder = 'dmy' | 'mdy'

const yearLast = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})(.*)$/
const clock12 = /^,?[T ] *(\d{1,2})(:\d\d(?::\d\d(?:\.\d+)?)?) ?([AP])M(.*)$/i

/** Turns a date with the year last into `2024-01-31 22:00`; other text is returned as it is. */
function yearFirst(text: string, order: DateOrder): string {
  const [, first, , second, year, clock = ''] = yearLast.exec(text) ?? []
  if (year === undefined) return text
  return `${year}-${order === 'dmy' ? `${second}-${first}` : `${first}-${second}`}${hours24(clock)}`
}

/** Turns ` 10:00 PM` into ` 22:00`. Other text is returned as it is, except for a leading comma, which becomes a blank. */
function hours24(clock: string): string {
  const [, hour, minutes, half, zone = ''] = clock12.exec(clock) ?? []
  if (hour === undefined || Number(hour) < 1 || Number(hour) > 12) return clock.replace(/^, */, ' ')
  return ` ${(Number(hour) % 12) + (half?.toUpperCase() === 'P' ? 12 : 0)}${minutes}${zone}`
}

/**
 * A point in time in seconds: a number in the given unit, or a date. Without a unit, numbers are seconds and other text is a date. Throws `BadLine`.
 */
export function timeIn(text: string, field: string, unit: string | undefined, order?: DateOrder): Seconds {
  if (unit !== 'iso' && (unit !== undefined || plain.test(text))) return inSeconds(numberIn(text, field), unit ?? 's')
  const time = plain.test(text) ? undefined : instant(order === undefined ? text : yearFirst(text, order))
  if (time !== undefined && !Number.isNaN(time)) return time
  const other = order === undefined && yearLast.test(text) ? ' With the year last say in which order it is (`time: { dates: dmy }`, or mdy).' : ''
  const expected = unit === 'iso' ? 'a date' : 'a number or a date'
  throw new BadLine(field, `found ${JSON.stringify(text.slice(0, 40))}, expected ${expected} such as 2024-01-31T10:00:00.${other}`)
}

/** Slurm's tables of jobs have 2^32 - 1 minutes for no limit, and 2^32 - 2 for the limit of the partition. */
const noLimit = 2 ** 32 - 2

/** A limit in seconds, read as by `spanIn`; `undefined` if there is none. Throws `BadLine`. */
export function limitIn(text: string, field: string, unit: string): Seconds | undefined {
  const isNone = [Infinity, NaN].includes(timeSpan(text) ?? 0) || (plain.test(text) && (Number(text) >= noLimit || Number(text) <= 0))
  return isNone ? undefined : spanIn(text, field, unit)
}

/** A span of time in seconds: a number in the given unit, or [days-]hours:minutes:seconds. Throws `BadLine`. */
export function spanIn(text: string, field: string, unit: string): Seconds {
  if (text.includes(':')) {
    const span = timeSpan(text)
    if (span !== undefined && span < Infinity) return span
  }
  return inSeconds(numberIn(text, field, 0), unit)
}

const inSeconds = (value: number, unit: string) => (seconds[unit] === undefined ? value / (perSecond[unit] ?? 1) : value * seconds[unit])

const words = knownWords<boolean>({ true: true, yes: true, '1': true, false: false, no: false, '0': false })

/** True for true, yes and 1, false for false, no and 0. Throws `BadLine`. */
export function yesIn(text: string, field: string): boolean {
  const value = words[text.toLowerCase()]
  if (value !== undefined) return value
  throw new BadLine(field, `found ${JSON.stringify(text.slice(0, 40))}, expected true or false.`)
}

const toleration = /^(?:\*|([^=:\s]+)(?:=([^=:\s]*))?)(?::(NoSchedule|NoExecute|PreferNoSchedule))?$/

/**
 * A toleration of taints, `key=value:effect`. Without a value any value is tolerated, without an effect any effect; `*` stands for all keys. Throws
 * `BadLine`.
 */
export function tolerationIn(text: string, field: string): Toleration {
  const [found, key, value, effect] = toleration.exec(text) ?? []
  if (found === undefined) throw new BadLine(field, `found ${JSON.stringify(text.slice(0, 40))}, expected a taint such as gpu=present:NoSchedule, gpu or *.`)
  return {
    ...(key !== undefined && { key }), ...(value === undefined && { operator: 'Exists' as const }),
    ...(value !== undefined && value !== '' && { value }), ...(effect !== undefined && { effect: effect as TaintEffect }),
  }
}
