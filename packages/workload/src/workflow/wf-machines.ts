import { eachObject } from '../json/each-object.js'
import type { Fields } from '../json/fields.js'
import { grouped, type MachineTable } from '../table/machine-table.js'
import { MILLI } from './demand.js'

/** Whether a text is a workflow of WfCommons, by the schema version or the parts of a workflow. */
export const isWfFormat = (head: string): boolean =>
  /^[\s[]*\{/.test(head)
    && ((/"schemaVersion"\s*:\s*"1\.\d+"/.test(head) && /"workflow"\s*:\s*\{/.test(head))
      || /"workflow"\s*:\s*\{\s*"(specification|execution)"\s*:\s*\{/.test(head))

/** Whether a text may name the machines on which a workflow ran. */
export const hasWfMachines = (text: string): boolean => isWfFormat(text) && /"machines"\s*:\s*\[/.test(text)

interface WfMachine {
  readonly name: string | undefined
  readonly cores: number | undefined
  /** Memory, MiB. */
  readonly memory: number | undefined
  readonly fields: Fields
}

/** The machines on which a workflow ran, in any version of the format. Throws `BadLine`. */
export function machinesOfWorkflow(document: Fields): WfMachine[] {
  const workflow = document.object('workflow')
  const list = (workflow?.object('execution') ?? workflow)?.list('machines') ?? []
  return list.map((fields) => {
    const cpu = fields.object('cpu')
    const bytes = fields.number('memoryInBytes') ?? (fields.has('memory') ? fields.number('memory')! * 1000 : undefined)
    return {
      name: fields.text('nodeName'),
      cores: cpu?.whole('coreCount', 1) ?? cpu?.whole('count', 1),
      memory: bytes === undefined ? undefined : Math.floor(bytes / 2 ** 20),
      fields,
    }
  })
}

/**
 * The machines on which workflows ran, each name once: `cpu` in thousandths of a core, and `mem` in MiB if given. Throws `BAD_INPUT` with file, line
 * and field.
 *
 * Source: WfCommons, WfFormat 1.0 to 1.6.
 */
export function wfMachines(text: string, file?: string): MachineTable {
  const machines = new Map<string, { readonly name: string; readonly resources: Record<string, number> }>()
  eachObject(text, file, (workflow) => {
    for (const { name, cores, memory, fields } of machinesOfWorkflow(workflow)) {
      if (name === undefined) throw fields.bad('nodeName', 'is missing.')
      if (cores === undefined) throw fields.bad('cpu.coreCount', 'is missing.')
      if (MILLI * cores > Number.MAX_SAFE_INTEGER) throw fields.bad('cpu.coreCount', `found ${cores}, more than any machine has.`)
      if (!machines.has(name)) machines.set(name, { name, resources: { cpu: MILLI * cores, ...(memory !== undefined && { mem: memory }) } })
    }
  })
  return grouped('wfformat', machines.values(), file)
}
