import type { Plug } from '@sched/core'
import * as z from '@sched/bundled/zod'

const modes = z.enum(['requeue', 'cancel', 'suspend', 'off'])
export const slurmPreemptingOptions = z.strictObject({
  tiers: z.record(z.string(), z.int().nonnegative()).default({}).describe('tiers of queues (PriorityTier of partitions): jobs of a higher one preempt those of lower ones; default 1'),
  qos: z
    .record(z.string(), z.strictObject({
      preempt: z.array(z.string()).default([]).describe('QOS whose jobs its jobs preempt'),
      priority: z.int().nonnegative().default(0).describe('the lowest goes first, the highest is served first'),
      within: z.boolean().default(false).describe('its jobs preempt those of its own that have a lower priority (PreemptMode=WITHIN)'),
    }))
    .optional()
    .describe('QOS instead of tiers (preempt/qos): whom the jobs of each may preempt; jobs that name none have `normal`'),
  mode: modes.default('requeue').describe('what becomes of preempted jobs (PreemptMode): they start anew, are given up, stop where they are until they can go on, or `off`: none is preempted'),
  modes: z.record(z.string(), modes).default({}).describe('the mode of jobs of single queues, with `qos` of single QOS'),
  exemptTime: z.number().nonnegative().default(0).describe('seconds for which a job is left alone after its start (PreemptExemptTime)'),
  exemptTimes: z
    .record(z.string(), z.number().nonnegative())
    .default({})
    .describe('the same by QOS (PreemptExemptTime of sacctmgr), in place of it, also with tiers; jobs that name none have `normal`'),
  exemptTimesOfQueues: z
    .record(z.string(), z.number().nonnegative())
    .default({})
    .describe('the same by queue, in place of both (PreemptExemptTime of the QOS of a partition)'),
  ownQosFirst: z.array(z.string()).default([]).describe('QOS whose time comes before that of the queue (flag OverPartQOS)'),
  graceTime: z
    .record(z.string(), z.number().nonnegative())
    .default({})
    .describe('seconds by queue, with `qos` by QOS, for which a job runs on once it has been chosen (GraceTime); then it goes, one that would start anew at once as soon as its place is taken'),
  requeueDelay: z.number().nonnegative().default(0).describe('seconds for which a preempted job waits before it may start anew (in Slurm cred_expire of AuthInfo and one more: 121)'),
  youngestFirst: z
    .boolean()
    .default(false)
    .describe('the job that started last goes first, whatever its tier, instead of the lowest tier and there the job on the fewest nodes (PreemptParameters=youngest_first)'),
  licenses: z
    .record(z.string(), z.int().nonnegative())
    .default({})
    .describe('licences of the cluster that jobs wait for and take from those whom they preempt (PreemptParameters=reclaim_licenses); without, licences are of slurm-limits, and nobody goes for one'),
  byPriority: z.boolean().default(false).describe('whoever preempts also has the higher priority, by tier at least the same (PreemptMode=PRIORITY)'),
  minExemptPriority: z.int().nonnegative().optional().describe('jobs with a higher priority than this are not preempted (min_exempt_priority)'),
  strictOrder: z.boolean().default(false).describe('the order in which jobs go is kept, though more of them may have to (strict_order)'),
  reorderCount: z.int().nonnegative().default(1).describe('how often those that may go are put in another order, to take fewer (reorder_count)'),
})
/** What starts in the place of others is started here, and not by the policy inside. */
export const LIMITS_INSIDE = 'the limits of slurm-limits inside slurm-preempting do not bind jobs that preempt others: put slurm-limits around it'

/** Options of `slurm-preempting`. */
export type SlurmPreemptingOptions = z.input<typeof slurmPreemptingOptions> & {
  /** By whose priorities jobs that preempt come, beside their tier; default: their own. */
  readonly order?: Plug<'order'>
}
/** The options as they are read, with defaults. */
export type ReadSlurmPreemptingOptions = z.output<typeof slurmPreemptingOptions>
