import { clusterSchema, isKubernetesNodes, kubernetesNodes, readCluster, YamlSource, type ClusterDescription } from '@sched/cluster'
import { SchedError } from '@sched/core'
import { detectFormatOf, machineMapping, machinesOf, mappedMachines, readMachines, type MachineMapping, type MachineTable } from '@sched/workload'
import { isQueueFile, isShownNodes, isSlurmConf, shownNodes, slurmNodes } from '@sched/queue-files'
import { dirname, resolve } from 'node:path'
import { readTable, sourceOf } from '../read-text.js'

/**
 * Makes something of the cluster that a file describes: a description in YAML or JSON, a list of machines, a mapping of the columns of any other such list, a slurm.conf, nodes as scontrol shows them, or nodes of
 * Kubernetes, which have `resources` besides CPU, memory and GPUs. Errors of the making tell the line of the field that they are about.
 */
export async function fromClusterFile<T>(file: string, make: (description: ClusterDescription) => T, resources: readonly string[] = []): Promise<T> {
  const text = await readTable(file)
  const machines = machinesOf(text, file)
  if (machines !== undefined) return make(readCluster(machines))
  if (isShownNodes(text)) return make(readCluster(shownNodes({ text, file })))
  if (isSlurmConf(text)) return make(readCluster(slurmNodes(sourceOf(file, '', text))))
  if (isKubernetesNodes(text)) return make(readCluster(kubernetesNodes(text, file, resources)))
  refuseTables(text, file)
  refuseOthers(text, file)
  const source = new YamlSource(text, file)
  if (typeof source.value === 'string') refuseLists(text, file)
  if (isMapping(source.value)) return make(readCluster(await mapped(source.read(machineMapping), file)))
  const checked = source.read(clusterSchema)
  try {
    return make(readCluster(checked))
  } catch (error) {
    throw error instanceof SchedError ? error.at(source.placeOfField(error.place.field ?? '')) : error
  }
}

const isMapping = (value: unknown): boolean => typeof value === 'object' && value !== null && 'table' in value

/** A table of machines by what a file says of its columns. */
async function mapped(mapping: MachineMapping, file: string): Promise<MachineTable> {
  const table = resolve(dirname(file), mapping.table)
  return mappedMachines(await readTable(table), mapping, table)
}

/** What commands print of nodes for people, and which command prints what is read. */
const tables: readonly (readonly [mark: RegExp, command: string, instead: string])[] = [
  [/^\s*(PARTITION\s+AVAIL|NODELIST\s+NODES|HOSTNAMES?\s)|"sinfo"\s*:/, 'sinfo', 'scontrol show node'],
  [/^\s*(Total Nodes:.*\s+)?Node-Id\s+Node-State/, 'yarn node -list', 'curl RESOURCEMANAGER:8088/ws/v1/cluster/nodes'],
  [/^NAME\s+STATUS\s+ROLES\s/, 'kubectl get nodes', 'kubectl get nodes -o yaml'],
]

function refuseTables(text: string, file: string): void {
  const found = tables.find(([mark]) => mark.test(text.slice(0, 4096)))
  if (found !== undefined) throw new SchedError('BAD_INPUT', `is what ${found[1]} prints, which is not read.`, { file }, `Print the nodes with: ${found[2]}`)
}

/** A trace or a queue file, given where the cluster should be. */
function refuseOthers(text: string, file: string): void {
  if (isQueueFile(text)) throw new SchedError('BAD_INPUT', 'is a queue file, not a cluster.', { file }, 'It is for `--queues FILE`.')
  let summary: string
  try {
    summary = detectFormatOf(new TextEncoder().encode(text.slice(0, 65_536))).summary
  } catch {
    return
  }
  throw new SchedError('BAD_INPUT', `is a trace (${summary}), not a cluster.`, { file }, 'It is for `--trace FILE`.')
}

/** A table of another kind than those that are known; they are named. */
function refuseLists(text: string, file: string): void {
  try {
    readMachines(text, file)
  } catch (error) {
    if (!(error instanceof SchedError)) throw error
    throw new SchedError(error.code, error.fact, error.place, `Describe the nodes in YAML, as \`nodes: [{ count: 100, resources: { cpu: 16 } }]\`, or say there what the columns of the table mean, as \`{ table: nodes.csv, name: host, resources: { cpu: cores } }\`. ${error.wayOut}`)
  }
}
