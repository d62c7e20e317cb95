import { SchedError } from '@sched/core'
import { UNITS } from './history.js'

/** Machines in the form of a cluster description, with amounts in millionths of the largest machine. */
export interface MachineClasses {
  /** Name for reports. */
  readonly name: string
  /** A group of nodes for each class of machines. */
  readonly nodes: readonly { readonly name: string; readonly count: number; readonly resources: { readonly cpu: number; readonly mem: number } }[]
}

/**
 * The cluster from a summary of the machine table: CSV with the columns `cpu`, `memory` (fractions of the largest machine) and `number_of_machines`;
 * other columns are ignored. Throws `BAD_INPUT` with the line.
 */
export function machineClasses(text: string, file?: string): MachineClasses {
  const [header = '', ...rows] = text.replace(/^\uFEFF/, '').split('\n').map((line) => line.trim())
  const names = header.split(',')
  const column = (name: string) => {
    const index = names.indexOf(name)
    if (index === -1) throw new SchedError('BAD_INPUT', `the header has no column "${name}".`, { file, line: 1, field: name }, `Found ${names.join(', ')}.`)
    return index
  }
  const [cpu, memory, number] = [column('cpu'), column('memory'), column('number_of_machines')]
  const nodes = rows.flatMap((row, index) => {
    if (row === '') return []
    const fields = row.split(',')
    const bad = (field: string, at: number, expected: string, wayOut: string) =>
      new SchedError('BAD_INPUT', `found "${fields[at] ?? ''}", expected ${expected}.`, { file, line: index + 2, field }, wayOut)
    const share = (field: string, at: number) => {
      const value = Number(fields[at])
      if (!(value > 0 && value <= 1)) throw bad(field, at, 'a fraction of the largest machine', 'Divide by what the largest machine has, so that it has 1.')
      return Math.round(value * UNITS)
    }
    const count = Number(fields[number])
    if (!Number.isInteger(count) || count < 1) throw bad('number_of_machines', number, 'a whole number of machines', 'Write how many machines are alike, or remove the line.')
    return [{ name: `class-${index + 1}`, count, resources: { cpu: share('cpu', cpu), mem: share('memory', memory) } }]
  })
  if (nodes.length === 0) throw new SchedError('BAD_INPUT', 'has no machine.', { file }, 'Is it the right file, and whole?')
  return { name: 'google 2011', nodes }
}
