import { monolithic } from '@sched/architectures'
import { buildCluster, type ClusterDescription, type ClusterModel } from '@sched/cluster'
import { SchedError, type JobSpec, type Workload } from '@sched/core'
import { performanceIndex, roundedWeights } from '@sched/placement'
import { fifo, greedy } from '@sched/policies'
import { json } from '@sched/report'
import { probe, type ProbedNode } from '@sched/sim'
import { take, workloadOf } from '@sched/workload'
import type { Command } from 'commander'
import { resolve } from 'node:path'
import { amountsOf, totalOf } from '../cluster-amounts.js'
import { fromClusterFile } from '../experiment/cluster-file.js'
import { filesNamedIn } from '../experiment/files-named-in.js'
import type { Io } from '../io.js'
import { outputFile } from '../output/output-file.js'
import { spareInputs } from '../output/spare-inputs.js'
import { weightTable, weightsYaml, type WeighedNode } from '../output/weights.js'
import { listed, whole } from './option-values.js'
import { openedTrace, traceOptions, type TraceOptions } from './trace-options.js'

interface WeighOptions extends TraceOptions {
  readonly job?: string
  readonly only?: readonly string[]
  readonly samples?: number
  readonly out?: string
  readonly force?: boolean
  readonly json?: boolean
}

export function addWeigh(program: Command, io: Io): void {
  const command = program
    .command('weigh')
    .summary('weights of nodes by their performance, measured by a probe job')
    .description(
      'Runs a probe job on every node of a cluster alone, looks at its use of processors and memory at ten instants, and prints the weights ' +
        'that the placement node-weight would give the nodes (Feng and He, 2017).',
    )
    .argument('<cluster>', 'description of a cluster, or a list of machines')
    .option('--job <trace>', 'trace of which the first job is the probe (default: a word count of 16 maps and a reduce)')
    .option('--only <nodes>', 'nodes to probe, separated by commas (default: all)', listed)
    .option('--samples <n>', 'instants at which each node is looked at (default: 10)', whole)
    .option('--out <file>', 'also write the samples as options of node-weight, in YAML')
    .option('--force', 'replace an existing file')
    .option('--json', 'print JSON')
  traceOptions(command)
    .addHelpText('after', '\nExample:\n  sched weigh cluster.yaml --out weights.yaml')
    .action((file: string, options: WeighOptions) => weigh(file, options, io))
}

async function weigh(file: string, options: WeighOptions, io: Io): Promise<void> {
  spareInputs([options.out], [file, ...(await filesNamedIn(resolve(io.cwd, file))), options.job, options.mapping], io.cwd)
  const out = options.out === undefined ? undefined : outputFile(options.out, io, options.force === true)
  const { description, model } = await fromClusterFile(resolve(io.cwd, file), (cluster) => ({ description: cluster, model: buildCluster(cluster) }))
  const workload = options.job === undefined ? workloadOf('word count', [wordCount(model)]) : await firstOf(options.job, options, io)
  const nodes = weighed(probed(description, workload, options))
  out?.write(weightsYaml(nodes, model))
  if (options.out === '-') return
  io.stdout.write(options.json === true ? json({ cluster: model.name, job: workload.name, nodes }) : weightTable(nodes, model, workload.name))
}

/** What options of the command are called in a probe. */
const optionOf: Readonly<Record<string, string>> = { nodes: '--only', instants: '--samples' }

function probed(cluster: ClusterDescription, workload: Workload, { only, samples }: WeighOptions): ProbedNode[] {
  try {
    return probe({
      cluster, workload,
      policy: greedy(fifo()),
      architecture: monolithic(),
      runtime: { jitter: 0 },
      ...(only !== undefined && { nodes: only }),
      ...(samples !== undefined && { instants: samples }),
    })
  } catch (error) {
    const option = error instanceof SchedError ? optionOf[error.place.field ?? ''] : undefined
    throw option === undefined ? error : (error as SchedError).at({ field: option })
  }
}

function weighed(nodes: readonly ProbedNode[]): WeighedNode[] {
  const { hardware, idle, performance } = performanceIndex(nodes)
  const weights = roundedWeights(performance)
  return nodes.map((node, i) => ({ ...node, hardware: hardware[i] as number, idle: idle[i] as number, performance: performance[i] as number, weight: weights[i] as number }))
}

async function firstOf(path: string, options: TraceOptions, io: Io): Promise<Workload> {
  const trace = await openedTrace(path, options, io)
  if (trace.open().next() === undefined) throw new SchedError('BAD_INPUT', 'has no job.', { file: path }, 'The first one is the probe.')
  return take(trace, 1)
}

/** A word count in tasks of an eighth of the average node, or of the smallest node where that is less: illustrative, as the paper gives none. */
function wordCount(model: ClusterModel): JobSpec {
  const demand = (lane: number) => Object.fromEntries((model.lanes[lane]?.resources ?? []).map((r): [string, number] => [
    model.resources[r] as string,
    Math.max(1, eighth(model, r)),
  ]))
  const use = { cores: 1, disks: 0.5, memory: memoryOf(model) / 16 }
  return {
    id: 'probe', submit: 0,
    stages: [
      { name: 'map', tasks: 16, demand: demand(0), duration: 30, use },
      { name: 'reduce', tasks: 1, demand: demand(model.lanes.length - 1), duration: 30, use, after: [{ stage: 0, fraction: 1 }] },
    ],
  }
}

function eighth(model: ClusterModel, resource: number): number {
  return Math.min(Math.floor(totalOf(model, resource) / model.nodes / 8), amountsOf(model, resource).reduce((least, amount) => Math.min(least, amount), Infinity))
}

/** Memory of the average node, 0 where it is not described. */
function memoryOf({ hardware, nodes }: ClusterModel): number {
  const kind = hardware.kinds.indexOf('memory')
  const amounts = hardware.amounts.subarray(kind * nodes, (kind + 1) * nodes)
  const sum = amounts.reduce((total, amount) => total + amount, 0)
  return kind < 0 || sum === Infinity ? 0 : sum / nodes
}
