/**
 * Sorts the first `n` numbers in place by heapsort. The built-in sort of a part of a typed array needs a view of that part,
 * which is an allocation per call.
 */
export function sortAscending(values: Float64Array, n: number): void {
  for (let root = (n >> 1) - 1; root >= 0; root--) siftDown(values, root, n)
  for (let end = n - 1; end > 0; end--) {
    const largest = values[0]!
    values[0] = values[end]!
    values[end] = largest
    siftDown(values, 0, end)
  }
}

function siftDown(values: Float64Array, root: number, end: number): void {
  const value = values[root]!
  let hole = root
  for (let child = 2 * hole + 1; child < end; child = 2 * hole + 1) {
    if (child + 1 < end && values[child + 1]! > values[child]!) child++
    if (values[child]! <= value) break
    values[hole] = values[child]!
    hole = child
  }
  values[hole] = value
}
