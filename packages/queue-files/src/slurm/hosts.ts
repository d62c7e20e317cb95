import { SchedError } from '@sched/core'
import type { Setting } from '../setting.js'

/** Most hosts that a list may name; more are taken for a mistake. */
const MOST_HOSTS = 1_000_000

/**
 * The names that a list of hosts stands for: `a1,b[01-03,7]-ib` is a1, b01-ib, b02-ib, b03-ib and b7-ib. A name may have several brackets, and blanks may
 * stand in place of commas. Throws `BAD_INPUT` with the line.
 */
export const hostNames = (setting: Setting): string[] => partsOf(setting.value).flatMap((part) => expanded(part, setting))

/** The parts of a list of hosts, each with its brackets. */
export const partsOf = (list: string): string[] => list.split(/[,\s]+(?![^[]*\])/).filter((part) => part !== '')

function expanded(part: string, setting: Setting): string[] {
  const found = /^([^[\]]*)\[([^[\]]*)\](.*)$/.exec(part)
  if (found === null) {
    if (/[[\]]/.test(part)) throw bad(setting, `has a bracket without its other in ${JSON.stringify(part)}.`)
    return [part]
  }
  const [, before = '', inside = '', after = ''] = found
  const numbers = inside.split(',').flatMap((range) => numbersOf(range, setting))
  const rests = expanded(after, setting)
  if (numbers.length * rests.length > MOST_HOSTS) throw bad(setting, `names more than ${MOST_HOSTS} hosts.`)
  return numbers.flatMap((number) => rests.map((rest) => `${before}${number}${rest}`))
}

/** The numbers of a range, as long as the first one with its leading zeros. */
function numbersOf(range: string, setting: Setting): string[] {
  const [first, last = first, ...more] = range.trim().split('-')
  if (first === undefined || last === undefined || more.length > 0 || !/^\d+$/.test(first) || !/^\d+$/.test(last) || BigInt(first) > BigInt(last))
    throw bad(setting, `found the range ${JSON.stringify(range)}, expected a number, or two with a - between them.`)
  const from = BigInt(first) // serial numbers may be beyond the integers that a number holds
  const count = BigInt(last) - from + 1n
  if (count > MOST_HOSTS) throw bad(setting, `names more than ${MOST_HOSTS} hosts.`)
  return Array.from({ length: Number(count) }, (_, i) => String(from + BigInt(i)).padStart(first.length, '0'))
}

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
