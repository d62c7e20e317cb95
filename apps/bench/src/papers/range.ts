/** Where a figure must lie; an open range leaves its ends out. */
export interface Range {
  readonly from: number
  readonly to: number
  readonly open: boolean
}

export const range = (from: number, to: number): Range => ({ from, to, open: false })
export const about = (target: number, tolerance: number): Range => range(target - tolerance, target + tolerance)
export const above = (limit: number): Range => ({ from: limit, to: Infinity, open: true })
export const below = (limit: number): Range => ({ from: -Infinity, to: limit, open: true })
/** A figure that is shown for comparison and decides nothing. */
export const shown: Range = range(-Infinity, Infinity)

/** Whether a figure lies in a range; NaN lies in none. */
export function contains({ from, to, open }: Range, value: number): boolean {
  return open ? value > from && value < to : value >= from && value <= to
}

/** How far a figure lies outside a range, 0 inside. */
export function distance({ from, to }: Range, value: number): number {
  return value < from ? from - value : value > to ? value - to : 0
}
