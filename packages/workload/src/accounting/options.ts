import * as z from '@sched/bundled/zod'
import { machineOptions, ruleOptions, type RuleOptions } from '../rigid/options.js'
import { limitsOf, optionSize, type Sizes } from '../rigid/machine.js'
import type { RigidResource } from '../rigid/resources.js'
import type { RigidTasks } from '../rigid/stages.js'

const amount = z.int().min(1).max(2 ** 31 - 1)

/** Fields that may name the queue of a job; the options of a format say which of them it has. */
type QueueField = 'queue' | 'partition' | 'account' | 'qos' | 'project' | 'department'

/** How records of a resource manager's accounting become jobs. The report counts every rule that changed or dropped a job. */
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
  /** Absent in formats whose records are only of jobs that have ended. */
  readonly pending?: 'skip' | 'estimate'
  /** Which of its times counts as the submission of a job; absent in formats that have only one. */
  readonly submit?: string
  /** Absent in formats whose records do not say which jobs wait for others. */
  readonly dependencies?: 'ignore' | 'keep'
  /** Absent in formats whose records do not name features of nodes. */
  readonly constraints?: 'ignore' | 'require'
}

/** Options of the accounting formats of all resource managers. */
export const accountingOptions = {
  ...machineOptions,
  processors: z.enum(['requested', 'allocated']).default('requested')
    .describe('Which processors a job asks for: those that it requested or those that it was given. If that number is unknown, the other one counts.'),
  memory: z.enum(['none', 'requested']).default('none').describe('Whether jobs ask for memory (mem, MiB).'),
  mem: amount.optional().describe('Memory of the whole machine, MiB. Default: inferred from its jobs.'),
  gpuDemand: z.boolean().default(false).describe('Whether jobs ask for GPUs (gpus).'),
  gpus: amount.optional().describe('GPUs of the whole machine. Default: inferred from its jobs.'),
  ...ruleOptions,
}

/** Option `tasks` with the choice of one task per node, for records that tell the number of nodes; `told` names the fields that tell it. */
export const tasksByNode = (told: string) =>
  z.enum(['one', 'each', 'node']).default('one')
    .describe(`${machineOptions.tasks.description} node: a gang of one task per node that the job was on (${told}), each with its part of processors, memory and GPUs, for clusters whose nodes are given.`)

/** The same with the choice of the tasks that a job asked for. */
export const tasksAsAsked = (told: string) =>
  z.enum(['one', 'each', 'node', 'asked']).default('one')
    .describe(`${tasksByNode(told).description} asked: a gang of the tasks that the job asked for, which may be on other nodes than they were, or one per node where it asked for nodes, each on another one; where the record does not tell, as node.`)

/** Option `status`: which jobs to read, by how they ended, in the words of a format. */
export const statusOption = <const S extends readonly [string, ...string[]]>(states: S) =>
  z.array(z.enum(states)).min(1).optional().describe('Which jobs to read, by how they ended. Default: all.')

/** Resources that the jobs ask for, in the order of their amounts. */
export function accountingResources({ unit, memory, gpuDemand }: AccountingRules): RigidResource[] {
  return [unit, ...(memory === 'none' ? [] : (['mem'] as const)), ...(gpuDemand ? (['gpus'] as const) : [])]
}

/** Size of the machine from the options, otherwise from the header of the file; records of jobs do not tell it. */
export function accountingSizes({ procs, nodes, mem, gpus }: AccountingRules, header: Sizes = {}): Sizes {
  return { procs: optionSize(procs, 'procs') ?? header.procs, nodes: optionSize(nodes, 'nodes') ?? header.nodes, mem: optionSize(mem, 'mem'), gpus: optionSize(gpus, 'gpus') }
}

/** Largest amounts that a job may ask for. */
export const accountingLimits = (options: AccountingRules, sizes: Sizes) => limitsOf(accountingResources(options), sizes)
