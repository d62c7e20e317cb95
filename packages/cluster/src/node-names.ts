/** What of a group its nodes are named by. */
interface NamedGroup {
  readonly count: number
  readonly name?: string | undefined
  readonly names?: readonly string[] | undefined
}

/** The names of the nodes of these groups, in order. */
export const nodeNamesOf = (groups: readonly NamedGroup[]): string[] =>
  groups.flatMap(({ count, name = groups.length === 1 ? 'node' : undefined, names }, index) => Array.from({ length: count }, (_, i) => names?.[i] ?? `${name ?? `node${index}`}-${i}`))

/** A name that two of these nodes have, if any. */
export function nodeTwice(groups: readonly NamedGroup[]): string | undefined {
  const names = nodeNamesOf(groups)
  return new Set(names).size === names.length ? undefined : names.find((name, node) => names.indexOf(name) !== node)
}
