/** Scratch for the shares of two vectors, reused because vectors are compared at every decision. */
let a = new Float64Array(8)
let b = new Float64Array(8)

/** The dominant share of a vector: the largest part that it has of a total; 0 where the total is nothing. */
export function dominantShare(vector: ArrayLike<number>, at: number, totals: ArrayLike<number>, from: number, width: number): number {
  let most = 0
  for (let i = 0; i < width; i++) {
    const total = totals[from + i] as number
    if (total > 0 && (vector[at + i] as number) / total > most) most = (vector[at + i] as number) / total
  }
  return most
}

/** The dominant share of a vector, with the amount and the total that it is the quotient of: only with these are parts of whole amounts exact. */
export interface Dominant {
  readonly amount: number
  readonly total: number
  readonly share: number
}

export function dominant(vector: ArrayLike<number>, at: number, totals: ArrayLike<number>, width: number): Dominant {
  let most: Dominant = { amount: 0, total: 1, share: 0 }
  for (let i = 0; i < width; i++) {
    const [amount, total] = [vector[at + i] as number, totals[i] as number]
    if (total > 0 && amount / total > most.share) most = { amount, total, share: amount / total }
  }
  return most
}

/**
 * A whole amount times the ratio of one share to a larger one, rounded down, exactly: 5 times 4/18 : 5/18 is 4, though in floating point 0.222… /
 * 0.277… is below 0.8.
 */
export function scaled(whole: number, part: Dominant, of: Dominant): number {
  if (part === of) return Math.floor(whole)
  return Math.floor(part.total === of.total ? (whole * part.amount) / of.amount : (whole * part.amount * of.total) / (part.total * of.amount))
}

/**
 * Compares two vectors as Hadoop's DominantResourceCalculator does: by the largest part of the total, then by the second
 * largest, and so on. With one resource it compares amounts. Resources of which the total is 0 do not count.
 */
export function compareShares(x: ArrayLike<number>, xAt: number, y: ArrayLike<number>, yAt: number, totals: ArrayLike<number>, from: number, width: number): number {
  if (width === 1) return (x[xAt] as number) - (y[yAt] as number)
  if (width > a.length) {
    a = new Float64Array(width)
    b = new Float64Array(width)
  }
  const first = dominantShare(x, xAt, totals, from, width) - dominantShare(y, yAt, totals, from, width)
  if (first !== 0) return first
  for (let i = 0; i < width; i++) {
    const total = totals[from + i] as number
    insert(a, i, total > 0 ? (x[xAt + i] as number) / total : 0)
    insert(b, i, total > 0 ? (y[yAt + i] as number) / total : 0)
  }
  for (let i = 0; i < width; i++) if (a[i] !== b[i]) return (a[i] as number) - (b[i] as number)
  return 0
}

/** Inserts a value into the first `count` entries of a list, which are in descending order. */
function insert(sorted: Float64Array, count: number, value: number): void {
  let at = count
  for (; at > 0 && (sorted[at - 1] as number) < value; at--) sorted[at] = sorted[at - 1] as number
  sorted[at] = value
}
