import { SchedError, type Plug } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { reservationOptions } from './node-reservations.js'
import { overrunOptions, windowOptions } from './options.js'
import { topologyOptions } from './topologies.js'

export const replanOptions = z.strictObject({
  nodes: z.enum(['counted', 'named']).default('counted').describe('what a reservation holds: amounts over the whole cluster, or nodes by name'),
  twoPass: z
    .boolean()
    .default(false)
    .describe('at every event only the first jobs start, in order, until one does not fit (a young one may be passed); the plan is made when something has changed since the last one, bf_interval after it at the earliest'),
  bf_interval: z
    .union([z.literal(-1), z.number().positive()])
    .default(30)
    .describe('least seconds from one plan to the next with `twoPass`; without it the next plan after one that started jobs and looked at others no more because of a limit is at a multiple of it; -1: no plans are made, with `twoPass` alone'),
  sched_interval: z.number().positive().default(60).describe('where no plans are made: seconds between looks at the whole queue, in which jobs start in order as at events'),
  select: z
    .enum(['linear', 'cons_tres'])
    .default('linear')
    .describe('how a later start is looked for with named nodes: linear, by the end of one running job after another; cons_tres, by those of 30 s together, then of 60, 120, ... s, so that it may be planned later'),
  ...topologyOptions,
  max_switch_wait: z.number().int().nonnegative().default(300).describe('seconds for which a job waits at most for nodes as near each other as its `topology` asks, with topology: tree or asked; a plan starts it then wherever there is room'),
  bf_window_linear: z.number().int().nonnegative().default(0).describe('seconds by which the 30 s of cons_tres grow from one look to the next; 0: they double'),
  weights: z
    .record(z.string(), z.int().nonnegative())
    .default({})
    .describe('weights of named nodes (Weight of slurm.conf), 1 where not given: those of the least are taken before others, whatever the fit'),
  exclusiveUsers: z
    .array(z.string())
    .default([])
    .describe('queues whose jobs share named nodes with jobs of their own user alone (ExclusiveUser of partitions)'),
  maxCpusPerNode: z
    .record(z.string(), z.int().nonnegative())
    .default({})
    .describe('most processors of each named node that the jobs of a queue may have together (MaxCPUsPerNode of partitions); a single task of more is not held to it, but to 0'),
  maxNodes: z
    .record(z.string(), z.int().positive())
    .default({})
    .describe('most named nodes that the tasks of a job that start together may be on, by queue (MaxNodes of partitions), but for those in blocks'),
  bf_window: z.number().int().positive().default(1440).describe('minutes: starts farther ahead are not planned'),
  bf_resolution: z.number().int().positive().default(60).describe('seconds: reservations begin at multiples of it, rounded down, and end at multiples, rounded up'),
  bf_max_job_test: z.number().int().positive().default(500).describe('jobs looked at in a pass'),
  bf_node_space_size: z
    .number()
    .int()
    .min(2)
    .optional()
    .describe('entries that reservations may make in a plan, each where one begins or ends at another time, and one more: a pass ends where there are so many; default: bf_max_job_test'),
  bf_max_job_start: z.number().int().nonnegative().default(0).describe('most jobs that a plan starts; 0: no limit'),
  bf_max_job_user: z.number().int().nonnegative().default(0).describe('most jobs of a user that a plan looks at; 0: no limit'),
  bf_max_job_assoc: z.number().int().nonnegative().default(0).describe('the same of an association, a user under an account, in place of `bf_max_job_user`; 0: no limit'),
  bf_max_job_part: z.number().int().nonnegative().default(0).describe('most jobs of a queue that a plan looks at; 0: no limit'),
  bf_max_job_user_part: z.number().int().nonnegative().default(0).describe('most jobs of a user in a queue that a plan looks at; 0: no limit'),
  bf_max_job_array_resv: z.number().int().positive().default(20).describe('tasks of an array that get reservations in a pass, which then goes on with the next job'),
  bf_job_part_count_reserve: z.number().int().nonnegative().default(0).describe('jobs of each queue that get a reservation in a pass; 0: all, 1: EASY where there is one queue'),
  bf_one_resv_per_job: z
    .boolean()
    .default(false)
    .describe('once a job that may start in several queues has a reservation in one of them, a plan starts it in the others only at once; default: it gets one in each'),
  bf_min_age_reserve: z
    .number()
    .nonnegative()
    .default(0)
    .describe('seconds a job must have waited to get a reservation, and with `twoPass` to keep those behind it from starting at events'),
  bf_min_prio_reserve: z
    .number()
    .nonnegative()
    .default(0)
    .describe('the same of priorities: a job of a lower one gets no reservation and keeps nobody from starting; under `multifactor` those that it computes; 0: all do'),
  minPriorities: z
    .record(z.string(), z.number().positive())
    .default({})
    .describe('the same by QOS, in place of it (MinPrioThreshold of sacctmgr); jobs that name none have `normal`'),
  minPrioritiesOfQueues: z
    .record(z.string(), z.number().positive())
    .default({})
    .describe('the same by queue, in place of both (MinPrioThreshold of the QOS of a partition)'),
  minPrioritiesOfAccounts: z
    .record(z.string(), z.number().positive())
    .default({})
    .describe('the same by account, where no QOS says it (MinPrioThresh of associations); jobs that name none have `root`'),
  minPrioritiesOfUsers: z
    .record(z.string(), z.record(z.string(), z.number().positive()))
    .default({})
    .describe('the same of users, by account and user, before that of the account'),
  minPrioritiesOfUsersOfPartitions: z
    .record(z.string(), z.record(z.string(), z.record(z.string(), z.number().nonnegative())))
    .default({})
    .describe('the same by account, queue and user, of users for their jobs there, before those (associations of one partition); 0: that of all jobs'),
  ownQosFirst: z.array(z.string()).default([]).describe('QOS whose priority comes before that of the queue (flag OverPartQOS)'),
  noReserve: z
    .array(z.string())
    .default([])
    .describe('QOS whose jobs plans start and give no reservation (flag NoReserve of sacctmgr); jobs that name none have `normal`'),
  noReserveMinute: z
    .boolean()
    .default(false)
    .describe('such jobs start in plans where they have room for a minute, since others may take their place (where PreemptMode is not OFF)'),
  bf_licenses: z
    .record(z.string(), z.int().nonnegative())
    .optional()
    .describe(
      'licences of the cluster by name (Licenses) that plans reckon with: a job that waits for some gets a reservation for when they are free',
    ),
  batch_sched_delay: z.number().nonnegative().default(0).describe('seconds between looks at the first jobs at events, with `twoPass`: an event that comes sooner waits; 0: none does. A slurm.conf has 3'),
  defer: z.boolean().default(false).describe('whether the end of a job waits for `batch_sched_delay`, too, and is not looked at at once'),
  default_queue_depth: z.number().int().nonnegative().default(100).describe('jobs looked at where the first start at an event, with `twoPass`; one more is, as in Slurm'),
  partition_job_depth: z.number().int().nonnegative().default(0).describe('the same of each queue; 0: no limit'),
  sched_max_job_start: z.number().int().nonnegative().default(0).describe('most jobs that start at an event, with `twoPass`; 0: no limit'),
  ...reservationOptions,
  ...windowOptions,
  ...overrunOptions,
})
/** Options of `replan`; those with underscores are the Slurm options of that name. */
export interface ReplanOptions extends z.input<typeof replanOptions> {
  /** Where the tasks of a starting job go, unless nodes are named; default: the lowest nodes with room. */
  readonly placement?: Plug<'placement'>
}
export type ReadReplanOptions = z.output<typeof replanOptions>

/** Throws `BAD_OPTION` for options about single nodes, which a plan of counted amounts cannot respect. */
export function checkCounted(options: ReadReplanOptions): void {
  for (const [name, fact] of Object.entries({ weights: 'nodes have weights', exclusiveUsers: 'users have nodes of their own', maxCpusPerNode: 'queues have processors of nodes', maxNodes: 'jobs of queues are on few nodes', topologies: 'nodes of queues are chosen by their racks', reservations: 'nodes are kept for some jobs' } as const))
    if (Object.keys(options[name as 'weights']).length > 0)
      throw new SchedError('BAD_OPTION', `${fact}, but reservations are of amounts.`, { field: `replan.${name}` }, "Add { nodes: 'named' }, or leave them out.")
  if (options.leastLoaded !== false || options.pack_serial_at_end)
    throw new SchedError('BAD_OPTION', 'nodes are taken in an order, but reservations are of amounts.', { field: `replan.${options.pack_serial_at_end ? 'pack_serial_at_end' : 'leastLoaded'}` }, "Add { nodes: 'named' }, or a placement in its place.")
  if (options.bf_one_resv_per_job)
    throw new SchedError('BAD_OPTION', 'jobs have one reservation in any case where reservations are of amounts.', { field: 'replan.bf_one_resv_per_job' }, "Add { nodes: 'named' }, or leave it out.")
  if (options.topology !== 'flat')
    throw new SchedError('BAD_OPTION', 'nodes are chosen by their racks, but reservations are of amounts.', { field: 'replan.topology' }, "Add { nodes: 'named' }, or the placement topology-tree in its place.")
}
