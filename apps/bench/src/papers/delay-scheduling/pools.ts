import { monolithic } from '@sched/architectures'
import type { JobId, JobSpec, LaneId, Observer, StageSpec } from '@sched/core'
import { fair, fairShares, greedy } from '@sched/policies'
import { Simulation } from '@sched/sim'
import { workloadOf } from '@sched/workload'
import { measure, type Claim, type Experiment, type Findings, type Trial } from '../claim.js'
import { exactly, overRuns } from '../estimate.js'
import { range } from '../range.js'

/** Jobs of the example by pool, and the slots that figure 4 gives them. */
const jobs = [
  { id: 'job 1', pool: 'first', published: 30 }, { id: 'job 2', pool: 'first', published: 30 },
  { id: 'job 3', pool: 'second', published: 40 }, { id: 'job 4', pool: 'second', published: 0 },
  { id: 'job 5', pool: 'second', published: 0 },
]
const shares = [60, 40, 0]
const pools = ['first', 'second', 'third']

const claims: readonly Claim[] = [
  {
    id: 'DS-F4', class: 'Q', published: [...shares, ...jobs.map(({ published }) => published)],
    measures: [
      ...shares.map((share, i) => measure(`fair share of the ${pools[i]} pool`, 'slots', range(share, share))),
      ...jobs.map(({ id, published }) => measure(`slots of ${id}`, 'slots', range(published, published))),
    ],
  },
  {
    id: 'DS-F11', class: 'N', published: 'a timeline of three pools',
    measures: [],
    why: 'the workload behind the timeline and its numbers are not given',
  },
]

/** Pools with minimum shares: figure 4; figure 11 is named only. */
export const poolAllocation: Experiment = {
  title: 'Pools',
  setup: [
    '100 map slots (25 nodes of 4, heartbeats every 3 s, staggered). The first pool has a minimum share of 60 and two jobs under fair ' +
      'sharing, the second none and three jobs under FIFO, the third a minimum of 10 and no job.',
    'The fair shares are computed by `fairShares`; the slots of each job are read off a simulation of 20 s maps (within 10%) after ' +
      '600 s, some thirty waves of maps.',
  ],
  claims,
  run(trials): Findings {
    const runs = trials.map(slotsByJob)
    return {
      byId: {
        'DS-F4': [
          ...fairShares({ weights: [1, 1, 1], minShares: [60, 0, 10], demands: [Infinity, Infinity, 0] }, 100).map(exactly),
          ...jobs.map(({ id }) => overRuns(runs, (slots) => slots.get(id) ?? 0)),
        ],
      },
    }
  },
}

const order = fair({ pools: { first: { minShare: 60 }, second: { inner: 'fifo' }, third: { minShare: 10 } } })

function slotsByJob(trial: Trial): ReadonlyMap<string, number> {
  const slots = new RunningTasks()
  const map: StageSpec = { name: 'map', tasks: 10_000, demand: { map: 1 }, duration: { kind: 'uniform', min: 18, max: 22 } }
  const specs = jobs.map(({ id, pool }): JobSpec => ({ id, submit: 0, queue: pool, stages: [map] }))
  const cluster = { nodes: [{ count: 25, slots: { map: 4 } }], heartbeat: { interval: 3, stagger: true } }
  const runtime = { jitter: 0 }
  const workload = workloadOf('pools', specs)
  const run = { cluster, workload, policy: greedy(order), architecture: monolithic(), runtime, observers: [slots] }
  new Simulation({ ...run, ...trial }).run(600)
  return slots.byJob
}

/** How many tasks of each job run, by its id. */
class RunningTasks implements Observer {
  readonly byJob = new Map<string, number>()
  readonly #names = new Map<JobId, string>()

  onSubmit(job: JobId, spec: JobSpec): void {
    this.#names.set(job, spec.id)
  }

  onTaskStart(_task: number, job: JobId): void {
    this.#count(job, 1)
  }

  onTaskEnd(_task: number, job: JobId, _lane: LaneId): void {
    this.#count(job, -1)
  }

  #count(job: JobId, by: number): void {
    const name = this.#names.get(job) as string
    this.byJob.set(name, (this.byJob.get(name) ?? 0) + by)
  }
}
