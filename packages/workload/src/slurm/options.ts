import * as z from '@sched/bundled/zod'
import { accountingOptions, statusOption, tasksByNode } from '../accounting/options.js'

/** States in which Slurm leaves a job, in lower case. */
const states = [
  'completed', 'failed', 'cancelled', 'timeout', 'node_fail', 'out_of_memory', 'preempted', 'boot_fail', 'deadline', 'requeued', 'revoked', 'running',
  'pending', 'suspended', 'resizing', 'unknown',
] as const
const { processors, memory, mem, gpuDemand, gpus, procs, nodes, unit, tasks: _, ...rules } = accountingOptions

/** How Slurm's records become jobs. */
export const slurmOptions = z.strictObject({
  procs,
  nodes,
  unit,
  tasks: tasksByNode('NNodes, AllocNodes or ReqNodes'),
  processors,
  memory,
  mem,
  gpuDemand,
  gpus,
  constraints: z.enum(['ignore', 'require']).default('ignore')
    .describe('Whether the features that a job asked for (Constraints) and the type of its GPUs are required of nodes, for clusters whose nodes are given: as labels, the type as model.'),
  pending: z.enum(['skip', 'estimate']).default('skip')
    .describe('Jobs that still wait: skip: left out; estimate: they run as long as their limit says. Of those that run already unknownRuntime tells the run time.'),
  queue: z.enum(['partition', 'account', 'qos']).default('partition').describe('What names the queue of a job.'),
  status: statusOption(states),
  ...rules,
})

/** Where Slurm's records tell GPUs, for the report. */
export const GPUS_IN_TRES = 'AllocTRES or ReqTRES tells them'
