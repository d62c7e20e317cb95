import type { ClusterView, NodeId, ResourceId, Round, TaskId, WorkView } from '@sched/core'
import { addTo, isWithin } from '../shares/vectors.js'

/**
 * Room that is left on nodes in a draft that has evicted more tasks than must go; evicted tasks can take their places again on paper, where these
 * are still free.
 */
export class LeftRoom {
  readonly #cluster: ClusterView
  readonly #work: WorkView
  readonly #resources: readonly ResourceId[]
  /** By node: what is free of each resource, each followed by its devices. */
  readonly #free = new Map<NodeId, number[]>()

  constructor({ cluster, work }: Round) {
    this.#cluster = cluster
    this.#work = work
    this.#resources = [...cluster.resources.keys()] as ResourceId[]
  }

  /** Puts all of the tasks where they were, if all of them have room there. */
  putBack(tasks: readonly TaskId[]): boolean {
    for (const [i, task] of tasks.entries()) {
      const free = this.#on(this.#work.nodeOf(task) as NodeId)
      const held = this.#heldBy(task)
      if (isWithin(held, free)) {
        addTo(free, held, -1)
        continue
      }
      for (const before of tasks.slice(0, i)) this.#takeAway(before)
      return false
    }
    return true
  }

  #takeAway(task: TaskId): void {
    const free = this.#on(this.#work.nodeOf(task) as NodeId)
    for (const [k, amount] of this.#heldBy(task).entries()) free[k] = (free[k] as number) + amount
  }

  #on(node: NodeId): number[] {
    const known = this.#free.get(node)
    if (known !== undefined) return known
    const cluster = this.#cluster
    const free = this.#resources.flatMap((r) => [cluster.free(node, r), ...Array.from({ length: cluster.devices(node, r) }, (_, i) => cluster.deviceFree(node, r, i))])
    this.#free.set(node, free)
    return free
  }

  #heldBy(task: TaskId): number[] {
    const [cluster, work] = [this.#cluster, this.#work]
    const [node, shape, held] = [work.nodeOf(task) as NodeId, work.shapeOf(task), work.devicesOf(task)]
    let first = 0
    return this.#resources.flatMap((r) => {
      const amount = work.demand(shape, r)
      const each = Math.min(amount, cluster.deviceSize(r))
      const devices = Array.from({ length: cluster.devices(node, r) }, (_, i) => ((held >> (first + i)) & 1) * each)
      first += devices.length
      return [amount, ...devices]
    })
  }
}
