import type { ClusterView, NodeId, ResourceId } from '@sched/core'

/** All nodes of a cluster, up or not. */
export const allNodes = ({ nodes }: Pick<ClusterView, 'nodes'>): NodeId[] => Array.from({ length: nodes }, (_, node) => node as NodeId)

/** What all nodes of a cluster have of a resource, up or not. */
export const totalOfAll = (cluster: ClusterView, resource: ResourceId): number => allNodes(cluster).reduce((sum, node) => sum + cluster.total(node, resource), 0)

/** The most that any node of a cluster has of a resource, up or not. */
export const mostOfAny = (cluster: ClusterView, resource: ResourceId): number => allNodes(cluster).reduce((most, node) => Math.max(most, cluster.total(node, resource)), 0)
