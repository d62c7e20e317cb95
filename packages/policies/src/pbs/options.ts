import * as z from '@sched/bundled/zod'

const softLimits = {
  max_run_soft: z.string().optional().describe('jobs that may run before jobs of the user, group or all are over the limit, as PBS writes it: [u:PBS_GENERIC=5], [u:ann=2], [g:physics=20], [o:PBS_ALL=100]'),
  max_run_res_soft: z.record(z.string(), z.string()).default({}).describe('the same of amounts, by resource (ncpus, mem, ngpus, one of the cluster, or a licence of jobs): { ncpus: "[u:PBS_GENERIC=64]" }'),
}
const hardLimits = {
  max_run: z.string().optional().describe('jobs that may run at once of a user, group or all, written in the same way: others wait, or take the place of those that count under the limit'),
  max_run_res: z.record(z.string(), z.string()).default({}).describe('the same of amounts, by resource: { ncpus: "[u:PBS_GENERIC=64]" }'),
}
export type HardLimitOptions = z.output<z.ZodObject<typeof hardLimits>>
export type SoftLimitOptions = z.output<z.ZodObject<typeof softLimits>>

const queuesWith = <Limits extends Readonly<Record<string, z.ZodType>>>(limits: Limits) =>
  z.record(z.string(), z.strictObject({ Priority: z.int().min(-1024).max(1023).default(0).describe('of two express queues the higher one preempts'), ...limits })).default({})

/** What decides the preemption level of a job. */
export const levelFields = {
  preempt_prio: z
    .string()
    .default('express_queue, normal_jobs')
    .describe('the levels, the highest first, between commas: express_queue, normal_jobs, server_softlimits, queue_softlimits, or several of them with + between them'),
  preempt_queue_prio: z.int().default(150).describe('queues with this Priority or more are express queues'),
  server: z.strictObject(softLimits).prefault({}).describe('soft limits of the whole cluster'),
  queues: queuesWith(softLimits).describe('queues, with their priorities and soft limits'),
}
export type LevelOptions = z.output<z.ZodObject<typeof levelFields>>

export const pbsPreemptingOptions = z.strictObject({
  ...levelFields,
  server: z.strictObject({ ...softLimits, ...hardLimits }).prefault({}).describe('limits of the whole cluster'),
  queues: queuesWith({ ...softLimits, ...hardLimits }).describe('queues, with their priorities and limits'),
  preempt_order: z
    .string()
    .default('SCR')
    .describe('what becomes of preempted jobs: S, suspended, C, checkpointed (which is not here: passed over), R, requeued, D, deleted; the first that can be. SR 80 R: the second where 80 % of the walltime or less are left'),
  preempt_sort: z.enum(['min_time_since_start', '']).default('min_time_since_start').describe('of jobs of one level the one that started last goes first; empty: the one that was submitted first'),
  preempt_targets: z
    .record(z.string(), z.array(z.string()))
    .default({})
    .describe('by queue, whose jobs alone its jobs preempt (resources_default.preempt_targets); none: nobody'),
  resources_available: z
    .record(z.string(), z.int().nonnegative())
    .default({})
    .describe('amounts of the whole cluster, of licences of jobs or of resources that nodes have, too: jobs wait until enough is free, or take it from others'),
  restrict_res_to_release_on_suspend: z.array(z.string()).optional().describe('resources that suspended jobs give up; default: all'),
})
export type ReadPbsPreemptingOptions = z.output<typeof pbsPreemptingOptions>
