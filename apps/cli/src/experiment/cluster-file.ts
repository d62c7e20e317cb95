import { clusterSchema, isKubernetesNodes, kubernetesNodes, readCluster, YamlSource, type ClusterDescription } from '@sched/cluster'
import { SchedError } from '@sched/core'
import { machinesOf } from '@sched/workload'
import { isSlurmConf, slurmNodes } from '@sched/queue-files'
import { readTable, sourceOf } from '../read-text.js'

/**
 * Makes something of the cluster that a file describes: a description in YAML or JSON, a list of machines, a slurm.conf, or nodes of
 * Kubernetes. Errors of the making tell the line of the field that they are about.
 */
export async function fromClusterFile<T>(file: string, make: (description: ClusterDescription) => T): Promise<T> {
  const text = await readTable(file)
  const machines = machinesOf(text, file)
  if (machines !== undefined) return make(readCluster(machines))
  if (isSlurmConf(text)) return make(readCluster(slurmNodes(sourceOf(file, '', text))))
  if (isKubernetesNodes(text)) return make(readCluster(kubernetesNodes(text, file)))
  const source = new YamlSource(text, file)
  const checked = source.read(clusterSchema)
  try {
    return make(readCluster(checked))
  } catch (error) {
    throw error instanceof SchedError ? error.at(source.placeOfField(error.place.field ?? '')) : error
  }
}
