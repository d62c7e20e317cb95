import { hibench, jobTypes, type JobCode } from '@sched/workload'
import { percent } from '@sched/report'
import { measure, type Claim, type Experiment, type Findings, type Trial } from '../claim.js'
import { few, overRuns, seedsOf } from '../estimate.js'
import { markdownTable } from '../markdown-table.js'
import { above, range } from '../range.js'
import { alwaysActive, constants, jobOptions, mapReducePolicy, runJobs, trained, withBayes, type Constants } from './setting.js'

const intensive = ['st', 'ts', 'bc'] as const
const lazy = ['wc', 'kc'] as const
const PER_RACK = 4

const claims: readonly Claim[] = [
  ...intensive.map((type): Claim => ({
    id: `BC-F2-${type}`, class: 'R', published: '4-5% shorter',
    measures: [measure(`run time saved, ${jobTypes[type].title}`, 'share', above(0))],
    notes: ['Tested is the direction; in size 2 to 10% would do, which the table below shows to depend on constants that are not published.'],
    why: type === 'ts'
      ? 'one rack reads 1 TB four times slower than four racks'
      : 'the classifier sees how many maps a node has and not how much they put out: by that a full Sort or Bayes lies among jobs that shuffle little (see the table for what moving it would bring)',
  })),
  ...lazy.map((type): Claim => ({
    id: `BC-F2-${type}`, class: 'Q', published: 'no visible change',
    measures: [measure(`run time saved, ${jobTypes[type].title}`, 'share', range(-0.02, 0.02))],
    why: 'it is taken for active by the number of its maps',
  })),
]

/** Each program alone: figure 2, and what the constants change. */
export const singleJobs: Experiment = {
  title: 'Run time of single jobs (figure 2)',
  setup: [
    'One job of BC-T1 at a time on 4 racks of 4 nodes with 8 map and 2 reduce slots. MR is FIFO; IO is `bayes-comm` over it, its classifier trained on the 50 sample jobs of the seed, ' +
      'measured on this cluster, threshold 0.38.',
    `Constants for all rows, chosen once: node links of 1 Gbit/s, a node's part of the uplink 1:${constants.ratio} of it, tasks ${constants.speedUp} times faster than the rates of the generator, ` +
      `${constants.reduces} reduces (what a rack holds at once), blocks of ${constants.blockSize} MB, reading from the rack 1.1 and from another 1.2 times slower.`,
  ],
  claims,
  run(trials): Findings {
    const models = trials.map((trial) => trained(PER_RACK, trial))
    const saved = (type: JobCode) => overRuns(trials.map((trial, i) => 1 - time(type, trial, withBayes(models[i]!)) / time(type, trial, mapReducePolicy)), (each) => each)
    return {
      byId: Object.fromEntries([...intensive, ...lazy].map((type) => [`BC-F2-${type}`, [saved(type)]])),
      tables: [sensitivity(few(trials))],
    }
  },
}

function time(type: JobCode, trial: Trial, policy: typeof mapReducePolicy, used: Constants = constants): number {
  const scale = trial.quick === true ? 0.1 : 1
  const { jobs } = runJobs({ perRack: PER_RACK, workload: hibench({ types: [type], scale, ...jobOptions(used) }), policy, trial, with: used })
  return jobs[0]?.response ?? NaN
}

/** What moving a job to one rack saves, were it always done. */
function sensitivity(trials: readonly Trial[]): string {
  const variants: [string, Partial<Constants>][] = [
    ['as chosen', {}],
    ['uplink 1:2', { ratio: 2 }],
    ['uplink 1:4', { ratio: 4 }],
    ['uplink 1:6', { ratio: 6 }],
    ['uplink 1:12', { ratio: 12 }],
    ['tasks at the rates of the generator', { speedUp: 1 }],
    ['tasks 16 times faster', { speedUp: 16 }],
    ['28 reduces', { reduces: 28 }],
    ['remote blocks cost nothing', { localityFactors: [1] }],
  ]
  const moved = withBayes(alwaysActive(PER_RACK))
  const shown = trials[0]?.quick === true ? variants.slice(0, 2) : variants
  const rows = shown.map(([name, change]) => {
    const used = { ...constants, ...change }
    const gain = (type: JobCode) => overRuns(trials.map((trial) => 1 - time(type, trial, moved, used) / time(type, trial, mapReducePolicy, used)), (each) => each).mean
    return [name, ...[...intensive, ...lazy].map((type) => percent(gain(type)))]
  })
  return markdownTable(
    `Run time saved by moving a job to one rack whatever the classifier says, ${seedsOf(trials)}, by constants`,
    ['constants', ...[...intensive, ...lazy].map((type) => jobTypes[type].title)],
    rows,
  )
}
