/**
 * The path to the first key that no record checked by a schema can have, since JavaScript takes `__proto__` for something else: what stands under it would
 * be left out without a word. `undefined`: there is none.
 */
export function lostKey(value: unknown): readonly PropertyKey[] | undefined {
  return found(value, new Set())
}

function found(value: unknown, seen: Set<unknown>): PropertyKey[] | undefined {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || seen.has(value)) return undefined
  seen.add(value)
  const isList = Array.isArray(value)
  for (const [key, each] of Object.entries(value)) {
    if (key === '__proto__') return [key]
    const inside = typeof each === 'object' ? found(each, seen) : undefined
    if (inside !== undefined) return [isList ? Number(key) : key, ...inside]
  }
  return undefined
}
