import type { ClusterView, NodeId, ResourceId } from '@sched/core'

/** Tasks that ask the same and are to run at once with others. */
export interface TasksAtOnce {
  readonly tasks: number
  /** What each asks. */
  readonly demand: (resource: ResourceId) => number
  /** How many of them a node could take, the others left out. */
  readonly most: (node: NodeId) => number
  /** Whether no two tasks on one node are such as say so. */
  readonly isDistinct: boolean
}

/**
 * Whether tasks that ask different amounts have room beside each other on the nodes: placed in turn, each on the lowest node with room for it. Exact in
 * amounts; of devices in part (shares of a GPU) it may find room that there is not.
 */
export function fitBeside(all: readonly TasksAtOnce[], nodes: readonly NodeId[], { resources }: Pick<ClusterView, 'resources'>, amount: (node: NodeId, resource: ResourceId) => number): boolean {
  const taken = new Float64Array(nodes.length * resources.length)
  const hasDistinct = new Uint8Array(nodes.length)
  return all.every(({ tasks, demand, most, isDistinct }) => {
    const asked = resources.map((_, r) => demand(r as ResourceId))
    let left = tasks
    for (let i = 0; i < nodes.length && left > 0; i++) {
      const node = nodes[i] as NodeId
      if (isDistinct && hasDistinct[i] === 1) continue
      const at = i * resources.length
      let here = Math.min(left, most(node))
      for (const [r, each] of asked.entries()) if (each > 0) here = Math.min(here, Math.floor((amount(node, r as ResourceId) - (taken[at + r] as number)) / each))
      if (here <= 0) continue
      for (const [r, each] of asked.entries()) taken[at + r] = (taken[at + r] as number) + here * each
      if (isDistinct) hasDistinct[i] = 1
      left -= here
    }
    return left === 0
  })
}
