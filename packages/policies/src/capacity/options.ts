import * as z from '@sched/bundled/zod'
import { checkQueues } from './check-queues.js'
import { treeOptions, treeShape } from './queue-options.js'

/** Schema of the options of the order `capacity`. */
export const capacityOptions = treeOptions.superRefine(checkQueues)
/** Options of `capacity`; all may be left out. */
export type CapacityOptions = z.input<typeof treeOptions>

/** Options of delay and reservations, as the discipline `reserving` has them. */
export const assignmentShape = {
  nodeLocalityDelay: z.int().min(-1).default(40).describe('opportunities a job lets pass before it starts on the rack of its data, at most the number of nodes; -1: none'),
  rackLocalityAdditionalDelay: z.int().min(-1).default(-1).describe('further ones before it starts anywhere; -1: containers wanted x nodes asked / nodes'),
  rackLocalityFullReset: z.boolean().default(true).describe('whether a start on the rack resets the count as one on the node does'),
  multipleAssignments: z.boolean().default(true).describe('more than one start per heartbeat of a node'),
  maximumContainerAssignments: z.int().min(-1).default(100).describe('most starts per heartbeat of a node, one at least; -1: no limit'),
  maximumOffswitchAssignments: z.int().min(1).default(1).describe('most starts off the rack per heartbeat of a node; tasks without data count'),
  nodeOrder: z
    .enum(['id', 'least-used'])
    .default('id')
    .describe('without heartbeats, which node is next: by id, until nothing starts there any more; or for every task the one with least memory in use (multi-node placement of YARN). At heartbeats it is the one that beats'),
  reservations: z.boolean().default(true).describe('a task that does not fit the node reserves it; false: it is passed over'),
  reservationsContinueLookAllNodes: z.boolean().default(true).describe('a job with a reservation goes on looking at other nodes'),
}

const intraQueueOptions = z.strictObject({
  enabled: z.boolean().default(true).describe('false: as if this section were not there'),
  order: z
    .enum(['userlimit-first', 'priority-first'])
    .default('userlimit-first')
    .describe('userlimit-first: only from users above their limit, and not below it; priority-first: from lower priorities, whoever has them'),
  minimumThreshold: z.number().nonnegative().default(0.5).describe('nothing is taken in a queue that uses less than this part of its guarantee'),
  maxAllowableLimit: z.number().min(0).max(1).default(0.2).describe('most that is chosen in one look, part of the guarantee of the queue'),
  conservativeDrf: z.boolean().default(true).describe('with several resources: no more is chosen once there is enough of one of them'),
  equalParts: z
    .boolean()
    .default(true)
    .describe('jobs of leaves with `ordering: fair` are brought to equal parts: of what their user may have, or of what the leaf uses where `minimumUserLimitPercent` is 100 (Hadoop 3.4 and later); false: as those of other leaves, in order of what their users and they have (before)'),
})

const byPriorityOptions = z.strictObject({
  enabled: z.boolean().default(true).describe('false: as if this section were not there'),
  delay: z.number().nonnegative().default(60).describe('seconds for which a node was reserved before anything is taken there for it'),
})

const balanceOptions = z.strictObject({
  enabled: z.boolean().default(true).describe('false: as if this section were not there'),
  maxWaitBeforeKill: z
    .number()
    .nonnegative()
    .default(300)
    .describe('seconds from marking a task for this to killing it; marks are forgotten after twice the other `maxWaitBeforeKill`, so that a longer wait kills nobody'),
})

export const preemptionOptions = z.strictObject({
  enabled: z.boolean().default(true).describe('false: as if this section were not there'),
  observeOnly: z.boolean().default(false).describe('computes and kills nothing'),
  monitoringInterval: z.number().positive().default(3).describe('seconds between two looks, which are at multiples of it'),
  maxWaitBeforeKill: z.number().nonnegative().default(15).describe('seconds from marking a task to killing it'),
  totalPreemptionPerRound: z.number().min(0).max(1).default(0.1).describe('most that is chosen in one look, part of the cluster'),
  maxIgnoredOverCapacity: z.number().nonnegative().default(0.1).describe('dead zone: nothing is taken from a queue that uses less than this part above its guarantee'),
  naturalTerminationFactor: z.number().min(0).max(1).default(0.2).describe('part of the wanted amount that is chosen in one look: the rest is expected to end by itself'),
  conservativeDrf: z
    .boolean()
    .default(false)
    .describe('with several resources: no more is chosen from a queue once there is enough of one of them, nothing where one is not wanted'),
  lazyPreemption: z
    .boolean()
    .default(false)
    .describe('tasks whose wait is over run on until a job of a queue below its guarantee starts in their place, and are killed then; gangs are killed at once'),
  selectByReservations: z
    .boolean()
    .default(false)
    .describe('first tasks are chosen on nodes that are reserved, so that what waits for the node may start there, if all that is missing may be taken'),
  countReserved: z
    .boolean()
    .default(false)
    .describe('queues want what is reserved for them once more, so that it is taken from others wherever they have too much; may take more than is needed'),
  byPriority: byPriorityOptions
    .optional()
    .describe('on nodes reserved for queues below their guarantee, tasks of queues of lower priority are taken, though these have no more than theirs; counts where the queue around both has `queueOrdering: priority-utilization`. Absent: priorities alone take nothing'),
  balance: balanceOptions.optional().describe('brings queues above their guarantees to equal parts of them; absent: what is above is left where it is'),
  intraQueue: intraQueueOptions.optional().describe('takes from jobs for others in the same queue too; absent: only for other queues'),
})

const schedulerOptions = z.strictObject({
  ...treeShape,
  ties: z
    .enum(['name', 'capacity'])
    .default('capacity')
    .describe('siblings that are equal: the one with the larger guarantee, then by name (Hadoop 2.9 and later), or by name alone (the survey)'),
  ...assignmentShape,
  preemption: preemptionOptions.optional().describe('takes back what queues use above their guarantee for queues below theirs; absent: tasks end by themselves'),
})
/** Schema of the options of the policy `capacity-scheduler`: queues, delay, reservations, preemption. */
export const capacitySchedulerOptions = schedulerOptions.superRefine(checkQueues)
/** Options of `capacityScheduler`; all may be left out. */
export type CapacitySchedulerOptions = z.input<typeof schedulerOptions>
