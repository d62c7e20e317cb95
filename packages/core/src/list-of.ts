/**
 * An empty list for anything but numbers. V8 treats a new `[]` as a list of small integers without gaps until something else is stored; a run that
 * begins with such a list invalidates code compiled for other lists. This one has the most general kind from the start.
 */
export function listOf<Item>(): Item[] {
  const list = new Array<Item | undefined>(1)
  list[0] = undefined
  list.pop()
  return list as Item[]
}
