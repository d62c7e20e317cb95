import { eachRow, headerOf, wholeOf } from '../table/header-rows.js'
import { grouped, type ListedMachine, type MachineTable } from '../table/machine-table.js'
import { BadLine } from '../trace/format.js'

const needed = ['machineId', 'number of GPUs']

/** Whether a text is the machine list of the Philly trace. */
export const isPhillyMachines = (head: string): boolean => needed.every((name) => headerOf(head).some((found) => found.toLowerCase() === name.toLowerCase()))

/**
 * The machine list of the Philly trace (`cluster_machine_list`): GPUs per machine as devices of 1000, and the memory of one GPU as the label
 * `gpu_memory`. Throws `BAD_INPUT` with file and line.
 */
export function phillyMachines(text: string, file?: string): MachineTable {
  const machines: ListedMachine[] = []
  const seen = new Set<string>()
  eachRow(text, needed, 'A machine list has machineId, number of GPUs, single GPU mem.', file, (row) => {
    const name = row.text('machineId')
    if (name === '' || seen.has(name)) throw name === '' ? new BadLine('machineId', 'is empty.', 'Name the machine') : new BadLine('machineId', `machine "${name}" was listed before.`, 'Give every machine once')
    seen.add(name)
    const memory = row.text('single GPU mem')
    machines.push({ name, devices: { gpu: { count: wholeOf(row, 'number of GPUs', 30), milli: 1000 } }, ...(memory !== '' && { labels: { gpu_memory: memory } }) })
  })
  return grouped('philly', machines, file)
}
