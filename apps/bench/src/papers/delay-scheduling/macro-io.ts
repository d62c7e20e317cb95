import type { JobRow } from '@sched/metrics'
import { percent } from '@sched/report'
import { measure, type Claim, type Experiment, type Findings, type Trial } from '../claim.js'
import { overRuns } from '../estimate.js'
import { ratio } from '../figures.js'
import { bestSpeedup, bin, bins, gainRun, macroRun, small, speedup, type MacroRun } from './macro.js'
import { above, below, range, shown } from '../range.js'

const STARTUP = 15
const LIGHT = 10

const claims: readonly Claim[] = [
  {
    id: 'DS-F5-fifo-small', class: 'R', published: 0.3,
    measures: [measure('jobs of bins 1-3 that take at least twice as long under FIFO as under naive fair', 'share', range(0.1, 0.5))],
    why: 'FIFO hurts a small job that comes while large ones hold or want all slots, so the share follows the load, and the map times ' +
      'of the testbed are not known; with 15 s maps the jobs need 71% of all slots even if every map is local',
  },
  { id: 'DS-F5-fair-max', class: 'R', published: 5, measures: [measure('mean response FIFO / naive fair, best bin', 'ratio', above(2))] },
  { id: 'DS-F5-big', class: 'R', published: 1.7, measures: [measure('mean response naive fair / FIFO, bin 9', 'ratio', above(1))] },
  ...bins.map((number): Claim => ({
    id: `DS-F6-bin${number}-delay`, class: 'Q', published: '99-100%',
    measures: [measure(`node locality, delay, bin ${number}`, 'share', range(0.99, 1))],
  })),
  {
    id: 'DS-F6-small-naive', class: 'R', published: 'low for small bins (figure only)',
    measures: [
      ...small.map((number) => measure(`node locality, naive fair, bin ${number}`, 'share', below(0.5))),
      ...[4, 5].map((number) => measure(`bin ${number}`, 'share', shown)),
      ...small.map((number) => measure(`FIFO, bin ${number}`, 'share', below(0.5))),
    ],
  },
  {
    id: 'DS-F7-bin5', class: 'R', published: 1.44,
    measures: [measure('mean response naive fair / delay, bin 5', 'ratio', range(1.2, 1.7))],
  },
  {
    id: 'DS-F7-small', class: 'R', published: 'slight',
    measures: small.map((number) => measure(`mean response naive fair / delay, bin ${number}`, 'ratio', range(0.9, 1.2))),
    why: 'a job of the simulation is nothing but its maps, so the whole of a small job is shortened by locality; a Hadoop job also ' +
      'has a start-up and a clean-up, which no scheduler shortens, and 15 s of start-up (below) account for part of the difference',
  },
  {
    id: 'DS-F7-large', class: 'R', published: 'slight',
    measures: [8, 9].map((number) => measure(`mean response naive fair / delay, bin ${number}`, 'ratio', range(0.9, 1.2))),
  },
]

/** The IO-heavy macrobenchmark: figures 5, 6 and 7. */
export const macroIo: Experiment = {
  title: 'IO-heavy macrobenchmark',
  setup: [
    'EC2: 100 nodes with 4 map and 2 reduce slots, racks unknown, replicas on 3 random nodes, heartbeats every 3 s, staggered.',
    'The Facebook schedule DS-T2: 100 map-only jobs of nine sizes, exponential gaps with a mean of 14 s, each job its own user. The ' +
      'seed draws order, gaps, block places and task times.',
    'A local map takes 15 s, within 10%; a non-local one twice that.',
    'Hadoop FIFO, naive fair sharing (Algorithm 1) and fair sharing with a delay of W1 = 5 s (W2 = 0), on the same schedule.',
    'A speedup of a bin is the ratio of mean responses of its jobs. "Slight" is taken as 0.9 to 1.2, less than the least that counts ' +
      'for bin 5.',
  ],
  claims,
  run(trials): Findings {
    const runs = trials.map((trial) => macroRun({ kind: 'io', trial }))
    const gain = (number: number) => overRuns(runs, ({ naive, delay }) => speedup(naive, delay, bin(number)))
    const near = (policy: keyof MacroRun, number: number) => overRuns(runs, (run) => run[policy].near(0, bin(number)))
    return {
      byId: {
        'DS-F5-fifo-small': [overRuns(runs, slowedByFifo)],
        'DS-F5-fair-max': [overRuns(runs, ({ fifo, naive }) => bestSpeedup(fifo, naive))],
        'DS-F5-big': [overRuns(runs, ({ fifo, naive }) => speedup(naive, fifo, bin(9)))],
        ...Object.fromEntries(bins.map((number) => [`DS-F6-bin${number}-delay`, [near('delay', number)]])),
        'DS-F6-small-naive': [...[1, 2, 3, 4, 5].map((number) => near('naive', number)), ...small.map((number) => near('fifo', number))],
        'DS-F7-bin5': [gain(5)],
        'DS-F7-small': small.map(gain),
        'DS-F7-large': [8, 9].map(gain),
      },
      remarks: [startupRemark(trials), lightRemark(trials)],
    }
  },
}

function slowedByFifo({ fifo, naive }: MacroRun): number {
  const jobs = [...naive.jobs.values()].filter(({ label }) => small.map(bin).includes(label))
  const slowed = jobs.filter(({ id, response }) => (fifo.jobs.get(id) as JobRow).response >= 2 * response)
  return slowed.length / jobs.length
}

/** Figure 7 again with jobs that need time before their first map. */
function startupRemark(trials: readonly Trial[]): string {
  const runs = trials.map((trial) => gainRun({ kind: 'io', trial, startup: STARTUP }))
  const gains = [...small, 5, 8, 9].map((number) => ratio(overRuns(runs, ({ naive, delay }) => speedup(naive, delay, bin(number))).mean))
  return `With a start-up of ${STARTUP} s per job the speedups of delay over naive fair sharing are ${gains.slice(0, 3).join(', ')} ` +
    `in bins 1 to 3, ${gains[3]} in bin 5 and ${gains.slice(4).join(', ')} in bins 8 and 9.`
}

/** The share of slowed jobs under a lighter load. */
function lightRemark(trials: readonly Trial[]): string {
  const runs = trials.map((trial) => macroRun({ kind: 'io', trial, localMapTime: LIGHT }))
  return `With local maps of ${LIGHT} s (47% of all slots) FIFO doubles the time of ${percent(overRuns(runs, slowedByFifo).mean)} of ` +
    `the jobs in bins 1 to 3.`
}
