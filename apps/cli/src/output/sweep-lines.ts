import { pairedDifference, type Interval } from '@sched/metrics'
import type { Point } from '../experiment/matrix.js'
import { compareRuns, type Row } from '../figures/figures.js'
import type { RunResult } from '../run-once.js'

/** One point of a sweep with all its runs. */
export interface PointResult {
  readonly at: Point['at']
  readonly policies: readonly string[]
  readonly runs: readonly RunResult[]
}

/** A figure of one policy at one point, over the seeds. */
export interface SweptFigure {
  readonly title: string
  readonly unit: Row['unit']
  readonly own?: true
  readonly mean: Interval
  /** Of this policy less the first one at the point, paired by seed; in a sweep of one policy of this point less the first one. Absent for the base. */
  readonly difference?: Interval
}

/** One policy at one point: its figures over the seeds, by name. */
export interface Line {
  readonly at: Point['at']
  readonly policy: string
  readonly figures: ReadonlyMap<string, SweptFigure>
}

/** The first policy of a point with its values by seed, to be compared with other points. */
interface Base {
  readonly seeds: readonly number[]
  readonly values: ReadonlyMap<string, readonly number[]>
}

/** All figures of every policy at every point. */
export function linesOf(results: readonly PointResult[]): Line[] {
  const [first, ...others] = results.map((point) => ({ ...point, rows: compareRuns(point.policies, point.runs) }))
  if (first === undefined) return []
  const base = [first, ...others].every(({ policies }) => policies.length === 1) ? baseAt(first.runs, first.rows) : undefined
  return [first, ...others].flatMap(({ at, policies, runs, rows }, point) =>
    policies.map((policy, index): Line => ({ at, policy, figures: new Map(figuresOf(rows, index, point === 0 || !hasSeeds(runs, base) ? undefined : base)) })),
  )
}

/** What the differences are taken from, in words. */
export function baseOf(lines: readonly Line[]): string {
  const [{ at, policy } = { at: {}, policy: '' }] = lines
  const isOfPolicies = lines.some((line) => line.at === at && line.policy !== policy)
  return isOfPolicies ? `${policy} at the same point` : 'the first point'
}

function figuresOf(rows: readonly Row[], index: number, base: Base | undefined): [string, SweptFigure][] {
  return rows.flatMap(({ key, label, title, unit, own, cells }) => {
    const cell = cells[index]
    if (cell === undefined || cell.values.length === 0) return []
    const name = nameOf(key, label)
    const before = base?.values.get(name)
    const difference = before?.length === cell.values.length && before.length === base?.seeds.length ? pairedDifference(cell.values, before) : cell.difference
    return [[name, { title: label === undefined ? title : `${title}, ${label}`, unit, mean: cell.mean, ...(own && { own }), ...(difference !== undefined && { difference }) }]]
  })
}

const nameOf = (key: string, label: string | undefined): string => (label === undefined ? key : `${key}[${label}]`)

function baseAt(runs: readonly RunResult[], rows: readonly Row[]): Base {
  return { seeds: runs.map(({ seed }) => seed), values: new Map(rows.map(({ key, label, cells: [cell] }) => [nameOf(key, label), cell?.values ?? []])) }
}

/** Whether the runs of a point are on the seeds of the base, one by one. */
const hasSeeds = (runs: readonly RunResult[], base: Base | undefined): boolean => base?.seeds.join() === runs.map(({ seed }) => seed).join()
