import { SchedError } from '@sched/core'
import { Findings } from '../finding.js'
import type { SourceText } from '../source-text.js'
import type { XmlElement } from '../xml.js'
import type { Given, Setting } from '../setting.js'

/** A pool of a fairscheduler.xml. */
export interface SparkPool {
  /** Name as written. */
  readonly name: string
  /** Line on which it is declared, 1-based. */
  readonly line: number
  /** Order of the jobs inside; absent: `fifo`. */
  readonly mode?: Given<'fair' | 'fifo'> | undefined
  /** Share relative to other pools, at least 1; absent: 1. */
  readonly weight?: Given<number> | undefined
  /** Number of cores up to which the pool is served before others; absent: 0. */
  readonly minShare?: Given<number> | undefined
}

/** A fairscheduler.xml of Spark, a spark-defaults.conf, or both. */
export interface SparkFile {
  /** Tells the models of files apart. */
  readonly kind: 'spark'
  /** Name of the file, for messages. */
  readonly file: string
  /** Pools in the order of the file. */
  readonly pools: readonly SparkPool[]
  /** Settings of the spark-defaults.conf; empty without one. */
  readonly conf: readonly Setting[]
  /** Elements that Spark does not read, and settings of pools for which it takes its default. */
  readonly ignored: Findings
}

const settings = ['schedulingMode', 'weight', 'minShare']

/**
 * Whether an element `<allocations>` is of Spark rather than of YARN: it has pools, no `<queue>`, and its pools have only Spark's three settings. Besides, a
 * pool must have a `minShare`, or there must be only pools and one of them a `schedulingMode` FAIR or FIFO in capital letters.
 */
export function isSparkPools({ children }: XmlElement): boolean {
  const pools = children.filter(({ name }) => name === 'pool')
  if (pools.length === 0 || children.some(({ name }) => name === 'queue') || !pools.every((pool) => pool.children.every(({ name }) => settings.includes(name)))) return false
  if (pools.some((pool) => pool.children.some(({ name }) => name === 'minShare'))) return true
  return pools.length === children.length && pools.some((pool) => pool.children.some(({ name, text }) => name === 'schedulingMode' && /^(FAIR|FIFO)$/.test(text)))
}

/**
 * Reads the pools of a fairscheduler.xml. A value that Spark cannot read becomes a finding, and the default is taken, as in Spark. Throws `BAD_INPUT` with
 * the line for a pool without a name, for a name that comes twice and for a weight that is not positive.
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
    throw new SchedError('BAD_INPUT', `found ${weight.text}, expected a weight of at least 1.`, { file, line: weight.line, field: `${name} weight` }, 'Leave it out for 1.')
  return { name, line, weight, minShare: given('minShare', whole, '0'), mode: given('schedulingMode', modeOf, 'FIFO') }
}

const whole = (text: string): number | undefined => (/^[+-]?\d+$/.test(text) ? Number(text) : undefined)

function modeOf(text: string): 'fair' | 'fifo' | undefined {
  const mode = text.toLowerCase()
  return mode === 'fair' || mode === 'fifo' ? mode : undefined
}
