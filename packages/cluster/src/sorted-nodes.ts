import type { NodeId } from '@sched/core'

/** Whether an ascending list contains a node. The fewer gaps the list has, the fewer places are searched. */
export function includes(sorted: readonly NodeId[], node: NodeId): boolean {
  const last = sorted.length - 1
  let low = Math.max(0, last - ((sorted[last] as number) - node))
  let high = Math.min(last, node - (sorted[0] as number))
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] as NodeId) < node) low = middle + 1
    else high = middle
  }
  return sorted[low] === node
}
