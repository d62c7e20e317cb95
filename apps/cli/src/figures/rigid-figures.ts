import type { Group, JobGroupsResult, RigidResult, Summary } from '@sched/metrics'
import type { Figure } from './figure.js'

/** A figure of a run, with what the log itself records where it does. */
export interface RigidFigure extends Figure<Summary> {
  /** Class of jobs; absent for all jobs. */
  readonly label?: string
}

/** What the log says of a figure that every run yields, by the figure's key. */
export const recordedFigures: Readonly<Record<string, (recorded: RigidResult['recorded']) => number>> = {
  response: ({ response }) => response.mean,
  'response-median': ({ response }) => response.median,
  'response-p95': ({ response }) => response.p95,
  wait: ({ wait }) => wait.mean,
  'wait-p95': ({ wait }) => wait.p95,
  slowdown: ({ slowdown }) => slowdown.mean,
  makespan: ({ makespan }) => makespan,
}

/** Of rigid jobs on a parallel machine; none for other runs. */
export function rigidFigures(summaries: readonly Summary[]): RigidFigure[] {
  const [first] = summaries
  if (first?.rigid === undefined) return []
  const of = (key: string, title: string, unit: Figure<Summary>['unit'], value: (rigid: RigidResult, summary: Summary) => number): RigidFigure => ({
    key, title, unit, of: (summary) => (summary.rigid === undefined ? NaN : value(summary.rigid, summary)),
  })
  return [
    of('wait-by-area', 'mean wait, by area', 's', ({ jobs }) => jobs.overall.weighted.wait),
    of('response-by-area', 'mean response, by area', 's', ({ jobs }) => jobs.overall.weighted.response),
    of('slowdown-by-area', 'mean bounded slowdown, by area', '', ({ jobs }) => jobs.overall.weighted.slowdown),
    of('loss', 'loss of capacity', '%', ({ queue }) => queue.lossOfCapacity),
    of('queue-mean', 'waiting jobs, mean', '', ({ queue }) => queue.mean),
    of('queue-max', 'waiting jobs, most', '', ({ queue }) => queue.max),
    of('backfilled', 'jobs that passed an earlier one', '', ({ backfilled }) => backfilled.jobs),
    of('promised', 'jobs promised a start', '', (_, { promises }) => promises.jobs),
    of('late', 'of these, later than promised', '', (_, { promises }) => promises.broken),
    of('wait-error', 'mean error of waits, absolute', 's', ({ recorded }) => recorded.meanAbsoluteError),
    of('wait-difference', 'mean wait less the recorded', 's', ({ recorded }) => recorded.meanDifference),
    ...kinds.flatMap(({ name, groups }) =>
      groups(first.rigid?.jobs).flatMap(({ label }) => {
        const group = ({ jobs }: RigidResult) => groups(jobs).find((each) => each.label === label)
        return [
          { ...of(`wait-by-${name}`, 'mean wait', 's', (rigid) => group(rigid)?.wait ?? NaN), label: `${name} ${label}` },
          { ...of(`slowdown-by-${name}`, 'mean bounded slowdown', '', (rigid) => group(rigid)?.slowdown ?? NaN), label: `${name} ${label}` },
        ]
      }),
    ),
  ]
}

/** Kinds of jobs that tables have; users are in the JSON. */
export const kinds: readonly { readonly name: string; readonly groups: (jobs: JobGroupsResult | undefined) => readonly Group[] }[] = [
  { name: 'procs', groups: (jobs) => jobs?.bySize ?? [] },
  { name: 'ran', groups: (jobs) => jobs?.byLength ?? [] },
]
