import { grouped, type ListedMachine, type MachineTable } from '../table/machine-table.js'
import { eachObject } from '../json/each-object.js'
import type { Fields } from '../json/fields.js'

/** Amounts of a node that gives none: yarn.sls.nm.memory.mb and yarn.sls.nm.vcores. */
const DEFAULT_MEMORY = 10_240
const DEFAULT_VCORES = 10

/** Whether a text is a topology of YARN's scheduler load simulator. */
export const isSlsNodes = (head: string): boolean => /^[\s[]*\{/.test(head) && /"rack"\s*:/.test(head) && /"nodes"\s*:/.test(head)

/**
 * Racks with their nodes in the format of YARN's SLS: consecutive JSON objects. A node without amounts has 10 vcores and 10240 memory-mb. The label
 * of a node is its label `partition`; if it has several, which YARN refuses, each is a label with the value `true`, and there is no `partition`.
 * Empty objects in the list of nodes are skipped. Throws `BAD_INPUT` with file and line.
 *
 * Source: Apache Hadoop, hadoop-sls, `SLSUtils`, `SLSConfiguration`.
 */
export function slsNodes(text: string, file?: string): MachineTable {
  const seen = new Set<string>()
  const machines: ListedMachine[] = []
  eachObject(text, file, (rack) => {
    const name = rack.text('rack')
    if (name === undefined) throw rack.bad('rack', 'is missing.')
    for (const node of rack.list('nodes')) {
      const machine = machineOf(node, name)
      if (machine === undefined) continue
      if (seen.has(machine.name)) throw node.bad('node', `node "${machine.name}" was listed before.`, 'Give every node once')
      seen.add(machine.name)
      machines.push(machine)
    }
  })
  return grouped('sls', machines, file)
}

function machineOf(node: Fields, rack: string): ListedMachine | undefined {
  if (node.isEmpty) return undefined
  const name = node.text('node')
  if (name === undefined) throw node.bad('node', 'is missing.')
  const labels = (node.text('labels') ?? '').split(',').map((label) => label.replace(/\(.*\)/, '').trim()).filter((label) => label !== '')
  return {
    name,
    racks: [rack],
    resources: { vcores: node.whole('vcores') ?? DEFAULT_VCORES, 'memory-mb': node.whole('memory-mb') ?? DEFAULT_MEMORY },
    ...(labels.length > 0 && { labels: labels.length === 1 ? { partition: labels[0] as string } : Object.fromEntries(labels.map((label) => [label, 'true'])) }),
  }
}
