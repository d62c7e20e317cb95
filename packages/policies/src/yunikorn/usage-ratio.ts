/** Amounts by resource; in `guaranteed` and `max` amounts that are not given are `NaN`. */
type Row = ArrayLike<number>

/**
 * The part that a queue uses (`used[offset + resource]`) of what it may have, at least 0: the largest ratio over all resources, to the guarantee
 * where one is given, otherwise to the maximum (its own, or that of the nearest queue around it, in the end what all nodes have). Where that is 0
 * and something is used, the ratio is 1.
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
 * The key by which jobs of a queue are compared: what a job uses as ratios to the guarantee of the queue, the largest first, written to `out` from
 * `at` on. For a resource without a guarantee it is the amount itself, times `units`, which is mostly larger than any ratio.
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
