import { SchedError } from '@sched/core'

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

/** One machine of a list. */
export type ListedMachine = { readonly name: string } & Omit<MachineGroup, 'names' | 'count'>

/** Groups machines in the order of the table; adjacent equal machines form a group. Throws `BAD_INPUT` if there is none. */
export function grouped(name: string, machines: Iterable<ListedMachine>, file: string | undefined): MachineTable {
  const nodes: { names: string[]; count: number; key: string; rest: Omit<ListedMachine, 'name'> }[] = []
  for (const { name: node, ...rest } of machines) {
    const key = JSON.stringify(rest)
    const last = nodes.at(-1)
    if (last?.key === key) {
      last.names.push(node)
      last.count++
    } else nodes.push({ names: [node], count: 1, key, rest })
  }
  if (nodes.length === 0) throw new SchedError('BAD_INPUT', 'lists no machine.', { file }, 'Is it the right file, and whole?')
  return { name, nodes: nodes.map(({ names, count, rest }) => ({ names, count, ...rest })) }
}
