import type { ClusterView, NodeId, ResourceId, Round } from '@sched/core'
import type { Queue } from './queue.js'

/** What there was when no job of a queue could preempt: none can while nothing of it is better. */
interface Found {
  readonly changes: number
  readonly inSight: readonly NodeId[]
  /** Where its own tasks run, and what was free there, node by node. */
  readonly nodes: readonly NodeId[]
  readonly free: readonly number[]
}

/** Queues that may start nothing as they are, and of which no job can preempt: until they change, or there is more room beside their own tasks. */
export class Standstill {
  readonly #resources: readonly ResourceId[]
  readonly #found = new Map<Queue, Found>()

  constructor(resources: readonly number[]) {
    this.#resources = resources as readonly ResourceId[]
  }

  note(queue: Queue, { nodes: inSight, cluster }: Round): void {
    const nodes = [...queue.tasksOn.keys()]
    const free: number[] = []
    for (const node of nodes) for (const r of this.#resources) free.push(cluster.free(node, r))
    this.#found.set(queue, { changes: changesOf(queue), inSight, nodes, free })
  }

  holds(queue: Queue, { nodes, cluster }: Round): boolean {
    const found = this.#found.get(queue)
    if (found === undefined || found.changes !== changesOf(queue) || found.inSight !== nodes) return false
    return !this.#isFreer(found, cluster)
  }

  #isFreer({ nodes, free }: Found, cluster: ClusterView): boolean {
    const width = this.#resources.length
    for (let i = 0; i < free.length; i++) if (cluster.free(nodes[Math.floor(i / width)] as NodeId, this.#resources[i % width] as ResourceId) > (free[i] as number)) return true
    return false
  }
}

/** Of the queue and those around it. */
function changesOf(queue: Queue): number {
  let changes = 0
  for (const each of queue.path()) changes += each.changes
  return changes
}
