import { measure, type Claim, type Experiment, type Findings, type Trial } from '../claim.js'
import { overRuns } from '../estimate.js'
import { markdownTable } from '../omega/markdown.js'
import type { System } from '../omega/point.js'
import { LIGHT, lightHorizon, runs, type Runs } from '../omega/sweep.js'
import { above, shown } from '../range.js'

/** Seconds that a service job's placement takes; under single path any job's. */
const SERVICE = 1
const factors = [0.25, 0.5, 1, 1.5, 2, 3, 4, 5, 6, 8, 10] as const
const names = { single: 'monolithic', multi: 'monolithic, multi-path', mesos: 'two-level', omega: 'shared state' } as const satisfies Readonly<Record<System, string>>
const systems = ['single', 'multi', 'mesos', 'omega'] as const
/** Most jobs that may be left over. */
const TOLERATED = 0.02

const claims: readonly Claim[] = [
  {
    id: 'SV-AR', class: 'R', published: 'monolithic < two-level < shared state in scalability',
    measures: [
      measure('highest sustained arrival rate / original rate, two-level less monolithic', 'number', above(0)),
      measure('shared state less two-level', 'number', above(0)),
      ...systems.map((system) => measure(`highest sustained rate, ${names[system]}`, 'number', shown)),
    ],
  },
]

/** How much load each architecture sustains. */
export const scalability: Experiment = {
  title: 'Architectures',
  setup: [
    'The light simulation of [the Omega page](omega.md): cluster B, two classes of jobs, 45 minutes. The arrival rate of batch jobs is multiplied by ' +
      `${factors.join(', ')} and their run times divided by the same. Placing a service job takes ${SERVICE} s and 5 ms per task, a batch job 0.1 s and 5 ms per task; a ` +
      'monolithic scheduler has one decision time for all jobs, the longer one, a multi-path one has both. Two-level and shared state have a scheduler per class.',
    'What scalability is, the survey does not say. Here it is the highest of these rates up to which, at every one, at most 2% of the jobs of the first nine tenths are left without all their tasks; 0 where there is none.',
  ],
  claims,
  run(trials): Findings {
    const found = trials.map((trial) => Object.fromEntries(systems.map((system) => [system, climb(system, trial)])) as Record<System, Climb>)
    const highest = (system: System) => overRuns(found, (each) => each[system].sustained)
    const less = (more: System, fewer: System) => overRuns(found, (each) => each[more].sustained - each[fewer].sustained)
    return {
      byId: { 'SV-AR': [less('mesos', 'single'), less('omega', 'mesos'), ...systems.map(highest)] },
      tables: [table(found)],
    }
  },
}

interface Climb {
  readonly sustained: number
  /** Share of jobs left over, by factor, as far as was tried. */
  readonly left: readonly number[]
}

/** Raises the rate until too many jobs are left over. */
function climb(system: System, trial: Trial): Climb {
  let sustained = 0
  const left: number[] = []
  for (const batchRate of factors) {
    left.push(leftOver(runs({ cluster: 'B', scale: LIGHT, system, batchRate, service: { job: SERVICE } }, [trial], lightHorizon)))
    if ((left.at(-1) as number) > TOLERATED) break
    sustained = batchRate
  }
  return { sustained, left }
}

function leftOver([result]: Runs): number {
  const { batch, service } = result as Runs[number]
  return (batch.unscheduled * batch.jobs + service.unscheduled * service.jobs) / (batch.jobs + service.jobs)
}

function table(found: readonly Readonly<Record<System, Climb>>[]): string {
  const cell = (system: System, at: number) => {
    const tried = found.flatMap((each) => each[system].left[at] ?? [])
    return tried.length === 0 ? '' : `${((100 * tried.reduce((sum, share) => sum + share, 0)) / tried.length).toFixed(1)}% (${tried.length})`
  }
  return markdownTable('Jobs left over, mean over the seeds that came so far, and their number, by arrival rate', ['rate', ...systems.map((system) => names[system])], factors.map((factor, at) => [String(factor), ...systems.map((system) => cell(system, at))]))
}
