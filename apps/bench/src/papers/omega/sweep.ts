import { markdownTable } from '../markdown-table.js'
import type { Estimate, Trial } from '../claim.js'
import { overRuns } from '../estimate.js'
import { mapped } from '../mapped.js'
import type { Point, PointResult } from './point.js'

/** A point without what a trial adds. */
export type Setting = Omit<Point, 'seed' | 'validate' | 'horizon'>

export const hour = 3600

/**
 * Size of the cell where the paper used its lightweight simulator, and where it replayed traces. Constraints and a scoring
 * placement sent the schedulers of a trace to the same few machines; a fifth of the machines stands in for that.
 */
export const LIGHT = 1
/** Simulated seconds of a point of the lightweight kind; no job waits longer than that. */
export const lightHorizon = 2700
export const TRACE = 0.2

/** The results of one setting, one per trial. */
export type Runs = readonly PointResult[]

/** Runs one setting under every trial. A quick trial lasts a twentieth. */
export function runs(setting: Setting, trials: readonly Trial[], horizon: number): Runs {
  return mapped(trials[0]?.threads, 'point', trials.map(({ seed, validate, quick = false }) => ({ ...setting, seed, validate, horizon: quick ? horizon / 20 : horizon })))
}

export type Figure = (result: PointResult) => number

/** A figure over the seeds. */
export const over = (results: Runs, figure: Figure): Estimate => overRuns(results, figure)

/** A figure that compares two settings seed by seed. */
export function compared(a: Runs, b: Runs, figure: (a: PointResult, b: PointResult) => number): Estimate {
  return overValues(a.map((result, i) => figure(result, b[i] as PointResult)))
}

/** Values that were found seed by seed. */
export const overValues = (values: readonly number[]): Estimate => overRuns(values, (value) => value)

/** Mean of a figure over the seeds, for tables. */
export const mean = (results: Runs, figure: Figure): number => results.reduce((sum, result) => sum + figure(result), 0) / results.length

/** Decision times of the published sweeps, seconds. */
export const times = [0.01, 0.1, 1, 10, 100] as const

/** A table with a title: one row per entry, columns of figures averaged over the seeds. */
export function sweepTable(title: string, first: readonly string[], columns: Readonly<Record<string, Figure>>, rows: readonly (readonly [readonly string[], Runs])[]): string {
  const heads = [...first, ...Object.keys(columns)]
  const cells = rows.map(([names, results]) => [...names, ...Object.values(columns).map((figure) => shortNumber(mean(results, figure)))])
  return markdownTable(title, heads, cells)
}

export const shortNumber = (value: number): string => (Number.isNaN(value) ? '-' : String(Number(value.toPrecision(3))))

/** The figures that most sweeps show. */
export const classColumns: Readonly<Record<string, Figure>> = {
  'batch wait (s)': ({ batch }) => batch.wait,
  'service wait (s)': ({ service }) => service.wait,
  'batch busyness': ({ batch }) => batch.busyness,
  'service busyness': ({ service }) => service.busyness,
  'service conflict fraction': ({ service }) => service.conflictFraction,
  'unscheduled batch': ({ batch }) => batch.unscheduled,
  'unscheduled service': ({ service }) => service.unscheduled,
}
