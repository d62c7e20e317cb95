import { suggest } from '@sched/core'
import { csv, json, NONE, table, type Column } from '@sched/report'
import type { Description } from '../experiment/experiment.js'
import { shortNames, type Axis } from '../experiment/matrix.js'
import { policyName } from '../experiment/policies.js'
import { version } from '../version.js'
import { counted, interval, number } from './number.js'
import { baseOf, linesOf, type Line, type PointResult, type SweptFigure } from './sweep-lines.js'
import { boundsOf } from './table-csv.js'

/** All points as JSON: the version that ran, figures by policy, with the difference from the base where there is one, and what every run measured. */
export function sweepJson({ spec }: Description, axes: readonly Axis[], results: readonly PointResult[]): string {
  const lines = linesOf(results)
  const points = results.map(({ at, runs }) => ({
    at,
    policies: lines.filter((line) => line.at === at).map(({ policy, figures }) => ({
      policy,
      figures: Object.fromEntries([...figures].map(([name, { mean, difference }]) => [name, { ...mean, ...(difference !== undefined && { difference }) }])),
    })),
    runs,
  }))
  return json({ sched: version, name: spec.name ?? null, axes: axes.map(({ name, steps }) => ({ name, values: steps.map(({ value }) => value) })), points })
}

/** One line per point and policy: values of the axes, mean and bounds of every figure, then those of every difference. Fractions, not percent. */
export function sweepCsv(axes: readonly Axis[], results: readonly PointResult[]): string {
  const lines = linesOf(results)
  const names = namesOf(lines)
  const compared = names.filter((name) => lines.some(({ figures }) => figures.get(name)?.difference !== undefined))
  const bounds = (name: string) => [name, `${name}_low`, `${name}_high`]
  const titles = [...axes.map(({ name }) => name), 'policy', 'seeds', ...names.flatMap(bounds), ...compared.flatMap((name) => bounds(`${name}_difference`))]
  const rows = lines.map(({ at, policy, figures }) => {
    const seeds = Math.max(0, ...[...figures.values()].map(({ mean }) => mean.n))
    const shown = [...names.map((name) => figures.get(name)?.mean), ...compared.map((name) => figures.get(name)?.difference)]
    return [...axes.map(({ name }) => policyName(at[name])), policy, seeds, ...shown.flatMap(boundsOf)]
  })
  return csv(titles, rows)
}

/** Figures that the printed table shows unless others are asked for: what tells architectures apart, where decisions take time. */
const telling = [/^response$/, /^wait$/, /^abandoned$/, /^unfinished$/, /^node-hours$/, /^cost$/, /^first-attempt-(?!p90)/, /^busyness-(?!mad-)/, /^conflict-fraction-/]
/** Of rigid jobs on a parallel machine also how much longer than they ran jobs took, and how busy it was, all queues together. */
const tellingOfRigid = [...telling, /^slowdown$/, /^use-(?!.*-by-queue)/]

/** Figures that were asked for, or, without any that exists, those that tell something here; and a warning of each that does not exist. */
export function shownFigures(lines: readonly Line[], figures: readonly string[] = []): { readonly shown: readonly string[]; readonly warnings: readonly string[] } {
  const all = namesOf(lines)
  const asked = figures.filter((name) => all.includes(name))
  const warnings = figures.filter((name) => !all.includes(name)).map((name) => `no figure is called "${name}". ${suggest(name, all)}`)
  if (asked.length > 0) return { shown: asked, warnings }
  const tells = (name: string) => lines.some((line) => isTelling(line.figures.get(name)?.mean.mean))
  const patterns = all.includes('loss') ? tellingOfRigid : telling
  const isOwn = (name: string) => lines.some((line) => line.figures.get(name)?.own)
  return { shown: [...patterns.flatMap((pattern) => all.filter((name) => pattern.test(name) && tells(name))), ...all.filter(isOwn)], warnings }
}

/** What was swept, on one line. */
export function sweepTitle({ spec }: Description, results: readonly PointResult[]): string {
  const [{ policies: [first = ''] = [] } = {}] = results
  const several = new Set(results.flatMap(({ policies }) => policies)).size > 1
  const counts = results.map(({ runs, policies }) => runs.length / Math.max(1, policies.length))
  return `${spec.name === undefined ? '' : `${spec.name}: `}${counted(results.length, 'point')}${several ? '' : ` under ${first}`}, ${overSeeds(Math.min(...counts), Math.max(...counts))}`
}

/** A table of a sweep; the first `keep` columns say which point and policy. */
interface SweepTable {
  readonly columns: Column[]
  readonly rows: string[][]
  readonly keep: number
}

/** One row per point and policy, for people: means. */
export const sweepTable = (axes: readonly Axis[], lines: readonly Line[], shown: readonly string[]): SweepTable => tableOf(axes, lines, lines, shown, cellOf)

/** The same of differences from the base, which has no rows; `undefined` where nothing is compared. */
export function differenceTable(axes: readonly Axis[], lines: readonly Line[], shown: readonly string[]): (SweepTable & { readonly title: string }) | undefined {
  const compared = lines.filter(({ figures }) => [...figures.values()].some(({ difference }) => difference !== undefined))
  return compared.length === 0 ? undefined : { title: `Difference from ${baseOf(lines)}, paired by seed`, ...tableOf(axes, lines, compared, shown, differenceOf) }
}

function tableOf(axes: readonly Axis[], lines: readonly Line[], those: readonly Line[], shown: readonly string[], show: (figure: SweptFigure | undefined) => string): SweepTable {
  const several = new Set(lines.map(({ policy }) => policy)).size > 1
  const units = new Map(lines.flatMap((line) => [...line.figures].map(([name, { unit }]) => [name, unit] as const)))
  const head = [
    ...shortNames(axes.map(({ name }) => name)),
    ...(several ? ['policy'] : []),
    ...shown.map((name) => (units.get(name) === '' ? name : `${name}, ${units.get(name) ?? ''}`)),
  ]
  const rows = those.map(({ at, policy, figures: own }) => [
    ...axes.map(({ name }) => policyName(at[name])),
    ...(several ? [policy] : []),
    ...shown.map((name) => show(own.get(name))),
  ])
  const keep = axes.length + (several ? 1 : 0)
  return { columns: head.map((name, i) => ({ title: name, align: i < keep ? 'left' : 'right' })), rows, keep }
}

/** The same as text: means, and the differences of policies where there are several. */
export function sweepText(description: Description, axes: readonly Axis[], results: readonly PointResult[], shown: readonly string[], width?: number): string {
  const lines = linesOf(results)
  const text = ({ columns, rows, keep }: SweepTable) => table(columns, rows, { width, keep })
  const less = results.some(({ policies }) => policies.length > 1) ? differenceTable(axes, lines, shown) : undefined
  return `${sweepTitle(description, results)}\n${text(sweepTable(axes, lines, shown))}${less === undefined ? '' : `\n${less.title}\n${text(less)}`}`
}

/** A point where nothing is drawn has one seed, others may have more. */
function overSeeds(least: number, most: number): string {
  if (most === 1) return 'one seed'
  return least === most ? `means over ${most} seeds` : `means over ${least} to ${most} seeds`
}

const isTelling = (value: number | undefined) => value !== undefined && !Number.isNaN(value) && value !== 0
const differenceOf = (figure: SweptFigure | undefined) => (figure?.difference === undefined ? NONE : interval(figure.difference, figure.unit, true))
const cellOf = (figure: SweptFigure | undefined) => (figure === undefined ? NONE : number(figure.mean.mean * (figure.unit === '%' ? 100 : 1), figure.unit))

/** Names of figures over all lines, in the order in which they first come up. */
const namesOf = (lines: readonly Line[]): string[] => [...new Set(lines.flatMap(({ figures }) => [...figures.keys()]))]
