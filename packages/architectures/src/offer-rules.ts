import { leastTasks, SchedError, type Cell, type JobSpec, type LaneId, type NodeId, type ResourceId } from '@sched/core'
import type { Framework } from './framework.js'
import type { Reservations } from './reservations.js'

/** Rules on what may be offered to which framework. */
export class OfferRules {
  readonly #cell: Cell
  /** An offered part of a node must have at least all amounts of one of these, if there are any; a framework's own list replaces this. */
  readonly #least: readonly Float64Array[]
  /** Nodes with any of these resources are offered only to frameworks that want it. */
  readonly #kept: readonly ResourceId[]
  readonly #reservations: Reservations

  constructor(cell: Cell, least: readonly Float64Array[], kept: readonly ResourceId[], reservations: Reservations) {
    this.#cell = cell
    this.#reservations = reservations
    this.#least = least
    this.#kept = kept
  }

  /** Whether anything may be offered to the framework, apart from what it has refused. */
  isEmptyFor({ least = this.#least }: Framework): boolean {
    return least.length === 0 && this.#kept.length === 0 && this.#reservations.isEmpty
  }

  /** Whether the smallest task of some lane could start on the node. */
  isOfUse(node: NodeId): boolean {
    const { cluster } = this.#cell
    return cluster.lanes.some((_, lane) => cluster.hasRoom(lane as LaneId, node))
  }

  /** Whether this amount of a node may be offered to the framework. */
  allows(framework: Framework, node: NodeId, amount: (resource: ResourceId) => number): boolean {
    if (!this.#isEnough(framework, amount) || framework.refusals?.refuses(node, amount, this.#cell.now()) === true) return false
    return this.#isFor(framework, node)
  }

  /** Whether some of a node may be offered to the framework. */
  mayOffer(framework: Framework, node: NodeId): boolean {
    const { cluster } = this.#cell
    return this.isEmptyFor(framework) || (this.#isFor(framework, node) && this.#isEnough(framework, (r) => cluster.total(node, r)))
  }

  /** Throws `INFEASIBLE` for a job with a task or a gang that does not fit on the nodes that may be offered to the framework. */
  check({ id, stages }: JobSpec, framework: Framework): void {
    if (this.isEmptyFor(framework)) return
    const { cluster, nodes } = this.#cell
    const areOffered = nodes.filter((node) => this.mayOffer(framework, node))
    for (const stage of stages) {
      let left = leastTasks(stage)
      for (let i = 0; i < areOffered.length && left > 0; i++) left -= cluster.couldHold(stage, areOffered[i] as NodeId)
      if (left <= 0) continue
      const [rule, wayOut] = this.#rule(framework)
      throw new SchedError(
        'INFEASIBLE',
        `job ${id} asks ${JSON.stringify(stage.demand)}, and framework "${framework.name}" is offered no nodes ${rule}: the others have no room for that.`,
        {},
        wayOut,
      )
    }
  }

  /** Which nodes are not offered to the framework, in words, and what to do about it. */
  #rule(framework: Framework): readonly [rule: string, wayOut: string] {
    const { cluster, nodes } = this.#cell
    const others = this.#kept.map((r) => cluster.resources[r] as string).filter((name) => !framework.wants.includes(name)).join(' or ')
    if (others !== '') return [`with ${others}`, `Let it want ${others}, or leave that out of \`keep\`.`]
    if (nodes.some((node) => !this.#reservations.isFor(framework.role, node))) return ['that are reserved for other roles', 'Reserve fewer, or some for its role.']
    return ['smaller than `minimumPerNode`', 'Lower that.']
  }

  #isEnough(framework: Framework, amount: (resource: ResourceId) => number): boolean {
    const { least = this.#least } = framework
    return least.length === 0 || least.some((amounts) => amounts.every((each, r) => amount(r as ResourceId) >= each))
  }

  #isFor(framework: Framework, node: NodeId): boolean {
    const { cluster } = this.#cell
    return this.#reservations.isFor(framework.role, node) && this.#kept.every((r) => cluster.total(node, r) === 0 || framework.wants.includes(cluster.resources[r] as string))
  }
}
