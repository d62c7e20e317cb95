import { SchedError } from '@sched/core'

/** Throws `BROKEN_CONTRACT`, with the place, for a value of which JSON keeps less than all: a `Map`, `NaN`, an object of a class. */
export function mustBePlain(value: unknown, place: string): void {
  const lost = lostIn(value, place)
  if (lost !== undefined) throw new SchedError('BROKEN_CONTRACT', `${lost}, which JSON does not keep.`, {}, 'Give plain data: lists, mappings, texts, finite numbers, true, false and null.')
}

/** The first value that JSON does not keep, and what it is; fields that are `undefined` need not be kept. */
function lostIn(value: unknown, place: string): string | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return undefined
  if (typeof value !== 'object') return `${place} is ${typeof value === 'number' || value === undefined ? value : `a ${typeof value}`}`
  if (Array.isArray(value)) return firstOf(value.entries(), (i, each) => lostIn(each, `${place}[${i}]`))
  const kind = Object.getPrototypeOf(value) as { readonly constructor: { readonly name: string } } | null
  if (kind !== null && kind !== Object.prototype) return `${place} is a ${kind.constructor.name}`
  return firstOf(Object.entries(value), (key, each) => (each === undefined ? undefined : lostIn(each, `${place}.${key}`)))
}

function firstOf<Key>(entries: Iterable<[Key, unknown]>, lost: (key: Key, value: unknown) => string | undefined): string | undefined {
  for (const [key, value] of entries) {
    const found = lost(key, value)
    if (found !== undefined) return found
  }
  return undefined
}
