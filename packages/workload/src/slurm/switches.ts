import type { Seconds, Topology } from '@sched/core'
import { submitOptions } from './submit-line.js'
import { timeSpan } from './times.js'

const SEGMENT = /\s--segment(?:=|\s+)["']?(\d{1,9})/
const ASKED = /\s--switches(?:=|\s+)["']?(\d{1,9})(?:@([\d:-]+))?/
const SECONDS_PER_MINUTE = 60

/**
 * How few racks a job waits for, and of how many nodes its segments are, as the command says that submitted it (SubmitLine): `--switches=1@60`, `--segment=4`. `id`: of a part of a heterogeneous job (`123+1`) only what
 * stands between the colons of that part counts.
 *
 * Source: Slurm, manual page of `sbatch`.
 */
export function switchesIn(command: string, id: string): Topology | undefined {
  const parts = ` ${submitOptions(command)} `.split(/\s:(?=\s)/)
  const part = Number(/\+(\d+)$/.exec(id)?.[1] ?? 0)
  const own = parts[parts.length === 1 ? 0 : part] ?? ''
  const [, count = '0', time] = ASKED.exec(own) ?? []
  const [racks, segment] = [Number(count), Number(SEGMENT.exec(own)?.[1] ?? 0)]
  if (racks === 0 && segment === 0) return undefined
  const wait = time === undefined || racks === 0 ? undefined : waitIn(time)
  return { ...(racks > 0 && { racks }), ...(segment > 0 && { segment }), ...(wait !== undefined && { wait }) }
}

/** Seconds of `minutes`, `minutes:seconds`, `hours:minutes:seconds`, `days-hours`, `days-hours:minutes` and `days-hours:minutes:seconds`. */
function waitIn(text: string): Seconds | undefined {
  if (/^\d+$/.test(text)) return Number(text) * SECONDS_PER_MINUTE
  const days = /^(\d+-\d+)(:\d+)?$/.exec(text)
  const seconds = timeSpan(days === null ? text : `${days[1] ?? ''}${days[2] ?? ':00'}:00`)
  return seconds === undefined || Number.isNaN(seconds) ? undefined : seconds
}
