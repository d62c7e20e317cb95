import type { ClusterView, NodeId, ResourceId } from '@sched/core'
import { namedParts, type NodeOptions } from './partition-nodes.js'

/**
 * Nodes that are reserved for a role: nobody else is offered them, but for roles inside it. What is reserved counts towards the quota of the outermost role,
 * whether or not it is in use.
 *
 * Source: Mesos, static reservations (`--resources` of an agent). Deviation: whole nodes are reserved, not parts of them.
 */
export class Reservations {
  /** By node: the path of the role; absent: of nobody. */
  readonly #role: (string | undefined)[]
  readonly #cluster: ClusterView
  readonly isEmpty: boolean

  /** Throws `BAD_OPTION` for a node of two roles, `UNKNOWN_NAME` for one that is not there. */
  constructor(roles: Readonly<Record<string, { readonly reserved?: NodeOptions | undefined }>>, cluster: ClusterView) {
    const given = Object.entries(roles).flatMap(([name, { reserved }]) => (reserved === undefined ? [] : [{ name, nodes: reserved }]))
    const owner = namedParts(given, cluster, { all: 'roles', field: 'reserved', rule: 'A node is reserved for one role.' })
    this.#role = Array.from(owner, (index) => given[index]?.name)
    this.#cluster = cluster
    this.isEmpty = given.length === 0
  }

  /** Whether the node is reserved for nobody. */
  isOpen(node: NodeId): boolean {
    return this.#role[node] === undefined
  }

  /** Whether frameworks in a role, or in none, may be offered the node. */
  isFor(role: string | undefined, node: NodeId): boolean {
    const own = this.#role[node]
    return own === undefined || (role !== undefined && isInside(role, own))
  }

  /** What nodes that are reserved in a role have of a resource, or of it free where they are up. */
  amount(role: string, resource: ResourceId, what: 'total' | 'free'): number {
    let sum = 0
    for (const [node, own] of this.#role.entries())
      if (own !== undefined && isInside(own, role)) sum += what === 'total' ? this.#cluster.total(node as NodeId, resource) : this.#cluster.up(node as NodeId) ? this.#cluster.free(node as NodeId, resource) : 0
    return sum
  }
}

const isInside = (path: string, role: string): boolean => path === role || path.startsWith(`${role}/`)
