import { monolithic } from '@sched/architectures'
import { standardMetrics } from '@sched/metrics'
import { json } from '@sched/report'
import { simulate } from '@sched/sim'
import { take } from '@sched/workload'
import { swim } from '@sched/workload/node'
import { rate, seconds, single } from '../harness/figures.js'
import { missingTrace, tracePath } from './real-trace.js'
import { hashing, hfs } from './w1-world.js'
import type { Benchmark, Outcome, Size } from '../harness/benchmark.js'
import type { Observer } from '@sched/core'

const trace = 'swim/FB-2009_samples_24_times_1hr_0.tsv'
/** Facebook's cluster of October 2009 had 3,100 map slots on about 600 nodes (paper, section 4): 5 each, and as many reduce slots. */
const cluster = { nodes: [{ count: 600, racks: 30, slots: { map: 5, reduce: 5 } }], heartbeat: { interval: 3, stagger: true } }

export const facebookDay: Benchmark = {
  name: 'facebook-day',
  summary:
    'The day FB-2009 (SWIM samples of 24 hours, 5,894 jobs) on 600 nodes of 5 map and 5 reduce slots in 30 racks, heartbeats every 3 s, shipped `hfs`, from the bytes of the file to the report of the metrics.',
  missing: () => missingTrace(trace),
  variants: [{ name: 'hfs', runs: 1, processes: 1, prepare: (size) => ({ run: (hash) => day(size, hash === undefined ? [] : [hashing(hash)]) }) }],
  figures: ({ hfs }) => [
    seconds('facebook-day/time', hfs!, { headline: 'cold' }),
    rate('facebook-day/tasks', 'tasks/s', hfs!, { headline: 'cold' }),
    single('facebook-day/memory', hfs!.peak / 1e6, 'MB'),
  ],
}

function day(size: Size, observers: readonly Observer[]): Outcome {
  const metrics = standardMetrics()
  const path = tracePath(trace)
  const workload = size === 'small' ? take(swim(path), 100) : swim(path)
  const simulation = simulate({ cluster, workload, policy: hfs(), architecture: monolithic(), observers: [metrics, ...observers] })
  const report = json(metrics.result())
  return { work: simulation.launches, check: report.length }
}
