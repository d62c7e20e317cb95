import type { Cell, Row } from '../figures.js'
import { interval, number } from './number.js'
import { textTable } from './text-table.js'

/** The tables of a comparison as text: figures, differences from the first policy, and both by class of jobs. */
export function comparisonText(rows: readonly Row[], classCounts: ReadonlyMap<string, number>): string {
  const [first] = rows
  if (first === undefined) return ''
  const overall = rows.filter(({ label }) => label === undefined)
  const base = first.cells[0]?.policy ?? ''
  const several = first.cells.length > 1
  return [
    `All jobs\n${figureTable(overall, ({ mean }) => mean)}`,
    several ? `Difference from ${base}\n${figureTable(overall, ({ difference }) => difference, 1)}` : '',
    ...['response.mean', 'locality.jobs'].map((key) => classTable(rows.filter((row) => row.label !== undefined && row.key === key), classCounts)),
    several ? speedups(rows.filter((row) => row.label !== undefined && row.key === 'response.mean'), base, classCounts) : '',
  ]
    .filter((text) => text !== '')
    .join('\n')
}

type Choose = (cell: Cell) => Cell['mean'] | undefined

function figureTable(rows: readonly Row[], choose: Choose, from = 0): string {
  const policies = (rows[0]?.cells ?? []).slice(from).map(({ policy }) => policy)
  return textTable([
    ['', ...policies],
    ...rows.map(({ title, unit, cells }) => [unit === '' ? title : `${title}, ${unit}`, ...cells.slice(from).map((cell) => shown(choose(cell), unit))]),
  ])
}

function classTable(rows: readonly Row[], classCounts: ReadonlyMap<string, number>, choose: Choose = ({ mean }) => mean, from = 0, heading?: string): string {
  const [first] = rows
  if (first === undefined) return ''
  const policies = first.cells.slice(from).map(({ policy }) => policy)
  const table = textTable([
    ['', 'jobs', ...policies],
    ...rows.map(({ label = '', unit, cells }) => [label, number(classCounts.get(label) ?? NaN), ...cells.slice(from).map((cell) => shown(choose(cell), heading === undefined ? unit : ''))]),
  ])
  return `${heading ?? `By class of jobs: ${first.title}${first.unit === '' ? '' : `, ${first.unit}`}`}\n${table}`
}

const speedups = (rows: readonly Row[], base: string, classCounts: ReadonlyMap<string, number>) =>
  classTable(rows, classCounts, ({ speedup }) => speedup, 1, `By class of jobs: speedup over ${base} (its mean response / this one's)`)

const shown = (value: Cell['mean'] | undefined, unit: Row['unit']) => (value === undefined ? '' : interval(value, unit === '%' ? 100 : 1))
