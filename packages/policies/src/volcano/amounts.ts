/** Amounts by `ResourceId`. */
export type Amounts = Float64Array

/** What two amounts may differ by and count as equal, relative to them: deserved amounts are fractions. */
const DUST = 1e-9

export const exceeds = (a: number, b: number): boolean => a > b && a - b > DUST * a

/** The largest part that amounts are of others, of the resources of which there is any among these (Volcano, ResourceNames). */
export const largestPart = (amounts: Amounts, of: Amounts, resources: readonly number[]): number =>
  Math.max(0, ...resources.map((r) => ((of[r] as number) > 0 ? (amounts[r] as number) / (of[r] as number) : 0)))

/** Whether so much more leaves `used` within `bound`, of the resources that are asked. */
export function staysWithin(used: Amounts, more: Amounts, bound: Amounts): boolean {
  for (let r = 0; r < used.length; r++) if ((more[r] as number) > 0 && exceeds((used[r] as number) + (more[r] as number), bound[r] as number)) return false
  return true
}
