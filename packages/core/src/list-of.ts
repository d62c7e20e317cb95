/**
 * An empty list of objects. To V8 a new `[]` holds small integers until the first object comes, and code that it has compiled
 * for lists of objects is thrown away when a run begins with such a one.
 */
export function listOf<Item extends object>(): Item[] {
  const list: (Item | undefined)[] = [undefined]
  list.pop()
  return list as Item[]
}
