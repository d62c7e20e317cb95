import { measure, type Claim, type Experiment, type Findings } from '../claim.js'
import { above, below, range, shown } from '../range.js'
import { few, seedsOf } from '../estimate.js'
import { classColumns, hour, over, overValues, runs, sweepTable, TRACE, type Figure, type Runs } from './sweep.js'

const serviceTimes = [0.1, 1, 3, 10, 20, 30, 50, 70] as const
const LIMIT = 30

/** For all rows of the trace-driven kind. */
export const STAND_IN = 'The stand-in has a fifth of the machines and of the run times of the cluster, in the place of a trace with constraints and a scoring placement: how often schedulers meet is a choice here, directions are not.'

const claimsOf12: readonly Claim[] = ([
  {
    id: 'OM-F12-conf', class: 'R', published: 'conflict fraction above 1.0 from t_job of about 10 s',
    measures: [measure('t_job at which it reaches 1.0', 'seconds', range(10 / 3, 30)), measure('conflict fraction at 10 s', 'number', shown)],
    why: 'how often schedulers meet on a machine is the placement\'s doing, and Google\'s is not public: randomised first fit spreads tasks over a cell that is 60% full. A scoring ' +
      'placement sends all schedulers to the same machines; the second table has best fit, the extreme of it, with everything else alike: 1.0 is reached at about 2.5 s and the fraction at ' +
      '10 s is above 5. The published curve lies between the two tables',
  },
  {
    id: 'OM-F12-slo', class: 'R', published: 'the 30 s SLO fails at about the same t_job, before saturation',
    measures: [measure('t_job at which the mean service wait reaches 30 s', 'seconds', range(10 / 3, 30)), measure('service busyness there', 'number', below(1))],
    why: 'with so few conflicts the wait is that of a single server queue with exponential gaps, which reaches 30 s just above the range; with best fit it does so between 3 and 10 s, ' +
      'before saturation, as published',
  },
  {
    id: 'OM-F12-40', class: 'R', published: 0.4,
    measures: [measure('busyness above that without conflicts, at 10 s', 'share', range(0.2, 0.6))],
    why: 'it follows the conflict fraction: retries after conflicts add 11% here and several times the busyness with best fit; 40% lies between the two placements',
  },
  { id: 'OM-F12-ttask', class: 'R', published: 0.2, measures: [measure('conflict fraction at t_task = 1 s, t_job = 0.1 s', 'number', range(0, 0.2))] },
] satisfies Claim[]).map((claim) => ({ ...claim, notes: [STAND_IN] }))

/** Figure 12: service decision times on cluster B. */
export const serviceTimesOnB: Experiment = {
  title: 'Long service decisions on cluster B (figure 12)',
  setup: [
    'Omega, one batch and one service scheduler, fine-grained and incremental. Four hours of the stand-in for cluster B; the paper replays 7 days of a trace with ' +
      'constraints and Google\'s placement.',
    'Crossings are interpolated linearly between the decision times of the table; a curve that never crosses counts as the longest time.',
  ],
  claims: claimsOf12,
  run(trials): Findings {
    const points = serviceTimes.map((job) => [job, runs({ cluster: 'B', scale: TRACE, system: 'omega', service: { job } }, trials, 4 * hour)] as const)
    const slow = runs({ cluster: 'B', scale: TRACE, system: 'omega', service: { task: 1 } }, trials, 4 * hour)
    const at = (x: number) => points.find(([job]) => job === x)?.[1] as Runs
    const cross = (figure: Figure, limit: number) => trials.map((_, i) => crossing(points.map(([x, results]) => [x, figure(results[i] as Runs[number])]), limit))
    const slo = cross(({ service }) => service.wait, LIMIT)
    const fitted = serviceTimes.map((job) => [job, runs({ cluster: 'B', scale: TRACE, system: 'omega', service: { job }, placement: 'best-fit' }, few(trials), 4 * hour)] as const)
    const busynessAt = slo.map((x, i) => valueAt(points.map(([job, results]) => [job, (results[i] as Runs[number]).service.busyness]), x))
    return {
      byId: {
        'OM-F12-conf': [overValues(cross(({ service }) => service.conflictFraction, 1)), over(at(10), ({ service }) => service.conflictFraction)],
        'OM-F12-slo': [overValues(slo), overValues(busynessAt)],
        'OM-F12-40': [over(at(10), ({ service }) => service.busyness / service.cleanBusyness - 1)],
        'OM-F12-ttask': [over(slow, ({ service }) => service.conflictFraction)],
      },
      tables: [tableOf12('Figure 12: cluster B', points), tableOf12(`Figure 12 with best fit in the place of randomised first fit, ${seedsOf(few(trials))}`, fitted)],
    }
  },
}

const tableOf12 = (title: string, points: readonly (readonly [x: number, results: Runs])[]) =>
  sweepTable(title, ['t_job service (s)'], { ...classColumns, 'service busyness without conflicts': ({ service }) => service.cleanBusyness },
    points.map(([x, results]) => [[String(x)], results]))

type Curve = readonly (readonly [x: number, y: number])[]

/** Where a rising curve reaches a limit; its last x if it never does. */
export function crossing(curve: Curve, limit: number): number {
  for (let i = 1; i < curve.length; i++) {
    const [x0, y0] = curve[i - 1] as readonly [number, number]
    const [x1, y1] = curve[i] as readonly [number, number]
    if (y1 >= limit) return y0 >= limit ? x0 : x0 + ((x1 - x0) * (limit - y0)) / (y1 - y0)
  }
  return curve.at(-1)?.[0] ?? NaN
}

/** A curve's value at x, linear between its points. */
export function valueAt(curve: Curve, x: number): number {
  for (let i = 1; i < curve.length; i++) {
    const [x0, y0] = curve[i - 1] as readonly [number, number]
    const [x1, y1] = curve[i] as readonly [number, number]
    if (x <= x1) return y0 + ((y1 - y0) * (x - x0)) / (x1 - x0)
  }
  return curve.at(-1)?.[1] ?? NaN
}

const batchTimes = [1, 2, 3, 4, 6, 8, 10, 12, 15, 20] as const

/** Figure 13: batch schedulers by a hash of the job id, cluster C. */
export const batchTimesOnC: Experiment = {
  title: 'Three batch schedulers on cluster C (figure 13)',
  setup: ['Omega on the stand-in for cluster C; t_job of batch jobs is swept with one and with three batch schedulers that share the jobs by a hash of their id. Three hours; the paper replays 24 hours of a trace.',
    'A scheduler is saturated where the busyness per batch scheduler reaches 0.95.'],
  claims: [{
    id: 'OM-F13', class: 'R', published: 'saturation from about 4 s to 15 s; conflict about 0.1; waits below 30 s until saturation',
    measures: [
      measure('t_job at which three saturate / one saturates', 'ratio', range(2, 4.5)),
      measure('t_job at which one saturates', 'seconds', range(2, 8)),
      measure('batch conflict fraction of three, at 10 s', 'number', range(0, 0.3)),
      measure('batch wait of three at 6 s', 'seconds', below(LIMIT)),
    ],
    notes: [STAND_IN],
  }],
  run(trials): Findings {
    const sweep = (batchSchedulers: number) =>
      batchTimes.map((job) =>
        [job, runs({ cluster: 'C', scale: TRACE, system: 'omega', batch: { job }, batchSchedulers }, trials, 3 * hour)] as const)
    const [one, three] = [sweep(1), sweep(3)]
    const saturates = (points: typeof one, schedulers: number) =>
      trials.map((_, i) => crossing(points.map(([x, results]) => [x, (results[i] as Runs[number]).batch.busyness / schedulers]), 0.95))
    const [alone, shared] = [saturates(one, 1), saturates(three, 3)]
    const at = (x: number) => three.find(([job]) => job === x)?.[1] as Runs
    const rows = [[1, one], [3, three]] as const
    return {
      byId: {
        'OM-F13': [
          overValues(shared.map((x, i) => x / (alone[i] as number))), overValues(alone),
          over(at(10), ({ batch }) => batch.conflictFraction), over(at(6), ({ batch }) => batch.wait),
        ],
      },
      tables: [sweepTable('Figure 13: cluster C', ['batch schedulers', 't_job batch (s)'],
        {
          'batch busyness, all schedulers': ({ batch }) => batch.busyness,
          'batch wait (s)': ({ batch }) => batch.wait,
          'batch conflict fraction': ({ batch }) => batch.conflictFraction,
          'service conflict fraction': ({ service }) => service.conflictFraction,
          'unscheduled batch': ({ batch }) => batch.unscheduled,
        },
        rows.flatMap(([count, points]) => points.map(([x, results]) => [[String(count), String(x)], results] as const)))],
    }
  },
}

const modes = [['fine', 'incremental'], ['fine', 'all-or-nothing'], ['coarse', 'incremental'], ['coarse', 'all-or-nothing']] as const
const modeTimes = [1, 10, 30, 50] as const

/** Figure 14: conflict detection and commit modes, cluster C. */
export const commitModes: Experiment = {
  title: 'Conflict detection and commit modes on cluster C (figure 14)',
  setup: ['Omega with one batch and one service scheduler on the stand-in for cluster C with a fifth of its machines, six hours; the paper replays 29 days of a trace. The rows compare sums over the service ' +
    `decision times ${modeTimes.join(', ')} s: conflicts over the whole sweep, so that no point is singled out.`],
  claims: [
    {
      id: 'OM-F14-gang', class: 'R', published: 'busyness slightly up, conflict fraction about 2x',
      measures: [
        measure('service conflict fraction, all-or-nothing / incremental', 'ratio', range(1.3, 3)),
        measure('service busyness, all-or-nothing / incremental', 'ratio', above(1)),
      ],
      notes: [STAND_IN],
    },
    {
      id: 'OM-F14-coarse', class: 'R', published: 'conflict fraction and busyness up 2-3x',
      measures: [
        measure('service conflict fraction, coarse / fine', 'ratio', range(1.5, 4)),
        measure('service busyness, coarse / fine', 'ratio', above(1)),
      ],
      notes: [STAND_IN],
    },
    {
      id: 'OM-S1', class: 'R', published: 'incremental transactions should be the default',
      measures: [
        measure('service busyness, incremental less all-or-nothing, fine', 'number', below(0)),
        measure('service busyness, incremental less all-or-nothing, coarse', 'number', below(0)),
      ],
      notes: [STAND_IN],
    },
  ],
  run(trials): Findings {
    const sweep = new Map<string, Runs[]>(modes.map(([conflict, commit]) =>
      [`${conflict} ${commit}`, modeTimes.map((job) =>
        runs({ cluster: 'C', scale: TRACE, system: 'omega', conflict, commit, service: { job } }, trials, 6 * hour))] as const))
    const total = (mode: string, figure: Figure) => trials.map((_, i) => (sweep.get(mode) ?? []).reduce((sum, results) => sum + figure(results[i] as Runs[number]), 0))
    const compare = (a: string, b: string, figure: Figure, by: (x: number, y: number) => number) => {
      const other = total(b, figure)
      return overValues(total(a, figure).map((value, i) => by(value, other[i] as number)))
    }
    const ratio = (x: number, y: number) => x / y
    const busyness: Figure = ({ service }) => service.busyness
    const conflicts: Figure = ({ service }) => service.conflictFraction
    return {
      byId: {
        'OM-F14-gang': [conflicts, busyness].map((figure) => compare('fine all-or-nothing', 'fine incremental', figure, ratio)),
        'OM-F14-coarse': [conflicts, busyness].map((figure) => compare('coarse incremental', 'fine incremental', figure, ratio)),
        'OM-S1': (['fine', 'coarse'] as const).map((mode) => compare(`${mode} incremental`, `${mode} all-or-nothing`, busyness, (x, y) => x - y)),
      },
      tables: [sweepTable('Figure 14: cluster C', ['detection', 'commit', 't_job service (s)'], classColumns,
        modes.flatMap(([conflict, commit]) => modeTimes.map((job, i) => [[conflict, commit, String(job)], (sweep.get(`${conflict} ${commit}`) ?? [])[i] as Runs] as const)))],
    }
  },
}

