import * as z from '@sched/bundled/zod'
import { machineOptions, ruleOptions, type RuleOptions } from '../rigid/options.js'
import { limitsOf, type Size, type Sizes } from '../rigid/machine.js'
import type { RigidResource } from '../rigid/resources.js'
import type { RigidTasks } from '../rigid/stages.js'

const amount = z.int().min(1).max(2 ** 31 - 1)

/** What names the queue of a job; which of them a format has is in its options. */
type QueueField = 'queue' | 'partition' | 'account' | 'qos' | 'project' | 'department'

/** How records of a resource manager's accounting become jobs. Every rule that changed or dropped a job is counted in the report. */
export interface AccountingRules extends RuleOptions {
  readonly unit: 'procs' | 'nodes'
  readonly tasks: RigidTasks
  readonly procs?: number | undefined
  readonly nodes?: number | undefined
  readonly mem?: number | undefined
  readonly gpus?: number | undefined
  readonly processors: 'requested' | 'allocated'
  readonly memory: 'none' | 'requested'
  readonly gpuDemand: boolean
  readonly queue: QueueField
  readonly status?: readonly string[] | undefined
  /** Absent where records are of jobs that have ended. */
  readonly pending?: 'skip' | 'estimate'
  /** Which of its times is the submission of a job, of those that a format has; absent: there is one. */
  readonly submit?: string
  /** Absent where records do not say which jobs wait for others. */
  readonly dependencies?: 'ignore' | 'keep'
  /** Absent where records name no features of nodes. */
  readonly constraints?: 'ignore' | 'require'
}

/** Options that the accounting of all resource managers shares. */
export const accountingOptions = {
  ...machineOptions,
  processors: z.enum(['requested', 'allocated']).default('requested')
    .describe('Which processors a job asks for: those it requested or those it was given; the other number where that one is unknown.'),
  memory: z.enum(['none', 'requested']).default('none').describe('Whether jobs ask for memory (mem, MiB).'),
  mem: amount.optional().describe('Memory of the whole machine, MiB; default: inferred from its jobs.'),
  gpuDemand: z.boolean().default(false).describe('Whether jobs ask for GPUs (gpus).'),
  gpus: amount.optional().describe('GPUs of the whole machine; default: inferred from its jobs.'),
  ...ruleOptions,
}

/** `tasks` with a task per node, of records that tell nodes; `told`: where. */
export const tasksByNode = (told: string) =>
  z.enum(['one', 'each', 'node']).default('one')
    .describe(`${machineOptions.tasks.description} node: a gang of one task per node that the job was on (${told}), each with its part of processors, memory and GPUs, for clusters whose nodes are given.`)

/** Which jobs to read, by how they ended, of the words that a format has for it. */
export const statusOption = <const S extends readonly [string, ...string[]]>(states: S) =>
  z.array(z.enum(states)).min(1).optional().describe('Which jobs to read, by how they ended; default: all.')

/** What the jobs ask for, in this order. */
export function accountingResources({ unit, memory, gpuDemand }: AccountingRules): RigidResource[] {
  return [unit, ...(memory === 'none' ? [] : (['mem'] as const)), ...(gpuDemand ? (['gpus'] as const) : [])]
}

/** The size of the machine by the options, or by a header: records of jobs do not say it. */
export function accountingSizes({ procs, nodes, mem, gpus }: AccountingRules, header: Sizes = {}): Sizes {
  return { procs: option(procs, 'procs') ?? header.procs, nodes: option(nodes, 'nodes') ?? header.nodes, mem: option(mem, 'mem'), gpus: option(gpus, 'gpus') }
}

export const accountingLimits = (options: AccountingRules, sizes: Sizes) => limitsOf(accountingResources(options), sizes)

const option = (given: number | undefined, name: string): Size | undefined => (given === undefined ? undefined : { amount: given, origin: `option ${name}` })
