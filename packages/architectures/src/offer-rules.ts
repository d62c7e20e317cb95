import { leastTasks, SchedError, type Cell, type JobSpec, type LaneId, type NodeId, type ResourceId } from '@sched/core'
import type { Framework } from './framework.js'
import type { Reservations } from './reservations.js'

/** What may be offered to whom. */
export class OfferRules {
  readonly #cell: Cell
  /** An offer of a node has at least all of one of these, where there are any, and the framework has none of its own. */
  readonly #least: readonly Float64Array[]
  /** Nodes that have one of these are for frameworks that want it. */
  readonly #kept: readonly ResourceId[]
  readonly #reservations: Reservations

  constructor(cell: Cell, least: readonly Float64Array[], kept: readonly ResourceId[], reservations: Reservations) {
    this.#cell = cell
    this.#reservations = reservations
    this.#least = least
    this.#kept = kept
  }

  /** Whether anything may be offered to a framework, but for what it refused. */
  isEmptyFor({ least = this.#least }: Framework): boolean {
    return least.length === 0 && this.#kept.length === 0 && this.#reservations.isEmpty
  }

  /** Whether the smallest task could start on the node. */
  isOfUse(node: NodeId): boolean {
    const { cluster } = this.#cell
    return cluster.lanes.some((_, lane) => cluster.hasRoom(lane as LaneId, node))
  }

  /** Whether so much of a node may be offered to the framework. */
  allows(framework: Framework, node: NodeId, amount: (resource: ResourceId) => number): boolean {
    if (!this.#isEnough(framework, amount) || framework.refusals?.refuses(node, amount, this.#cell.now()) === true) return false
    return this.#isFor(framework, node)
  }

  /** Throws `INFEASIBLE` for a task, or a gang, that the nodes could not hold which may be offered to the framework. */
  check({ id, stages }: JobSpec, framework: Framework): void {
    if (this.isEmptyFor(framework)) return
    const { cluster, nodes } = this.#cell
    const areOffered = nodes.filter((node) => this.#isFor(framework, node) && this.#isEnough(framework, (r) => cluster.total(node, r)))
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

  /** Which nodes a framework is not offered, in words, and what to do about it. */
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
