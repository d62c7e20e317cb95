import { meanInterval } from '@sched/metrics'
import { NONE, type Cell, type ComparisonCell } from '@sched/report'
import type { JobCount } from '../figures/class-counts.js'
import { ofAllJobs, RECORDED, type Row } from '../figures/figures.js'
import { interval, number } from './number.js'
import { policyTable } from './policy-table.js'

/** Jobs by class, and of all under `undefined`. */
type ClassCounts = ReadonlyMap<string | undefined, JobCount>

/** Figures of all jobs by policy, and their differences from the first one. */
export function overallText(rows: readonly Row[], width?: number): string {
  const overall = ofAllJobs(rows)
  if (overall.length === 0) return ''
  const policies = widest(overall)
  const [base = ''] = policies
  const lines = (show: (cell: ComparisonCell, unit: Row['unit']) => Cell, from: number) =>
    overall.map(({ title, unit, cells }) => [
      unit === '' ? title : `${title}, ${unit}`,
      ...policies.slice(from).map((_, i) => (cells[i + from] === undefined ? '' : show(cells[i + from] as ComparisonCell, unit))),
    ])
  const all = `All jobs\n${policyTable([''], policies, lines(({ mean }, unit) => interval(mean, unit), 0), width)}`
  if (policies.length < 2) return all
  const less = lines(({ difference }, unit) => (difference === undefined ? NONE : interval(difference, unit, true)), 1)
  const told = less.filter(([, ...cells]) => cells.some((cell) => cell !== '')) // recorded runs have few of the figures
  return `${all}\nDifference from ${base}\n${policyTable([''], policies.slice(1), told, width)}`
}

/**
 * Mean response and wait, the longest waits but for one in twenty, speedup over the first policy, locality and rejected jobs, by class of jobs and
 * policy. Empty for a workload without classes.
 */
export function classText(rows: readonly Row[], counts: ClassCounts, width?: number): string {
  const [response = [], wait = [], lateWait = [], locality = [], rejected = []] = ['response', 'wait', 'wait-p95', 'locality', 'rejected'].map((key) => rows.filter((row) => row.key === key))
  if (counts.size === 0) return ''
  const policies = policiesOf(response.length > 0 ? response : rejected).filter((policy) => policy !== RECORDED)
  const [base = ''] = policies
  const means = (those: readonly Row[], heading: string) =>
    those.length === 0 ? '' : byClass(those, counts, heading, policies, ({ cells, unit }) => cells.slice(0, policies.length).map(({ mean }) => interval(mean, unit)), width)
  return [
    means(response, 'Mean response in seconds, by class of jobs'),
    means(wait, 'Mean wait for the first task in seconds, by class of jobs'),
    means(lateWait, '95th percentile of waits in seconds, by class of jobs'),
    policies.length < 2 ? '' : byClass(response, counts, `Speedup over ${base}: its mean response / this one's`, policies.slice(1), speedups, width),
    means(locality, 'Node-local tasks in %, mean over jobs'),
    rejected.some(({ label }) => label !== undefined) ? means(rejected, 'Rejected jobs, by class of jobs') : '',
  ]
    .filter((text) => text !== '')
    .join('\n')
}

/** A row per class and one for all jobs, which stands last. */
function byClass(rows: readonly Row[], counts: ClassCounts, heading: string, policies: readonly string[], cells: (row: Row) => string[], width: number | undefined): string {
  const [all, classes] = [rows.filter(({ label }) => label === undefined), rows.filter(({ label }) => label !== undefined)]
  const lines = [...classes, ...all].map((row) => [row.label ?? 'all', jobsText(counts.get(row.label)), ...cells(row)])
  return `${heading}\n${policyTable(['', 'jobs'], policies, lines, width)}`
}

/** How many jobs the figures of a class are of, with the fewest and the most where policies do not count the same. */
function jobsText(count: JobCount = [NaN, NaN]): string {
  const [fewest = '', most = ''] = count.map((jobs) => number(Math.round(jobs)))
  return fewest === most ? most : `${fewest} to ${most}`
}

function speedups({ cells: [base, ...others] }: Row): string[] {
  return others.filter(({ policy }) => policy !== RECORDED).map(({ values }) => interval(meanInterval(values.map((value, seed) => (base?.values[seed] ?? NaN) / value))))
}

/** Some rows have a last column that others lack: what the log records. */
const widest = (rows: readonly Row[]): string[] => rows.reduce<string[]>((most, row) => (row.cells.length > most.length ? policiesOf([row]) : most), [])
const policiesOf = ([first]: readonly Row[]): string[] => (first?.cells ?? []).map(({ policy }) => policy)
