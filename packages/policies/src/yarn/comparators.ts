/**
 * YARN's comparators of queues and jobs as keys: numbers compared in turn, the smaller goes first; the caller adds the
 * tie (start time, then name). A key is written into `out`, which has room for `keyWidth` numbers.
 *
 * Source: Hadoop 3, FairSharePolicy, DominantResourceFairnessPolicy and FifoPolicy.
 * Deviations: ratios are 64-bit, where Hadoop has 32 with three and more resources; a weight of 0 comes last under drf
 * also with nothing running, where Hadoop divides 0 by 0 and calls that a tie.
 */
export const keyWidth = (resources: number): number => Math.max(3, 1 + resources)

/** Neither below its minimum share nor before those that are: ratios below the line are less than 1. */
const NOT_NEEDY = 2
/** Neither uses nor wants the resource. */
const WANTS_NONE = 3

/**
 * Fair: those below their minimum share, within their demand, first, by usage / minimum; then, and for ties, by usage /
 * weight, those of weight 0 after all others by usage; last of all those that neither use nor want any. One resource only,
 * which Hadoop has as memory.
 */
export function fairKey(out: Float64Array, usage: number, minShare: number, demand: number, weight: number): void {
  out[0] = demand === 0 ? WANTS_NONE : belowMin(usage, minShare, demand)
  out[1] = weight > 0 ? 0 : 1
  out[2] = weight > 0 ? usage / weight : usage
}

/** The survey's literal rule: below the minimum share first, by usage / minimum; then the smallest weight / running jobs. */
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
 * Dominant resource fairness: the dominant resource is the one with the largest usage / capacity. Those below their
 * minimum share of it first, by usage / minimum; the others by usage / (capacity x weight); in both cases the resources
 * are compared in turn, the dominant one first, then the next.
 */
export class DominantKeys {
  readonly #resources: readonly number[]
  readonly #capacity: Row
  readonly #order: number[]
  readonly #share: number[]

  /** `resources` are the ids that count, of equal parts the first is dominant; `capacity[resource]` is read anew for every key. */
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
      const part = capacity === 0 ? 0 : (usage[offset + resource] as number) / capacity // no node has it: nobody uses it
      share[resource] = part
      let at = n++
      for (; at > 0 && (share[order[at - 1] as number] as number) < part; at--) order[at] = order[at - 1] as number // stable: few resources
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

/** Usage / minimum; without a minimum nothing is missing. */
const ratio = (usage: number, minShare: number): number => (minShare === 0 ? Infinity : usage / minShare)
