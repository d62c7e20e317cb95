/**
 * Corrects the rounding of parts that add up to `whole` on paper: the largest one takes the rest, so that the parts
 * added up from first to last are exactly `whole`. Changes `parts`, by no more than the rounding errors of their sums.
 */
export function exactParts(parts: Float64Array, whole: number): Float64Array {
  let largest = 0
  for (let i = 1; i < parts.length; i++) if ((parts[i] as number) > (parts[largest] as number)) largest = i
  // A correction is itself rounded; the second or third one is exact.
  for (let step = 0; step < 8; step++) {
    let sum = 0
    for (let i = 0; i < parts.length; i++) sum += parts[i] as number
    if (sum === whole) break
    parts[largest] = (parts[largest] as number) + (whole - sum)
  }
  return parts
}
