import type { ClusterModel } from '@sched/cluster'
import type { NodeId } from '@sched/core'
import { queueTable, type QueueFile, type QueueTable, type Totals } from '@sched/queue-files'
import type { Command } from 'commander'
import { amountsOf } from '../cluster-amounts.js'
import { describeExperiment } from '../experiment/from-options.js'
import type { ExperimentOptions } from '../experiment/given-options.js'
import { prepare } from '../experiment/experiment.js'
import { amountsAs, listed, wholeOrFile } from './option-values.js'

export interface QueuesOptions extends Pick<ExperimentOptions, 'cluster' | 'nodes' | 'resources' | 'slots'> {
  readonly active?: readonly string[]
  readonly yarnSite?: string
  readonly json?: boolean
}

/** The options of commands about queue files. */
export function queuesOptions(command: Command): Command {
  return command
    .option('--active <queues>', 'only these queues have work, for example a,b.c (default: all)', listed)
    .option('--cluster <file>', 'description of the cluster that shares are of, a file or { ... } (default: shares in percent)')
    .option('--nodes <n>', 'number of equal nodes, with --resources or --slots, or a list of machines (a file)', wholeOrFile)
    .option('--resources <list>', 'resources per node, for example memory-mb=65536,vcores=16', amountsAs('memory-mb=65536,vcores=16'))
    .option('--slots <list>', 'slots per node, for example map=4,reduce=2', amountsAs('map=4,reduce=2'))
    .option('--json', 'print JSON')
}

/** The cluster of the command line; undefined where none is given. */
export async function clusterOf({ cluster, nodes, resources, slots }: Pick<QueuesOptions, 'cluster' | 'nodes' | 'resources' | 'slots'>, cwd: string): Promise<ClusterModel | undefined> {
  if (cluster === undefined && nodes === undefined && resources === undefined && slots === undefined) return undefined
  const given = {
    ...(cluster !== undefined && { cluster }),
    ...(nodes !== undefined && { nodes }),
    ...(resources !== undefined && { resources }),
    ...(slots !== undefined && { slots }),
  }
  return (await prepare(await describeExperiment(undefined, { ...given, generate: 'poisson-jobs', policies: 'fifo' }, cwd))).cluster
}

/** The table of a file's queues, with shares of the cluster where one is given. */
export function tableOf(file: QueueFile, cluster: ClusterModel | undefined, { active }: QueuesOptions): QueueTable {
  if (cluster === undefined) return queueTable(file, undefined, active)
  if (file.kind !== 'capacity') return queueTable(file, totalsOf(cluster), active)
  const label = (node: NodeId) => cluster.labels.of(node, 'partition')
  const ofLabels = cluster.labels.values('partition').map((each) => [each, totalsOf(cluster, (node) => label(node) === each)] as const)
  return queueTable(file, totalsOf(cluster, (node) => label(node) === undefined), active, Object.fromEntries(ofLabels))
}

/** What the nodes that count have of each resource. */
export const totalsOf = (cluster: ClusterModel, counts: (node: NodeId) => boolean = () => true): Totals =>
  Object.fromEntries(cluster.resources.map((name, r) => [name, amountsOf(cluster, r).reduce((sum, amount, node) => sum + (counts(node as NodeId) ? amount : 0), 0)]))
