import type { ClusterDescription } from '@sched/cluster'
import { percent } from '@sched/report'
import { facebook } from '@sched/workload'
import { measure, type Claim, type Experiment, type Findings, type Trial } from '../claim.js'
import { measureRun, naiveFair, type Outcome } from './environment.js'
import { overRuns } from '../estimate.js'
import { bin, small } from './macro.js'
import { above, below, shown } from '../range.js'

/** 3,100 map slots and 620 nodes are the paper's. */
const cluster = (racks: number): ClusterDescription => ({
  name: 'Facebook',
  nodes: [{ count: 620, racks, slots: { map: 5 } }],
  heartbeat: { interval: 3, stagger: true },
})

/** A rack of about 40 nodes was common then. */
const RACKS = 16

/** Maps in all jobs of bins 1 to 3 of DS-T2: the jobs of up to 25 maps. */
const mapsOfSmall = [38 * 1, 16 * 2, 14 * 10]

const claims: readonly Claim[] = [
  {
    id: 'DS-F2-bin1', class: 'R', published: [0.05, 0.59],
    measures: [
      measure('node locality, jobs of up to 25 maps, no delay', 'share', below(0.2)),
      measure('rack locality', 'share', shown),
      measure('node locality, jobs of 4,800 maps', 'share', shown),
      measure('node locality of the large less that of the small', 'share', above(0)),
    ],
  },
]

/** Locality in production before delay scheduling: figure 2. */
export const largeCluster: Experiment = {
  title: 'Small jobs in production',
  setup: [
    'The log behind figure 2 (Facebook, March 2009) is not available. In its place: 620 nodes with 5 map slots in 16 racks, HDFS ' +
      'placement, and the schedule DS-T2 with gaps short enough to load the 3,100 slots as EC2 is loaded in the macrobenchmarks; a ' +
      'local map takes 19 s, the median at Facebook, 1.7 times that in its rack, twice that elsewhere.',
    'Naive fair sharing. Bins 1 to 3 stand for the jobs of up to 25 maps. The direction is that their locality collapses while that ' +
      'of larger jobs does not. Racks were not published, so rack locality is shown only.',
  ],
  claims,
  run(trials): Findings {
    const runs = trials.map((trial) => largeRun(RACKS, trial))
    return {
      byId: {
        'DS-F2-bin1': [
          overRuns(runs, (run) => nearSmall(run, 0)),
          overRuns(runs, (run) => nearSmall(run, 1)),
          overRuns(runs, (run) => run.near(0, bin(9))),
          overRuns(runs, (run) => run.near(0, bin(9)) - nearSmall(run, 0)),
        ],
      },
      remarks: [rackRemark(trials)],
    }
  },
}

function largeRun(racks: number, trial: Trial): Outcome {
  const workload = facebook({ seed: trial.seed, meanGap: (14 * 400 * 19) / (3100 * 15), localMapTime: 19 })
  return measureRun({ cluster: cluster(racks), workload, policy: naiveFair, trial })
}

function rackRemark(trials: readonly Trial[]): string {
  const locality = overRuns(trials.map((trial) => largeRun(4, trial)), (run) => nearSmall(run, 1)).mean
  return `Rack locality is decided by the number of racks: with 4 in place of ${RACKS} it is ${percent(locality)}.`
}

/** Share of the maps of small jobs at most `level` away from their data. */
function nearSmall(run: Outcome, level: number): number {
  const near = small.reduce((sum, number, i) => sum + (mapsOfSmall[i] as number) * run.near(level, bin(number)), 0)
  return near / mapsOfSmall.reduce((sum, maps) => sum + maps, 0)
}
