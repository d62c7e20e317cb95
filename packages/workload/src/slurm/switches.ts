import type { Seconds, Topology } from '@sched/core'
import { submitOptions } from './submit-line.js'
import { timeSpan } from './times.js'

const ASKED = /\s--switches(?:=|\s+)["']?(\d{1,9})(?:@([\d:-]+))?/
const SECONDS_PER_MINUTE = 60

/**
 * How few racks a job waits for, as the command says that submitted it (SubmitLine): `--switches=1@60`. `id`: of a part of a heterogeneous job (`123+1`) only what
 * stands between the colons of that part counts.
 *
 * Source: Slurm, manual page of `sbatch`.
 */
export function switchesIn(command: string, id: string): Topology | undefined {
  const parts = ` ${submitOptions(command)} `.split(/\s:(?=\s)/)
  const part = Number(/\+(\d+)$/.exec(id)?.[1] ?? 0)
  const [, count = '0', time] = ASKED.exec(parts[parts.length === 1 ? 0 : part] ?? '') ?? []
  if (Number(count) === 0) return undefined
  const wait = time === undefined ? undefined : waitIn(time)
  return { racks: Number(count), ...(wait !== undefined && { wait }) }
}

/** Seconds of `minutes`, `minutes:seconds`, `hours:minutes:seconds`, `days-hours`, `days-hours:minutes` and `days-hours:minutes:seconds`. */
function waitIn(text: string): Seconds | undefined {
  if (/^\d+$/.test(text)) return Number(text) * SECONDS_PER_MINUTE
  const days = /^(\d+-\d+)(:\d+)?$/.exec(text)
  const seconds = timeSpan(days === null ? text : `${days[1] ?? ''}${days[2] ?? ':00'}:00`)
  return seconds === undefined || Number.isNaN(seconds) ? undefined : seconds
}
