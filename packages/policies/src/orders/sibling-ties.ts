import { partitionPoint } from '@sched/core'

/** Keys by id, with a tie that decides between equal keys. */
interface Tied {
  readonly tie: Float64Array
  setTie(id: number, tie: number): void
}

/**
 * Inserts a new id into the ordered list of its siblings and gives it a tie between those of its two neighbours, the same in all
 * of `keys`, so that equal keys go by that order.
 */
export function placeAmong(siblings: number[], id: number, isBefore: (a: number, b: number) => boolean, keys: readonly Tied[]): void {
  const at = partitionPoint(0, siblings.length, (index) => !isBefore(id, siblings[index] as number))
  siblings.splice(at, 0, id)
  const tieAt = (index: number) => keys[0]?.tie[siblings[index] as number] as number
  const below = at === 0 ? undefined : tieAt(at - 1)
  const above = at === siblings.length - 1 ? undefined : tieAt(at + 1)
  const middle = below === undefined ? (above === undefined ? 0 : above - 1) : above === undefined ? below + 1 : (below + above) / 2
  const isBetween = (below === undefined || below < middle) && (above === undefined || middle < above)
  for (const each of keys)
    if (isBetween) each.setTie(id, middle)
    else siblings.forEach((sibling, index) => each.setTie(sibling, index)) // same order, wider gaps
}
