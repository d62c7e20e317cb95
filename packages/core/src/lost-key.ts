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
  if (Array.isArray(value)) return foundIn(value, seen)
  for (const key of Object.keys(value)) {
    if (key === '__proto__') return [key]
    const inside = found((value as Record<string, unknown>)[key], seen)
    if (inside !== undefined) return [key, ...inside]
  }
  return undefined
}

/** Of a list, which may be long and of numbers alone. */
function foundIn(list: readonly unknown[], seen: Set<unknown>): PropertyKey[] | undefined {
  for (let i = 0; i < list.length; i++) {
    const inside = typeof list[i] === 'object' ? found(list[i], seen) : undefined
    if (inside !== undefined) return [i, ...inside]
  }
  return undefined
}
