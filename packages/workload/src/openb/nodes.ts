import { eachRow, headerOf, wholeOf } from '../table/header-rows.js'
import { grouped, type ListedMachine, type MachineTable } from '../table/machine-table.js'
import { BadLine } from '../trace/format.js'

const needed = ['sn', 'cpu_milli', 'memory_mib', 'gpu', 'model']

/** Whether a text is a list of nodes of Alibaba's GPU cluster. */
export const isOpenbNodes = (head: string): boolean => ['sn', 'cpu_milli', 'gpu', 'model'].every((name) => headerOf(head).includes(name))

/**
 * The nodes of Alibaba's GPU cluster of 2023 (`openb_node_list_*.csv`): `cpu` in millicores, `mem` in MiB, `gpu` as devices of 1000, and the GPU
 * model as the label `model`. Throws `BAD_INPUT` with file and line.
 */
export function openbNodes(text: string, file?: string): MachineTable {
  const seen = new Set<string>()
  const machines: ListedMachine[] = []
  eachRow(text, needed, `A list of nodes has ${needed.join(', ')}.`, file, (row) => {
    const name = row.text('sn')
    if (name === '') throw new BadLine('sn', 'is empty.', 'Name the node')
    if (seen.has(name)) throw new BadLine('sn', `node "${name}" was listed before.`, 'Give every node once')
    seen.add(name)
    const gpus = wholeOf(row, 'gpu', 30)
    const model = row.text('model')
    machines.push({
      name,
      resources: { cpu: wholeOf(row, 'cpu_milli'), mem: wholeOf(row, 'memory_mib') },
      ...(gpus > 0 && { devices: { gpu: { count: gpus, milli: 1000 } } }),
      ...(model !== '' && { labels: { model } }),
    })
  })
  return grouped('openb', machines, file)
}
