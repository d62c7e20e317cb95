import { SchedError } from '@sched/core'
import { isOpenbNodes, openbNodes } from '../openb/nodes.js'
import { isMachineEvents, machineEvents } from '../google/machine-events.js'
import { isMachineMeta, isPaiMachines, isServerEvents, machineMeta, paiMachines, serverEvents } from '../alibaba/machines.js'
import { isPhillyMachines, phillyMachines } from '../philly/machines.js'
import { isSlsNodes, slsNodes } from '../yarn/sls-nodes.js'
import { isYarnNodes, yarnNodes } from '../yarn/rest-nodes.js'
import { hasWfMachines, wfMachines } from '../workflow/wf-machines.js'
import type { MachineTable } from './machine-table.js'

/** A kind of file that lists machines. */
interface MachineFormat {
  readonly name: string
  readonly title: string
  detect(head: string): boolean
  read(text: string, file?: string): MachineTable
}

const machineFormats: readonly MachineFormat[] = [
  { name: 'openb nodes', title: 'nodes of Alibaba\'s GPU cluster 2023, CSV', detect: isOpenbNodes, read: openbNodes },
  { name: 'yarn nodes', title: 'nodes of YARN\'s resource manager (ws/v1/cluster/nodes, JSON)', detect: isYarnNodes, read: yarnNodes },
  { name: 'sls nodes', title: 'racks and nodes of YARN\'s SLS, JSON', detect: isSlsNodes, read: slsNodes },
  { name: 'philly machines', title: 'machine list of the Philly trace, CSV', detect: isPhillyMachines, read: phillyMachines },
  { name: 'alibaba 2017 machines', title: 'server events of Alibaba\'s trace of 2017, CSV', detect: isServerEvents, read: serverEvents },
  { name: 'alibaba 2018 machines', title: 'machine table of Alibaba\'s trace of 2018, CSV', detect: isMachineMeta, read: machineMeta },
  { name: 'pai machines', title: 'machines of Alibaba\'s GPU trace of 2020, CSV', detect: isPaiMachines, read: paiMachines },
  { name: 'wfformat machines', title: 'workflows of WfCommons with the machines on which they ran, JSON', detect: hasWfMachines, read: wfMachines },
  { name: 'google 2011 machines', title: 'machine events of Google\'s ClusterData 2011 (CSV) and 2019 (JSON)', detect: isMachineEvents, read: machineEvents },
]

/** The kind of list of machines that a text is, in words; `undefined` for any other text. */
export const machineKind = (text: string): string | undefined => machineFormats.find((format) => format.detect(text))?.title

/**
 * The machines of a table, whose kind is detected from its content; `undefined` if it is of no known kind, for example a cluster description. Throws
 * `BAD_INPUT` with file and line.
 */
export function machinesOf(text: string, file?: string): MachineTable | undefined {
  const plain = text.replace(/^\uFEFF/, '')
  return machineFormats.find((format) => format.detect(plain))?.read(plain, file)
}

/** As `machinesOf`, but throws `BAD_INPUT` with the known kinds for any other content. */
export function readMachines(text: string, file?: string): MachineTable {
  const machines = machinesOf(text, file)
  if (machines !== undefined) return machines
  throw new SchedError('BAD_INPUT', 'is no list of machines known here.', { file }, `Known: ${machineFormats.map(({ title }) => title).join('; ')}.`)
}
