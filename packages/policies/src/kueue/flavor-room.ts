import type { Env, NodeId, ResourceId, ShapeId } from '@sched/core'
import { holds, type Flavor } from './queues.js'
import type { Workload } from './workload.js'

/** Whether the nodes of a flavor could hold a workload if they were empty: found once for all that ask as much. */
export class FlavorRoom {
  readonly #env: Env
  readonly #flavors: readonly Flavor[]
  readonly #known = new Map<string, boolean>()

  constructor(env: Env, flavors: readonly Flavor[]) {
    this.#env = env
    this.#flavors = flavors
  }

  canHold(flavor: number, { shape, tasks }: Workload): boolean {
    const own = this.#flavors[flavor] as Flavor
    if (own.has === undefined) return true
    const key = `${flavor} ${shape} ${tasks}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const found = holds(own, tasks, (node) => this.#roomOn(shape, node))
    this.#known.set(key, found)
    return found
  }

  #roomOn(shape: ShapeId, node: NodeId): number {
    const { work, cluster } = this.#env
    if (!work.mayRunOn(shape, node)) return 0
    let room = work.isDistinct(shape) ? 1 : Infinity
    for (let r = 0 as ResourceId; r < cluster.resources.length; r++) {
      const amount = work.demand(shape, r)
      if (amount > 0) room = Math.min(room, Math.floor(cluster.total(node, r) / amount))
    }
    return room
  }
}
