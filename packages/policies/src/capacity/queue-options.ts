import * as z from '@sched/bundled/zod'
import { mappingOption } from './mappings.js'

const amounts = z.record(z.string(), z.int().nonnegative())
const percentage = z.number().min(0).max(100)
const weight = z
  .string()
  .regex(/^\d+(\.\d+)?w$/, 'a weight such as "3w"')
const amount = z.int().nonnegative()
const capacity = z.union([percentage, weight, z.record(z.string(), z.union([amount, z.string().regex(/^\d+(\.\d+)?[%w]$/, 'a percentage such as "50%" or a weight such as "3w"')]))])
const limit = z.union([percentage, z.record(z.string(), z.union([amount, z.string().regex(/^\d+(\.\d+)?%$/, 'a percentage such as "50%"')]))])
const count = z.int().nonnegative()
const names = z.union([z.literal('*'), z.array(z.string())])
const part = z.number().min(0).max(1)

const ofLabel = z.strictObject({
  capacity: capacity.optional().describe("percent of the parent's part of the partition, a weight such as 3w, or amounts; default 0, of `root` 100"),
  maximumCapacity: limit.optional().describe("percent of the parent's maximum in the partition, or amounts; default 100"),
  maximumAmResourcePercent: part.optional().describe('part of it for masters of jobs; default that of the queue'),
})

/** Options of one queue. Percentages are of the parent; amounts are whole numbers per resource, of the whole cluster. */
const queueOptions = z.strictObject({
  capacity: capacity.optional().describe('guaranteed part: percent of the parent, a weight such as 3w among siblings with weights, or amounts by resource; without `legacyQueueMode` also percentages and weights by resource; default: what its siblings leave'),
  maximumCapacity: limit.optional().describe("most it may use: percent of the parent's maximum, or amounts by resource; default 100"),
  allowZeroCapacitySum: z.boolean().optional().describe('whether percentages of the queues in it may sum to 0 although it has a capacity; they may in one of capacity 0 and in one with a weight; default false'),
  elastic: z.boolean().optional().describe('whether it may use more than its capacity at all; false: its maximum is its capacity; default true'),
  minimumUserLimitPercent: z.number().nonnegative().max(100).optional().describe('floor of what one user may have while others want some, percent of the queue; default 100'),
  userLimitFactor: z.union([z.literal(-1), z.number().nonnegative()]).optional().describe('most that one user may have, in capacities of the queue; -1: no such limit; default 1'),
  userWeights: z.record(z.string(), z.number().nonnegative()).optional().describe("factors of single users' limits; default: those of the queues around it, else 1"),
  ordering: z
    .enum(['fifo', 'priority', 'fair'])
    .optional()
    .describe('jobs of a leaf: fifo by submission (and priority, up to `maximumApplicationPriority`), priority by any priority and then submission, fair by least memory used; default fifo'),
  sizeBasedWeight: z.boolean().optional().describe('fair: what a job uses is divided by the logarithm of what it uses and wants; default false'),
  queueOrdering: z
    .enum(['utilization', 'priority-utilization'])
    .optional()
    .describe('queues of a parent: by used over guaranteed; or those below their guarantee first, by priority; default that of the queue around it, of the root utilization'),
  priority: z.int().optional().describe('of the queue among its siblings, larger first; counts where the parent orders by priority-utilization; default 0'),
  defaultApplicationPriority: z.int().optional().describe('priority of jobs that have none (0)'),
  maximumApplications: count.optional().describe('jobs in the queue, running and waiting; further ones are refused; default: its part of the system-wide limit. A default for all queues is the number of each, and of one whose capacity is amounts is multiplied by its part'),
  maxParallelApps: count.optional().describe('jobs that may run at once; further ones wait; default unlimited'),
  maximumAmResourcePercent: part.optional().describe('part of what it may use that masters of active jobs may ask for, 0 to 1, one job always; the others wait to be active; default 0.1. Jobs without masters do not count'),
  maximumAllocation: amounts.optional().describe('most that one task may ask, by resource; default: that of the queue around it'),
  state: z.enum(['RUNNING', 'STOPPED']).optional().describe('STOPPED: it and all inside it take no more jobs'),
  autoCreate: z
    .boolean()
    .optional()
    .describe('queues inside it that are not declared are made at their first job, with weight 1 or as in `template`; default false, of `root` true where no queue is declared'),
  maximumQueueDepth: count.optional().describe('levels of queues that may be made below it, 1: those in it alone; default 2, without a limit where no queue is declared'),
  maximumQueues: z
    .union([z.literal(-1), count])
    .optional()
    .describe('queues that may be in it, declared or made, when another is made; -1: no limit; default 1000, without a limit where no queue is declared'),
  failOnExceedingCapacity: z
    .boolean()
    .optional()
    .describe('a job is refused whose queue is to be made in it and would get nothing of the percentage or amounts of its template; default false'),
  accessibleLabels: names.optional().describe("partitions of the cluster it may use beside the default one, * for all; default: its parent's"),
  labels: z.record(z.string(), ofLabel).optional().describe('its capacities in partitions, by label'),
  defaultLabelExpression: z
    .string()
    .optional()
    .describe("the partition of jobs that require none; default: its parent's if it may use all that the parent may, else the default one"),
  disablePreemption: z.boolean().optional().describe("nothing is taken from it; default: its parent's setting"),
  disableIntraQueuePreemption: z.boolean().optional().describe("nothing is taken from its jobs for others in it; default: its parent's setting"),
})
const namedSettings = {
  minimumUserLimitPercent: true, userLimitFactor: true, ordering: true, sizeBasedWeight: true, maxParallelApps: true,
  maximumAllocation: true, maximumApplications: true, maximumAmResourcePercent: true,
} as const
const ofBoth = {
  capacity: true, maximumCapacity: true, priority: true, userWeights: true, accessibleLabels: true,
  labels: true, defaultLabelExpression: true, disablePreemption: true, disableIntraQueuePreemption: true,
} as const
const removal = { autoRemoval: z.boolean().optional().describe('false: they stay whatever `queueExpiration` says; default true') }
const template = queueOptions.pick({ ...namedSettings, ...ofBoth, defaultApplicationPriority: true }).extend(removal)
const parentTemplate = queueOptions.pick({ ...ofBoth, queueOrdering: true, maxParallelApps: true, maximumAllocation: true, maximumQueues: true }).extend(removal)
const templates = {
  template: z
    .strictObject(template.shape)
    .optional()
    .describe('settings of the queues that are made in it at first use, as far as they hold jobs; default: those that `templates` has for its path, else weight 1, no limit of users and none of masters (`maximumAmResourcePercent` 1). In the legacy mode its percentages or amounts are all or nothing: nothing where the queues that were made before leave less'),
  parentTemplate: z
    .strictObject(parentTemplate.shape)
    .optional()
    .describe('settings of the queues that are made in it at first use and hold others; default: those that `templates` has for its path, else weight 1'),
}
const withTemplate = queueOptions.extend(templates)
/** Templates of the queues that are made in the queues of a path. */
const templatesOfPath = z.strictObject(templates)
/** Options of a queue. */
export type CapacityQueueOptions = z.input<typeof withTemplate>

export const treeShape = {
  queues: z
    .record(z.string(), withTemplate)
    .default({})
    .describe('queues by path: root.a, root.a.b, ...; the `root.` may be left out; none: a queue is made for every name that jobs use, all with weight 1'),
  templates: z
    .record(z.string(), templatesOfPath)
    .default({})
    .describe('`template` and `parentTemplate` of queues that have neither, also of those that were made themselves, by path; its last names may be * for any, as many as `maximumQueueDepth`: root.a.*, root.*.*. The path with the fewest goes first, and stands alone'),
  queueExpiration: z
    .number()
    .positive()
    .optional()
    .describe('seconds between two looks at the queues that were made at first use: one that is empty at both, and whose last job came longer ago than that, goes; absent: they stay (in YARN 300 where AutoCreatedQueueDeletionPolicy is among the monitors)'),
  queueManagementInterval: z
    .number()
    .positive()
    .optional()
    .describe('seconds between two looks at queues made at first use whose template has percentages or amounts, in the legacy mode: those without jobs lose them to those with jobs that have none, first come first served; absent: they keep what they are made with (in YARN 1.5 where QueueManagementDynamicEditPolicy is among the monitors)'),
  defaults: z
    .strictObject(queueOptions.pick({
      minimumUserLimitPercent: true, userLimitFactor: true, ordering: true, sizeBasedWeight: true, queueOrdering: true,
      maxParallelApps: true, maximumAllocation: true, maximumApplications: true, maximumAmResourcePercent: true, maximumQueueDepth: true,
    }).shape)
    .default({})
    .describe('settings of queues that do not say otherwise'),
  legacyQueueMode: z
    .boolean()
    .default(true)
    .describe('true: siblings have capacities of one kind, and percentages sum to 100; false (Hadoop 3.4): each resource of each queue may have its own, `{ memory: 50%, cpu: 2w, gpu: 4 }`: of what the parent has amounts come first, percentages are of what these leave, and weights divide the rest'),
  resourceCalculator: z
    .enum(['default', 'dominant'])
    .default('default')
    .describe('default: shares and limits count memory (else the first resource) alone; dominant: all resources, compared by the largest part. Tasks need all they ask on their node either way'),
  minimumAllocation: amounts.default({}).describe('steps in which user limits are counted, by resource; default 1 each. Demands are not rounded'),
  userLimitBasis: z
    .enum(['active-usage', 'active-users'])
    .default('active-usage')
    .describe('what is divided among the active users: what they use and one step more (Hadoop 2.9 and later), or the queue (before, and the survey)'),
  maximumApplications: count.default(10_000).describe('jobs in the system, running and waiting; further ones are refused'),
  maximumApplicationPriority: count.default(0).describe('priorities above are lowered to it (yarn.cluster.max-application-priority); fifo ignores priorities at the default 0'),
  maxParallelAppsPerUser: count.optional().describe('jobs of any one user that may run at once; default unlimited'),
  users: z.record(z.string(), z.strictObject({ maxParallelApps: count.describe('jobs of the user that may run at once; further ones wait') })).default({}).describe('limits of single users'),
  mappings: z
    .array(mappingOption)
    .default([])
    .describe(
      'queues of jobs that name none, first that applies: u:USER:QUEUE, g:GROUP:QUEUE, or a rule; %user and %primary_group stand for the names',
    ),
  overrideWithMappings: z.boolean().default(false).describe('mappings apply to jobs that name a queue too'),
  partitionLabel: z.string().default('partition').describe('the label of nodes, and of what stages require, that names the partition; nodes without it are in the default one'),
  exclusiveLabels: names.default('*').describe('partitions whose idle resources are not lent to jobs of the default partition; * for all'),
}

export const treeOptions = z.strictObject({
  ...treeShape,
  ties: z
    .enum(['name', 'capacity'])
    .default('name')
    .describe('siblings that are equal: by name (the survey), or the one with the larger guarantee, then by name (Hadoop 2.9 and later)'),
})
export type ReadCapacityOptions = z.output<typeof treeOptions>
/** Options, as the schema returns them, of a queue that is declared or was made from a template. */
export type ReadQueueOptions = z.output<typeof withTemplate> & Pick<z.output<typeof template>, 'autoRemoval'>
/** Templates of the queues that are made in a queue. */
export type Templates = Pick<ReadQueueOptions, 'template' | 'parentTemplate'>
