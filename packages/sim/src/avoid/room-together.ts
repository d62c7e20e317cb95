import type { CellState, Work } from '@sched/cluster'
import type { NodeId, ResourceId, ShapeId } from '@sched/core'

/** Tasks of one shape. */
export interface Asked {
  readonly shape: ShapeId
  readonly tasks: number
}

/** Whether all of these tasks have room on these nodes together, if nothing ran there, when each goes to the first node with room for it. */
export function haveRoomTogether(asked: readonly Asked[], nodes: Iterable<NodeId>, work: Pick<Work, 'shapes' | 'demand'>, cell: Pick<CellState, 'resources' | 'total'>): boolean {
  const left = asked.map(({ tasks }) => tasks)
  const used = cell.resources.map(() => 0)
  const fits = (shape: ShapeId, node: NodeId) => work.shapes.roomOn(shape, node) > 0 && used.every((amount, r) => amount + work.demand(shape, r as ResourceId) <= cell.total(node, r as ResourceId))
  for (const node of nodes) {
    used.fill(0)
    for (const [i, { shape }] of asked.entries())
      for (; (left[i] as number) > 0 && fits(shape, node); left[i] = (left[i] as number) - 1) for (const r of used.keys()) used[r] = (used[r] as number) + work.demand(shape, r)
    if (left.every((tasks) => tasks === 0)) return true
  }
  return false
}
