import { figure, html, page } from '@sched/report'
import { barChart, ganttChart } from '@sched/report/charts'
import type { Experiment } from '../experiment/experiment.js'
import type { Io } from '../io.js'
import { explainText } from '../output/explain-text.js'
import type { ExplainedRun } from '../output/explained-run.js'
import { headline } from '../output/headline.js'
import { asRun } from './as-run.js'
import { charts } from './compared.js'

/** Why a job waited under each policy, as one page. */
export function explainPage(experiment: Experiment, runs: readonly ExplainedRun[], io: Io): string {
  const [title = '', ...lines] = headline(experiment).trimEnd().split('\n')
  const job = runs[0]?.wait.id ?? ''
  const story = explainText(runs)
  return page(`Why job ${job} waited`, [html`<p>${title}</p>\n`, lines.map((line) => html`<p>${line}</p>\n`)], [
    { title: 'Reasons', content: runs.every(({ wait }) => wait.wait === 0) ? html`<p>It did not wait for its first task.</p>\n` : [timeline(runs).map((svg) => figure(svg)), charts(reasons(runs))] },
    ...laterTasks(runs),
    { title: 'In full', content: html`<pre>${story}</pre>\n` },
    asRun(experiment.description, io, ['--job', job]),
  ])
}

/** A row per policy: for which reason the job waited when. */
function timeline(runs: readonly ExplainedRun[]): string[] {
  const bars = runs.flatMap(({ wait }, row) => wait.spans.map(({ from, to, why }) => ({ label: why, kind: why, start: from, end: to, rows: [[row, row] as const] })))
  if (bars.length === 0) return []
  const from = Math.min(...bars.map(({ start }) => start))
  return [ganttChart({
    title: 'Reasons over time', rowTitle: 'policy', rows: runs.length, names: runs.map(({ policy }) => policy), bars, from,
    to: Math.max(...bars.map(({ end }) => end)),
  })]
}

/** Seconds by reason and policy. */
function reasons(runs: readonly ExplainedRun[]): string[] {
  const names = [...new Set(runs.flatMap(({ wait }) => Object.keys(wait.parts)))]
  if (names.length === 0) return []
  return [barChart({
    title: 'Wait by reason',
    unit: 's',
    groups: names,
    series: runs.map(({ policy, wait }) => ({ name: policy, bars: names.map((name) => ({ value: wait.parts[name] ?? 0 })) })),
  })]
}

/** Waits of later tasks by reason and policy; nothing where none waited. */
function laterTasks(runs: readonly ExplainedRun[]): { readonly title: string; readonly content: ReturnType<typeof charts> }[] {
  const names = [...new Set(runs.flatMap(({ wait }) => Object.keys(wait.later?.taskParts ?? {})))]
  if (names.length === 0) return []
  const series = runs.map(({ policy, wait }) => ({ name: policy, bars: names.map((name) => ({ value: wait.later?.taskParts[name] ?? 0 })) }))
  return [{ title: 'After its first task', content: charts([barChart({ title: 'Waits from its first start to its last, added up over tasks', unit: 's', groups: names, series })]) }]
}
