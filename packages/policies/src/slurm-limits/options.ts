import * as z from '@sched/bundled/zod'
import { maxTresOption } from '../fair-share/billing.js'
import { usageResetOption } from '../fair-share/usage-resets.js'
import { accountOptions } from './account-tree.js'

const count = z.int().nonnegative()
const tres = z
  .union([z.string(), z.record(z.string(), z.number().nonnegative())])
  .describe('amounts by resource, as Slurm writes them (cpu=64,mem=256G,gres/gpu=4,node=8,billing=100) or as { cpu: 64 }; names of resources of the cluster are taken, too')
const time = z.union([z.number().nonnegative(), z.string()]).describe('minutes, or a time as Slurm writes it: hours:minutes:seconds, days-hours')
const names = z.array(z.string())

const common = {
  GrpTRES: tres.optional().describe('amounts that its running jobs may hold together'),
  GrpJobs: count.optional().describe('jobs that may run at once'),
  GrpSubmitJobs: count.optional().describe('jobs that may wait and run; more are refused'),
  GrpTRESMins: tres.optional().describe('amounts x minutes that its jobs may have used, which decay; more wait'),
  GrpTRESRunMins: tres.optional().describe('amounts x minutes that its running jobs may have left together, by their time limits'),
  GrpWall: time.optional().describe('time that its jobs may have run, in minutes or as a time string of Slurm, 7-0 for 7 days, which decays; more wait'),
  MaxTRESPerJob: tres.optional().describe('most that one job may ask for'),
  MaxTRESMinsPerJob: tres.optional().describe('most amounts x minutes of one job, by its time limit'),
  MaxWall: time.optional().describe('longest time limit of a job, in minutes or as a time string of Slurm, 7-0 for 7 days (MaxWallDurationPerJob)'),
}

const qos = z.strictObject({
  ...common,
  MinTRESPerJob: tres.optional().describe('least that one job may ask for'),
  MaxTRESPerUser: tres.optional().describe('amounts that the running jobs of one user may hold together'),
  MaxJobsPerUser: count.optional().describe('jobs of one user that may run at once'),
  MaxSubmitJobsPerUser: count.optional().describe('jobs of one user that may wait and run; more are refused'),
  MaxTRESRunMinsPerUser: tres.optional().describe('amounts x minutes that the running jobs of one user may have left together, by their time limits'),
  MaxTRESRunMinsPerAccount: tres.optional().describe('the same of one account'),
  MaxTRESPerAccount: tres.optional().describe('amounts that the running jobs of one account may hold together'),
  MaxJobsPerAccount: count.optional().describe('jobs of one account that may run at once'),
  MaxSubmitJobsPerAccount: count.optional().describe('jobs of one account that may wait and run; more are refused'),
  UsageFactor: z.number().nonnegative().optional().describe('what the use of its jobs is multiplied by where it counts for GrpTRESMins, GrpTRESRunMins and GrpWall, whether of a QOS, an account or a user; default 1'),
  UsageThreshold: z.number().nonnegative().optional().describe('with the flag EnforceUsageThreshold: jobs that ask for it wait while fair share adds less than this to their priority, in an order by past usage'),
  LimitFactor: z.number().positive().optional().describe('what GrpTRES and MaxTRESPerJob of associations are multiplied by for its jobs, rounded down; default 1'),
  Flags: names.optional().describe('DenyOnLimit: jobs that alone are over a limit, of any QOS or association of theirs, are refused; OverPartQOS: it comes before the QOS of the partition; PartitionTimeLimit, PartitionMaxNodes, PartitionMinNodes: MaxTime, MaxTRESPerJob, MinTRESPerJob of partitions does not count; EnforceUsageThreshold: UsageThreshold counts; NoDecay: what counts for GrpTRESMins and GrpWall neither decays nor is forgotten; UsageFactorSafe: what a job asks counts times its UsageFactor, too; Relative: where it is the QOS of a partition, jobs that ask for it are refused'),
})
export type QosOptions = z.output<typeof qos>

const association = {
  ...common,
  MaxJobs: count.optional().describe('jobs of the user, or of each user of the account, that may run at once'),
  MaxSubmitJobs: count.optional().describe('jobs of each of its users that may wait and run; more are refused'),
  DefaultQOS: z.string().optional().describe('the QOS of jobs that name none'),
  QOS: names.optional().describe('those that its jobs may ask for, or with +name and -name what is other than around it; default: all'),
}
export type UserOptions = z.output<z.ZodObject<typeof association>>
const account = accountOptions(association, undefined, 'by partition, users for their jobs there, which are not among those of `users` then')

const partition = z.strictObject({
  MaxTime: time.optional().describe('longest time limit of a job, in minutes or as a time string of Slurm, 7-0 for 7 days'),
  MaxTRESPerJob: tres.optional().describe('most that one job may ask for (MaxNodes is node=N)'),
  MinTRESPerJob: tres.optional().describe('least that one job may ask for (MinNodes is node=N)'),
  MaxNodes: z.int().nonnegative().optional().describe('a job that needs more nodes (`minNodes`, or tasks that share none) waits or is refused'),
  MinNodes: z.int().nonnegative().optional().describe('a job that may only be on fewer nodes (`maxNodes`) waits or is refused'),
  State: z.enum(['UP', 'DOWN', 'DRAIN', 'INACTIVE']).optional().describe('DOWN: jobs wait; DRAIN: jobs are refused; INACTIVE: jobs are refused'),
  AllowAccounts: names.optional().describe('accounts whose jobs may run, and those of accounts inside them; default: all'),
  DenyAccounts: names.optional().describe('accounts whose jobs may not, nor those of accounts inside them'),
  AllowQos: names.optional().describe('QOS whose jobs may run; default: all'),
  DenyQos: names.optional().describe('QOS whose jobs may not'),
  QOS: z.string().optional().describe('QOS whose limits hold for all jobs of the partition, before those of their own QOS'),
})
export type PartitionOptions = z.output<typeof partition>

export const slurmLimitsOptions = z.strictObject({
  partitions: z.record(z.string(), partition).default({}).describe('limits of partitions, which are the queues of jobs'),
  enforcePartLimits: z.enum(['NO', 'ANY', 'ALL']).default('NO').describe('what becomes of jobs that a partition never takes: NO, they wait for ever; ANY and ALL, they are refused (EnforcePartLimits)'),
  qos: z.record(z.string(), qos).default({}).describe('qualities of service with their limits; jobs that name none have the default of their association, or `normal`'),
  accounts: z.record(z.string(), account).default({}).describe('the tree of accounts with their users and limits; `root` is around all'),
  enforce: z.array(z.enum(['associations', 'qos'])).default([]).describe('associations: jobs of users who are not in `accounts` are refused; qos: so are jobs with a QOS that is not there or not theirs (AccountingStorageEnforce)'),
  assocLimitStop: z.boolean().default(false).describe('jobs that limits of QOS and associations hold back keep others from starting, under replan with its plans, as jobs without room do (SchedulerParameters=assoc_limit_stop)'),
  licenses: z.record(z.string(), count).optional().describe('licences of the cluster by name (Licenses): jobs that ask for some (`licenses`) wait until enough are free, and are refused where they ask for more than there are'),
  billing: z.record(z.string(), z.number().nonnegative()).optional().describe('what an amount of a resource costs for limits of `billing` (TRESBillingWeights); default: 1 for a slot or a processor, 0 for all else; of a job in all it is rounded down'),
  partitionBilling: z.record(z.string(), z.record(z.string(), z.number().nonnegative())).default({}).describe('the same of jobs in some queues (TRESBillingWeights of partitions); others: `billing`'),
  maxTres: maxTresOption.describe('true: a job costs the largest of its amounts times their weights instead of their sum (PriorityFlags=MAX_TRES); gres: the largest of processors, memory and nodes, and the sum of all else (MAX_TRES_GRES)'),
  safe: z.boolean().default(false).describe('jobs start under GrpTRESMins only where they, and all that run, could run to their time limits, under GrpWall where they could (AccountingStorageEnforce=safe)'),
  halfLife: z.number().nonnegative().default(604_800).describe('seconds in which what counts for GrpTRESMins halves, 0: it does not (PriorityDecayHalfLife); default 7 days'),
  usageReset: usageResetOption,
  calcPeriod: z.number().min(1).default(300).describe('seconds: at multiples of it usage for GrpTRESMins is counted, and what running jobs have left for GrpTRESRunMins (PriorityCalcPeriod); default 5 minutes'),
})
/** Options of `slurm-limits`. */
export type SlurmLimitsOptions = z.input<typeof slurmLimitsOptions>
export type ReadOptions = z.output<typeof slurmLimitsOptions>
