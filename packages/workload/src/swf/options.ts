import * as z from '@sched/bundled/zod'
import { machineOptions, ruleOptions } from '../rigid/options.js'
import type { RigidResource } from '../rigid/resources.js'

const statuses = ['completed', 'failed', 'cancelled', 'unknown'] as const

/** How a log in the Standard Workload Format becomes jobs. The report counts every rule that changed or dropped a job. */
export const swfOptions = z.strictObject({
  ...machineOptions,
  processors: z.enum(['requested', 'allocated']).default('requested')
    .describe('Which processors a job asks for: those that it requested or those that it was given. If that number is unknown, the other one counts.'),
  memory: z.enum(['none', 'requested', 'used']).default('none')
    .describe('Whether jobs ask for memory (mem, MiB): what they requested, or used, per processor, times their processors, rounded up.'),
  mem: z.int().min(1).max(2 ** 31 - 1).optional().describe('Memory of the whole machine, MiB. Default: inferred from its jobs.'),
  status: z.array(z.enum(statuses)).min(1).default([...statuses]).describe('Which jobs to read, by how they ended.'),
  dependencies: z.enum(['ignore', 'keep']).default('ignore')
    .describe('keep: a job that followed another one (fields 17 and 18) waits for its end; the recorded submit times already reflect that wait.'),
  recordedUse: z.enum(['ignore', 'keep']).default('ignore')
    .describe('keep: the CPU time and the memory that jobs used (fields 6 and 7) are kept, so that the log can be written again; runs do not use them.'),
  moreFields: z.enum(['fail', 'ignore']).default('fail')
    .describe('ignore: fields after the 18 fields of the format are ignored; the simulator Alea, for example, has nodes and properties there.'),
  ...ruleOptions,
})
/** Options of a log in the Standard Workload Format, checked. */
export type SwfRules = z.output<typeof swfOptions>

/** Resources that the jobs ask for, in the order of their amounts. */
export function resourcesOf({ unit, memory }: SwfRules): RigidResource[] {
  return memory === 'none' ? [unit] : [unit, 'mem']
}
