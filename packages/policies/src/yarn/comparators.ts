/**
 * YARN's comparators of queues and jobs, as keys of several numbers that are compared in turn, the smaller first; the caller
 * breaks ties (start time, then name). A key is written to `out`, which has room for `keyWidth` numbers.
 *
 * Source: Hadoop 3, FairSharePolicy, DominantResourceFairnessPolicy and FifoPolicy.
 * Deviations: ratios have 64 bits, where Hadoop has 32 with three and more resources; under drf a weight of 0 comes last even
 * with nothing running, where Hadoop divides 0 by 0 and treats that as a tie.
 */
export const keyWidth = (resources: number): number => Math.max(3, 1 + resources)

/** First number of the key of those that are not below their minimum share: above the ratios of those that are, which are less than 1. */
const NOT_NEEDY = 2
/** First number of the key of those that neither use nor want the resource. */
const WANTS_NONE = 3

/**
 * Key of the policy `fair`. Those below their minimum share, within their demand, come first, by usage / minimum. The others, and
 * ties, go by usage / weight; those of weight 0 come after all others, by usage. Those that neither use nor want any come last.
 * Compares one resource only, in Hadoop memory.
 */
export function fairKey(out: Float64Array, usage: number, minShare: number, demand: number, weight: number): void {
  out[0] = demand === 0 ? WANTS_NONE : belowMin(usage, minShare, demand)
  out[1] = weight > 0 ? 0 : 1
  out[2] = weight > 0 ? usage / weight : usage
}

/** Key of the survey's literal rule: those below the minimum share first, by usage / minimum; then the smallest weight / running jobs. */
export function surveyKey(out: Float64Array, usage: number, minShare: number, demand: number, weight: number, jobs: number): void {
  out[0] = belowMin(usage, minShare, demand)
  out[1] = 0
  out[2] = weight / Math.max(jobs, 1)
}

function belowMin(usage: number, minShare: number, demand: number): number {
  const usable = Math.min(minShare, demand)
  return usage < usable ? usage / Math.max(usable, 1) : NOT_NEEDY
}

/** Amounts of some resources of a queue or job: `amounts[offset + resource]`. */
export type Row = ArrayLike<number>

/**
 * Keys of the policy `drf`. The dominant resource is the one with the largest usage / capacity. Those below their minimum
 * share of it come first, by usage / minimum; the others by usage / (capacity x weight). In both cases resources
 * are compared in turn, the dominant one first, then that of the next largest part, and so on.
 */
export class DominantKeys {
  readonly #resources: readonly number[]
  readonly #capacity: Row
  readonly #order: number[]
  readonly #share: number[]

  /** `resources`: the ids that count; of equal parts the first is dominant. `capacity[resource]` is read anew for every key. */
  constructor(resources: readonly number[], capacity: Row) {
    this.#resources = resources
    this.#capacity = capacity
    this.#order = [...resources]
    this.#share = []
  }

  write(out: Float64Array, usage: Row, offset: number, minShare: Row | undefined, weight: number): void {
    const order = this.#order
    const share = this.#share
    let n = 0
    for (const resource of this.#resources) {
      const capacity = this.#capacity[resource] as number
      const part = capacity === 0 ? 0 : (usage[offset + resource] as number) / capacity // no node has the resource, so nobody uses it
      share[resource] = part
      let at = n++
      for (; at > 0 && (share[order[at - 1] as number] as number) < part; at--) order[at] = order[at - 1] as number // a stable insertion sort, since resources are few
      order[at] = resource
    }
    out.fill(0, n + 1)
    const dominant = order[0] as number
    const isNeedy = minShare !== undefined && (usage[offset + dominant] as number) < (minShare[dominant] as number)
    out[0] = isNeedy ? 0 : 1
    for (let i = 0; i < n; i++) {
      const resource = order[i] as number
      if (isNeedy) out[i + 1] = ratio(usage[offset + resource] as number, minShare[resource] as number)
      else out[i + 1] = weight > 0 ? (share[resource] as number) / weight : Infinity
    }
  }
}

/** Usage / minimum; `Infinity` without a minimum, since nothing is missing then. */
const ratio = (usage: number, minShare: number): number => (minShare === 0 ? Infinity : usage / minShare)
