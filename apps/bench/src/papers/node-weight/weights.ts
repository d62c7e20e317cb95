import { monolithic } from '@sched/architectures'
import { performanceIndex, roundedWeights, type NodeProfile } from '@sched/placement'
import { fifo, greedy } from '@sched/policies'
import { probe } from '@sched/sim'
import { workloadOf } from '@sched/workload'
import { measure, type Claim, type Experiment, type Findings } from '../claim.js'
import { overRuns } from '../estimate.js'
import { markdownTable } from '../markdown-table.js'
import { about } from '../range.js'
import { servers, threeServers, wordCount } from './three-servers.js'

const weights = [3, 3, 1]
const each = (what: string) => servers.map((name, i) => measure(`${what}, ${name}`, 'number', about(weights[i] as number, 0)))

const claims: readonly Claim[] = [
  {
    id: 'NW-E3', class: 'Q', published: 'Master : Slave1 : Slave2 about 3 : 3 : 1', measures: [...each('formula'), ...each('probe')],
    notes: ['The inputs are illustrative, chosen to meet the known totals: that they give 3 : 3 : 1 shows the formulas at work, not what was measured in the paper.'],
  },
]

/** The worked example of weights: ten equal samples each. */
const illustrative: readonly NodeProfile[] = [{ cores: 8, memory: 8, use: 0.5 }, { cores: 8, memory: 8, use: 0.5 }, { cores: 2, memory: 1, use: 0.7 }].map(({ use, ...size }) => {
  const samples = Array.from({ length: 10 }, () => use)
  return { ...size, cpuUse: samples, memoryUse: samples }
})

export const nodeWeights: Experiment = {
  title: 'Weights',
  setup: [
    'Performance 0.6 hardware + 0.4 idle, divided by the smallest and rounded. Formula: the illustrative inputs of cores 8, 8, 2, memory 8, 8, 1 GB and use of both .5, .5, .7. ' +
      'Probe: the word count below on each server alone, looked at ten times, as `sched weigh` does.',
  ],
  claims,
  run(trials): Findings {
    const probed = trials.map(({ seed }) => performanceIndex(probe({
      cluster: threeServers(),
      workload: workloadOf('word count', [wordCount()]),
      policy: greedy(fifo()),
      architecture: monolithic(),
      seed,
    })))
    const formula = performanceIndex(illustrative)
    const figures = servers.map((_, node) => [
      overRuns(trials, () => roundedWeights(formula.performance)[node] as number),
      overRuns(probed, ({ performance }) => roundedWeights(performance)[node] as number),
    ] as const)
    const row = (name: string, of: (part: 'hardware' | 'idle' | 'performance', node: number) => number) =>
      servers.map((server, node) => [name, server, ...(['hardware', 'idle', 'performance'] as const).map((part) => of(part, node).toFixed(4))])
    return {
      byId: { 'NW-E3': [...figures.map(([formulas]) => formulas), ...figures.map(([, probes]) => probes)] },
      tables: [
        markdownTable('Parts of the performance', ['', 'server', 'hardware', 'idle', 'performance'], [
          ...row('formula', (part, node) => formula[part][node] as number),
          ...row('probe', (part, node) => overRuns(probed, (index) => index[part][node] as number).mean),
        ]),
      ],
    }
  },
}
