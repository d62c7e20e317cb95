import { stickySlotCeiling } from '@sched/policies'
import { percent } from '@sched/report'
import { stickySlots } from '@sched/workload'
import { measure, type Claim, type Experiment, type Findings, type Trial } from '../claim.js'
import { delayed, ec2, measureRun, naiveFair, type Outcome } from './environment.js'
import { few, overRuns, seedsOf } from '../estimate.js'
import type { GainRun } from './macro.js'
import { about, range } from '../range.js'

const counts = [5, 10, 20, 50]

const claims: readonly Claim[] = [
  { id: 'DS-F13-5', class: 'Q', published: 0.92, measures: [measure('node locality, naive fair, 5 jobs', 'share', about(0.92, 0.08))] },
  { id: 'DS-F13-50', class: 'Q', published: 0.27, measures: [measure('node locality, naive fair, 50 jobs', 'share', about(0.27, 0.08))] },
  {
    id: 'DS-F13-delay', class: 'Q', published: '99-100%',
    measures: counts.map((jobs) => measure(`node locality, delay, ${jobs} jobs`, 'share', range(0.99, 1))),
  },
  ...([[10, 1.1], [20, 1.6], [50, 2]] as const).map(([jobs, published]): Claim => ({
    id: `DS-F14-${jobs}`, class: 'Q', published,
    measures: [measure(`makespan naive fair / delay, ${jobs} jobs`, 'ratio', about(published, 0.35))],
  })),
]

/** Sticky slots: figures 13 and 14. */
export const sticky: Experiment = {
  title: 'Sticky slots',
  setup: [
    'EC2 as above. 5, 10, 20 and 50 jobs are submitted together and each scans the same 1,440 blocks (180 GB in blocks of 128 MB); a ' +
      'local map takes 20 s, within 10%, a non-local one twice that.',
    'Naive fair sharing and a delay of W1 = 10 s (W2 = 0). A finished task and its free slot become known in the same heartbeat, so a ' +
      'job gets its own slots back.',
  ],
  claims,
  run(trials): Findings {
    const runs = new Map(counts.map((jobs) => [jobs, trials.map((trial) => stickyRun(jobs, trial))]))
    const over = (jobs: number, figure: (run: GainRun) => number) => overRuns(runs.get(jobs) ?? [], figure)
    const naive = (jobs: number) => over(jobs, (run) => run.naive.near(0))
    const slower = (jobs: number) => over(jobs, (run) => run.naive.makespan / run.delay.makespan)
    return {
      byId: {
        'DS-F13-5': [naive(5)],
        'DS-F13-50': [naive(50)],
        'DS-F13-delay': counts.map((jobs) => over(jobs, ({ delay }) => delay.near(0))),
        ...Object.fromEntries([10, 20, 50].map((jobs) => [`DS-F14-${jobs}`, [slower(jobs)]])),
      },
      remarks: [ceilingRemark((jobs) => naive(jobs).mean), bugRemark(few(trials))],
    }
  },
}

function stickyRun(jobs: number, trial: Trial): GainRun {
  const run = (policy: typeof naiveFair) => scan(jobs, trial, policy)
  return { naive: run(naiveFair), delay: run(delayed(10)) }
}

function scan(jobs: number, trial: Trial, policy: typeof naiveFair, commitPendingBug = false): Outcome {
  return measureRun({ cluster: ec2(), workload: stickySlots({ jobs }), policy, trial, commitPendingBug })
}

/** The formula of the paper's analysis beside the simulation. */
function ceilingRemark(locality: (jobs: number) => number): string {
  const beside = counts.map((jobs) => `${percent(locality(jobs))} against ` +
    `${percent(stickySlotCeiling(1 / jobs, { replicas: 3, slotsPerNode: 4 }))} for ${jobs} jobs`)
  return `Naive locality against the ceiling 1 - (1 - 1/n)^12 of the analysis: ${beside.join(', ')}. The ceiling is for slots that ` +
    `never change hands; here jobs that end leave slots on other nodes to the rest.`
}

function bugRemark(trials: readonly Trial[]): string {
  const runs = trials.map((trial) => [5, 50].map((jobs) => scan(jobs, trial, naiveFair, true).near(0)))
  const [few, many] = [0, 1].map((i) => percent(overRuns(runs, (run) => run[i] as number).mean))
  return `With Hadoop's "commit pending" bug switched on, naive locality is ${few} with 5 jobs and ${many} with 50 ` +
    `(${seedsOf(trials)}): the bug hides sticky slots.`
}
