import type { Plug } from '@sched/core'
import { fifo, skipDelay } from '@sched/policies'
import { facebook } from '@sched/workload'
import { measure, type Claim, type Experiment, type Findings, type Trial } from '../claim.js'
import { delayed, hadoopFifo, measureRun, naiveFair, privateCluster, type Outcome } from '../delay-scheduling/environment.js'
import { overRuns } from '../estimate.js'
import { above, shown } from '../range.js'

const SKIPS = 40
const NODE = 0
const RACK = 1

const claims: readonly Claim[] = [
  {
    id: 'SV-FAIR-delay', class: 'R', published: 'delay raises locality',
    measures: [
      measure('launches on a node with the data, fair sharing with two-level delay less fair sharing without', 'share', above(0)),
      measure('on it or in its rack', 'share', above(0)),
      measure(`launches on a node with the data, FIFO that skips a job up to ${SKIPS} times less FIFO`, 'share', above(0)),
      measure('launches on a node with the data, fair sharing', 'share', shown), measure('with delay', 'share', shown),
      measure('FIFO', 'share', shown), measure('with skips', 'share', shown),
      measure('mean response, fair sharing over the same with delay', 'ratio', shown),
    ],
  },
]

/** What it brings to wait for a node with the data. */
export const fairDelay: Experiment = {
  title: 'Delay and locality',
  setup: [
    '100 nodes with 6 map and 4 reduce slots in four racks, HDFS placement, heartbeats every 3 s, staggered; the Facebook schedule of 100 map-only jobs (DS-T2). A task takes 1.7 times as long in the rack of its ' +
      'data and twice as long elsewhere.',
    `Fair sharing among jobs, with W1 = W2 = 5 s and without; FIFO, and FIFO that passes over the first job up to ${SKIPS} times (the default of YARN's Capacity Scheduler) until it finds a node with its data.`,
  ],
  claims,
  run(trials): Findings {
    const runs = trials.map((trial) => ({
      fair: under(naiveFair, trial),
      delay: under(delayed(5, 5), trial),
      fifo: under(hadoopFifo, trial),
      skips: under(skipDelay(fifo(), { skips: SKIPS }), trial),
    }))
    const near = (level: number, more: keyof (typeof runs)[number], less?: keyof (typeof runs)[number]) =>
      overRuns(runs, (run) => run[more].near(level) - (less === undefined ? 0 : run[less].near(level)))
    return {
      byId: {
        'SV-FAIR-delay': [
          near(NODE, 'delay', 'fair'), near(RACK, 'delay', 'fair'), near(NODE, 'skips', 'fifo'),
          near(NODE, 'fair'), near(NODE, 'delay'), near(NODE, 'fifo'), near(NODE, 'skips'),
          overRuns(runs, ({ fair, delay }) => fair.response() / delay.response()),
        ],
      },
    }
  },
}

const under = (policy: Plug<'policy'>, trial: Trial): Outcome => measureRun({ cluster: privateCluster, workload: facebook({ seed: trial.seed, kind: 'io' }), policy, trial })
