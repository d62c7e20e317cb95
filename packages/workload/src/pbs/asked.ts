import { bad, type PbsField, type PbsFields } from './fields.js'
import { executed, memoryOf, selected, specified, type PbsAmounts } from './resources.js'

/** Amounts that a job asked for, -1 if unknown; memory in MiB. */
interface Asked {
  readonly requested: number
  readonly nodes: number
  readonly mem: number
  readonly gpus: number
}

/**
 * What a job asked for. With a selection (PBS), `ncpus`, `mem` and `ngpus` are the server's sums over its chunks, and are computed here if absent.
 * Torque records the request itself: processors are the largest of nodes times processors per node, `procs` and `ncpus`, any of which may be a
 * default; memory may be per processor (`pmem`) if there is none for the job. Throws `BadLine`.
 */
export function asked(fields: PbsFields): Asked {
  const elements = known(fields.number('Resource_List.mppwidth'))
  return elements > 0 ? onCray(fields, elements) : elsewhere(fields)
}

/**
 * On a Cray (ALPS) a job asks for `mppwidth` processing elements of `mppdepth` processors each, `mppnppn` of them per node; `ncpus` and a selection
 * then concern only the node where the job's script runs.
 *
 * Source: PBS Professional reference guide, mpp resources.
 */
function onCray(fields: PbsFields, elements: number): Asked {
  const perNode = fields.number('Resource_List.mppnppn')
  const nodes = known(fields.number('Resource_List.mppnodect'))
  const mem = memory(fields, 'Resource_List.mppmem')
  return {
    requested: elements * Math.max(known(fields.number('Resource_List.mppdepth')), 1),
    nodes: nodes > 0 ? nodes : perNode > 0 ? Math.ceil(elements / perNode) : -1,
    mem: mem > 0 ? mem * elements : -1,
    gpus: -1,
  }
}

/** PBS has `ngpus`, Torque `gpus`, and some sites a resource of their own. */
const gpuNames = ['Resource_List.ngpus', 'Resource_List.gpus', 'Resource_List.gpu'] as const

function elsewhere(fields: PbsFields): Asked {
  const chunks = amounts(fields, 'Resource_List.select', selected)
  // some logs of Torque have the node specification in place of the number of nodes
  const holdsNodes = fields.text('Resource_List.nodect').includes(':')
  const spec = chunks ?? amounts(fields, 'Resource_List.nodes', specified) ?? (holdsNodes ? amounts(fields, 'Resource_List.nodect', specified) : undefined)
  const ncpus = known(fields.number('Resource_List.ncpus'))
  const most = Math.max(ncpus, known(fields.number('Resource_List.procs')), spec?.procs ?? -1)
  const requested = chunks === undefined ? most : ncpus > 0 ? ncpus : chunks.procs
  const mem = memory(fields, 'Resource_List.mem')
  const each = memory(fields, 'Resource_List.pmem')
  const gpus = gpuNames.map((name) => known(fields.number(name))).find((amount) => amount >= 0) ?? -1
  const gpusGiven = fields.text('exec_gpus')
  return {
    requested,
    nodes: Math.max(holdsNodes ? -1 : known(fields.number('Resource_List.nodect')), spec?.nodes ?? -1),
    mem: mem > 0 ? mem : chunks !== undefined ? chunks.mem : each > 0 && requested > 0 ? each * requested : -1,
    gpus: gpus >= 0 ? gpus : (spec?.gpus ?? 0) > 0 ? spec!.gpus : gpusGiven === '' ? -1 : gpusGiven.split('+').length,
  }
}

const nowhere = { nodes: -1, procs: -1 }

/**
 * Where a job ran. Ignored is what holds less than a processor for each node: some logs of a Cray tell only where the job's script ran, those of Cobalt
 * the name of a block of nodes. Throws `BadLine`.
 */
export function given(fields: PbsFields): Pick<PbsAmounts, 'nodes' | 'procs'> {
  const found = amounts(fields, 'exec_host', executed) ?? nowhere
  const nodect = fields.text('Resource_List.nodect').includes(':') ? -1 : known(fields.number('Resource_List.nodect'))
  return found.procs < Math.max(known(fields.number('Resource_List.mppwidth')), nodect) ? nowhere : found
}

const SIGNALLED = 128
/** `JOB_EXEC_KILL_VMEM`, `_MEM` and `_WALLTIME` of PBS (`src/include/job.h`). */
const [KILL_VMEM, KILL_MEM, KILL_WALLTIME] = [-26, -27, -29]
/** `JOB_EXEC_OVERLIMIT_MEM` and `_WT` of Torque. In PBS, whose records have `run_count`, these numbers have other meanings. */
const [OVERLIMIT_MEM, OVERLIMIT_WT] = [-10, -11]

interface Ran {
  readonly elapsed: number
  readonly limit: number
}

/** How a job ended. A job that was killed by a signal after it had run for its whole limit counts as `timeout`. '' if no exit status is recorded. */
export function endState(fields: PbsFields, { elapsed, limit }: Ran, isDeleted: boolean): string {
  const status = fields.number('Exit_status')
  if (Number.isNaN(status)) return ''
  if (status === 0) return 'completed'
  const isTorque = fields.text('run_count') === ''
  if (status === KILL_WALLTIME || (isTorque && status === OVERLIMIT_WT)) return 'timeout'
  if (status === KILL_MEM || status === KILL_VMEM || (isTorque && status === OVERLIMIT_MEM)) return 'out_of_memory'
  if (isDeleted) return 'cancelled'
  return status >= SIGNALLED && elapsed >= limit ? 'timeout' : 'failed'
}

const known = (value: number): number => (Number.isNaN(value) ? -1 : value)

function amounts<T>(fields: PbsFields, name: PbsField, read: (text: string) => T | undefined): T | undefined {
  const text = fields.text(name)
  if (text === '') return undefined
  const found = read(text)
  if (found === undefined) throw bad(name, text, examples[name]!)
  return found
}

const examples: Readonly<Partial<Record<PbsField, string>>> = {
  'Resource_List.select': 'chunks such as 2:ncpus=8+1:ncpus=4',
  'Resource_List.nodes': 'nodes such as 4:ppn=16',
  'Resource_List.nodect': 'a number of nodes, or nodes such as 4:ppn=16',
  exec_host: 'places such as n1/0*16+n2/0*16',
  'Resource_List.mem': 'an amount of memory such as 16gb',
  'Resource_List.pmem': 'an amount of memory such as 2gb',
  'Resource_List.mppmem': 'an amount of memory such as 2gb',
}

function memory(fields: PbsFields, name: PbsField): number {
  return amounts(fields, name, memoryOf) ?? -1
}
