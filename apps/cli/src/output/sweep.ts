import { csv, json, NONE, table, type Column } from '@sched/report'
import type { Interval } from '@sched/metrics'
import type { Description } from '../experiment/experiment.js'
import { shortNames, type Axis, type Point } from '../experiment/matrix.js'
import { policyName } from '../experiment/policies.js'
import { compareRuns, type Row } from '../figures.js'
import type { RunResult } from '../run-once.js'
import { counted, number } from './number.js'

/** One point of a sweep with all its runs. */
export interface PointResult {
  readonly at: Point['at']
  readonly policies: readonly string[]
  readonly runs: readonly RunResult[]
}

/** One policy at one point: its figures over the seeds, by name. */
export interface Line {
  readonly at: Point['at']
  readonly policy: string
  readonly figures: ReadonlyMap<string, { readonly title: string; readonly mean: Interval; readonly unit: Row['unit'] }>
}

/** All points as JSON: figures by policy, and what every run measured. */
export function sweepJson({ spec }: Description, axes: readonly Axis[], results: readonly PointResult[]): string {
  const points = results.map((point) => ({
    at: point.at,
    policies: linesOf([point]).map(({ policy, figures }) => ({ policy, figures: Object.fromEntries([...figures].map(([name, { mean }]) => [name, mean])) })),
    runs: point.runs,
  }))
  return json({ name: spec.name ?? null, axes: axes.map(({ name, steps }) => ({ name, values: steps.map(({ value }) => value) })), points })
}

/** One line per point and policy: values of the axes, then mean and bounds of every figure. Fractions, not percent. */
export function sweepCsv(axes: readonly Axis[], results: readonly PointResult[]): string {
  const lines = linesOf(results)
  const names = namesOf(lines)
  const titles = [...axes.map(({ name }) => name), 'policy', 'seeds', ...names.flatMap((name) => [name, `${name}_low`, `${name}_high`])]
  const rows = lines.map(({ at, policy, figures }) => {
    const seeds = Math.max(0, ...[...figures.values()].map(({ mean }) => mean.n))
    return [...axes.map(({ name }) => policyName(at[name])), policy, seeds, ...names.flatMap((name) => boundsOf(figures.get(name)?.mean))]
  })
  return csv(titles, rows)
}

const boundsOf = (mean: Interval | undefined) => [mean?.mean, mean?.low, mean?.high]

/** Figures that the printed table shows unless others are asked for: what tells architectures apart, where decisions take time. */
const telling = [/^response$/, /^wait$/, /^abandoned$/, /^unfinished$/, /^first-attempt-(?!p90)/, /^busyness-(?!mad-)/, /^conflict-fraction-/]

/** Figures that were asked for, or else those that tell something here; and a warning of each that does not exist. */
export function shownFigures(lines: readonly Line[], figures: readonly string[] | undefined): { readonly shown: readonly string[]; readonly warnings: readonly string[] } {
  const all = namesOf(lines)
  if (figures === undefined) return { shown: telling.flatMap((pattern) => all.filter((name) => pattern.test(name) && lines.some((line) => isTelling(line.figures.get(name)?.mean.mean)))), warnings: [] }
  const unknown = figures.filter((name) => !all.includes(name))
  return { shown: figures.filter((name) => all.includes(name)), warnings: unknown.map((name) => `no figure is called "${name}". Known: ${all.join(', ')}.`) }
}

/** What was swept, on one line. */
export function sweepTitle({ spec }: Description, results: readonly PointResult[]): string {
  const [{ policies: [first = ''] = [] } = {}] = results
  const several = new Set(results.flatMap(({ policies }) => policies)).size > 1
  const counts = results.map(({ runs, policies }) => runs.length / Math.max(1, policies.length))
  return `${spec.name === undefined ? '' : `${spec.name}: `}${counted(results.length, 'point')}${several ? '' : ` under ${first}`}, ${overSeeds(Math.min(...counts), Math.max(...counts))}`
}

/** One row per point and policy, for people; the first `keep` columns say which. */
export function sweepTable(axes: readonly Axis[], lines: readonly Line[], shown: readonly string[]): { readonly columns: Column[]; readonly rows: string[][]; readonly keep: number } {
  const several = new Set(lines.map(({ policy }) => policy)).size > 1
  const units = new Map(lines.flatMap((line) => [...line.figures].map(([name, { unit }]) => [name, unit] as const)))
  const head = [...shortNames(axes.map(({ name }) => name)), ...(several ? ['policy'] : []), ...shown.map((name) => (units.get(name) === '' ? name : `${name}, ${units.get(name) ?? ''}`))]
  const rows = lines.map(({ at, policy, figures: own }) => [
    ...axes.map(({ name }) => policyName(at[name])),
    ...(several ? [policy] : []),
    ...shown.map((name) => cellOf(own.get(name))),
  ])
  const keep = axes.length + (several ? 1 : 0)
  return { columns: head.map((name, i) => ({ title: name, align: i < keep ? 'left' : 'right' })), rows, keep }
}

/** The same as text. */
export function sweepText(description: Description, axes: readonly Axis[], results: readonly PointResult[], shown: readonly string[], width?: number): string {
  const { columns, rows, keep } = sweepTable(axes, linesOf(results), shown)
  return `${sweepTitle(description, results)}\n${table(columns, rows, { width, keep })}`
}

/** A point where nothing is drawn has one seed, others may have more. */
function overSeeds(least: number, most: number): string {
  if (most === 1) return 'one seed'
  return least === most ? `means over ${most} seeds` : `means over ${least} to ${most} seeds`
}

const isTelling = (value: number | undefined) => value !== undefined && !Number.isNaN(value) && value !== 0
const cellOf = (figure: { readonly mean: Interval; readonly unit: Row['unit'] } | undefined) => (figure === undefined ? NONE : number(figure.mean.mean * (figure.unit === '%' ? 100 : 1), figure.unit))

/** All figures of every policy at every point. */
export function linesOf(results: readonly PointResult[]): Line[] {
  return results.flatMap(({ at, policies, runs }) => {
    const rows = compareRuns(policies, runs)
    return policies.map((policy, index): Line => {
      const figures = rows.flatMap(({ key, label, title, unit, cells }) => {
        const cell = cells[index]
        return cell === undefined || cell.values.length === 0 ? [] : [[label === undefined ? key : `${key}[${label}]`, { title: label === undefined ? title : `${title}, ${label}`, mean: cell.mean, unit }] as const]
      })
      return { at, policy, figures: new Map(figures) }
    })
  })
}

/** Names of figures over all lines, in the order in which they first come up. */
const namesOf = (lines: readonly Line[]): string[] => [...new Set(lines.flatMap(({ figures }) => [...figures.keys()]))]
