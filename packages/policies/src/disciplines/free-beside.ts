import type { JobId, NodeId, ResourceId, Round, TaskId } from '@sched/core'

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

  /** Gives room on paper: these tasks leave their nodes. */
  give(places: ReadonlyMap<TaskId, NodeId>): void {
    this.#add(places, -1)
  }

  /**
   * Whether there is as much on the nodes in sight as the job's next task asks for, or all tasks of one shape that must start with it. What else keeps them
   * off a node is not looked at, so they may find none all the same.
   */
  mayHold(job: JobId): boolean {
    const { work, nodes, lane } = this.#round
    let tasks = work.isGangJob(job) ? 1 : work.together(job, lane)
    for (let i = 0; i < nodes.length && tasks > 0; i++) tasks -= this.#roomOn(nodes[i] as NodeId, job)
    return tasks <= 0
  }

  /** For how many tasks like the job's next one there is room on a node; `Infinity` for one that asks for nothing. */
  #roomOn(node: NodeId, job: JobId): number {
    const { work, cluster, lane } = this.#round
    const shape = work.shape(job, lane)
    let room = Infinity
    for (const resource of cluster.lanes[lane]?.resources ?? []) {
      const asked = work.demand(shape, resource)
      if (asked === 0) continue
      const taken = this.#taken.get(node)?.[this.#resources.indexOf(resource)] ?? 0
      room = Math.min(room, Math.floor((cluster.free(node, resource) - taken) / asked))
    }
    return Math.max(0, room)
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
