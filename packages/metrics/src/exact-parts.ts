/**
 * Corrects the rounding of non-negative parts that mathematically add up to `whole`, so that their sum in any order is exactly `whole`. It changes
 * `parts` in place: each by no more than the last digit of `whole`, and the largest by the remainder.
 *
 * Every part becomes a multiple of the distance between `whole` and the next number, so no sum of them is rounded.
 */
export function exactParts(parts: Float64Array, whole: number): Float64Array {
  let largest = 0
  for (let i = 0; i < parts.length; i++) {
    const part = (parts[i] as number) + whole - whole // rounds the part as it would be in the sum; the subtraction is exact
    parts[i] = part
    if (part > (parts[largest] as number)) largest = i
  }
  let others = 0
  for (let i = 0; i < parts.length; i++) if (i !== largest) others += parts[i] as number
  parts[largest] = whole - others
  return parts
}
