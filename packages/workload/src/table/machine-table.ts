/** A group of machines, in the form of a cluster description. */
export interface MachineGroup {
  /** Names of the machines. */
  readonly names: string[]
  /** Number of the machines. */
  readonly count: number
  /** Groups that they belong to, from the rack up. */
  readonly racks?: string[]
  /** Amounts per machine, by resource. */
  readonly resources?: Record<string, number>
  /** Resources that come in devices: number of devices, and amount of one device. */
  readonly devices?: Record<string, { readonly count: number; readonly milli: number }>
  /** Labels that constraints of jobs may require. */
  readonly labels?: Record<string, string>
}
/** A list of machines, in the form of a cluster description. */
export interface MachineTable {
  /** Name for reports. */
  readonly name: string
  /** Groups of equal machines, in the order of the table. */
  readonly nodes: MachineGroup[]
}

/** Groups machines in the order of the table; adjacent equal machines form a group. */
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
