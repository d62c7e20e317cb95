import { monolithic } from '@sched/architectures'
import { readCluster } from '@sched/cluster'
import { standardMetrics } from '@sched/metrics'
import { bestFit, firstFit } from '@sched/placement'
import { fifo, greedy } from '@sched/policies'
import { json } from '@sched/report'
import { simulate } from '@sched/sim'
import { readMachines, take } from '@sched/workload'
import { openTrace, readBytes } from '@sched/workload/node'
import type { Plug } from '@sched/core'
import { seconds, single } from '../harness/figures.js'
import { missingTrace, tracePath } from './real-trace.js'
import { hashing } from './w1-world.js'
import type { Benchmark, Outcome, Size, Variant } from '../harness/benchmark.js'
import type { DecisionHash } from '../harness/decision-hash.js'

const pods = 'gpu/openb_pod_list_default.csv'
const nodes = 'gpu/openb_node_list_all_node.csv'
const placements: Readonly<Record<string, () => Plug<'placement'>>> = { 'first-fit': firstFit, 'best-fit': bestFit }

export const openb: Benchmark = {
  name: 'openb',
  summary:
    'The GPU trace openb (8,152 pods with shares of GPUs, 1,523 nodes), FIFO without waiting, from the bytes of both files to the report of the metrics; without the start of Node.js.',
  missing: () => missingTrace(pods) ?? missingTrace(nodes),
  variants: Object.entries(placements).map(([name, placement]): Variant => ({ name, runs: 4, prepare: (size) => ({ run: (hash) => run(size, placement(), hash) }) })),
  figures: (measured) => [
    ...Object.keys(placements).map((name) => seconds(`openb/${name}`, measured[name]!, { headline: 'cold', goals: [{ of: 'cold', atMost: 1 }] })),
    single('openb/memory', measured['first-fit']!.peak / 1e6, 'MB'),
  ],
}

function run(size: Size, placement: Plug<'placement'>, hash: DecisionHash | undefined): Outcome {
  const metrics = standardMetrics()
  const cluster = readCluster(readMachines(new TextDecoder().decode(readBytes(tracePath(nodes)))))
  const trace = openTrace(tracePath(pods))
  const workload = size === 'small' ? take(trace, 300) : trace
  const observers = hash === undefined ? [metrics] : [metrics, hashing(hash)]
  const simulation = simulate({ cluster, workload, policy: greedy(fifo(), placement), architecture: monolithic(), runtime: { jitter: 0 }, observers })
  return { work: simulation.launches, check: json(metrics.result()).length }
}
