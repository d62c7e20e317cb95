import { html, page, type Html, type Section } from '@sched/report'
import type { Description } from '../experiment/experiment.js'
import type { Row } from '../figures/figures.js'
import type { Io } from '../io.js'
import { classCounts } from '../figures/class-counts.js'
import { classText } from '../output/comparison.js'
import { headlineOf, type Ran } from '../output/headline.js'
import { queueUseText } from '../output/queue-use-text.js'
import { kindText } from '../output/rigid-text.js'
import { runText } from '../output/run-text.js'
import type { RunResult } from '../run-once.js'
import { asRun } from './as-run.js'
import { classCharts, comparedCharts, comparedTable, messageBox } from './compared.js'
import { distributionCharts } from './distributions.js'
import { seriesCharts } from './over-time.js'
import { scheduleCharts } from './schedules.js'

/** What a page of `run` or `compare` is made of. */
interface Compared {
  readonly ran: Ran
  readonly description: Description
  readonly runs: readonly RunResult[]
  readonly rows: readonly Row[]
  readonly messages: readonly string[]
}

/** All that `run` and `compare` have to say, as one page. */
export function comparePage({ ran, description, runs, rows, messages }: Compared, io: Io): string {
  const [title = '', ...lines] = headlineOf(ran).trimEnd().split('\n')
  const several = ran.policies.length > 1 || ran.seeds.length > 1
  const inFull = { title: several ? `Each policy in full, seed ${ran.seeds[0] ?? 1}` : 'In full', content: details(ran, runs) }
  const sections: Section[] = [
    several ? { title: 'Figures by policy', content: [comparedTable(rows), comparedCharts(rows)] } : inFull,
    ...classSection(rows, runs),
    ...drawnSections(ran, runs),
    ...(several ? [inFull] : []),
    asRun(description, io),
  ]
  return page(title, [lines.map((line) => html`<p>${line}</p>\n`), messages.map(messageBox)], sections)
}

function classSection(rows: readonly Row[], runs: readonly RunResult[]): Section[] {
  const texts = [classText(rows, classCounts(runs)), queueUseText(rows), kindText(rows)].filter((text) => text !== '')
  return texts.length === 0 ? [] : [{ title: 'By class of jobs', content: [classCharts(rows), html`<details><summary>Tables</summary><pre>${texts.join('\n')}</pre></details>\n`] }]
}

/** What was kept for charts: distributions over the jobs of all seeds, and the first seed over time. */
function drawnSections({ policies, seeds: [seed = 1] }: Ran, runs: readonly RunResult[]): Section[] {
  const ofPolicy = policies.map((name) => ({ policy: name, runs: runs.filter(({ policy }) => policy === name) }))
  const first = ofPolicy.flatMap(({ policy, runs }) => runs.filter((run) => run.seed === seed).flatMap(({ drawn }) => (drawn === undefined ? [] : [{ policy, drawn }])))
  if (first.every(({ drawn: { series } }) => Number.isNaN(series?.from))) return [] // no job came, or nothing was kept
  return [
    {
      title: 'Distributions',
      content: distributionCharts(ofPolicy.map(({ policy, runs }) => ({
        policy,
        runs: runs.flatMap(({ drawn }) => (drawn === undefined ? [] : [drawn.quantiles])),
      }))),
    },
    { title: `Over time, seed ${seed}`, content: seriesCharts(first.flatMap(({ policy, drawn: { series } }) => (series === undefined ? [] : [{ policy, series }]))) },
    { title: `Who ran where, seed ${seed}`, content: scheduleCharts(first) },
  ]
}

/** What `sched run` prints of the first seed of each policy. */
function details({ policies, seeds: [seed = 1] }: Ran, runs: readonly RunResult[]): Html[] {
  return policies.flatMap((name) => {
    const run = runs.find((each) => each.policy === name && each.seed === seed)
    if (run === undefined) return []
    return policies.length === 1 ? [html`<pre>${runText(run)}</pre>\n`] : [html`<details><summary>${name}</summary><pre>${runText(run)}</pre></details>\n`]
  })
}
