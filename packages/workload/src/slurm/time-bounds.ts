import type { Seconds } from '@sched/core'
import { ownOptions, valueOf } from './submit-line.js'
import { instant, timeLimit } from './times.js'

/** What a job says of its time besides its limit. What its command does not tell is absent. */
interface TimeBounds {
  /** The limit that it asked for (`--time`), seconds. */
  readonly limit?: Seconds
  /** The least limit with which it would start (`--time-min`), seconds. */
  readonly minLimit?: Seconds
  /** By when it must have ended (`--deadline`), seconds since 1970; NaN: one that cannot be read. */
  readonly deadline?: Seconds
}

const [MINUTE, HOUR, DAY] = [60, 3600, 86_400]
const units: Readonly<Record<string, Seconds>> = { '': 1, s: 1, m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY }
const hours: Readonly<Record<string, number>> = { midnight: 0, elevenses: 11, noon: 12, fika: 15, teatime: 16 }

/**
 * The least time limit and the deadline of a job, from the command that submitted it (SubmitLine). `submit`: when that was, seconds since 1970. `isLocal`:
 * whether this is on the clock by which people there write times; otherwise only deadlines that count from the submission (`now+2hours`) are known.
 *
 * Source: Slurm, manual page of `sbatch`; `parse_time` of src/common/parse_time.c.
 */
export function timeBoundsIn(command: string, id: string, submit: Seconds, isLocal: boolean): TimeBounds {
  const options = ownOptions(command, id)
  const [least, time, due] = [valueOf(options, 'time-min'), valueOf(options, 'time', 't'), [...options.matchAll(/\s--deadline[=\s]\s*(?:"([^"]+)"|'([^']+)'|(\S+))/g)].at(-1)]
  const [minLimit, limit] = [least, time].map((text) => (text === undefined ? undefined : timeLimit(text)))
  const text = due === undefined ? undefined : (due[1] ?? due[2] ?? due[3] ?? '')
  return {
    ...(minLimit !== undefined && { minLimit, ...(limit !== undefined && { limit }) }),
    ...(text !== undefined && { deadline: timeBehind(text.toLowerCase(), submit, isLocal) }),
  }
}

/** The time that a text names at `now`; of a time of day the next one that begins a later minute, of a day its midnight. NaN for a form that is not known. */
function timeBehind(text: string, now: Seconds, isLocal: boolean): Seconds {
  const behind = /^now(?:\+(\d+)\s*([smhdw]?)[a-z]*)?$/.exec(text)
  if (behind !== null) return now + Number(behind[1] ?? 0) * (units[behind[2] ?? ''] as Seconds)
  if (/^uts\d+$/.test(text)) return Number(text.slice(3))
  if (!isLocal) return NaN
  const today = Math.floor(now / DAY) * DAY
  const [, word, time = ''] = /^(?:(today|tomorrow)(?:[-\s]*(?=.)|$))?(.*)$/.exec(text) ?? []
  if (word !== undefined) return today + (word === 'today' ? 0 : DAY) + (time === '' ? 0 : clockTime(time))
  if (/^\d{4}-/.test(text)) return instant(text.toUpperCase()) ?? NaN
  const at = today + clockTime(text)
  return Math.floor(at / MINUTE) > Math.floor(now / MINUTE) ? at : at + DAY
}

/** Seconds from midnight to a time of day, NaN if it is none. */
function clockTime(text: string): Seconds {
  const named = hours[text]
  if (named !== undefined) return named * HOUR
  const [, hour = '', minute, second = '0', half] = /^(\d{1,2}):(\d\d)(?::(\d\d))?\s*(am|pm)?$/.exec(text) ?? []
  return (half === undefined ? Number(hour) : (Number(hour) % 12) + (half === 'pm' ? 12 : 0)) * HOUR + Number(minute) * MINUTE + Number(second)
}
