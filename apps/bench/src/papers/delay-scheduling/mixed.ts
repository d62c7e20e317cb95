import { facebookMixed } from '@sched/workload'
import { measure, type Claim, type Experiment, type Findings, type Trial } from '../claim.js'
import { delayed, ec2, hadoopFifo, measureRun, naiveFair } from './environment.js'
import { overRuns } from '../estimate.js'
import { bin, speedup, type MacroRun } from './macro.js'
import { above, below, shown } from '../range.js'

const bins = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
/** Selects and text searches: disk bound and without reduces. */
const mapOnly = [1, 2, 4, 5, 7, 10]

const claims: readonly Claim[] = [
  {
    id: 'DS-F9-bin3', class: 'N', published: 100,
    measures: [measure('median response, delay, bin 3', 'seconds', shown)],
    why: 'the response of a small aggregation is mostly job start-up and shuffle, which the paper does not give',
  },
  {
    id: 'DS-F10', class: 'R', published: 'bins 1, 2 large; 3 small; largest none; IO-bound map-only bins gain most from delay',
    measures: [
      ...[1, 2].map((number) => measure(`mean response FIFO / delay, bin ${number}`, 'ratio', above(2))),
      measure('bin 3', 'ratio', shown),
      ...[9, 10].map((number) => measure(`bin ${number}`, 'ratio', below(1.2))),
      measure('bins 1 and 2 over bin 3', 'ratio', above(1)),
      measure('mean response naive fair / delay, map-only bins over the others', 'ratio', above(1)),
    ],
  },
]

/** Selects, text searches, aggregations and joins: figures 9 and 10. */
export const mixed: Experiment = {
  title: 'Mixed macrobenchmark',
  setup: [
    'EC2 as above. The mixed schedule DS-T3: 100 jobs in ten bins with maps and reduces, exponential gaps with a mean of 14 s. Local ' +
      'maps of selects and text searches take 15 s, of aggregations and joins 20 s, reduces 76 s, all within 10%; reduces open when ' +
      '5% of the maps have ended.',
    'Hadoop FIFO, naive fair sharing and a delay of W1 = 5 s (W2 = 0) for maps; reduces read from all nodes and are never delayed. A ' +
      'join counts up to the end of its first, large job.',
    'A large speedup is taken as more than 2, none as less than 1.2.',
  ],
  claims,
  run(trials): Findings {
    const runs = trials.map(mixedRun)
    const overFifo = (number: number) => ({ fifo, delay }: MacroRun) => speedup(fifo, delay, bin(number))
    return {
      byId: {
        'DS-F9-bin3': [overRuns(runs, ({ delay }) => delay.medianResponse(bin(3)))],
        'DS-F10': [
          ...[1, 2, 3, 9, 10].map((number) => overRuns(runs, overFifo(number))),
          overRuns(runs, (run) => (overFifo(1)(run) + overFifo(2)(run)) / 2 / overFifo(3)(run)),
          overRuns(runs, mapOnlyGain),
        ],
      },
    }
  },
}

function mixedRun(trial: Trial): MacroRun {
  const workload = facebookMixed({ seed: trial.seed })
  const run = (policy: typeof naiveFair) => measureRun({ cluster: ec2(), workload, policy, trial })
  return { fifo: run(hadoopFifo), naive: run(naiveFair), delay: run(delayed(5)) }
}

/** How much more delay helps bins of maps alone than bins with reduces. */
function mapOnlyGain({ naive, delay }: MacroRun): number {
  const mean = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + speedup(naive, delay, bin(number)), 0) / numbers.length
  return mean(mapOnly) / mean(bins.filter((number) => !mapOnly.includes(number)))
}
