/** Machines as a cluster's description has them. */
export interface MachineGroup {
  /** Names of its machines. */
  readonly names: string[]
  /** How many they are. */
  readonly count: number
  /** Groups that they are in, from the rack up. */
  readonly racks?: string[]
  /** What each has, by resource. */
  readonly resources?: Record<string, number>
  /** Resources that come in devices. */
  readonly devices?: Record<string, { readonly count: number; readonly milli: number }>
  /** What constraints of jobs may ask for. */
  readonly labels?: Record<string, string>
}
/** A list of machines as a cluster may name it. */
export interface MachineTable {
  /** For reports. */
  readonly name: string
  /** Groups of alike machines, in the order of the table. */
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
