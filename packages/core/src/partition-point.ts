/** The first index in [low, high) at which `isBefore` is false; `high` if there is none. It must be true up to some index and false from there on. */
export function partitionPoint(low: number, high: number, isBefore: (index: number) => boolean): number {
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBefore(middle)) low = middle + 1
    else high = middle
  }
  return low
}
