import { monolithic } from '@sched/architectures'
import { randomStream, type JobSpec, type Seconds, type Workload } from '@sched/core'
import { jobRows } from '@sched/metrics'
import { capacityScheduler } from '@sched/policies'
import { simulate } from '@sched/sim'
import { workloadOf } from '@sched/workload'
import { measure, type Claim, type Experiment, type Findings, type Trial } from '../claim.js'
import { mean, overRuns } from '../estimate.js'
import { above, below, shown } from '../range.js'

const NODES = 10
/** Of a node, and of tasks, in GB: four small tasks leave 1 free, and a big one needs what two of them leave. */
const MEMORY = 9
const SMALL = 2
const BIG = 5
/** Mean of small tasks; they are 0.75 to 1.25 of it. */
const LENGTH: Seconds = 20
/** Small tasks arrive as fast as they end on a full cluster, and a tenth more. */
const GAP: Seconds = LENGTH / (1.1 * NODES * Math.floor(MEMORY / SMALL))
const UNTIL: Seconds = 600

const claims: readonly Claim[] = [
  {
    id: 'SV-CAP-res', class: 'R', published: 'reservation removes big-task starvation',
    measures: [
      measure('mean wait of big tasks without reservations over that with them', 'ratio', above(1)),
      measure('longest wait of a big task with reservations, in longest small tasks', 'ratio', below(2)),
      measure('big tasks started while small ones arrive, with reservations', 'share', above(0.9)), measure('without', 'share', shown),
      measure('mean wait of big tasks, with reservations', 'seconds', shown), measure('without', 'seconds', shown),
      measure('mean wait of small tasks, with reservations', 'seconds', shown), measure('without', 'seconds', shown),
    ],
  },
]

/** Tasks that need more than what single ends leave, under the capacity scheduler with and without reservations. */
export const reservations: Experiment = {
  title: 'Reservations of the capacity scheduler',
  setup: [
    `${NODES} nodes of ${MEMORY} GB without heartbeats. Small tasks of ${SMALL} GB and ${0.75 * LENGTH} to ${1.25 * LENGTH} s arrive for ${UNTIL} s, with exponential gaps, a tenth faster than a full cluster ends them. ` +
      `Every 30 s from 60 s on a big task of ${BIG} GB and ${LENGTH} s arrives. Both have a queue of 50%, without user limits, so a big task is always the next in order.`,
    'Four small tasks leave 1 GB of a node free, so a big task fits only where two of them end before a small one takes the place of the first. With reservations the node is kept from then on.',
  ],
  claims,
  run(trials): Findings {
    const runs = trials.map((trial) => ({ with: waits(trial, true), without: waits(trial, false) }))
    return {
      byId: {
        'SV-CAP-res': [
          overRuns(runs, (run) => run.without.big / run.with.big),
          overRuns(runs, (run) => run.with.longest / (1.25 * LENGTH)),
          overRuns(runs, (run) => run.with.started), overRuns(runs, (run) => run.without.started),
          overRuns(runs, (run) => run.with.big), overRuns(runs, (run) => run.without.big),
          overRuns(runs, (run) => run.with.small), overRuns(runs, (run) => run.without.small),
        ],
      },
    }
  },
}

/** Mean waits of big and small tasks, the longest of a big one, and the part of the big ones that start before `UNTIL`. */
function waits({ seed, validate }: Trial, isReserving: boolean): { readonly big: Seconds; readonly small: Seconds; readonly longest: Seconds; readonly started: number } {
  const all: Record<'big' | 'small', Seconds[]> = { big: [], small: [] }
  let started = 0
  const rows = jobRows(({ id, wait, submit }) => {
    const kind = id.startsWith('big') ? 'big' : 'small'
    all[kind].push(wait)
    if (kind === 'big' && submit + wait < UNTIL) started++
  })
  simulate({
    cluster: { nodes: [{ count: NODES, resources: { memory: MEMORY } }] },
    workload: tasks(seed),
    policy: capacityScheduler({
      queues: { small: { capacity: 50 }, big: { capacity: 50 } },
      defaults: { userLimitFactor: -1 },
      maximumApplications: 100_000,
      reservations: isReserving,
    }),
    architecture: monolithic(), runtime: { jitter: 0 }, observers: [rows], seed, validate,
  })
  return { big: mean(all.big), small: mean(all.small), longest: Math.max(...all.big), started: started / all.big.length }
}

function tasks(seed: number): Workload {
  const random = randomStream(seed, 'survey/reservations')
  const jobs: JobSpec[] = []
  for (let at = 0; at < UNTIL; at += -GAP * Math.log(1 - random())) jobs.push(task(`small${jobs.length}`, at, 'small', SMALL, LENGTH * (0.75 + 0.5 * random())))
  for (let at = 60; at < UNTIL - 60; at += 30) jobs.push(task(`big${at}`, at, 'big', BIG, LENGTH))
  return workloadOf('reservations', jobs.sort((a, b) => a.submit - b.submit))
}

const task = (id: string, submit: Seconds, queue: string, memory: number, duration: Seconds): JobSpec => ({
  id,
  submit,
  queue,
  stages: [{ name: 'task', tasks: 1, demand: { memory }, duration }],
})
