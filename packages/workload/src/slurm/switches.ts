import type { Seconds, Topology } from '@sched/core'
import { ownOptions } from './submit-line.js'
import { timeSpan } from './times.js'

const SEGMENT = /\s--segment(?:=|\s+)["']?(\d{1,9})/
const ASKED = /\s--switches(?:=|\s+)["']?(\d{1,9})(?:@([\d:-]+))?/
const SECONDS_PER_MINUTE = 60

/**
 * How few racks a job waits for (`--switches=1@60`) and of how many nodes its segments are (`--segment=4`), from the command that submitted it
 * (SubmitLine). For a part of a heterogeneous job (`id` `123+1`), only the options of that part count, which stand between colons.
 *
 * Source: Slurm, manual page of `sbatch`.
 */
export function switchesIn(command: string, id: string): Topology | undefined {
  const own = ownOptions(command, id)
  const [, count = '0', time] = ASKED.exec(own) ?? []
  const [racks, segment] = [Number(count), Number(SEGMENT.exec(own)?.[1] ?? 0)]
  if (racks === 0 && segment === 0) return undefined
  const wait = time === undefined || racks === 0 ? undefined : waitIn(time)
  return { ...(racks > 0 && { racks }), ...(segment > 0 && { segment }), ...(wait !== undefined && { wait }) }
}

/**
 * Seconds of a time in one of the forms `minutes`, `minutes:seconds`, `hours:minutes:seconds`, `days-hours`, `days-hours:minutes` and
 * `days-hours:minutes:seconds`.
 */
function waitIn(text: string): Seconds | undefined {
  if (/^\d+$/.test(text)) return Number(text) * SECONDS_PER_MINUTE
  const days = /^(\d+-\d+)(:\d+)?$/.exec(text)
  const seconds = timeSpan(days === null ? text : `${days[1] ?? ''}${days[2] ?? ':00'}:00`)
  return seconds === undefined || Number.isNaN(seconds) ? undefined : seconds
}
