import type { KeyRows } from './ranked-ids.js'

/**
 * Puts a new queue among its siblings, which are in order of their paths, and gives it a tie between those of its
 * neighbours, so that equal queues go by name. Every list of keys has the same ties.
 */
export function placeByName(siblings: number[], id: number, pathOf: (id: number) => string, lists: readonly KeyRows[]): void {
  const path = pathOf(id)
  const after = siblings.findIndex((other) => pathOf(other) > path)
  const at = after < 0 ? siblings.length : after
  siblings.splice(at, 0, id)
  const tie = (index: number) => (lists[0] as KeyRows).tie[siblings[index] as number] as number
  const below = at === 0 ? undefined : tie(at - 1)
  const above = at === siblings.length - 1 ? undefined : tie(at + 1)
  const middle = below === undefined ? (above === undefined ? 0 : above - 1) : above === undefined ? below + 1 : (below + above) / 2
  const isBetween = (below === undefined || below < middle) && (above === undefined || middle < above)
  for (const keys of lists)
    if (isBetween) keys.setTie(id, middle)
    else siblings.forEach((each, index) => keys.setTie(each, index)) // same order, wider gaps
}
