/** Amounts by resource; of `guaranteed` and `max` those that are not said are `NaN`. */
type Row = ArrayLike<number>

/**
 * How much of what it may have a queue uses (`used[offset + resource]`), at least 0: the largest part over all resources, of what is guaranteed where that is said, otherwise
 * of the maximum (its own or that of the nearest queue around it, in the end what all nodes have). Where that is 0 and something is used, the part is 1.
 *
 * Source: YuniKorn 1.6, resources.go (getFairShare, YUNIKORN-2678) and queue.go (GetFairMaxResource).
 */
export function usageRatio(used: Row, offset: number, guaranteed: Row, max: Row, resources: readonly number[]): number {
  let ratio = 0
  for (const r of resources) {
    const amount = used[offset + r] as number
    if (amount <= 0) continue
    const own = guaranteed[r] as number
    const whole = Number.isNaN(own) ? (max[r] as number) : own
    const part = whole > 0 ? amount / whole : whole === 0 ? 1 : 0
    if (part > ratio) ratio = part
  }
  return ratio
}

/**
 * How jobs of a queue are compared: the parts that a job has of what the queue is guaranteed, the largest first, written into `out` from
 * `at` on. Of a resource of which nothing is guaranteed it is the amount itself, times `units`: most often more than any part.
 *
 * Source: YuniKorn, resources.go (getShares, compareShares).
 */
export function writeShares(out: Float64Array, at: number, used: Row, offset: number, guaranteed: Row, units: Row, resources: readonly number[]): void {
  let count = 0
  for (const r of resources) {
    const amount = used[offset + r] as number
    const whole = guaranteed[r] as number
    const share = whole > 0 ? amount / whole : amount * (units[r] as number)
    let place = at + count++
    for (; place > at && (out[place - 1] as number) < share; place--) out[place] = out[place - 1] as number
    out[place] = share
  }
}
