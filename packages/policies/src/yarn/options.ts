import * as z from '@sched/bundled/zod'

const amount = z.union([z.number().nonnegative(), z.string().regex(/^\d+(\.\d+)?%$/, 'a number, or a percentage of the cluster such as "50%"')])
/** Amounts by resource name; a percentage is of the whole cluster. */
const amounts = z.record(z.string(), amount)
export type Amounts = Readonly<Record<string, number | string>>

const seconds = z.number().nonnegative()
const maxAMShare = z.union([z.literal(-1), z.number().min(0).max(1)])
const queueFields = {
  weight: z.number().nonnegative().optional().describe('share relative to siblings; 0: served after all others; default 1'),
  policy: z
    .enum(['fair', 'drf', 'fifo'])
    .optional()
    .describe('how the queue divides what it has: by memory, by dominant share, or first come first served (jobs only); default that of `defaults`'),
  minResources: amounts.optional().describe('served before siblings while below; resources not named: 0'),
  maxResources: amounts.optional().describe('never exceeded, with all queues inside; at least minResources; resources not named: no limit'),
  maxChildResources: amounts.optional().describe('maxResources of queues made inside it at first use'),
  maxContainerAllocation: amounts.optional().describe('largest single task; inherited'),
  maxRunningApps: z.number().int().nonnegative().optional().describe('jobs that may run at once, queues inside counted; default unlimited'),
  maxAMShare: maxAMShare.optional().describe('part of the fair share of a leaf that masters of its jobs may take, 0 to 1; -1: no limit; default that of `defaults`'),
  minSharePreemptionTimeout: seconds.optional().describe('seconds below the minimum share before it may take tasks; inherited; default never'),
  fairSharePreemptionTimeout: seconds.optional().describe('seconds below the threshold of its fair share before it may take tasks; inherited; default never'),
  fairSharePreemptionThreshold: z.number().min(0).max(1).optional().describe('part of the fair share below which a queue is starved; inherited; default 0.5'),
  allowPreemptionFrom: z.boolean().optional().describe('false: its tasks and those of queues inside are never taken; default true'),
  type: z.literal('parent').optional().describe('holds queues and no jobs although none is declared inside'),
}

/** A queue as it is configured; a queue with queues inside holds no jobs of its own. */
export interface QueueOptions {
  /** Share relative to siblings; 0: served after all others; default 1. */
  readonly weight?: number | undefined
  /**
   * How the queue divides what it has: `fair` by memory, `drf` by dominant share, `fifo` first come first served (only among jobs); default that of
   * `defaults`.
   */
  readonly policy?: 'fair' | 'drf' | 'fifo' | undefined
  /** Minimum share: the queue is served before its siblings while it has less; resources not named: 0. */
  readonly minResources?: Amounts | undefined
  /** Maximum, never exceeded by the queue with all queues inside it; at least minResources; resources not named: no limit. */
  readonly maxResources?: Amounts | undefined
  /** `maxResources` of queues that are made inside it at first use. */
  readonly maxChildResources?: Amounts | undefined
  /** Largest single task; inherited. */
  readonly maxContainerAllocation?: Amounts | undefined
  /** Jobs that may run at once, queues inside counted; default unlimited. */
  readonly maxRunningApps?: number | undefined
  /** Part of the fair share of a leaf that masters of its jobs may take, 0 to 1; -1: no limit; default that of `defaults`. */
  readonly maxAMShare?: number | undefined
  /** Seconds below the minimum share before it may take tasks; inherited; default never. */
  readonly minSharePreemptionTimeout?: number | undefined
  /** Seconds below the threshold of its fair share before it may take tasks; inherited; default never. */
  readonly fairSharePreemptionTimeout?: number | undefined
  /** Part of the fair share below which a queue is starved; inherited; default 0.5. */
  readonly fairSharePreemptionThreshold?: number | undefined
  /** False: its tasks and those of queues inside are never taken; default true. */
  readonly allowPreemptionFrom?: boolean | undefined
  /** The queue holds queues and no jobs, even if no queue is declared inside it. */
  readonly type?: 'parent' | undefined
  /** Queues inside this one. */
  readonly queues?: Readonly<Record<string, QueueOptions>> | undefined
}

const queueOptions: z.ZodType<QueueOptions> = z.lazy(() =>
  z.strictObject({ ...queueFields, queues: z.record(z.string(), queueOptions).optional().describe('queues inside this one') }),
)

export const yarnFairOptions = z.strictObject({
  root: queueOptions.default({}).describe('the root queue, with the declared queues inside it; queues not named are made at first use'),
  defaults: z
    .strictObject({
      policy: z.enum(['fair', 'drf']).optional().describe('policy of queues that name none; default fair'),
      maxResources: amounts.optional().describe('maxResources of queues that name none'),
      maxRunningApps: z.number().int().nonnegative().optional().describe('maxRunningApps of queues that name none'),
      maxAMShare: maxAMShare.optional().describe('maxAMShare of queues that name none; default 0.5'),
    })
    .default({})
    .describe('settings of queues that do not set them, except the root'),
  users: z.record(z.string(), z.strictObject({ maxRunningApps: z.number().int().nonnegative().describe('jobs of the user that may run at once') })).default({}).describe('limits of single users'),
  userMaxRunningApps: z.number().int().nonnegative().optional().describe('jobs of any one user that may run at once; default unlimited'),
  sizeBasedWeight: z.boolean().default(false).describe('a job weighs log2(1 + its memory demand) under `fair` and `drf`'),
  memory: z.string().optional().describe('the resource that `fair` compares; default: the first called memory-mb, memory, mem or ram, else the first'),
  poolOrder: z
    .enum(['hadoop', 'survey-literal'])
    .default('hadoop')
    .describe('order of queues that have their minimum: usage / weight, or, for study, weight / running jobs as a survey has it'),
})

/** Options of `yarnFair`; all may be left out. Amounts are in the units of the cluster, times in seconds. */
export interface YarnFairOptions {
  /** The root queue, with the declared queues inside it; queues not named are made at first use. Default none. */
  readonly root?: QueueOptions
  /** Settings of queues that do not set them, except the root. */
  readonly defaults?: { readonly policy?: 'fair' | 'drf'; readonly maxResources?: Amounts; readonly maxRunningApps?: number; readonly maxAMShare?: number }
  /** Limits of single users. Default none. */
  readonly users?: Readonly<Record<string, { readonly maxRunningApps: number }>>
  /** Jobs of any one user that may run at once; default unlimited. */
  readonly userMaxRunningApps?: number
  /** A job weighs log2(1 + its memory demand) under `fair` and `drf`. Default false. */
  readonly sizeBasedWeight?: boolean
  /** The resource that `fair` compares; default: the first called memory-mb, memory, mem or ram, else the first. */
  readonly memory?: string
  /**
   * Order of queues that have their minimum: `hadoop` by usage / weight, or, for study, `survey-literal` by weight / running jobs as in a survey.
   * Default `hadoop`.
   */
  readonly poolOrder?: 'hadoop' | 'survey-literal'
}
