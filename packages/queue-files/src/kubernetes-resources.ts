import { kubernetesResource } from '@sched/core'
import type { ClusterFacts } from './queue-policy.js'

/** The resources that nodes read from Kubernetes have; others they have where a run asks for them. */
export const RESOURCES: readonly string[] = ['cpu', 'mem', 'gpu']

/** The resources of which queues can have amounts: those of the cluster, or `RESOURCES` if it has none of these, since then nothing is known of it. */
export const countedResources = ({ resources }: Pick<ClusterFacts, 'resources'>): readonly string[] =>
  RESOURCES.some((each) => resources.includes(each)) ? resources : RESOURCES

/**
 * An amount of a resource of Kubernetes (cores, bytes, devices) as nodes have it: the nodes' name of the resource, the amount in their unit, and the
 * name of that unit. Undefined for a resource that nodes do not have; `resources`: those that these nodes have.
 */
export function inUnits(name: unknown, amount: number, resources: readonly string[] = []): { readonly resource: string; readonly amount: number; readonly unit: string } | undefined {
  if (typeof name !== 'string') return undefined
  const { resource, per, unit } = kubernetesResource(name)
  if (!RESOURCES.includes(resource) && !resources.includes(resource)) return undefined
  return { resource, amount: unit === 'MiB' ? Math.floor(amount * per) : Math.round(amount * per), unit }
}

/** Whether a resource of nodes is one of Kubernetes that they have where a run asks for it; not the number of pods, which counts where queues say so alone. */
export const isFurther = (resource: string): boolean => !RESOURCES.includes(resource) && (resource.includes('/') || kubernetesResource(resource).unit !== '')

/** The nodes' name of a resource of Kubernetes; undefined for one that nodes do not have. */
export const resourceOf = (name: string): string | undefined => inUnits(name, 0)?.resource

/** The note for an amount of a resource that nodes never have. */
export const NOT_OF_NODES = 'jobs ask for CPU, memory and GPUs'

/** The note for an amount of a resource that this cluster does not have. */
export const notInCluster = ({ resource, unit }: { readonly resource: string; readonly unit: string }): string => `the cluster has no ${resource} (in ${unit})`
