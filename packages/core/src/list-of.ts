/**
 * An empty list of anything but numbers. To V8 a new `[]` holds small integers until something else comes, and no gaps until
 * there is one; code that it has compiled for other lists is thrown away when a run begins with such a one. This one is of
 * the most general kind from the start.
 */
export function listOf<Item>(): Item[] {
  const list = new Array<Item | undefined>(1)
  list[0] = undefined
  list.pop()
  return list as Item[]
}
