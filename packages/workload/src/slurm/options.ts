import * as z from '@sched/bundled/zod'
import { accountingOptions, statusOption, tasksAsAsked } from '../accounting/options.js'
import { Dependencies } from './dependencies.js'
import { HetJobs } from './het-jobs.js'

/** States in which Slurm leaves a job, in lower case. */
const states = [
  'completed', 'failed', 'cancelled', 'timeout', 'node_fail', 'out_of_memory', 'preempted', 'boot_fail', 'deadline', 'requeued', 'revoked', 'running',
  'pending', 'suspended', 'resizing', 'unknown',
] as const

/** The state as option `status` names it, from what sacct prints: `CANCELLED by 1000`, or shortened as `OUT_OF_ME+`. */
export function stateOf(text: string): string {
  const [, word = '', isCut] = /^([^ +]*)( *\+)?/.exec(text.toLowerCase()) as RegExpExecArray
  return isCut === undefined ? word : (states.find((state) => state.startsWith(word)) ?? word)
}

const { processors, memory, mem, gpuDemand, gpus, procs, nodes, unit, tasks: _, ...rules } = accountingOptions

/** How Slurm's records become jobs. */
export const slurmOptions = z.strictObject({
  procs,
  nodes,
  unit,
  tasks: tasksAsAsked('NNodes, AllocNodes or ReqNodes'),
  processors,
  memory,
  mem,
  gpuDemand,
  gpus,
  constraints: z.enum(['ignore', 'require']).default('ignore')
    .describe('Whether the features of nodes that a job asked for (Constraints) and the type of its GPUs are required of nodes, as labels (the type as model), and the names of nodes that it asked for (--nodelist, --exclude in SubmitLine). For clusters whose nodes are given.'),
  hetjobs: z.enum(['together', 'apart']).default('together')
    .describe('Heterogeneous jobs: together: one job that is one gang, whose parts (123+0, 123+1) start at once; apart: every part is a job of its own.'),
  pending: z.enum(['skip', 'estimate']).default('skip')
    .describe('What to do with jobs that still wait: skip them; estimate: they run as long as their limit says. For jobs that run already, see unknownRuntime.'),
  submit: z.enum(['submit', 'eligible']).default('submit')
    .describe('When jobs are submitted: submit: at their submission; eligible: when they became eligible to start (Eligible), after --begin, holds and the jobs that they depend on, if recorded.'),
  dependencies: z.enum(['ignore', 'keep']).default('ignore')
    .describe('keep: jobs are submitted when what they depend on (--dependency in SubmitLine) has happened in the simulation; an array stands for its task that ended last in the log. ignore: at their recorded submission.'),
  cluster: z.string().optional().describe('Cluster whose jobs are read, if records name several (Cluster). Default: jobs of all clusters, on one machine.'),
  queue: z.enum(['partition', 'account', 'qos']).default('partition').describe('What names the queue of a job.'),
  status: statusOption(states),
  ...rules,
})

/**
 * Options for tables of jobs that have ended, each submitted once. They tell no pending jobs, no dependencies, and no parts, features or clusters.
 */
export const endedOptions = slurmOptions.omit({ pending: true, submit: true, dependencies: true, hetjobs: true, constraints: true, cluster: true })

/** Which fields of Slurm's records tell GPUs, for the report. */
export const GPUS_IN_TRES = 'AllocTRES or ReqTRES tells them'

/** Joins the parts of heterogeneous jobs, if the option `hetjobs` says so. */
export const joinsParts = ({ hetjobs }: z.output<typeof slurmOptions>): HetJobs | undefined => (hetjobs === 'together' ? new HetJobs() : undefined)

/** Knows which jobs depend on others. */
export const followsJobs = ({ dependencies }: z.output<typeof slurmOptions>): Dependencies => new Dependencies(dependencies === 'keep')
