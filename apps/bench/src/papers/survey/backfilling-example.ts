import type { JobSpec, Plug } from '@sched/core'
import { conservative, easy, fattened, fifo, strict } from '@sched/policies'
import { jobRows } from '@sched/metrics'
import { workloadOf } from '@sched/workload'
import { measure, type Claim, type Experiment, type Findings, type Trial } from '../claim.js'
import { exactly } from '../estimate.js'
import { about } from '../range.js'
import { runRigid } from './rigid-machine.js'

/** Processors and seconds: R1 to R3 run first, J1 to J5 are the queue. */
const jobs: readonly (readonly [procs: number, seconds: number])[] = [[1, 6], [4, 3], [2, 1], [6, 3], [8, 2], [1, 1], [1, 7], [2, 3]]
const RUNNING = 3

const policies: readonly Plug<'policy'>[] = [strict(fifo()), conservative(fifo()), easy(fifo()), fattened(fifo(), { awt: 2 })]

const exact = (name: string, value: number) => measure(name, 'seconds', about(value, 0))
const claims: readonly Claim[] = [
  {
    id: 'SV-BF-order-example', class: 'Q', published: 'mean wait 6.6, 5.0, 4.4, 2.8 s; end at 15, 15, 13, 10 s',
    measures: [
      exact('mean wait of J1 to J5 under FCFS', 6.6), exact('conservative', 5), exact('EASY', 4.4), exact('fattened', 2.8),
      exact('end of the last job under FCFS', 15), exact('conservative', 15), exact('EASY', 13), exact('fattened', 10),
    ],
  },
]

/** The example in which every rule of the four disciplines shows. */
export const backfillingExample: Experiment = {
  title: 'Backfilling, the example of eight slots',
  setup: [
    '8 slots, all jobs submitted at 0, estimates exact. R1 (1 slot, 6 s), R2 (4, 3) and R3 (2, 1) start at once; the queue is J1 (6 slots, ' +
      '3 s), J2 (8, 2), J3 (1, 1), J4 (1, 7), J5 (2, 3).',
    'It stands in for the lost figure 7 of the survey and shows the same rules; the values were worked out by hand. Fattened holds AWT at 2 s. ' +
      'The schedules are drawn in [the page on backfilling](../backfilling.md).',
  ],
  claims,
  run([trial]): Findings {
    const found = policies.map((policy) => schedule(policy, trial as Trial))
    return { byId: { 'SV-BF-order-example': [...found.map(({ wait }) => wait), ...found.map(({ end }) => end)].map(exactly) } }
  },
}

function schedule(policy: Plug<'policy'>, trial: Trial): { wait: number; end: number } {
  const waits: number[] = []
  const ends: number[] = []
  const rows = jobRows(({ id, wait, end }) => {
    ends.push(end)
    if (Number(id) >= RUNNING) waits.push(wait)
  })
  runRigid(workloadOf('example', jobs.map(asJob)), policy, trial, { procs: 8, observers: [rows] })
  return { wait: waits.reduce((a, b) => a + b, 0) / waits.length, end: Math.max(...ends) }
}

const asJob = ([procs, seconds]: readonly [number, number], index: number): JobSpec => ({
  id: String(index), submit: 0, estimate: seconds, stages: [{ name: 'job', tasks: 1, demand: { procs }, duration: seconds }],
})
