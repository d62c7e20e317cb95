import { hibench } from '@sched/workload'
import { percent } from '@sched/report'
import { measure, type Claim, type Estimate, type Experiment, type Findings, type Trial } from '../claim.js'
import { overRuns } from '../estimate.js'
import { markdownTable } from '../markdown-table.js'
import { above, range } from '../range.js'
import { jobOptions, constants, mapReducePolicy, runJobs, trained, withBayes } from './setting.js'

const sizes = [32, 64, 128, 512, 1000] as const
const perRacks = [2, 4, 8] as const

const smaller = 'a job of few blocks has a plan like those of jobs that shuffle little and is left alone, so that there is nothing to gain'
const alike = 'in this model maps, fetches and reduces take longer by one factor with more data, so that the share of the shuffle is about the same at every size, moved or not, and so is the gain once jobs are moved'
const bySize: readonly Claim[] = sizes.map((size, i) => ({
  id: `BC-F3-${size}GB`, class: 'R', published: 'IO lower; the gain grows with the data',
  measures: [
    measure(`share of shuffle, MR less IO, ${size} GB`, 'share', above(0)),
    ...(i === 0 ? [] : [measure(`that less the same of ${sizes[i - 1] ?? 0} GB`, 'share', above(0))]),
  ],
  why: size === 1000 ? alike : smaller,
}))
const byNodes: readonly Claim[] = [
  {
    id: 'BC-F4-2', class: 'R', published: 'largest at 2 nodes per rack',
    measures: [measure('share of shuffle at 2 less that at 4, MR, 1000 GB', 'share', above(0))],
  },
  {
    id: 'BC-F4-4', class: 'R', published: 'falls as nodes are added',
    measures: [measure('share of shuffle at 4 less that at 8, MR, 1000 GB', 'share', above(0))],
  },
  {
    id: 'BC-F4-8', class: 'R', published: 'no visible gain at 32 GB, growing with the data',
    measures: [
      measure('share of shuffle, MR less IO, 32 GB', 'share', range(-0.02, 0.02)),
      measure('the same at 1000 GB less that', 'share', above(0)),
    ],
  },
]

/** TeraSort: figures 3 and 4. */
export const shuffleShare: Experiment = {
  title: "Shuffle's share of TeraSort's run time, by data and by nodes (figures 3 and 4)",
  setup: [
    'TeraSort with 32 to 1000 GB alone, on 4 racks of 4 nodes (figure 3) and of 2 and 8 (figure 4). The share is the time in which a reduce fetches, of the time from the first start to the end. ' +
      'Everything else is as for figure 2; each cluster has a classifier of its own.',
  ],
  claims: [...bySize, ...byNodes],
  run(trials): Findings {
    const all = new Map(perRacks.map((perRack) => [perRack, trials.map((trial) => sharesOf(perRack, trial))] as const))
    const of = (perRack: number, size: number, figure: (share: Share) => number): number[] => (all.get(perRack as 4) ?? []).map((each) => figure(each.get(size)!))
    const mr = (perRack: number, size: number) => of(perRack, size, (share) => share.mr)
    const gain = (perRack: number, size: number) => of(perRack, size, (share) => share.mr - share.io)
    const over = (values: readonly number[]): Estimate => overRuns(values, (each) => each)
    const less = (a: readonly number[], b: readonly number[]) => over(a.map((each, i) => each - (b[i] as number)))
    const mean = (values: readonly number[]) => percent(over(values).mean)
    return {
      byId: {
        ...Object.fromEntries(sizes.map((size, i) => [`BC-F3-${size}GB`, [over(gain(4, size)), ...(i === 0 ? [] : [less(gain(4, size), gain(4, sizes[i - 1] ?? 0))])]])),
        'BC-F4-2': [less(mr(2, 1000), mr(4, 1000))],
        'BC-F4-4': [less(mr(4, 1000), mr(8, 1000))],
        'BC-F4-8': [over(gain(8, 32)), less(gain(8, 1000), gain(8, 32))],
      },
      tables: [
        markdownTable('Share of shuffle, MR / IO', ['nodes per rack', ...sizes.map((size) => `${size} GB`)],
          perRacks.map((perRack) => [`${perRack}`, ...sizes.map((size) => `${mean(mr(perRack, size))} / ${mean(of(perRack, size, (share) => share.io))}`)])),
      ],
    }
  },
}

interface Share {
  readonly mr: number
  readonly io: number
}

function sharesOf(perRack: number, trial: Trial): Map<number, Share> {
  const io = withBayes(trained(perRack, trial))
  return new Map(sizes.map((size) => {
    const [without, moved] = [mapReducePolicy, io].map((policy) => {
      const workload = hibench({ types: ['ts'], input: trial.quick === true ? size / 10 : size, ...jobOptions(constants) })
      return runJobs({ perRack, workload, policy, trial }).shuffle?.jobShare ?? NaN
    }) as [number, number]
    return [size, { mr: without, io: moved }]
  }))
}
