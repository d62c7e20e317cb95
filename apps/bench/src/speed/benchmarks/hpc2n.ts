import { monolithic } from '@sched/architectures'
import { standardMetrics } from '@sched/metrics'
import { easy } from '@sched/policies'
import { json } from '@sched/report'
import { simulate } from '@sched/sim'
import { take } from '@sched/workload'
import { swf } from '@sched/workload/node'
import { rate, seconds, single } from '../harness/figures.js'
import { missingTrace, tracePath } from './real-trace.js'
import { hashing } from './w1-world.js'
import type { Benchmark, Outcome, Size } from '../harness/benchmark.js'
import type { DecisionHash } from '../harness/decision-hash.js'

const log = 'swf/HPC2N-2002-2.2-cln.swf.gz'

export const hpc2n: Benchmark = {
  name: 'hpc2n',
  summary: 'The log HPC2N (202,871 jobs, 240 processors, packed), EASY in order of submission, from the bytes of the file to the report of the metrics.',
  missing: () => missingTrace(log),
  variants: [{ name: 'easy', runs: 2, prepare: (size) => ({ run: (hash) => run(size, hash) }) }],
  figures: ({ easy }) => [
    seconds('hpc2n/time', easy!, { headline: 'cold', goals: [{ of: 'cold', atMost: 2 }] }),
    rate('hpc2n/jobs', 'jobs/s', easy!, { headline: 'cold' }),
    single('hpc2n/memory', easy!.peak / 1e6, 'MB', [{ of: 'value', atMost: 200 }]),
  ],
}

function run(size: Size, hash: DecisionHash | undefined): Outcome {
  const metrics = standardMetrics()
  const trace = swf(tracePath(log))
  const cluster = { nodes: [{ count: 1, resources: trace.machine?.resources ?? {} }] }
  const workload = size === 'small' ? take(trace, 500) : trace
  const observers = hash === undefined ? [metrics] : [metrics, hashing(hash)]
  const simulation = simulate({ cluster, workload, policy: easy(), architecture: monolithic(), runtime: { jitter: 0 }, observers })
  return { work: simulation.launches, check: json(metrics.result()).length }
}
