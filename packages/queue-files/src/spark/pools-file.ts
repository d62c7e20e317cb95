import { SchedError } from '@sched/core'
import { Findings } from '../finding.js'
import type { SourceText } from '../source-text.js'
import type { XmlElement } from '../xml.js'
import type { Given, Setting } from '../setting.js'

/** A pool of a fairscheduler.xml. */
export interface SparkPool {
  /** As written. */
  readonly name: string
  /** Where it is declared, 1-based. */
  readonly line: number
  /** Order of the jobs inside; absent: `fifo`. */
  readonly mode?: Given<'fair' | 'fifo'> | undefined
  /** Share relative to other pools; absent: 1. */
  readonly weight?: Given<number> | undefined
  /** Cores that it is served up to before others; absent: 0. */
  readonly minShare?: Given<number> | undefined
}

/** A fairscheduler.xml of Spark, with the settings of a spark-defaults.conf where there is one. */
export interface SparkFile {
  /** Tells the models of files apart. */
  readonly kind: 'spark'
  /** Name of the file, for messages. */
  readonly file: string
  /** As listed. */
  readonly pools: readonly SparkPool[]
  /** Settings of a spark-defaults.conf beside it. */
  readonly conf: readonly Setting[]
  /** Settings of pools for which Spark takes its default. */
  readonly ignored: Findings
}

const settings = ['schedulingMode', 'weight', 'minShare']

/**
 * Whether `<allocations>` are those of Spark: pools with its three settings and no other, and one of those that YARN does not have;
 * `minShare` tells them from those of YARN whatever stands beside them.
 */
export function isSparkPools({ children }: XmlElement): boolean {
  const pools = children.filter(({ name }) => name === 'pool')
  if (pools.length === 0 || children.some(({ name }) => name === 'queue') || !pools.every((pool) => pool.children.every(({ name }) => settings.includes(name)))) return false
  if (pools.some((pool) => pool.children.some(({ name }) => name === 'minShare'))) return true
  return pools.length === children.length && pools.some((pool) => pool.children.some(({ name, text }) => name === 'schedulingMode' && /^(FAIR|FIFO)$/.test(text)))
}

/**
 * Reads the pools of a fairscheduler.xml. A value that is none is told and its default taken, as Spark does. Throws `BAD_INPUT` with the
 * line for pools without a name, of the same name, or whose weight is not positive.
 */
export function readSparkPools({ file }: SourceText, top: XmlElement): SparkFile {
  const ignored = new Findings(file)
  for (const other of top.children.filter(({ name }) => name !== 'pool')) ignored.add('ignored', other, other.name, other.text, 'Spark reads pools alone')
  const pools = top.children.filter(({ name }) => name === 'pool').map((element) => readPool(element, file, ignored))
  const twin = pools.find(({ name }, i) => pools.findIndex((other) => other.name === name) < i)
  if (twin !== undefined) throw new SchedError('BAD_INPUT', `pool "${twin.name}" was declared before.`, { file, line: twin.line }, 'Declare every pool once.')
  return { kind: 'spark', file, pools, conf: [], ignored }
}

function readPool(element: XmlElement, file: string, ignored: Findings): SparkPool {
  const { line } = element
  const name = (element.attributes['name'] ?? '').trim()
  if (name === '') throw new SchedError('BAD_INPUT', 'a pool has no name.', { file, line }, 'Write <pool name="...">.')
  const given = <T>(setting: string, read: (text: string) => T | undefined, otherwise: string): Given<T> | undefined => {
    const found = element.children.find((each) => each.name === setting)
    if (found === undefined) return undefined
    const value = read(found.text)
    if (value === undefined)
      ignored.add(
        'ignored',
        found,
        `${name} ${setting}`,
        found.text,
        `Spark takes its default, ${otherwise}, for what is not ${setting === 'schedulingMode' ? 'FAIR or FIFO' : 'a whole number'}`,
      )
    return value === undefined ? undefined : { value, line: found.line, text: found.text }
  }
  const weight = given('weight', whole, '1')
  if (weight !== undefined && weight.value <= 0)
    throw new SchedError('BAD_INPUT', `found ${weight.text}, expected a weight of at least 1.`, { file, line: weight.line, field: `${name} weight` })
  return { name, line, weight, minShare: given('minShare', whole, '0'), mode: given('schedulingMode', modeOf, 'FIFO') }
}

const whole = (text: string): number | undefined => (/^[+-]?\d+$/.test(text) ? Number(text) : undefined)

function modeOf(text: string): 'fair' | 'fifo' | undefined {
  const mode = text.toLowerCase()
  return mode === 'fair' || mode === 'fifo' ? mode : undefined
}
