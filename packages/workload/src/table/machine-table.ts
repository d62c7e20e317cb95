/** Machines as a cluster's description has them. */
export interface MachineGroup {
  readonly names: string[]
  readonly count: number
  readonly racks?: string[]
  readonly resources?: Record<string, number>
  readonly devices?: Record<string, { readonly count: number; readonly milli: number }>
  readonly labels?: Record<string, string>
}
/** A list of machines as a cluster may name it. */
export interface MachineTable {
  readonly name: string
  readonly nodes: MachineGroup[]
}

/** Machines in the order of the table; neighbours that are alike are one group. */
export function grouped(name: string, machines: Iterable<{ readonly name: string } & Omit<MachineGroup, 'names' | 'count'>>): MachineTable {
  const nodes: { names: string[]; count: number; key: string; rest: Omit<MachineGroup, 'names' | 'count'> }[] = []
  for (const { name: node, ...rest } of machines) {
    const key = JSON.stringify(rest)
    const last = nodes.at(-1)
    if (last?.key === key) {
      last.names.push(node)
      last.count++
    } else nodes.push({ names: [node], count: 1, key, rest })
  }
  return { name, nodes: nodes.map(({ names, count, rest }) => ({ names, count, ...rest })) }
}
