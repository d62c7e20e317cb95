import { knownWords, SchedError } from '@sched/core'

/** The place of a value, for error messages. */
export interface At {
  readonly file: string
  readonly line: number
  readonly field: string
}

/** Amounts under YARN's names of resources: `memory-mb` in MiB, `vcores`, and others. */
export interface NamedAmounts {
  /** Amount, or percentage of the cluster, of each resource that is named. */
  readonly byName: Readonly<Record<string, number | `${number}%`>>
  /** Percentage of every resource of the cluster, in place of amounts; absent: not given. */
  readonly all?: number
  /** Whether they are written as `X mb, Y vcores`: a maximum in this form is 0 for every other resource. */
  readonly isOldStyle?: boolean
}

/** A number in the forms that Hadoop takes, such as `5120.` and `-3.5`. */
const NUMBER = '(-?\\d+(?:\\.\\d*)?)'

/** The error for amounts that cannot be read. */
const bad = (text: string, why: string, at: At, wayOut = 'Write "X mb, Y vcores", "vcores=X, memory-mb=Y", or percentages of the cluster such as "50%".') =>
  new SchedError('BAD_INPUT', `"${text}" ${why}.`, at, wayOut)

/**
 * Reads amounts as the fair scheduler's file writes them: `10000 mb, 4 vcores`, `50%`, `50% memory, 30% cpu`, `vcores=4, memory-mb=10000`, or
 * `vcores=30%, memory-mb=50%`. Throws `BAD_INPUT` with the place.
 */
export function fairAmounts(text: string, at: At): NamedAmounts {
  if (text.trim() === '') throw bad(text, 'names no amounts', at)
  if (text.includes('=')) return { byName: newStyle(text, at) }
  const whole = new RegExp(`^${NUMBER}\\s*%$`).exec(text.trim())
  if (whole !== null) return { byName: {}, all: percentage(whole[1] ?? '', text, at) }
  return text.includes('%') ? { byName: oldPercentages(text, at) } : { byName: oldStyle(text, at), isOldStyle: true }
}

function newStyle(text: string, at: At): Record<string, number | `${number}%`> {
  const amounts: Record<string, number | `${number}%`> = {}
  for (const part of text.split(',')) {
    const found = /^\s*([^=\s]+)\s*=\s*(-?\d+(?:\.\d+)?)\s*(%?)\s*$/.exec(part)
    const [, name = '', value = '', percent] = found ?? []
    if (found === null) throw bad(text, `has "${part.trim()}", which is no amount of a resource`, at)
    const key = name === 'memory' ? 'memory-mb' : name
    if (Object.hasOwn(amounts, key)) throw bad(text, `names ${name} twice`, at)
    amounts[key] = percent === '%' ? `${percentage(value, text, at)}%` : whole(value, text, at)
  }
  if (new Set(Object.values(amounts).map((amount) => typeof amount)).size > 1) throw bad(text, 'mixes percentages and amounts', at)
  return amounts
}

function oldPercentages(text: string, at: At): Record<string, `${number}%`> {
  const of = (name: string): `${number}%` => {
    const found = new RegExp(`${NUMBER}\\s*%\\s*${name}`, 'i').exec(text)
    if (found === null) throw bad(text, `has no percentage of ${name}`, at)
    return `${percentage(found[1] ?? '', text, at)}%`
  }
  const found = { 'memory-mb': of('memory'), vcores: of('cpu') } as const
  checkNumbers(text, at)
  return found
}

function oldStyle(text: string, at: At): Record<string, number> {
  const of = (unit: string): number => {
    const found = new RegExp(`${NUMBER}\\s*${unit}(?![a-z])`, 'i').exec(text)
    if (found === null) throw bad(text, `has no amount of ${unit}`, at)
    return whole(found[1] ?? '', text, at)
  }
  const found = { 'memory-mb': of('mb'), vcores: of('vcores') }
  checkNumbers(text, at)
  return found
}

/** Throws for more than one number between two commas, such as `1024 mb, 2 4 vcores`, and for more than two numbers without a comma, as Hadoop does. */
function checkNumbers(text: string, at: At): void {
  const parts = text.split(',')
  const odd = parts.find((part) => (part.match(new RegExp(NUMBER, 'g')) ?? []).length > (parts.length === 1 ? 2 : 1))
  if (odd !== undefined) throw bad(text, `has more than one number in "${odd.trim()}"`, at)
}

/** An amount without its fraction, which Hadoop cuts off. */
function whole(value: string, text: string, at: At): number {
  const number = Number(value)
  if (number < 0) throw bad(text, 'has a negative amount', at)
  return Math.trunc(number)
}

function percentage(value: string, text: string, at: At): number {
  const number = Number(value)
  if (number < 0) throw bad(text, 'has a negative percentage', at)
  return number
}

const units: Readonly<Record<string, number>> = { '': 1, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50 }

/** The factor of a unit: `memory-mb` gets MiB (without a unit the number is in MiB already), others single units; undefined for a unit that Hadoop does not have. */
export function unitFactor(name: string, unit: string): number | undefined {
  const factor = units[unit]
  return name === 'memory-mb' && unit !== '' && factor !== undefined ? factor / 2 ** 20 : factor
}

/**
 * Reads amounts in brackets as the capacity scheduler's file writes them, `[memory=10240,vcores=12]`; undefined for a text without brackets. Percentages and
 * weights of single resources (`50%`, `2w`) stay text. Throws `BAD_INPUT` with the place.
 */
export function bracketedAmounts(text: string, at: At): Record<string, number | `${number}%` | `${number}w`> | undefined {
  const inside = /^\[(.*)\]$/.exec(text.trim())?.[1]
  if (inside === undefined) return undefined
  const amounts: Record<string, number | `${number}%` | `${number}w`> = {}
  for (const part of inside.split(',')) {
    const found = /^\s*([^=\s]+)\s*=\s*(-?\d+(?:\.\d+)?)\s*([A-Za-z]*)(%?)\s*$/.exec(part)
    const [, name = '', value = '', unit = '', percent] = found ?? []
    const key = name === 'memory' ? 'memory-mb' : name
    if (unit === 'w') {
      if (Number(value) < 0) throw bad(text, 'has a negative weight', at)
      amounts[key] = `${Number(value)}w`
      continue
    }
    const factor = key === 'memory-mb' || unit === '' ? unitFactor(key, unit) : undefined
    if (found === null || factor === undefined) throw bad(text, `has "${part.trim()}", which is no amount of a resource`, at, 'Write "[memory=10240,vcores=12]".')
    amounts[key] = percent === '%' ? `${percentage(value, text, at)}%` : Math.floor(whole(value, text, at) * factor)
  }
  return amounts
}

/**
 * Reads `maximum-allocation` of a queue of the capacity scheduler: `memory-mb=8192,vcores=4`, perhaps in brackets. Amounts may have the unit M or G, which
 * are Mi and Gi. Memory is returned in MiB. Throws `BAD_INPUT` with the place.
 *
 * Source: Hadoop 3.4, ResourceUtils.createResourceFromString.
 */
export function queueAllocation(text: string, at: At): Record<string, number> {
  const amounts: Record<string, number> = {}
  for (const part of text.trim().replace(/^\[/, '').replace(/\]$/, '').split(',')) {
    const [, name, value = '', unit = ''] = /^\s*([^=\s]+)=(\d+)\s?([MmGg]?)\s*$/.exec(part) ?? []
    if (name === undefined) throw bad(text, `has "${part.trim()}", which is no amount of a resource`, at, 'Write "memory-mb=8192,vcores=4", in M or G if need be.')
    const key = name === 'memory' ? 'memory-mb' : name === 'gpu' ? 'yarn.io/gpu' : name
    amounts[key] = Number(value) * (unitFactor(key, unit === '' ? '' : `${unit.toUpperCase()}i`) ?? 1)
  }
  return amounts
}

/** Names that a cluster may give YARN's resources, in order of preference. */
const aliases = knownWords<readonly string[]>({
  'memory-mb': ['memory-mb', 'memory', 'mem', 'ram'],
  vcores: ['vcores', 'vcore', 'cpu', 'cpus', 'cores', 'core'],
  'yarn.io/gpu': ['yarn.io/gpu', 'gpu', 'gpus'],
})

/** The cluster's name for a resource of YARN; undefined if it does not have the resource. */
export const clusterName = (name: string, resources: readonly string[]): string | undefined => (aliases[name] ?? [name]).find((each) => resources.includes(each))

/** The unit of a resource of YARN; empty if it has none. */
export const unitOf = (name: string): string => (name === 'memory-mb' ? 'MiB' : '')
