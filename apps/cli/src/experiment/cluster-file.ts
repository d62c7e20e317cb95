import { clusterSchema, isKubernetesNodes, kubernetesNodes, readCluster, YamlSource, type ClusterDescription } from '@sched/cluster'
import { SchedError } from '@sched/core'
import { machinesOf } from '@sched/workload'
import { isShownNodes, isSlurmConf, shownNodes, slurmNodes } from '@sched/queue-files'
import { readTable, sourceOf } from '../read-text.js'

/**
 * Makes something of the cluster that a file describes: a description in YAML or JSON, a list of machines, a slurm.conf, nodes as scontrol shows them, or nodes of
 * Kubernetes. Errors of the making tell the line of the field that they are about.
 */
export async function fromClusterFile<T>(file: string, make: (description: ClusterDescription) => T): Promise<T> {
  const text = await readTable(file)
  const machines = machinesOf(text, file)
  if (machines !== undefined) return make(readCluster(machines))
  if (isShownNodes(text)) return make(readCluster(shownNodes({ text, file })))
  if (isSlurmConf(text)) return make(readCluster(slurmNodes(sourceOf(file, '', text))))
  if (isKubernetesNodes(text)) return make(readCluster(kubernetesNodes(text, file)))
  refuseTables(text, file)
  const source = new YamlSource(text, file)
  const checked = source.read(clusterSchema)
  try {
    return make(readCluster(checked))
  } catch (error) {
    throw error instanceof SchedError ? error.at(source.placeOfField(error.place.field ?? '')) : error
  }
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
