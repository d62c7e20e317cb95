/** What a queue claims of one resource. */
export interface Claimant {
  readonly priority: number
  /** Its quota, which it deserves, and the most that it may have; `Infinity`: no bound. */
  readonly quota: number
  readonly limit: number
  /** Its weight for the division of what quotas leave. */
  readonly weight: number
  /** What it has and waits for. */
  readonly request: number
  /** What it has had lately, as a fraction of all there was; absent: nothing. */
  readonly usage?: number
}

/**
 * Divides an amount among siblings. Each gets what it asks for up to its quota, whether there is enough or not. What is left goes by weight, in whole
 * steps (a device, or one), to those of the highest priority that ask for more, until nothing is left or asked for, then to the next priority. What
 * rounding leaves goes step by step to those whose parts lost most by it, ties to the first. With a `kValue` above 0 past usage counts: from each part by
 * weight, `kValue` times what the queue has had beyond that part is subtracted (or added, if it has had less); a queue with no part left gets nothing.
 *
 * `bounds` is given, for each queue, an amount: while a queue asks for more than that, within its limit, no share depends on how much it asks for.
 *
 * Source: KAI Scheduler, resource_division.go.
 */
export function fairShares(total: number, queues: readonly Claimant[], step = 1, kValue = 0, bounds: number[] = []): number[] {
  const asked = queues.map(({ limit, request }) => Math.min(limit, request))
  const shares = queues.map(({ quota }, i) => {
    const deserved = quota === Infinity ? total : quota
    bounds[i] = deserved
    return Math.min(deserved, asked[i] as number)
  })
  let left = Math.max(0, total - shares.reduce((sum, share) => sum + share, 0))
  const priorities = [...new Set(queues.map(({ priority }) => priority))].sort((a, b) => b - a)
  for (const priority of priorities) {
    if (left <= 0) break
    const level: number[] = []
    for (let i = 0; i < queues.length; i++) if (queues[i]?.priority === priority && (queues[i] as Claimant).weight > 0) level.push(i)
    left = byWeight(left, level, { queues, asked, step, kValue, bounds }, shares)
  }
  return shares
}

/** The claimants, what each asks for within its limit, the step in which parts are given, how much past usage counts, and the bounds to be set. */
interface Asking {
  readonly queues: readonly Claimant[]
  readonly asked: readonly number[]
  readonly step: number
  readonly kValue: number
  readonly bounds: number[]
}

/** Divides what is left among the queues of one priority (`level`: their indices); returns what they leave. */
function byWeight(total: number, level: readonly number[], { queues, asked, step, kValue, bounds }: Asking, shares: number[]): number {
  let left = total
  /** By queue: what rounding has taken from its part; a column, since there may be thousands. */
  const rests = new Float64Array(queues.length)
  let hungry = level
  for (let isAnother = true; isAnother && left > 0; ) {
    isAnother = false
    const round = left
    hungry = hungry.filter((i) => (asked[i] as number) > (shares[i] as number))
    const weights = weightsOf(hungry.map((i) => queues[i] as Claimant), kValue)
    const sum = weights.reduce((all, weight) => all + weight, 0)
    if (sum === 0) break
    for (let at = 0; at < hungry.length; at++) {
      const i = hungry[at] as number
      const part = (round * (weights[at] as number)) / sum
      const wanted = (asked[i] as number) - (shares[i] as number)
      const given = wanted <= part ? wanted : Math.floor(part / step) * step
      bounds[i] = wanted <= part ? Infinity : Math.max(bounds[i] as number, (shares[i] as number) + part + 1) // 1: far more than sums are rounded by
      if (wanted <= part) rests[i] = 0
      else if (part > given) rests[i] = part - given
      shares[i] = (shares[i] as number) + given
      left -= given
      isAnother ||= wanted < part
    }
  }
  if (left <= 0) return left
  for (const queue of level.filter((i) => (rests[i] as number) > 0).sort((a, b) => (rests[b] as number) - (rests[a] as number) || a - b)) {
    if (left <= 0) break
    const given = Math.min(step, left)
    shares[queue] = (shares[queue] as number) + given
    left -= given
  }
  return left
}

/** The weights of queues, less for past usage. Source: KAI Scheduler, `calcShareWeights`. */
function weightsOf(queues: readonly Claimant[], kValue: number): number[] {
  const weights = queues.map(({ weight }) => weight)
  if (kValue === 0) return weights
  const sum = weights.reduce((all, weight) => all + weight, 0)
  return queues.map(({ weight, usage = 0 }) => Math.max(0, weight / sum + kValue * (weight / sum - usage)))
}
