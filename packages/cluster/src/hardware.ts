import type { NodeGroup } from './description.js'

/** What the nodes really have, as columns `[kind * nodes + node]`. */
export interface Hardware {
  /** Names, in order of first mention. */
  readonly kinds: readonly string[]
  /** Amount on the node; `Infinity` where its description does not say. */
  readonly amounts: Float64Array
  /** Relative speed of this kind on the node, 1 = nominal. */
  readonly speeds: Float64Array
}

export function hardwareOf(groups: readonly NodeGroup[], nodes: number): Hardware {
  const kinds = [...new Set(groups.flatMap((group) => Object.keys(group.hardware ?? {})))]
  const amounts = new Float64Array(kinds.length * nodes).fill(Infinity)
  const speeds = new Float64Array(kinds.length * nodes).fill(1)
  for (const [k, kind] of kinds.entries()) {
    let node = k * nodes
    for (const { count, hardware, speeds: given } of groups) {
      amounts.fill(hardware?.[kind] ?? Infinity, node, node + count)
      speeds.fill(given?.[kind] ?? 1, node, node + count)
      node += count
    }
  }
  return { kinds, amounts, speeds }
}
