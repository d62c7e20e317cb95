import type { ClusterFacts } from './queue-policy.js'

const MIB = 2 ** 20

/** The resources that nodes read from Kubernetes have. */
export const RESOURCES: readonly string[] = ['cpu', 'mem', 'gpu']

/** The resources of which queues can have amounts: those of the cluster, or `RESOURCES` if it has none of these, since then nothing is known of it. */
export const countedResources = ({ resources }: Pick<ClusterFacts, 'resources'>): readonly string[] =>
  RESOURCES.some((each) => resources.includes(each)) ? resources : RESOURCES

/**
 * An amount of a resource of Kubernetes (cores, bytes, GPUs of any maker) as nodes have it: the nodes' name of the resource, the amount in their unit, and the
 * name of that unit. Undefined for a resource that nodes do not have.
 */
export function inUnits(name: unknown, amount: number): { readonly resource: string; readonly amount: number; readonly unit: string } | undefined {
  if (name === 'cpu') return { resource: 'cpu', amount: Math.round(amount * 1000), unit: 'millicores' }
  if (name === 'memory') return { resource: 'mem', amount: Math.floor(amount / MIB), unit: 'MiB' }
  return typeof name === 'string' && /\/gpu(-count)?$/.test(name) ? { resource: 'gpu', amount: Math.round(amount * 1000), unit: 'thousandths of a GPU' } : undefined
}

/** The nodes' name of a resource of Kubernetes; undefined for one that nodes do not have. */
export const resourceOf = (name: string): string | undefined => inUnits(name, 0)?.resource

/** The note for an amount of a resource that nodes never have. */
export const NOT_OF_NODES = 'jobs ask for CPU, memory and GPUs'

/** The note for an amount of a resource that this cluster does not have. */
export const notInCluster = ({ resource, unit }: { readonly resource: string; readonly unit: string }): string => `the cluster has no ${resource} (in ${unit})`
