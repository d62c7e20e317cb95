import type { Seconds } from '@sched/core'

export const MINUTE: Seconds = 60

/** The seconds of a time in Slurm's form: minutes, `minutes:seconds`, `hours:minutes:seconds` or `days-hours[:minutes[:seconds]]`; undefined for any other text. */
export function slurmSeconds(time: string): number | undefined {
  const found = /^(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?$/.exec(time.trim())
  if (found === null) return undefined
  const [days, a = 0, b, c] = found.slice(1).map((part) => (part === undefined ? undefined : Number(part)))
  if (days !== undefined) return days * 86_400 + a * 3600 + (b ?? 0) * 60 + (c ?? 0)
  if (b === undefined) return a * 60
  return c === undefined ? a * 60 + b : a * 3600 + b * 60 + c
}

/**
 * The same for limits and periods that Slurm keeps in minutes: seconds beyond whole minutes count as one more.
 *
 * Source: Slurm, `time_str2mins` of parse_time.c, with which read_config.c and sacctmgr read them.
 */
export function inWholeMinutes(time: string): Seconds | undefined {
  const seconds = slurmSeconds(time)
  return seconds === undefined ? undefined : Math.ceil(seconds / MINUTE) * MINUTE
}
