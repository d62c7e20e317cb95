import { meanInterval, pairedDifference, type Interval } from '@sched/metrics'
import type { Unit } from './charts/axis.js'
import { interval, type IntervalFormat } from './format.js'
import type { Cell, Column } from './table.js'

/** A number that every run yields, measured for every policy on the same seeds. */
export interface Measured {
  /** What is measured, as reports say it. */
  readonly title: string
  /** Fractions have the unit `%` and are shown times 100. */
  readonly unit: Unit
  /** `values[policy][seed]`; NaN where a run has no such number. */
  readonly values: readonly (readonly number[])[]
}

/** One figure of every policy over the seeds. */
export interface ComparisonRow {
  /** What was measured. */
  readonly title: string
  /** See `Measured`. */
  readonly unit: Measured['unit']
  /** By policy, in the order in which they were given. */
  readonly cells: readonly ComparisonCell[]
}

/** One figure of one policy over the seeds. */
export interface ComparisonCell {
  /** Its name. */
  readonly policy: string
  /** One per seed. */
  readonly values: readonly number[]
  /** Over the seeds, with its confidence interval. */
  readonly mean: Interval
  /** Of this policy less the first one, paired by seed; absent for the first, and where one of them has no values. */
  readonly difference?: Interval
}

/**
 * Compares policies with the first one. With equal seeds all policies meet the same luck, so the differences are known
 * far better than the means. Throws `BAD_INPUT` when policies were measured on different numbers of seeds
 * (none at all is no number to compare).
 */
export function comparison(policies: readonly string[], figures: readonly Measured[], level = 0.95): ComparisonRow[] {
  return figures.map(({ title, unit, values: [base = [], ...others] }) => {
    const compared = policies.slice(1).map((policy, p) => cell(policy, others[p] ?? [], base, level))
    return { title, unit, cells: [...policies.slice(0, 1).map((policy) => cell(policy, base, undefined, level)), ...compared] }
  })
}

/** For `table` and `markdownTable`: a row per figure; a column per policy and, after it, its difference from the first. */
export function comparisonTable(rows: readonly ComparisonRow[]): { columns: Column[]; rows: Cell[][] } {
  const policies = (rows[0]?.cells ?? []).map(({ policy }) => policy)
  const titles = policies.flatMap((policy, p) => (p === 0 ? [policy] : [policy, `- ${policies[0] ?? ''}`]))
  return {
    columns: [{ title: '', align: 'left' }, ...titles.map((title): Column => ({ title, align: 'right' }))],
    rows: rows.map(({ title, unit, cells }) => [title, ...cells.flatMap((each) => shown(each, formats[unit]))]),
  }
}

/** For `csv`: a line per figure and policy, in the figure's own unit (fractions stay fractions). */
export function comparisonRecords(rows: readonly ComparisonRow[]): { titles: string[]; rows: Cell[][] } {
  return {
    titles: ['figure', 'unit', 'policy', 'runs', 'mean', 'low', 'high', 'difference', 'difference low', 'difference high'],
    rows: rows.flatMap(({ title, unit, cells }) =>
      cells.map(({ policy, mean, difference }) => [
        ...[title, unit === '%' ? 'fraction' : unit, policy, mean.n, mean.mean, mean.low, mean.high],
        ...[difference?.mean, difference?.low, difference?.high],
      ]),
    ),
  }
}

const formats: Readonly<Record<Unit, IntervalFormat>> = { s: { unit: ' s' }, '%': { scale: 100, unit: '%' }, W: { unit: ' W' }, kWh: { unit: ' kWh' }, '': {} }

function shown({ mean, difference }: ComparisonCell, format: IntervalFormat): string[] {
  const own = interval(mean, format)
  return difference === undefined ? [own] : [own, interval(difference, { ...format, signed: true })]
}

function cell(policy: string, values: readonly number[], base: readonly number[] | undefined, level: number): ComparisonCell {
  const mean = meanInterval(values, level)
  const isAlone = base === undefined || base.length === 0 || values.length === 0
  return isAlone ? { policy, values, mean } : { policy, values, mean, difference: pairedDifference(values, base, level) }
}
