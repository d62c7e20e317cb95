/** Amounts by `ResourceId`. */
export type Amounts = Float64Array

/** What two amounts may differ by and count as equal, relative to them: deserved amounts are fractions. */
const DUST = 1e-9

export const exceeds = (a: number, b: number): boolean => a > b && a - b > DUST * a

/** What an amount is of another: nothing of nothing is 0, something of nothing is 1 (Volcano, helpers.Share). */
export const part = (amount: number, of: number): number => (of === 0 ? (amount === 0 ? 0 : 1) : amount / of)

/** Whether so much more leaves `used` within `bound`, of the resources that are asked. */
export function staysWithin(used: Amounts, more: Amounts, bound: Amounts): boolean {
  for (let r = 0; r < used.length; r++) if ((more[r] as number) > 0 && exceeds((used[r] as number) + (more[r] as number), bound[r] as number)) return false
  return true
}
