import { meanInterval, pairedDifference, type Interval, type Summary } from '@sched/metrics'
import type { RunResult } from './run-once.js'

/** A number that every run yields, or every class of jobs in it. */
export interface Figure<Of> {
  readonly key: string
  readonly title: string
  /** `%` figures are fractions that are shown times 100. */
  readonly unit: 's' | '%' | ''
  /** Larger is better, smaller is better, or neither. */
  readonly of: (measured: Of) => number
}

type ClassOfJobs = Summary['classes'][number]

/** The figures of a run as a whole, for the resources of its cluster. */
export function overallFigures({ utilisation }: Summary): Figure<Summary>[] {
  return [
    { key: 'response.mean', title: 'mean response', unit: 's', of: ({ times }) => times.response.mean },
    { key: 'response.median', title: 'median response', unit: 's', of: ({ times }) => times.response.median },
    { key: 'response.p95', title: '95th percentile of response', unit: 's', of: ({ times }) => times.response.p95 },
    { key: 'wait.mean', title: 'mean wait for the first task', unit: 's', of: ({ times }) => times.wait.mean },
    { key: 'slowdown.mean', title: 'mean bounded slowdown', unit: '', of: ({ times }) => times.slowdown.mean },
    { key: 'makespan', title: 'makespan', unit: 's', of: ({ times }) => times.makespan },
    { key: 'locality.tasks', title: 'node-local tasks', unit: '%', of: ({ locality }) => locality.share[0] ?? NaN },
    { key: 'locality.jobs', title: 'node locality, mean over jobs', unit: '%', of: ({ locality }) => locality.jobShare[0] ?? NaN },
    ...utilisation.resources.map(
      ({ resource }, i): Figure<Summary> => ({
        key: `utilisation.${resource}`,
        title: `use of ${resource}`,
        unit: '%',
        of: (summary) => summary.utilisation.resources[i]?.utilisation ?? NaN,
      }),
    ),
    { key: 'evicted', title: 'evicted tasks', unit: '', of: ({ counts }) => counts.evicted },
    { key: 'jobs', title: 'finished jobs', unit: '', of: ({ counts }) => counts.finished },
  ]
}

/** The figures of each class of jobs. */
export const classFigures: readonly Figure<ClassOfJobs>[] = [
  { key: 'response.mean', title: 'mean response', unit: 's', of: ({ times }) => times.response.mean },
  { key: 'locality.jobs', title: 'node locality, mean over jobs', unit: '%', of: ({ locality }) => locality.jobShare[0] ?? NaN },
]

/** One figure of every policy, over the seeds. */
export interface Row {
  /** Class of jobs; absent for all jobs. */
  readonly label?: string
  readonly key: string
  readonly title: string
  readonly unit: Figure<unknown>['unit']
  readonly cells: readonly Cell[]
}

export interface Cell {
  readonly policy: string
  /** One value per seed. */
  readonly values: readonly number[]
  readonly mean: Interval
  /** Of this policy less the first one, paired by seed; absent for the first. */
  readonly difference?: Interval
  /** The first policy's value over this one's, paired by seed; absent for the first and for fractions. */
  readonly speedup?: Interval
}

/** A table of figures by policy, from the runs of every policy on every seed. Rows that no policy has a value for are left out. */
export function compareRuns(policies: readonly string[], runs: readonly RunResult[]): Row[] {
  const ofPolicy = policies.map((policy) => runs.filter((run) => run.policy === policy).map(({ summary }) => summary))
  const [first] = runs
  if (first === undefined) return []
  const overall = overallFigures(first.summary).map((figure) => row(figure, policies, ofPolicy))
  const labels = first.summary.classes.map(({ label }) => label)
  const classes = labels.flatMap((label) =>
    classFigures.map((figure) => {
      const of = ({ classes }: Summary) => {
        const found = classes.find((each) => each.label === label)
        return found === undefined ? NaN : figure.of(found)
      }
      return { ...row({ ...figure, of }, policies, ofPolicy), label }
    }),
  )
  return [...overall, ...classes].filter(({ cells }) => cells.some(({ values }) => values.some((value) => !Number.isNaN(value))))
}

function row(figure: Figure<Summary>, policies: readonly string[], ofPolicy: readonly (readonly Summary[])[]): Row {
  const values = ofPolicy.map((summaries) => summaries.map(figure.of))
  const [base = []] = values
  const { key, title, unit } = figure
  return { key, title, unit, cells: policies.map((policy, p) => cell(policy, values[p] ?? [], p === 0 ? undefined : base, unit)) }
}

function cell(policy: string, values: readonly number[], base: readonly number[] | undefined, unit: Row['unit']): Cell {
  const mean = meanInterval(values)
  if (base === undefined) return { policy, values, mean }
  const difference = pairedDifference(values, base)
  if (unit === '%') return { policy, values, mean, difference }
  return { policy, values, mean, difference, speedup: meanInterval(values.map((value, i) => (base[i] ?? NaN) / value)) }
}
