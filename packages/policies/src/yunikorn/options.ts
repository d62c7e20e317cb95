import * as z from '@sched/bundled/zod'

/** Amounts by resource name. */
const amounts = z.record(z.string(), z.number().nonnegative())
export type Amounts = Readonly<Record<string, number>>
/** A priority; in YuniKorn it is a 32-bit number. */
const priority = z.number().int().min(-(2 ** 31)).max(2 ** 31 - 1)
const names = z.array(z.string().min(1))

const limit = z.strictObject({
  users: names.default([]).describe('users whom it holds for, each for himself; `*`: every user without a limit of his own in this queue'),
  groups: names.default([]).describe('groups whom it holds for, each as a whole; `*`: all users together who are in groups, but in none that a limit of the queue names'),
  maxResources: amounts.default({}).describe('never exceeded by what a user or group has in the queue and those inside it; resources not named: no limit'),
  maxApplications: z.number().int().nonnegative().default(0).describe('jobs that may run at once; 0: no limit'),
})
export type LimitSettings = z.output<typeof limit>

const leafFields = {
  guaranteed: amounts.default({}).describe('what siblings are compared by, and up to which it may take tasks of others; resources not named: none'),
  max: amounts.default({}).describe('never exceeded, with all queues inside; resources not named: no limit'),
  maxApplications: z.number().int().nonnegative().default(0).describe('jobs that may run at once, those of queues inside counted; 0: no limit'),
  sort: z.enum(['fifo', 'fair']).default('fifo').describe('whose job of a queue that holds jobs goes next: the oldest, or the one that has least of what is guaranteed'),
  sortPriority: z.boolean().default(true).describe('whether higher priorities go before all else, of jobs or of the queues inside'),
  priorityPolicy: z.enum(['default', 'fence']).default('default').describe('fence: priorities inside do not count outside, where the queue has its offset as its priority'),
  priorityOffset: priority.default(0).describe('added to the highest priority that waits inside'),
  preemptionPolicy: z
    .enum(['default', 'fence', 'disabled'])
    .default('default')
    .describe('fence: those inside take no tasks from outside; disabled, of a queue that holds jobs: its tasks are never taken'),
  preemptionDelay: z.number().positive().default(30).describe('seconds that a job of the queue waits before it may take tasks'),
}
const template = z.strictObject(leafFields)

/** A queue as it is configured. */
export interface QueueOptions extends z.input<typeof template> {
  /** Whether it holds queues and no jobs, even if none is named inside. */
  readonly parent?: boolean | undefined
  /** Limits of users and groups. */
  readonly limits?: readonly z.input<typeof limit>[] | undefined
  /** Settings of the leaf queues that are made inside it at first use; default: the template of the queue around it. */
  readonly template?: z.input<typeof template> | undefined
  /** Queues inside this one. */
  readonly queues?: Readonly<Record<string, QueueOptions>> | undefined
}
/** The options of a queue with defaults filled in. */
export interface QueueSettings extends z.output<typeof template> {
  readonly parent: boolean
  readonly limits: readonly LimitSettings[]
  readonly template?: z.output<typeof template> | undefined
  readonly queues: Readonly<Record<string, QueueSettings>>
}

const queueOptions: z.ZodType<QueueSettings, QueueOptions> = z.lazy(() =>
  z.strictObject({
    ...leafFields,
    parent: z.boolean().default(false).describe('holds queues and no jobs although none is named inside'),
    limits: z.array(limit).default([]).describe('limits of users and groups in the queue and those inside it'),
    template: template.optional().describe('settings of queues that hold jobs and are made inside it at first use; default that of the queue around it'),
    queues: z.record(z.string(), queueOptions).default({}).describe('queues inside this one'),
  }),
)

export const yunikornOptions = z.strictObject({
  root: queueOptions.prefault({}).describe('the root queue with those inside it; queues that are not named are made at first use'),
  groups: z.record(z.string(), names).default({}).describe('groups of users by name, for limits of groups; a job with a group in the workload is in that one, too'),
  units: z
    .record(z.string(), z.number().positive())
    .default({})
    .describe('what one unit of a resource counts where `sort: fair` compares jobs by amounts, since nothing of it is guaranteed; default 1'),
  attemptInterval: z.number().positive().default(15).describe('seconds until a job that found nobody to take tasks from looks again, if anything has changed'),
})
export type YunikornSettings = z.output<typeof yunikornOptions>
/** Options of the order `yunikorn`; all may be left out. Amounts are in the units of the cluster, times in seconds. */
export type YunikornOptions = z.input<typeof yunikornOptions>

export const yunikornPolicyOptions = z.strictObject({
  ...yunikornOptions.shape,
  reservations: z.boolean().default(true).describe('whether a task that fits nowhere reserves a node; false: DISABLE_RESERVATION, and small tasks may pass large ones for ever'),
  reservationDelay: z.number().nonnegative().default(2).describe('seconds that a task waits before it may reserve a node'),
})
export type YunikornPolicySettings = z.output<typeof yunikornPolicyOptions>
/** Options of `yunikornReserving` and `yunikornPreempting`: those of the order `yunikorn`, and of reservations. All may be left out. */
export type YunikornPolicyOptions = z.input<typeof yunikornPolicyOptions>
