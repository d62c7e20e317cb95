import { hostNames as namesIn, SchedError } from '@sched/core'
import type { Setting } from '../setting.js'

/** The names that a list of hosts stands for (`hostNames` of core). Throws `BAD_INPUT` with the line. */
export const hostNames = (setting: Setting): string[] => namesIn(setting.value, (fact) => bad(setting, fact))

const bad = ({ file, line, name }: Setting, fact: string): SchedError => new SchedError('BAD_INPUT', fact, { file, line, field: name }, 'Write hosts as node[1-4,6].')

/**
 * Compares names of hosts as people order them, `n2` before `n10`: numbers in them count as numbers, those with leading zeros as text.
 *
 * Source: Slurm, `_sort_nodes_by_name` of slurmctld/read_config.c, which sorts the nodes so.
 */
export function compareNames(a: string, b: string): number {
  const [ours, theirs] = [partsOfName(a), partsOfName(b)]
  for (let i = 0; i < Math.min(ours.length, theirs.length); i++) {
    const one = ours[i] as string
    const other = theirs[i] as string
    const areNumbers = [one, other].every((part) => /^[1-9]/.test(part))
    if (areNumbers && one.length !== other.length) return one.length - other.length
    if (one !== other) return one < other ? -1 : 1
  }
  return ours.length - theirs.length
}

const partsOfName = (name: string): readonly string[] => name.match(/\d+|\D/g) ?? []
