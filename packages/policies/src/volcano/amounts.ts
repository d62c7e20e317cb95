/** Amounts by `ResourceId`. */
export type Amounts = Float64Array

/** Relative difference up to which two amounts count as equal, since deserved amounts are fractions. */
const DUST = 1e-9

export const exceeds = (a: number, b: number): boolean => a > b && a - b > DUST * a

/** The largest ratio of amounts to those of `of`, over the resources of which `of` has any (Volcano, ResourceNames). */
export const largestPart = (amounts: Amounts, of: Amounts, resources: readonly number[]): number =>
  Math.max(0, ...resources.map((r) => ((of[r] as number) > 0 ? (amounts[r] as number) / (of[r] as number) : 0)))

/** Whether `used` plus `more` stays within `bound`, for the resources of which `more` has any. */
export function staysWithin(used: Amounts, more: Amounts, bound: Amounts): boolean {
  for (let r = 0; r < used.length; r++) if ((more[r] as number) > 0 && exceeds((used[r] as number) + (more[r] as number), bound[r] as number)) return false
  return true
}
