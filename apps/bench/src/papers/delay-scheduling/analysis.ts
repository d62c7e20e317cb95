import {
  expectedLocalityExponentialBound, localLaunchProbability, minimumSkips, relativeWait, stickySlotCeiling, taskLocalityBound, waitAtRate,
} from '@sched/policies'
import { measure, type Claim, type Experiment, type Findings } from '../claim.js'
import { exactly } from '../estimate.js'
import { about, below, range } from '../range.js'

/** Published percentages are whole numbers, so they stand for half a point on either side. */
const ROUNDING = 0.005

const claims: readonly Claim[] = [
  {
    id: 'DS-S32-launch10', class: 'Q', published: '83% of jobs (< 271 maps, < 30 reduces) within 10 s',
    measures: [
      measure('time to start 271 maps at 27.1 slots/s', 'seconds', about(10, 0.05)),
      measure('30 reduces at 3 slots/s', 'seconds', about(10, 0.05)),
    ],
  },
  {
    id: 'DS-S35-p10-D10', class: 'Q', published: 0.65,
    measures: [measure('local launch within 10 skips, p = 0.1', 'share', about(0.65, ROUNDING))],
  },
  {
    id: 'DS-S35-p10-D40', class: 'Q', published: 0.99,
    measures: [measure('local launch within 40 skips, p = 0.1', 'share', about(0.99, ROUNDING))],
  },
  {
    id: 'DS-S35-Dmin', class: 'Q', published: 0.23,
    measures: [measure('least D / M for 95% locality, N = 20, R = 3', 'number', about(0.23, ROUNDING))],
  },
  {
    id: 'DS-S35-wait', class: 'Q', published: 0.028,
    measures: [measure('wait of that D over T, L = 8', 'share', range(0.028, 0.029))],
  },
  {
    id: 'DS-S41-K1', class: 'Q', published: 0.73,
    measures: [measure('locality of a last task, M = 620, R = 3, D = 270', 'share', about(0.73, ROUNDING))],
  },
  {
    id: 'DS-S41-K10', class: 'R', published: 0.9,
    measures: [measure('locality of a job of 10 maps, likewise', 'share', range(0.9, 1))],
  },
  {
    id: 'DS-F3-15jobs', class: 'Q', published: '< 80%',
    measures: [measure('sticky ceiling, 15 jobs, R = 3, L = 6', 'share', below(0.8))],
  },
  {
    id: 'DS-F3-30jobs', class: 'Q', published: '< 50%',
    measures: [measure('sticky ceiling, 30 jobs, R = 3, L = 6', 'share', below(0.5))],
  },
]

/** Rows that are arithmetic: the formulas of the analysis, evaluated. */
export const analysis: Experiment = {
  title: 'Analysis',
  setup: [
    'The formulas of sections 3 and 4 of the paper, evaluated by the analysis functions of `@sched/policies`; nothing is simulated ' +
      'and no chance is involved.',
    'The tolerance is the rounding of the published whole percentages. The paper cuts 2.888% off to 2.8%.',
    'Section 4.1 is evaluated by its exponential lower bounds, as there; the 90% published for ten maps is looser still. Figure 3 is read at its largest R L, 18.',
  ],
  claims,
  run(): Findings {
    const { nodes, replicas } = { nodes: 620, replicas: 3 }
    const leastSkips = minimumSkips({ nodes: 1, replicas }, 20, 0.95) // in units of M
    const values: Record<string, number[]> = {
      'DS-S32-launch10': [waitAtRate(271, 27.1), waitAtRate(30, 3)],
      'DS-S35-p10-D10': [localLaunchProbability(0.1, 10)],
      'DS-S35-p10-D40': [localLaunchProbability(0.1, 40)],
      'DS-S35-Dmin': [leastSkips],
      'DS-S35-wait': [relativeWait(leastSkips, 8)],
      'DS-S41-K1': [taskLocalityBound({ nodes, replicas }, 1, 270)],
      'DS-S41-K10': [expectedLocalityExponentialBound({ nodes, replicas }, 10, 270)],
      'DS-F3-15jobs': [stickySlotCeiling(1 / 15, { replicas, slotsPerNode: 6 })],
      'DS-F3-30jobs': [stickySlotCeiling(1 / 30, { replicas, slotsPerNode: 6 })],
    }
    return { byId: Object.fromEntries(Object.entries(values).map(([id, figures]) => [id, figures.map(exactly)])) }
  },
}
