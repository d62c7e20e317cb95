import { crossValidate, thresholdForActiveFraction } from '@sched/placement'
import { percent } from '@sched/report'
import { measure, type Experiment, type Findings } from '../claim.js'
import { mean, overRuns } from '../estimate.js'
import { markdownTable } from '../markdown-table.js'
import { about, below } from '../range.js'
import { samples } from './setting.js'

/** Communication activity of 50 sample jobs: the threshold and the gap around it. */
export const activity: Experiment = {
  title: 'Communication activity of 50 sample jobs (figure 1)',
  setup: [
    'Each of the 50 jobs of `hibench-tenants` (5 HiBench programs x 10 data sets of a tenth to the whole of BC-T1) alone on 4 racks of 8 nodes, under FIFO. CA is the mean volume of a ' +
      'job\'s cross-rack pairs of nodes over the largest of any pair and job.',
    'The sizes of the paper\'s data sets are not known; ours are equally spaced.',
  ],
  claims: [
    {
      id: 'BC-F1', class: 'R', published: 'theta 0.38 accepts 30% of the jobs; few or none between 0.3 and 0.4',
      measures: [
        measure('threshold that accepts 30%', 'number', about(0.38, 0.08)),
        measure('jobs between 0.3 and 0.4', 'share', below(0.1)),
      ],
      why: 'CA of one program is in proportion to its data, so that a gap is one in the sizes of data sets, which are not published',
    },
  ],
  run(trials): Findings {
    const runs = trials.map((trial) => samples(8, trial))
    const between = (from: number, to: number) => overRuns(runs, ({ activities }) => activities.filter((each) => each >= from && each < to).length / activities.length)
    const accuracy = runs.map(({ samples }, i) => crossValidate(samples, { folds: 5, seed: trials[i]?.seed ?? 1 }).accuracy)
    const steps = Array.from({ length: 10 }, (_, i) => i / 10)
    return {
      byId: { 'BC-F1': [overRuns(runs, ({ activities }) => thresholdForActiveFraction(activities, 0.3)), between(0.3, 0.4)] },
      remarks: [`Cross-validated in 5 parts, the Gaussian classifier finds the class of ${percent(mean(accuracy))} of the jobs from their plans; ${percent(between(0.38, 1.1).mean)} are active by the published threshold, which the other experiments use.`],
      tables: [markdownTable(
        'CA of the sample jobs',
        ['CA', 'share of the jobs'],
        steps.map((from) => [`${from} to ${(from * 10 + 1) / 10}`, percent(between(from, from === 0.9 ? 1.1 : from + 0.1).mean)]),
      )],
    }
  },
}
