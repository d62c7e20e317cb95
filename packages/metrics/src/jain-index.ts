/**
 * Jain's fairness index of what each of the first `count` members holds relative to what it is due: (sum x)^2 / (n sum x^2) over x = held / due. It
 * ranges from 1/n (one holds everything) to 1 (all are equal). Members that are due nothing are left out; NaN if nobody holds anything. Source: Jain,
 * Chiu, Hawe, DEC-TR-301, 1984.
 */
export function jainIndex(held: ArrayLike<number>, due: ArrayLike<number>, count: number = held.length): number {
  let [n, sum, squares] = [0, 0, 0]
  for (let i = 0; i < count; i++) {
    const x = (held[i] as number) / (due[i] as number)
    if (!((due[i] as number) > 0)) continue
    n++
    sum += x
    squares += x * x
  }
  return (sum * sum) / (n * squares)
}
