import type { NodeId, ResourceId, Round, TaskId } from '@sched/core'

/** What is free of some resources in a round, and given away beside it while nothing changes there. */
export class FreeBeside {
  readonly #round: Round
  readonly #resources: readonly ResourceId[]
  readonly #taken = new Map<NodeId, number[]>()

  constructor(round: Round, resources: readonly ResourceId[]) {
    this.#round = round
    this.#resources = resources
  }

  /** Takes what the tasks ask, all of them or none. */
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
