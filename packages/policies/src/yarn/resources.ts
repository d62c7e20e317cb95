import { resourceNamed, type ClusterView, type Lane, type ResourceId } from '@sched/core'

const memoryNames = ['memory-mb', 'memory', 'mem', 'ram']
const coreNames = ['vcores', 'vcore', 'cpu', 'cpus', 'cores', 'core']

/** The resource of a lane that the policy `fair` compares: the named one, else its memory, else its first. */
export function memoryOf(lane: Lane, cluster: ClusterView, named: string | undefined): ResourceId {
  if (named !== undefined) resourceNamed(named, cluster.resources, 'memory')
  const names = named === undefined ? memoryNames : [named]
  const found = names.flatMap((name) => lane.resources.filter((r) => cluster.resources[r] === name))
  return (found[0] ?? lane.resources[0]) as ResourceId
}

/** The resources of a lane in YARN's order, which decides between equal parts: memory, cores, then the others in the order of the cluster. */
export function inYarnOrder({ resources }: Lane, cluster: ClusterView): ResourceId[] {
  const place = (r: ResourceId): number => {
    const name = cluster.resources[r] as string
    return memoryNames.includes(name) ? 0 : coreNames.includes(name) ? 1 : 2
  }
  return [...resources].sort((a, b) => place(a) - place(b) || a - b)
}
