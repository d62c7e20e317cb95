import { monolithic } from '@sched/architectures'
import { standardMetrics } from '@sched/metrics'
import { firstFit } from '@sched/placement'
import { fair, greedy } from '@sched/policies'
import { simulate } from '@sched/sim'
import { naiveFair } from '../baselines/naive-fair.js'
import { cost, seconds, single } from '../harness/figures.js'
import { largeCluster, stored, streamed } from './large-world.js'
import { hashing } from './w1-world.js'
import type { Benchmark, Goal, Measurement, Variant } from '../harness/benchmark.js'
import type { Plug, Workload } from '@sched/core'

const MB = 1e6
const shipped = () => greedy(fair(), firstFit())
const few = { runs: 1, processes: 1 }
const smallHeap = { runs: 0, processes: 1, execArgv: ['--optimize-for-size'] }

/** Many nodes, many tasks: does the cost per task stay the same, and does memory follow what is in the system? */
export const large: Benchmark = {
  name: 'large',
  summary:
    '10,000 nodes of 4 slots without heartbeats, jobs of 100 tasks as a Poisson stream at load 0.9, `fair` with 20 pools. `streamed`: a job exists from its submission to its end; `stored`: all jobs, with a run time per task, are in memory from before the first to after the last submission. Making the jobs is part of both times. Memory is the process at its peak in its first run; `small-heap`: the same under `node --optimize-for-size`, which collects garbage earlier. Naive, at 1e5 tasks: jobs as objects, sorted for every start, nodes searched one by one.',
  variants: [
    variant('streamed-1e5', 1e5, streamed),
    { ...variant('naive-1e5', 1e5, streamed, naiveFair), runs: 0, processes: 1 },
    variant('streamed-1e6', 1e6, streamed),
    { ...variant('stored-1e6', 1e6, stored), ...few },
    { ...variant('streamed-1e7', 1e7, streamed), ...few },
    { ...variant('stored-1e7', 1e7, stored), ...few },
    { ...variant('streamed-1e7-small-heap', 1e7, streamed), ...smallHeap },
    { ...variant('stored-1e7-small-heap', 1e7, stored), ...smallHeap },
  ],
  agree: [['streamed-1e5', 'naive-1e5'], ['streamed-1e6', 'stored-1e6'], ['streamed-1e7', 'stored-1e7', 'streamed-1e7-small-heap', 'stored-1e7-small-heap']],
  figures: (measured) => [
    cost('large/streamed-1e5', 'ns/task', measured['streamed-1e5']!, { baseline: measured['naive-1e5'] }),
    cost('large/naive-1e5', 'ns/task', measured['naive-1e5']!),
    cost('large/streamed-1e6', 'ns/task', measured['streamed-1e6']!),
    cost('large/stored-1e6', 'ns/task', measured['stored-1e6']!),
    cost('large/streamed-1e7', 'ns/task', measured['streamed-1e7']!),
    cost('large/stored-1e7', 'ns/task', measured['stored-1e7']!),
    seconds('large/streamed-1e7/time', measured['streamed-1e7']!, { headline: 'cold', goals: [{ of: 'cold', atMost: 5 }] }),
    seconds('large/stored-1e7/time', measured['stored-1e7']!, { headline: 'cold', goals: [{ of: 'cold', atMost: 5 }] }),
    single('large/growth', perTask(measured['streamed-1e7']!) / perTask(measured['streamed-1e6']!), 'x per task, 1e7 to 1e6', [{ of: 'value', atMost: 1.2 }]),
    memory('large/streamed-1e6/memory', measured['streamed-1e6']!),
    memory('large/streamed-1e7/memory', measured['streamed-1e7']!, { of: 'value', atMost: 100 }),
    memory('large/stored-1e7/memory', measured['stored-1e7']!, { of: 'value', atMost: 256 }),
    memory('large/streamed-1e7-small-heap/memory', measured['streamed-1e7-small-heap']!, { of: 'value', atMost: 100 }),
    memory('large/stored-1e7-small-heap/memory', measured['stored-1e7-small-heap']!, { of: 'value', atMost: 256 }),
  ],
}

const perTask = ({ warm, work }: Measurement) => warm / work
const memory = (id: string, { peak }: Measurement, ...goals: Goal[]) => single(id, peak / MB, 'MB', goals)

function variant(name: string, tasks: number, workload: (tasks: number) => Workload, policy: () => Plug<'policy'> = shipped): Variant {
  return {
    name,
    prepare: (size) => ({
      run(hash) {
        const observers = hash === undefined ? [standardMetrics()] : [standardMetrics(), hashing(hash)]
        const options = { cluster: largeCluster(size), architecture: monolithic(), policy: policy(), runtime: { jitter: 0 } }
        const simulation = simulate({ ...options, workload: workload(size === 'small' ? Math.min(tasks, 2000) : tasks), observers })
        return { work: simulation.launches, check: simulation.now }
      },
    }),
  }
}
