import { measure, type Claim, type Experiment, type Findings } from '../claim.js'
import { above, range } from '../range.js'
import { STAND_IN } from './conflicts.js'
import { markdownTable } from '../markdown-table.js'
import type { System } from './point.js'
import { compared, LIGHT, lightHorizon, mean, over, runs, shortNumber, TRACE, type Runs } from './sweep.js'

const jobTimes = [0.1, 1, 10, 100] as const
const taskTimes = [0.01, 0.1, 1] as const
const systems = ['single', 'multi', 'mesos', 'omega'] as const

const claims: readonly Claim[] = [
  {
    id: 'OM-F10', class: 'R', published: 'part of the load unscheduled: single path and Mesos at long times, least for Omega',
    measures: [
      measure('share of the surface with unscheduled load, single path less Omega', 'share', above(0)),
      measure('share of the surface with unscheduled load, Mesos less Omega', 'share', above(0)),
      measure('unscheduled jobs over the surface, multi path less Omega', 'share', above(0)),
    ],
  },
  {
    id: 'OM-F11', class: 'R', published: 'service busyness low over almost the whole range',
    measures: [measure('share of the surface with service busyness below 0.5, cluster C', 'share', range(0.6, 1))],
    notes: [STAND_IN],
  },
]

/** The surfaces over t_job and t_task of figures 10 and 11. */
export const surfaces: Experiment = {
  title: 'Surfaces over t_job and t_task (figures 10 and 11)',
  setup: [
    `t_job is ${jobTimes.join(', ')} s, t_task ${taskTimes.join(', ')} s, for service jobs and under single path for all. Figure 10 has cluster B, figure 11 cluster C ` +
      'under Omega, where the paper replays 29 days of a trace. 45 minutes are simulated.',
    'A point has unscheduled load when more than 2% of the jobs of the first nine tenths are not placed in full at the end.',
  ],
  claims,
  run(trials): Findings {
    const grid = (cluster: 'B' | 'C', scale: number, system: System) =>
      jobTimes.map((job) => taskTimes.map((task) => runs({ cluster, scale, system, service: { job, task } }, trials, lightHorizon)))
    const byName = Object.fromEntries(systems.map((system) => [system, grid('B', LIGHT, system)] as const)) as Record<System, Runs[][]>
    const trace = grid('C', TRACE, 'omega')
    const surface = (system: System, figure: (share: number) => number): Runs => averaged(byName[system].flat(), figure)
    const red = (share: number) => (share > 0.02 ? 1 : 0)
    const less = (system: System, figure: (share: number) => number) =>
      compared(surface(system, figure), surface('omega', figure), (a, b) => a.busyness - b.busyness)
    return {
      byId: {
        'OM-F10': [less('single', red), less('mesos', red), less('multi', (share) => share)],
        'OM-F11': [over(averagedBy(trace.flat(), ({ service }) => (service.busyness < 0.5 ? 1 : 0)), ({ busyness }) => busyness)],
      },
      tables: [
        ...systems.map((system) => surfaceTable(
          `Figure 10, cluster B, ${system}: busyness of the service scheduler (of the one scheduler under single and multi); * more than 2% unscheduled`,
          byName[system],
        )),
        surfaceTable('Figure 11, cluster C, omega: busyness of the service scheduler; * more than 2% unscheduled', trace, true),
      ],
    }
  },
}

/** Share of all jobs that were not placed. */
const unscheduled = ({ batch, service }: Runs[number]): number => (batch.unscheduled * batch.jobs + service.unscheduled * service.jobs) / (batch.jobs + service.jobs)

const averaged = (points: readonly Runs[], figure: (share: number) => number) => averagedBy(points, (result) => figure(unscheduled(result)))

/** One result per seed whose busyness is the mean of a figure over the points: a surface as one number. */
function averagedBy(points: readonly Runs[], figure: (result: Runs[number]) => number): Runs {
  return (points[0] as Runs).map((result, i) => ({ ...result, busyness: points.reduce((sum, results) => sum + figure(results[i] as Runs[number]), 0) / points.length }))
}

function surfaceTable(title: string, grid: readonly (readonly Runs[])[], ownScheduler = title.includes('omega') || title.includes('mesos')): string {
  const cell = (results: Runs) => {
    const busyness = mean(results, (result) => (ownScheduler ? result.service.busyness : result.busyness))
    return `${shortNumber(busyness)}${mean(results, unscheduled) > 0.02 ? ' *' : ''}`
  }
  return markdownTable(title, ['t_job (s) \\ t_task (s)', ...taskTimes.map(String)], grid.map((row, i) => [String(jobTimes[i]), ...row.map(cell)]))
}
