import type { NodeId, ResourceId, Round, TaskId } from '@sched/core'

/** Free amounts of some resources in a round, from which tasks can be given room on paper, without claims; valid while nothing changes in the round. */
export class FreeBeside {
  readonly #round: Round
  readonly #resources: readonly ResourceId[]
  readonly #taken = new Map<NodeId, number[]>()

  constructor(round: Round, resources: readonly ResourceId[]) {
    this.#round = round
    this.#resources = resources
  }

  /** Takes what the tasks ask for on their nodes, for all of them or none; false when it is not free. */
  take(places: ReadonlyMap<TaskId, NodeId>): boolean {
    this.#add(places, 1)
    const fits = [...places.values()].every((node) => this.#resources.every((resource, r) => (this.#taken.get(node)?.[r] ?? 0) <= this.#round.cluster.free(node, resource)))
    if (!fits) this.#add(places, -1)
    return fits
  }

  #add(places: ReadonlyMap<TaskId, NodeId>, sign: 1 | -1): void {
    const { work } = this.#round
    for (const [task, node] of places) {
      const before = this.#taken.get(node)
      const shape = work.shapeOf(task)
      this.#taken.set(node, this.#resources.map((resource, r) => (before?.[r] ?? 0) + sign * work.demand(shape, resource)))
    }
  }
}
