import * as z from '@sched/bundled/zod'

/** Seconds between two cycles in which nothing happens (scheduler_iteration of the server). */
const TEN_MINUTES = 600
const DAY = 86_400

const entities = ['euser', 'egroup', 'Account_Name', 'queue', 'egroup:euser'] as const

export const pbsSortOptions = z.strictObject({
  job_sort_formula: z.string().optional().describe('the value of a job, the largest first: a Python expression of ncpus, mem (KiB), walltime, eligible_time, job_priority, queue_priority, fairshare_perc and other names'),
  job_sort_formula_threshold: z.number().optional().describe('jobs with this value of the formula or less do not start'),
  job_sort_key: z.array(z.string()).default([]).describe('by what jobs are sorted that are alike so far, as a sched_config has it: "ncpus HIGH", "job_priority HIGH", "walltime LOW"'),
  eligible_time_enable: z.boolean().default(false).describe('whether eligible_time grows, with the time since submission; else it is 0'),
  queues: z.record(z.string(), z.strictObject({ Priority: z.int().min(-1024).max(1023).default(0).describe('queue_priority of its jobs') })).default({}).describe('queues with their priorities'),
  resources: z.array(z.string()).default([]).describe('licences of jobs that the formula, the keys or fairshare_usage_res name'),
  fair_share: z.boolean().default(false).describe('whether jobs that the formula leaves alike are sorted by use over shares, and whether use is counted'),
  resource_group: z.string().default('').describe('the text of the resource_group file: lines of a name, a number, the group around it or root, and shares'),
  unknown_shares: z.int().nonnegative().default(0).describe('shares of the group of all whom resource_group does not name'),
  fairshare_entity: z.enum(entities).default('euser').describe('whose use counts together: euser, users; egroup and Account_Name, accounts; queue; egroup:euser'),
  fairshare_usage_res: z.string().default('cput').describe('what is counted as use: an expression that grows evenly with walltime or cput, ncpus*walltime for example; cput is what processors could do'),
  fairshare_decay_time: z.number().positive().default(DAY).describe('seconds after which use decays'),
  fairshare_decay_factor: z.number().positive().lt(1).default(0.5).describe('what is left of it then'),
  fairshare_enforce_no_shares: z.boolean().default(true).describe('whether jobs without any shares are refused under fair_share'),
  scheduler_iteration: z.number().positive().default(TEN_MINUTES).describe('seconds between two cycles while nothing happens: use decays in cycles, and what is used after the last one in which a job runs is not counted'),
  usage: z.record(z.string(), z.number().nonnegative()).default({}).describe('use of entities at the beginning, as pbsfs shows it'),
})
export type ReadPbsSortOptions = z.output<typeof pbsSortOptions>
/** Options of `pbs-sort`, under OpenPBS's names; all may be left out. */
export type PbsSortOptions = z.input<typeof pbsSortOptions>
