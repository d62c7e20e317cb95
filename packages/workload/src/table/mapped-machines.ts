import * as z from '@sched/bundled/zod'
import { amountIn } from '../job-table/amounts.js'
import { amountColumn, rowOptions, valuesAsked } from '../job-table/options.js'
import { JsonRows, missingColumn, SeparatedRows, type Row } from '../job-table/rows.js'
import { wholeIn } from '../job-table/values.js'
import { BadLine } from '../trace/format.js'
import { eachTextLine } from './header-rows.js'
import { grouped, type ListedMachine, type MachineTable } from './machine-table.js'

const column = z.string().min(1)
const deviceColumn = z.strictObject({
  column: column.describe('Column with the number of devices of a node.'),
  milli: z.int().min(1).default(1000).describe('Amount of one device.'),
})

/** What the columns of a table of machines mean. */
export const machineMapping = z.strictObject({
  table: column.describe('Path of the table, relative to this file: CSV, JSON Lines or Parquet, with a row for each machine, or for several equal ones.'),
  name: column.default('name').describe('Column with the name of the machine.'),
  count: column.optional().describe('Column with the number of machines of a row, which are then called <name>-0, <name>-1, ... Default: a row is one machine.'),
  racks: z.array(column).min(1).optional().describe('Columns with the groups that a machine belongs to, from the rack up. Default: one rack.'),
  resources: z.record(column, amountColumn).optional().describe('Amounts of a machine by resource: the name of a column, or { column, scale, key }.'),
  devices: z.record(column, z.union([column, deviceColumn])).optional().describe('Resources that come in devices, by name: the column with their number, or { column, milli }.'),
  labels: z.record(column, column).optional().describe('Labels that jobs may require of nodes, by name: the column with the value. An empty value gives no label.'),
  ...rowOptions,
})
/** A mapping of a table of machines, with its defaults. */
export type MachineMapping = z.output<typeof machineMapping>

/** The machines of any table, by a mapping of its columns. Throws `BAD_INPUT` with file and line. */
export function mappedMachines(text: string, mapping: MachineMapping, file?: string): MachineTable {
  const place = { file, line: 0, checked: false }
  const rows = text.trimStart().startsWith('{') ? new JsonRows() : new SeparatedRows(mapping.separator, place, mapping.names)
  const where = valuesAsked(mapping.where)
  if (mapping.names !== undefined) checkColumns(mapping, mapping.names, place)
  const machines: ListedMachine[] = []
  const seen = new Set<string>()
  eachTextLine(text, place, (bytes, from, to) => {
    const row = rows.row(bytes, from, to)
    if (row === undefined) return checkColumns(mapping, rows.names ?? [], place)
    if (where.some(([column, values]) => !values.includes(row(column)))) return
    for (const machine of machinesIn(row, mapping)) {
      if (seen.has(machine.name)) throw new BadLine(mapping.name, `machine "${machine.name}" was listed before.`, mapping.count === undefined ? 'Give every machine once' : 'Give every row a name of its own')
      seen.add(machine.name)
      machines.push(machine)
    }
  })
  return grouped('machines', machines, file)
}

function machinesIn(row: Row, { name: nameColumn, count, racks, resources = {}, devices = {}, labels = {} }: MachineMapping): ListedMachine[] {
  const name = row(nameColumn)
  if (name === '') throw new BadLine(nameColumn, 'is empty.')
  const amounts = Object.entries(resources).flatMap(([resource, asked]) => {
    const amount = amountIn(row, asked)
    return amount === undefined ? [] : [[resource, amount] as const]
  })
  const inDevices = Object.entries(devices).flatMap(([resource, given]) => {
    const { column, milli } = typeof given === 'string' ? { column: given, milli: 1000 } : given
    const number = row(column) === '' ? 0 : wholeIn(row(column), column, 0)
    return number === 0 ? [] : [[resource, { count: number, milli }] as const]
  })
  if (amounts.length + inDevices.length === 0) throw new BadLine(undefined, `machine "${name}" has nothing that resources or devices name.`)
  const said = Object.entries(labels).flatMap(([label, column]) => (row(column) === '' ? [] : [[label, row(column)] as const]))
  const has = {
    ...(racks !== undefined && { racks: racks.map((column) => groupIn(row, column)) }),
    ...(amounts.length > 0 && { resources: Object.fromEntries(amounts) }),
    ...(inDevices.length > 0 && { devices: Object.fromEntries(inDevices) }),
    ...(said.length > 0 && { labels: Object.fromEntries(said) }),
  }
  if (count === undefined) return [{ name, ...has }]
  return Array.from({ length: wholeIn(row(count), count, 0) }, (_, i) => ({ name: `${name}-${i}`, ...has }))
}

function groupIn(row: Row, column: string): string {
  const group = row(column)
  if (group === '') throw new BadLine(column, 'is empty.')
  return group
}

/** Checks that the mapped columns exist: a column that does not is a mistake of the mapping, not of every row. Throws `BAD_INPUT`. */
function checkColumns({ name, count, racks = [], resources = {}, devices = {}, labels = {}, where = {} }: MachineMapping, names: readonly string[], place: { readonly file: string | undefined; readonly line: number }): void {
  const columnOf = (each: string | { readonly column: string }) => (typeof each === 'string' ? each : each.column)
  const ofAll = (field: string, all: Readonly<Record<string, string | { readonly column: string }>>) => Object.entries(all).map(([key, each]) => [`${field}.${key}`, columnOf(each)] as const)
  const named = [
    ['name', name] as const, ...(count === undefined ? [] : [['count', count] as const]), ...racks.map((each) => ['racks', each] as const),
    ...ofAll('resources', resources), ...ofAll('devices', devices), ...ofAll('labels', labels), ...Object.keys(where).map((each) => ['where', each] as const),
  ]
  const missing = named.find(([, column]) => !names.includes(column))
  if (missing !== undefined) throw missingColumn(missing[1], missing[0], names, place)
}
