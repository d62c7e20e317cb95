import { numberIn, wholeIn } from '../job-table/values.js'
import { splitCsv } from '../slurm/csv.js'
import { eachTextLine } from '../table/header-rows.js'
import { grouped, type ListedMachine, type MachineTable } from '../table/machine-table.js'
import { asText } from '../trace/fields.js'
import { BadLine } from '../trace/format.js'

const fieldsOf = (line: string) => splitCsv(line).map((field) => field.trim())
const firstRow = (head: string) => fieldsOf(head.split('\n', 1)[0]!)
/** `server_event` of 2017: time, machine, event, detail, CPUs, memory, disk. */
export const isServerEvents = (head: string): boolean => firstRow(head).length === 7 && ['add', 'softerror', 'harderror'].includes(firstRow(head)[2]!)
/** `machine_meta` of 2018: machine, time, two failure domains, CPUs, memory, status. */
export const isMachineMeta = (head: string): boolean => firstRow(head).length === 7 && /^m_\d+$/.test(firstRow(head)[0]!)

/** `pai_machine_spec` of 2020: machine, type of GPU, CPUs, memory, GPUs. */
export const isPaiMachines = (head: string): boolean => {
  const row = firstRow(head)
  return row.length === 5
    && (row.join() === 'machine,gpu_type,cap_cpu,cap_mem,cap_gpu'
      || (/^(CPU|MISC|[A-Z]\d+\w*)$/.test(row[1]!) && row.slice(2).every((text) => /^\d+(\.\d*)?$/.test(text))))
}

/**
 * The machines of PAI: `cpu` in 1/100 core, `mem` in MiB, and GPUs as devices of 1000 with their type as the label `model`. Throws `BAD_INPUT` with
 * file and line.
 */
export function paiMachines(text: string, file?: string): MachineTable {
  const found: ListedMachine[] = []
  eachTextLine(text, { file, line: 0 }, (bytes, from, to) => {
    const fields = fieldsOf(asText(bytes, from, to))
    const [name, type, cpus, memory, gpus, ...rest] = fields
    if (gpus === undefined || rest.length > 0) throw new BadLine(undefined, `found ${fields.length} columns, expected 5 (machine, GPU type, CPUs, memory, GPUs).`, 'Was the file cut short? Copy it again')
    if (name === 'machine') return
    const count = wholeIn(gpus, 'GPUs', 0)
    const resources = { cpu: Math.round(numberIn(cpus!, 'CPUs', 0) * 100), mem: Math.round(numberIn(memory!, 'memory', 0) * 1024) }
    found.push({ name: name!, resources, ...(count > 0 && { devices: { gpu: { count, milli: 1000 } }, labels: { model: type! } }) })
  })
  return grouped('pai', found, file)
}

/** Memory of the largest machine, in the unit of `mem`. */
const MEMORY = 1_000_000

/**
 * The machines of Alibaba's trace of 2017, each as it was added: `cpu` in 1/100 core, `mem` in millionths of the normalised memory, which the table
 * gives as a fraction. Errors and later rows are ignored, so machines do not come and go. Throws `BAD_INPUT` with file and line.
 */
export const serverEvents = (text: string, file?: string): MachineTable =>
  machines(
    'alibaba 2017',
    text,
    file,
    ([, machine, event, , cpus, memory]) => (event === 'add' ? { machine: machine!, cpus: cpus!, memory: memory!, whole: 1, racks: [] } : undefined),
  )

/**
 * The machines of Alibaba's trace of 2018, each as it was first listed in use: `cpu` in 1/100 core, `mem` in millionths of the normalised memory,
 * which the table gives as 0 to 100, and failure domains as groups. Rows of other states and later rows are ignored. Throws `BAD_INPUT` with file and
 * line.
 */
export const machineMeta = (text: string, file?: string): MachineTable =>
  machines('alibaba 2018', text, file, ([machine, , first, second, cpus, memory, status]) =>
    status === 'USING' ? { machine: machine!, cpus: cpus!, memory: memory!, whole: 100, racks: [`domain ${second!}`, `domain ${first!}`] } : undefined)

interface Listed {
  readonly machine: string
  readonly cpus: string
  readonly memory: string
  readonly whole: number
  readonly racks: string[]
}

function machines(name: string, text: string, file: string | undefined, read: (fields: readonly string[]) => Listed | undefined): MachineTable {
  const found = new Map<string, { name: string; racks?: string[]; resources: Record<string, number> }>()
  eachTextLine(text, { file, line: 0 }, (bytes, from, to) => {
    const fields = fieldsOf(asText(bytes, from, to))
    if (fields.length !== 7) throw new BadLine(undefined, `found ${fields.length} columns, expected 7.`, 'Was the file cut short? Copy it again')
    const listed = read(fields)
    if (listed === undefined || found.has(listed.machine)) return
    const resources = { cpu: Math.round(numberIn(listed.cpus, 'CPUs', 0) * 100), mem: Math.round((numberIn(listed.memory, 'memory', 0) / listed.whole) * MEMORY) }
    found.set(listed.machine, { name: listed.machine, resources, ...(listed.racks.length > 0 && { racks: listed.racks }) })
  })
  return grouped(name, found.values(), file)
}
