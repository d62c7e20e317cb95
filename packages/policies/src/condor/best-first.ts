/** The numbers below `count` by a total order, the first one first, sorted only as far as they are read: a heap, whose first number is before all others. */
export function* bestFirst(count: number, compare: (a: number, b: number) => number): Generator<number, void> {
  const heap = Int32Array.from({ length: count }, (_, i) => i)
  for (let i = (count >> 1) - 1; i >= 0; i--) sink(heap, i, count, compare)
  for (let left = count - 1; left >= 0; left--) {
    yield heap[0] as number
    heap[0] = heap[left] as number
    sink(heap, 0, left, compare)
  }
}

/** Moves the number at a place down to where none below is before it; the heap is of the first `size` numbers. */
function sink(heap: Int32Array, place: number, size: number, compare: (a: number, b: number) => number): void {
  const moved = heap[place] as number
  let at = place
  for (let below = 2 * at + 1; below < size; below = 2 * at + 1) {
    if (below + 1 < size && compare(heap[below + 1] as number, heap[below] as number) < 0) below++
    if (compare(moved, heap[below] as number) <= 0) break
    heap[at] = heap[below] as number
    at = below
  }
  heap[at] = moved
}
