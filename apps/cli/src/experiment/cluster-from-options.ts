import { SchedError } from '@sched/core'
import { resolve } from 'node:path'
import { hasOwnCluster } from './generator.js'
import { defined, isWrittenOut, yaml, type ExperimentOptions, type Here } from './given-options.js'
import type { Base } from './read-experiment.js'
import type { ExperimentInput } from './schema.js'
import { isRigid, jobsTakeProcs } from './workload-from-options.js'

/** Nodes of a cluster that nobody described: those of Facebook's for a trace, of the EC2 runs of EuroSys 2010 for generated jobs. */
export const DEFAULT_NODES = { trace: 600, generate: 100 } as const
const NODES_PER_RACK = 20
const DEFAULT_SLOTS = { map: 4, reduce: 2 }
const DEFAULT_HEARTBEAT = 3

/** The cluster of the command line; `undefined`: that of the file, or the one that the jobs are of. */
export async function clusterOf(options: ExperimentOptions, base: Base | undefined, here: Here): Promise<ExperimentInput['cluster'] | undefined> {
  const spec = base?.spec
  const { racks, slots, resources, heartbeat, trace, generate } = options
  const [file, option] = typeof options.nodes === 'string' ? [options.nodes, '--nodes FILE'] : [options.cluster, '--cluster']
  const nodes = typeof options.nodes === 'string' ? undefined : options.nodes
  const shape = defined({ nodes, racks, slots, resources, heartbeat, ...(typeof options.nodes === 'string' && { cluster: options.cluster }) })
  if (file !== undefined) {
    const other = Object.keys(shape).find((key) => key !== 'heartbeat')
    if (other !== undefined) throw new SchedError('BAD_OPTION', `stands beside ${option}.`, { field: `--${other}` }, 'Describe the cluster in the file, or by options.')
    return isWrittenOut(file) ? writtenOut(file, option, heartbeat, here) : withHeartbeat(resolve(here.cwd, file), heartbeat)
  }
  const machine = await machineOf(options, shape, base, here)
  if (machine !== null) return machine
  if (Object.keys(shape).length === 0 && (spec !== undefined || (generate !== undefined && hasOwnCluster(yaml(generate, '--generate'), here.registry)))) return undefined
  const isOfOptions = spec?.cluster === undefined && (trace !== undefined || generate !== undefined) // neither the file nor its jobs tell of one
  if (spec !== undefined && !isOfOptions && (isOfEqualNodes(spec.cluster) || !isWhole(shape))) return laidOver(spec.cluster, shape)
  const count = nodes ?? (trace === undefined ? DEFAULT_NODES.generate : DEFAULT_NODES.trace)
  const beats = heartbeat ?? (resources === undefined ? DEFAULT_HEARTBEAT : 0)
  return {
    nodes: count,
    racks: racks ?? Math.max(1, Math.ceil(count / NODES_PER_RACK)),
    ...(resources === undefined ? { slots: slots ?? DEFAULT_SLOTS } : { resources, ...(slots !== undefined && { slots }) }),
    ...(beats > 0 && { heartbeat: { interval: beats } }),
  }
}

/** A cluster in braces, as an experiment has it; a list of machines in it is a path from here. */
function writtenOut(text: string, option: string, heartbeat: number | undefined, { cwd }: Here): ExperimentInput['cluster'] {
  const cluster = yaml(text, option) as Exclude<ExperimentInput['cluster'], string | undefined> // which the schema of experiments checks
  const { nodes } = cluster
  const placed = typeof nodes === 'string' ? { ...cluster, nodes: resolve(cwd, nodes) } : cluster
  return heartbeat === undefined ? placed : laidOver(placed, { heartbeat })
}

/** The cluster of a file; with its nodes and other heartbeats, if they are given. */
function withHeartbeat(file: string, interval: number | undefined): ExperimentInput['cluster'] {
  if (interval === undefined) return file
  if (interval === 0) throw new SchedError('BAD_OPTION', 'takes no heartbeats away that a file describes.', { field: '--heartbeat' }, 'Nodes of a list have none; leave out `heartbeat` of a description.')
  return { nodes: file, heartbeat: { interval } }
}

/** What the options say of a cluster, all of it in numbers. */
type Shape = Pick<ExperimentOptions, 'racks' | 'slots' | 'resources' | 'heartbeat'> & { readonly nodes?: number }

const isOfEqualNodes = (cluster: ExperimentInput['cluster']): boolean => typeof cluster === 'object' && typeof cluster.nodes === 'number'

/** Whether the options say how many nodes there are and what they have: a cluster on its own. */
const isWhole = ({ nodes, slots, resources }: Shape): boolean => nodes !== undefined && (slots !== undefined || resources !== undefined)

/** The cluster of an experiment file with what the options say otherwise. Throws `BAD_OPTION` where they cannot say it of that one. */
function laidOver(cluster: ExperimentInput['cluster'], { heartbeat, ...shape }: Shape): ExperimentInput['cluster'] {
  const [ofNodes] = Object.keys(shape)
  if (typeof cluster === 'string' && ofNodes === undefined) return withHeartbeat(cluster, heartbeat)
  if (typeof cluster !== 'object') throw partly(ofNodes ?? 'heartbeat', cluster === undefined ? 'comes with its workload' : `is described in "${cluster}"`)
  if (ofNodes !== undefined && typeof cluster.nodes !== 'number') throw partly(ofNodes, 'has groups of nodes')
  const { heartbeat: own, ...rest } = cluster
  const beats = heartbeat === undefined ? own : heartbeat === 0 ? undefined : { ...own, interval: heartbeat }
  return { ...withoutOther(rest, shape), ...shape, ...(beats !== undefined && { heartbeat: beats }) } as ExperimentInput['cluster']
}

/** Slots take the place of resources, and resources that of slots, unless both are given. */
function withoutOther(cluster: object, { slots, resources }: Shape): object {
  const left = slots !== undefined && resources === undefined ? 'resources' : resources !== undefined && slots === undefined ? 'slots' : undefined
  return Object.fromEntries(Object.entries(cluster).filter(([key]) => key !== left))
}

const partly = (option: string, how: string) =>
  new SchedError(
    'BAD_OPTION',
    `changes a part of the cluster of the experiment, which ${how}.`,
    { field: `--${option}` },
    'Describe all of it, with --nodes and --slots or --resources, or change it there.',
  )

/** The machine of rigid jobs: `undefined` for the one that their log says, null where a cluster is described otherwise. */
async function machineOf(options: ExperimentOptions, shape: object, base: Base | undefined, here: Here): Promise<ExperimentInput['cluster'] | null> {
  const { procs, resources } = options
  const rigid = await isRigid(options, here)
  const [other] = Object.keys(shape)
  if (procs !== undefined) {
    if (other !== undefined)
      throw new SchedError(
        'BAD_OPTION',
        'stands beside --procs.',
        { field: `--${other}` },
        'A machine of so many processors is one node; or describe nodes with --nodes and --resources.',
      )
    return base?.spec.cluster === undefined && (await jobsTakeProcs(options, base, here)) ? undefined : { nodes: 1, resources: { procs } }
  }
  if (rigid && resources === undefined && other !== undefined)
    throw new SchedError(
      'BAD_OPTION',
      'rigid jobs ask for processors, not for slots.',
      { field: `--${other}` },
      'Say how many the machine has with --procs, or what nodes have with --resources.',
    )
  return rigid && other === undefined && base === undefined ? undefined : null
}
