import type { ClusterView, NodeId, ResourceId } from '@sched/core'
import { namedParts, type NodeOptions } from './partition-nodes.js'

/**
 * Nodes reserved for a role: they are offered only to frameworks in the role or in roles inside it. Reserved nodes count towards the quota of the
 * outermost role, whether or not they are in use.
 *
 * Source: Mesos, static reservations (`--resources` of an agent). Deviation: whole nodes are reserved, not parts of them.
 */
export class Reservations {
  /** By node: path of the role that it is reserved for; `undefined` for none. */
  readonly #role: (string | undefined)[]
  readonly #cluster: ClusterView
  readonly isEmpty: boolean

  /** Throws `BAD_OPTION` for a node reserved for two roles, `UNKNOWN_NAME` for an unknown node or group. */
  constructor(roles: Readonly<Record<string, { readonly reserved?: NodeOptions | undefined }>>, cluster: ClusterView) {
    const given = Object.entries(roles).flatMap(([name, { reserved }]) => (reserved === undefined ? [] : [{ name, nodes: reserved }]))
    const owner = namedParts(given, cluster, { all: 'roles', field: 'reserved', rule: 'A node is reserved for one role.' })
    this.#role = Array.from(owner, (index) => given[index]?.name)
    this.#cluster = cluster
    this.isEmpty = given.length === 0
  }

  /** Whether the node is not reserved. */
  isOpen(node: NodeId): boolean {
    return this.#role[node] === undefined
  }

  /** Whether the node may be offered to frameworks in this role, or in no role if `undefined`. */
  isFor(role: string | undefined, node: NodeId): boolean {
    const own = this.#role[node]
    return own === undefined || (role !== undefined && isInside(role, own))
  }

  /** Amount of a resource on the nodes reserved in a role: their total, or what is free on those that are up. */
  amount(role: string, resource: ResourceId, what: 'total' | 'free'): number {
    let sum = 0
    for (const [node, own] of this.#role.entries())
      if (own !== undefined && isInside(own, role)) sum += what === 'total' ? this.#cluster.total(node as NodeId, resource) : this.#cluster.up(node as NodeId) ? this.#cluster.free(node as NodeId, resource) : 0
    return sum
  }
}

const isInside = (path: string, role: string): boolean => path === role || path.startsWith(`${role}/`)
