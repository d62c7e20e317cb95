/** Whether a value of lists and objects holds itself, as an anchor of YAML may: such a value has no end, and cannot be printed. */
export function isCircular(value: unknown, around: readonly unknown[] = []): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (around.includes(value)) return true
  return Object.values(value).some((inside) => isCircular(inside, [...around, value]))
}
