import { z } from 'zod'
import { machineOptions, ruleOptions } from '../rigid/options.js'
import { limitsOf, type Size, type Sizes } from '../rigid/machine.js'
import type { RigidResource } from '../rigid/resources.js'

/** States in which Slurm leaves a job, in lower case. */
const states = [
  'completed', 'failed', 'cancelled', 'timeout', 'node_fail', 'out_of_memory', 'preempted', 'boot_fail', 'deadline', 'requeued', 'revoked', 'running',
  'pending', 'suspended', 'resizing', 'unknown',
] as const
const amount = z.int().min(1).max(2 ** 31 - 1)

/** How Slurm's records become jobs. Every rule that changed or dropped a job is counted in the report. */
export const slurmOptions = z.strictObject({
  ...machineOptions,
  tasks: z.enum(['one', 'each', 'node']).default('one')
    .describe(`${machineOptions.tasks.description} node: a gang of one task per node that the job was on (NNodes, AllocNodes or ReqNodes), each with its part of processors, memory and GPUs, for clusters whose nodes are given.`),
  processors: z.enum(['requested', 'allocated']).default('requested')
    .describe('Which processors a job asks for: those it requested or those it was given; the other number where that one is unknown.'),
  memory: z.enum(['none', 'requested']).default('none').describe('Whether jobs ask for memory (mem, MiB).'),
  mem: amount.optional().describe('Memory of the whole machine, MiB; default: inferred from its jobs.'),
  gpuDemand: z.boolean().default(false).describe('Whether jobs ask for GPUs (gpus).'),
  gpus: amount.optional().describe('GPUs of the whole machine; default: inferred from its jobs.'),
  constraints: z.enum(['ignore', 'require']).default('ignore')
    .describe('Whether the features that a job asked for (Constraints) and the type of its GPUs are required of nodes, for clusters whose nodes are given: as labels, the type as model.'),
  queue: z.enum(['partition', 'account', 'qos']).default('partition').describe('What names the queue of a job.'),
  status: z.array(z.enum(states)).min(1).optional().describe('Which jobs to read, by how they ended; default: all.'),
  ...ruleOptions,
})
export type SlurmRules = z.output<typeof slurmOptions>

/** What the jobs ask for, in this order. */
export function slurmResources({ unit, memory, gpuDemand }: SlurmRules): RigidResource[] {
  return [unit, ...(memory === 'none' ? [] : (['mem'] as const)), ...(gpuDemand ? (['gpus'] as const) : [])]
}

/** The size of the machine by the options, or by a header: records of jobs do not say it. */
export function slurmSizes({ procs, nodes, mem, gpus }: SlurmRules, header: Sizes = {}): Sizes {
  return { procs: option(procs, 'procs') ?? header.procs, nodes: option(nodes, 'nodes') ?? header.nodes, mem: option(mem, 'mem'), gpus: option(gpus, 'gpus') }
}

export const slurmLimits = (options: SlurmRules, sizes: Sizes) => limitsOf(slurmResources(options), sizes)

const option = (given: number | undefined, name: string): Size | undefined => (given === undefined ? undefined : { amount: given, origin: `option ${name}` })
