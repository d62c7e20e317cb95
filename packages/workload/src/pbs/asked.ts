import { bad, type PbsField, type PbsFields } from './fields.js'
import { executed, memoryOf, selected, specified, type PbsAmounts } from './resources.js'

/** -1 where it is not known; memory in MiB. */
interface Asked {
  readonly requested: number
  readonly nodes: number
  readonly mem: number
  readonly gpus: number
}

/**
 * What a job asked for. With a selection (PBS) `ncpus`, `mem` and `ngpus` are sums over its chunks that the server made, and
 * are computed where they are absent. Torque keeps what it was given: the largest of the nodes times their processors, `procs`
 * and `ncpus`, of which one may be a default; memory for each processor (`pmem`) where there is none for the job. Throws `BadLine`.
 */
export function asked(fields: PbsFields): Asked {
  const elements = known(fields.number('Resource_List.mppwidth'))
  return elements > 0 ? onCray(fields, elements) : elsewhere(fields)
}

/**
 * On a Cray (ALPS) `mppwidth` processing elements of `mppdepth` processors each, `mppnppn` of them on a node; `ncpus` and a selection are
 * then of the node where the job's script runs. Source: PBS Professional reference guide, mpp resources.
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

function elsewhere(fields: PbsFields): Asked {
  const chunks = amounts(fields, 'Resource_List.select', selected)
  const holdsNodes = fields.text('Resource_List.nodect').includes(':') // some logs of Torque have the nodes themselves in place of their number
  const spec = chunks ?? amounts(fields, 'Resource_List.nodes', specified) ?? (holdsNodes ? amounts(fields, 'Resource_List.nodect', specified) : undefined)
  const ncpus = known(fields.number('Resource_List.ncpus'))
  const most = Math.max(ncpus, known(fields.number('Resource_List.procs')), spec?.procs ?? -1)
  const requested = chunks === undefined ? most : ncpus > 0 ? ncpus : chunks.procs
  const mem = memory(fields, 'Resource_List.mem')
  const each = memory(fields, 'Resource_List.pmem')
  const gpus = known(fields.number('Resource_List.ngpus'))
  const gpusGiven = fields.text('exec_gpus')
  return {
    requested,
    nodes: Math.max(holdsNodes ? -1 : known(fields.number('Resource_List.nodect')), spec?.nodes ?? -1),
    mem: mem > 0 ? mem : chunks !== undefined ? chunks.mem : each > 0 && requested > 0 ? each * requested : -1,
    gpus: gpus >= 0 ? gpus : (spec?.gpus ?? 0) > 0 ? spec!.gpus : gpusGiven === '' ? -1 : gpusGiven.split('+').length,
  }
}

const nowhere = { nodes: -1, procs: -1 }

/** Where it ran; of a Cray some logs tell only where the job's script ran, which says nothing. Throws `BadLine`. */
export function given(fields: PbsFields): Pick<PbsAmounts, 'nodes' | 'procs'> {
  const found = amounts(fields, 'exec_host', executed) ?? nowhere
  return found.procs < known(fields.number('Resource_List.mppwidth')) ? nowhere : found
}

const SIGNALLED = 128
/** `JOB_EXEC_KILL_VMEM`, `_MEM` and `_WALLTIME` of PBS (`src/include/job.h`). */
const [KILL_VMEM, KILL_MEM, KILL_WALLTIME] = [-26, -27, -29]
/** `JOB_EXEC_OVERLIMIT_MEM` and `_WT` of Torque, where PBS, which counts runs, means other things. */
const [OVERLIMIT_MEM, OVERLIMIT_WT] = [-10, -11]

interface Ran {
  readonly elapsed: number
  readonly limit: number
}

/** How a job ended, in words: one that was killed by a signal when it had run as long as it may is taken to have met its limit. */
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
