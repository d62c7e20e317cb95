import { amountsByName, type ClusterView, type Env, type JobId, type NodeId, type ResourceId, type Round } from '@sched/core'

/** By resource, the amounts of others that are kept for each unit of it. */
export type Proportions = Readonly<Record<string, Readonly<Record<string, number>>>>

/** Whether a node keeps enough for others beside the task. */
export type Keeps = (node: NodeId, cluster: ClusterView) => boolean

/**
 * Keeps amounts on a node for what is free of a resource: a task that asks for none of the resources that are named leaves so much beside them.
 *
 * Source: Volcano, proportional.go (checkNodeResourceIsProportional), of the plug-ins `predicates` and `resource-strategy-fit`.
 */
export class Proportional {
  readonly #kept: readonly { readonly resource: ResourceId; readonly amounts: readonly (readonly [ResourceId, number])[] }[]

  /** Throws `BAD_OPTION` for resources that the cluster does not have. */
  constructor(given: Proportions, { cluster: { resources } }: Env) {
    amountsByName(Object.fromEntries(Object.keys(given).map((name) => [name, 0])), resources, 'weighted.proportional', 0)
    this.#kept = Object.entries(given).map(([name, amounts]) => {
      const each = amountsByName(amounts, resources, `weighted.proportional.${name}`, 0)
      return { resource: resources.indexOf(name) as ResourceId, amounts: resources.flatMap((_, r) => ((each[r] as number) > 0 ? [[r as ResourceId, each[r] as number] as const] : [])) }
    })
  }

  /** Which nodes the task of a job leaves enough on; undefined: it asks for one of the resources itself, and need not. */
  of(job: JobId, { work, lane }: Round): Keeps | undefined {
    const shape = work.shape(job, lane)
    if (this.#kept.some(({ resource }) => work.demand(shape, resource) > 0)) return undefined
    return (node, cluster) => this.#kept.every(({ resource, amounts }) => {
      const free = cluster.free(node, resource)
      return cluster.total(node, resource) === 0 || amounts.every(([r, amount]) => cluster.free(node, r) - work.demand(shape, r) >= free * amount)
    })
  }
}
