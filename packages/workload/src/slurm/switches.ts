import type { Topology } from '@sched/core'
import { ownOptions } from './submit-line.js'
import { timeLimit } from './times.js'

const SEGMENT = /\s--segment(?:=|\s+)["']?(\d{1,9})/
const ASKED = /\s--switches(?:=|\s+)["']?(\d{1,9})(?:@([\d:-]+))?/

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
  const wait = time === undefined || racks === 0 ? undefined : timeLimit(time)
  return { ...(racks > 0 && { racks }), ...(segment > 0 && { segment }), ...(wait !== undefined && { wait }) }
}
