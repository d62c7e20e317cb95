import { SchedError } from '@sched/core'
import { inWholeMinutes, slurmSeconds } from '@sched/policies'
import type { Setting } from '../setting.js'

/** The values by which Slurm writes that there is no limit. */
export const UNLIMITED = /^(UNLIMITED|INFINITE|-1)$/i
/** The way out for a time that cannot be read. */
const WAY_OUT = 'Write minutes, hours:minutes:seconds or days-hours, for example 7-0.'
/** The way out for a setting that may be UNLIMITED. */
const OF_LIMIT = 'Write minutes, hours:minutes:seconds, days-hours or UNLIMITED.'

/** The text of a setting that is a time in Slurm's form; a bare number is in minutes. Throws `BAD_INPUT` with the line for any other text. */
export function checkedTime({ name, value, file, line }: Setting, wayOut = WAY_OUT): string {
  if (slurmSeconds(value) !== undefined) return value
  throw new SchedError('BAD_INPUT', `found ${JSON.stringify(value)}, expected a time.`, { file, line, field: name }, wayOut)
}

/** The same for a setting that may be UNLIMITED too, but is not. */
export const checkedLimit = (setting: Setting): string => checkedTime(setting, OF_LIMIT)

/** The seconds of a setting that is a time. Throws `BAD_INPUT` with the line. */
export const secondsOf = (setting: Setting): number => slurmSeconds(checkedTime(setting)) as number

/** The same of one that Slurm keeps in minutes. */
export const minutesOf = (setting: Setting): number => inWholeMinutes(checkedTime(setting)) as number
