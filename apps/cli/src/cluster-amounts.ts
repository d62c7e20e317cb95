import type { ClusterModel } from '@sched/cluster'

type Amounts = Pick<ClusterModel, 'nodes' | 'total'>

/** What each node has of resource number `resource`, by node. */
export const amountsOf = ({ nodes, total }: Amounts, resource: number) => total.subarray(resource * nodes, (resource + 1) * nodes)

/** What all nodes have of it. */
export const totalOf = (model: Amounts, resource: number): number => amountsOf(model, resource).reduce((sum, amount) => sum + amount, 0)
