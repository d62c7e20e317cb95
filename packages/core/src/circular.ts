/** Whether a value of lists and objects contains itself, as an anchor of YAML allows; such a value cannot be printed. */
export function isCircular(value: unknown, around: readonly unknown[] = []): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (around.includes(value)) return true
  return Object.values(value).some((inside) => isCircular(inside, [...around, value]))
}
