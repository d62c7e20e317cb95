import { SchedError } from '@sched/core'
import { slurmSeconds } from '@sched/policies'
import type { Setting } from '../setting.js'

/** How Slurm writes that there is no limit. */
export const UNLIMITED = /^(UNLIMITED|INFINITE|-1)$/i
const WAY_OUT = 'Write minutes, hours:minutes:seconds or days-hours, for example 7-0.'
/** The way out for a setting that may be UNLIMITED. */
const OF_LIMIT = 'Write minutes, hours:minutes:seconds, days-hours or UNLIMITED.'

/** A time as Slurm writes it, in minutes if it is a number. Throws `BAD_INPUT`. */
export function checkedTime({ name, value, file, line }: Setting, wayOut = WAY_OUT): string {
  if (slurmSeconds(value) !== undefined) return value
  throw new SchedError('BAD_INPUT', `found ${JSON.stringify(value)}, expected a time.`, { file, line, field: name }, wayOut)
}

/** The same of a setting that could be UNLIMITED, and is not. */
export const checkedLimit = (setting: Setting): string => checkedTime(setting, OF_LIMIT)

/** Seconds of a time. Throws `BAD_INPUT`. */
export const secondsOf = (setting: Setting): number => slurmSeconds(checkedTime(setting)) as number
