import type { Summary } from '@sched/metrics'
import { percent } from '@sched/report'
import { measure, type Claim, type Experiment, type Findings, type Trial } from '../claim.js'
import { overRuns } from '../estimate.js'
import { markdownTable } from '../markdown-table.js'
import { range } from '../range.js'
import { disciplineNames, disciplines, jobsOf, PROCS, runRigid, WIDEST, type Discipline, type Load } from './rigid-machine.js'

/** The loads of the two rows; the other ones stand in a table. */
const TYPICAL: Load = { load: 0.7, procs: PROCS, estimates: 'tsafrir' }
const WIDE: Load = { ...TYPICAL, procs: WIDEST }
const loads = [PROCS, WIDEST].flatMap((procs) =>
  (['tsafrir', 'exact'] as const).flatMap((estimates) => [0.6, 0.7, 0.8].map((load): Load => ({ load, procs, estimates }))),
)

const noSlower = range(0, 1)
const ratios = [
  measure('mean response of fattened over that of EASY', 'ratio', noSlower),
  measure('EASY over conservative', 'ratio', noSlower),
  measure('conservative over FCFS', 'ratio', noSlower),
]
const claims: readonly Claim[] = [
  {
    id: 'SV-BF-order', class: 'R', published: 'mean completion: fattened <= EASY <= conservative <= FCFS, on typical loads', measures: ratios,
  },
  {
    id: 'SV-BF-order-wide', class: 'R', published: 'the same, where some jobs take the whole machine', measures: ratios,
    notes: [
      'Not a blind check: that there are two machines, and with them a row where no job takes more than half of the machine and this one, was decided after the first run, with its results known.',
    ],
    why:
      'likely because a job that takes the whole machine waits for whatever runs longest, and EASY lets long jobs start until it is the first of the queue; ' +
      'conservative gives such a job its place when it comes. With exact estimates the order holds here, too, see the table',
  },
]

type Outcome = Readonly<Record<Discipline, Summary>>

/** Which discipline has jobs done soonest. */
export const backfillingOrder: Experiment = {
  title: 'Backfilling, which discipline is faster',
  setup: [
    `3,000 rigid jobs of the Lublin-Feitelson model for ${WIDEST} processors at an offered load of 0.7; estimates as users give them (Tsafrir et al.). ` +
      'Queues in order of submission; mean response over all jobs.',
    `What a typical load is, the survey does not say. \`SV-BF-order\` has ${PROCS} processors, so that no job takes more than half of them; ` +
      `\`SV-BF-order-wide\` has ${WIDEST}. The table has other loads, and exact estimates.`,
  ],
  claims,
  run(trials): Findings {
    const outcomes = loads.map((load) => ({ load, runs: trials.map((trial) => runAll(load, trial)) }))
    const ratiosAt = (at: Load) => {
      const runs = outcomes.find(({ load }) => isSame(load, at))?.runs ?? []
      const ratio = (a: Discipline, b: Discipline) => overRuns(runs, (run) => response(run, a) / response(run, b))
      return [ratio('fattened', 'EASY'), ratio('EASY', 'conservative'), ratio('conservative', 'FCFS')]
    }
    return { byId: { 'SV-BF-order': ratiosAt(TYPICAL), 'SV-BF-order-wide': ratiosAt(WIDE) }, tables: [table(outcomes)] }
  },
}

const isSame = (a: Load, b: Load) => a.load === b.load && a.procs === b.procs && a.estimates === b.estimates

function runAll(load: Load, trial: Trial): Outcome {
  const jobs = jobsOf(load, trial)
  return Object.fromEntries(disciplineNames.map((name) => [name, runRigid(jobs, disciplines[name], trial, { procs: load.procs })])) as Outcome
}

const response = (run: Outcome, discipline: Discipline): number => run[discipline].times.response.mean

function table(outcomes: readonly { readonly load: Load; readonly runs: readonly Outcome[] }[]): string {
  const heads = [
    'processors',
    'load',
    'estimates',
    ...disciplineNames.map((name) => `${name}: response (s)`),
    ...disciplineNames.map((name) => `${name}: bounded slowdown`),
    'backfilled by EASY',
    'loss of capacity, FCFS',
    'EASY',
  ]
  const rows = outcomes.map(({ load, runs }) => {
    const mean = (figure: (run: Outcome) => number) => overRuns(runs, figure).mean
    const per = (figure: (summary: Summary) => number) => disciplineNames.map((name) => String(Number(mean((run) => figure(run[name])).toPrecision(3))))
    return [
      String(load.procs), String(load.load), load.estimates === 'exact'
        ? 'exact'
        : 'users\'', ...per(({ times }) => times.response.mean), ...per(({ times }) => times.slowdown.mean),
      percent(mean(({ EASY }) => EASY.rigid?.backfilled.share ?? NaN)),
      percent(mean(({ FCFS }) => FCFS.rigid?.queue.lossOfCapacity ?? NaN)), percent(mean(({ EASY }) => EASY.rigid?.queue.lossOfCapacity ?? NaN)),
    ]
  })
  return markdownTable(`Means over the seeds, by processors, offered load and estimates; jobs of up to ${WIDEST} processors`, heads, rows)
}
