import { naturalOrder, type Summary } from '@sched/metrics'
import { decisionFigures } from './decision-figures.js'
import { comparison, type ComparisonRow } from '@sched/report'
import { autoscalingFigures } from './autoscaling-figures.js'
import { energyFigures } from './energy-figures.js'
import { networkFigures } from './network-figures.js'
import { queueFigures } from './queue-figures.js'
import { recordedFigures, rigidFigures } from './rigid-figures.js'
import type { Figure } from './figure.js'
import type { RunResult } from '../run-once.js'

type ClassOfJobs = Pick<Summary['classes'][number], 'times' | 'locality'>

/** Of all jobs, and of each class of jobs. */
const response: Figure<ClassOfJobs> = { key: 'response', title: 'mean response', unit: 's', of: ({ times }) => times.response.mean }
const wait: Figure<ClassOfJobs> = { key: 'wait', title: 'mean wait for the first task', unit: 's', of: ({ times }) => times.wait.mean }
const lateWait: Figure<ClassOfJobs> = { key: 'wait-p95', title: '95th percentile of wait', unit: 's', of: ({ times }) => times.wait.p95 }
const rejected: Figure<ClassOfJobs> = { key: 'rejected', title: 'rejected jobs', unit: '', of: ({ times }) => times.rejected }
const locality: Figure<ClassOfJobs> = { key: 'locality', title: 'node-local tasks, mean over jobs', unit: '%', of: ({ locality }) => locality.jobShare[0] ?? NaN }

/** Of a run as a whole, for the resources of its cluster. */
const runFigures = (summary: Summary): Figure<Summary>[] => [
  { key: 'response-median', title: 'median response', unit: 's', of: ({ times }) => times.response.median },
  { key: 'response-p95', title: '95th percentile of response', unit: 's', of: ({ times }) => times.response.p95 },
  wait,
  lateWait,
  { key: 'slowdown', title: 'mean bounded slowdown', unit: '', of: ({ times }) => times.slowdown.mean },
  { key: 'makespan', title: 'makespan', unit: 's', of: ({ times }) => times.makespan },
  { key: 'locality-tasks', title: 'node-local tasks', unit: '%', of: ({ locality }) => locality.share[0] ?? NaN },
  ...summary.utilisation.resources.map(({ resource }, i): Figure<Summary> => ({
    key: `use-${resource}`,
    title: `use of ${resource}`,
    unit: '%',
    of: (summary) => summary.utilisation.resources[i]?.utilisation ?? NaN,
  })),
  ...(summary.fragmentation ?? []).map(({ resource }, i): Figure<Summary> => ({
    key: `fragments-${resource}`,
    title: `free ${resource} in fragments`,
    unit: '%',
    of: (summary) => summary.fragmentation?.[i]?.share ?? NaN,
  })),
  ...networkFigures(summary),
  ...energyFigures(summary),
  ...autoscalingFigures(summary),
  { key: 'evicted', title: 'evicted tasks', unit: '', of: ({ counts }) => counts.evicted },
  { key: 'lost', title: 'tasks lost with nodes', unit: '', of: ({ outages }) => outages?.lost.tasks ?? NaN },
  { key: 'failed', title: 'failed tasks', unit: '', of: ({ failures }) => failures?.tasks ?? 0 },
  { key: 'avoided', title: 'times that jobs avoided nodes', unit: '', of: ({ avoidance }) => avoidance?.times ?? NaN },
  { key: 'drained', title: 'times that nodes were drained after failures', unit: '', of: ({ avoidance }) => avoidance?.drains ?? NaN },
  { key: 'copies', title: 'copies of slow tasks', unit: '', of: ({ speculation }) => speculation?.copies ?? 0 },
  { key: 'superseded', title: 'task time of superseded attempts', unit: 's', of: ({ speculation }) => speculation?.superseded.taskSeconds ?? 0 },
  { key: 'rejected', title: 'rejected jobs', unit: '', of: ({ counts }) => counts.rejected },
  { key: 'abandoned', title: 'abandoned jobs', unit: '', of: ({ counts }) => counts.abandoned },
  { key: 'unfinished', title: 'unfinished jobs', unit: '', of: ({ counts }) => counts.jobs - counts.finished - counts.abandoned },
]

/** One figure of every policy over the seeds. */
export interface Row extends ComparisonRow {
  readonly key: string
  /** Class of jobs; absent for all jobs. */
  readonly label?: string
  /** A metric of a plug-in has measured it. */
  readonly own?: true
}

/** Rows of all jobs, without those in which every policy has 0 on every seed. */
export const ofAllJobs = (rows: readonly Row[]): Row[] => rows.filter(({ label, cells }) => label === undefined && cells.some(({ values }) => values.some((value) => value !== 0)))

/** What the column of the log's own figures is called. */
export const RECORDED = 'recorded'

/** All figures by policy, from the runs of every policy on every seed. Rows for which no run has a number are left out. */
export function compareRuns(policies: readonly string[], runs: readonly RunResult[]): Row[] {
  const ofPolicy = policies.map((policy) => runs.filter((run) => run.policy === policy))
  const [first] = runs
  if (first === undefined) return []
  const rigid = rigidFigures(runs.map(({ summary }) => summary))
  const ofJobs = rigid.filter(({ label }) => label === undefined)
  const figures = [...[response, ...runFigures(first.summary), ...ofJobs].map(ofSummary), ...decisionFigures(runs), ofSummary(locality), ...measuredFigures(runs)]
  const labels = [...new Set(runs.flatMap(({ summary }) => summary.classes.map(({ label }) => label)))].sort(naturalOrder)
  const rejects = runs.some(({ summary }) => summary.classes.some(({ times }) => times.rejected > 0))
  const classes = labels.flatMap((label) => [response, wait, lateWait, locality, ...(rejects ? [rejected] : [])].map((figure) => row(policies, ofPolicy, ofSummary(ofClass(figure, label)), label)))
  const labelled = [...rigid, ...queueFigures(runs.map(({ summary }) => summary))]
  const ofKinds = labelled.flatMap((figure) => (figure.label === undefined ? [] : [row(policies, ofPolicy, ofSummary(figure), figure.label)]))
  return [...figures.map((figure) => row(policies, ofPolicy, figure)), ...classes, ...ofKinds].filter(({ cells }) => cells.some(({ values }) => values.length > 0))
}

/** What metrics of plug-ins have measured in some run. */
function measuredFigures(runs: readonly RunResult[]): Figure<RunResult>[] {
  const figures = new Map(runs.flatMap(({ measured = [] }) => measured.map((figure) => [figure.name, figure] as const)))
  return [...figures.values()].map(({ name, title, unit }) => ({ key: name, title, unit, own: true, of: ({ measured = [] }) => measured.find((each) => each.name === name)?.value ?? NaN }))
}

const ofSummary = ({ of, ...figure }: Figure<Summary>): Figure<RunResult> => ({ ...figure, of: ({ summary }) => of(summary) })

/**
 * Seeds on which a policy has no such number (a class without jobs) are left out for all of them, so that pairs stay pairs;
 * a policy that has none on any seed (it rejects all jobs) takes nothing from the others.
 */
function row(policies: readonly string[], ofPolicy: readonly (readonly RunResult[])[], { key, title, unit, own, of }: Figure<RunResult>, label?: string): Row {
  const all = ofPolicy.map((runs) => runs.map(of))
  const counting = all.filter((own) => own.some((value) => !Number.isNaN(value)))
  const values = all.map((own) => (counting.includes(own) ? own.filter((_, seed) => counting.every((each) => !Number.isNaN(each[seed]))) : []))
  const recorded = label === undefined && unit !== '%' ? recordedOf(key, ofPolicy[0] ?? []) : []
  const isRecorded = recorded.length > 0 && !policies.includes(RECORDED) && values.every((own) => own.length === recorded.length)
  const [found] = comparison([...policies, ...(isRecorded ? [RECORDED] : [])], [{ title, unit, values: [...values, ...(isRecorded ? [recorded] : [])] }])
  return { key, ...(label !== undefined && { label }), ...(own && { own }), ...(found as ComparisonRow) }
}

/** What the log records of a figure, on each seed; empty where it does not. */
function recordedOf(key: string, runs: readonly RunResult[]): number[] {
  const figure = recordedFigures[key]
  const values = runs.map(({ summary: { rigid } }) => (figure === undefined || rigid === undefined ? NaN : figure(rigid.recorded)))
  return values.some(Number.isNaN) ? [] : values
}

function ofClass(figure: Figure<ClassOfJobs>, label: string): Figure<Summary> {
  const of = ({ classes }: Summary) => {
    const found = classes.find((each) => each.label === label)
    return found === undefined ? NaN : figure.of(found)
  }
  return { ...figure, of }
}
