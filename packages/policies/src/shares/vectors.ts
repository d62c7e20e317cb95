/** A vector of a column that holds one vector of `width` entries after the other. */
export const rowOf = (column: Float64Array, row: number, width: number): number[] => [...column.subarray(row * width, (row + 1) * width)]

/** The sum of two vectors. */
export const plus = (a: readonly number[], b: ArrayLike<number>): number[] => a.map((each, i) => each + (b[i] as number))

/** The difference of two vectors; below 0 where more is taken than there is. */
export function minus(a: Float64Array, b: ArrayLike<number>): Float64Array
export function minus(a: readonly number[], b: ArrayLike<number>): number[]
export function minus(a: readonly number[] | Float64Array, b: ArrayLike<number>): number[] | Float64Array {
  return (a as readonly number[]).map((each, i) => each - (b[i] as number))
}

/** Whether no amount is above that of `most`, whose entries count from `from` on. */
export function isWithin(amounts: ArrayLike<number>, most: ArrayLike<number>, from = 0): boolean {
  for (let i = 0; i < amounts.length; i++) if (!((amounts[i] as number) <= (most[from + i] as number))) return false
  return true
}

/** Adds so many times the amounts, in place, to the entries of `to` from `from` on. */
export function addTo(to: number[] | Float64Array, amounts: ArrayLike<number>, times = 1, from = 0): void {
  for (let i = 0; i < amounts.length; i++) to[from + i] = (to[from + i] as number) + times * (amounts[i] as number)
}
