import * as z from '@sched/bundled/zod'

const amounts = z.record(z.string(), z.number().nonnegative())

const queueFields = {
  weight: z.number().int().positive().optional().describe('`proportion`: its part relative to others; default 1'),
  capability: amounts.optional().describe('the most that it may have, by resource; default: no bound, or that of the queue around it'),
  deserved: amounts.optional().describe('`capacity`: what it may take back of others; default 0'),
  guarantee: amounts.optional().describe('what no other queue may have; default 0'),
  reclaimable: z.boolean().optional().describe('whether others may take back of it; default true'),
  priority: z.number().int().optional().describe('queues of higher priority come first; default 0'),
  dequeueStrategy: z.enum(['traverse', 'fifo', 'priorityfifo']).optional().describe('whom a job that cannot start holds back: nobody, those of its priority and below, those below; default traverse'),
  state: z.enum(['Open', 'Closed', 'Closing', 'Unknown']).optional().describe('whether it takes jobs: Open does; default Open'),
}
const flag = (what: string) => z.boolean().optional().describe(`${what}; default true`)

const pluginNames = ['priority', 'gang', 'conformance', 'overcommit', 'drf', 'proportion', 'capacity', 'sla', 'tdm'] as const

const plugin = z.strictObject({
  name: z.enum(pluginNames).describe('the plug-in'),
  enableJobOrder: flag('whether it orders jobs'),
  enableQueueOrder: flag('whether it orders queues'),
  enableJobEnqueued: flag('whether it has a say in who is enqueued'),
  enabledOverused: flag('whether it tells which queues have enough'),
  enabledAllocatable: flag('whether it keeps queues within bounds'),
  enablePreemptable: flag('whether it has a say in who is preempted'),
  enableReclaimable: flag('whether it has a say in who is taken back'),
  enablePreemptive: flag('whether it tells which queues may take back'),
  enableJobStarving: flag('whether it tells which jobs may take of others'),
  enableHierarchy: z.boolean().optional().describe('`capacity`, `drf`: queues lie in others, and are compared from the outside inwards; no other plug-in has it; default false'),
  arguments: z.record(z.string(), z.number()).optional().describe('`overcommit`: `overcommit-factor` (default 1.2), `overcommit-factor.RESOURCE`; `sla`: `sla-waiting-time`, seconds after which a job is enqueued; `tdm`: `tdm.evict.period`, seconds from one time at which tasks are taken off closed zones to the next (default 60)'),
  revocableZones: z.record(z.string().min(1), z.string()).optional().describe('`tdm`: by zone, which is the label `volcano.sh/revocable-zone` of its nodes, the hours of the day in which jobs with `preemptible: true` may use them: `10:00-21:00`'),
})

/** The tiers of Volcano without a configuration, as far as they decide whose work goes next. */
const defaultTiers = [
  { plugins: [{ name: 'priority' as const }, { name: 'gang' as const }, { name: 'conformance' as const }] },
  { plugins: [{ name: 'overcommit' as const }, { name: 'drf' as const }, { name: 'proportion' as const }] },
]

export const volcanoOptions = z.strictObject({
  queues: z
    .record(
      z.string().min(1),
      z.strictObject({
        ...queueFields,
        parent: z.string().min(1).optional().describe('the queue it lies in; default root'),
        hierarchy: z.string().min(1).optional().describe('`drf` with `enableHierarchy`: where it lies, as root/team/project; default: in its parent'),
        hierarchyWeights: z.string().min(1).optional().describe('the weights of these names, as 1/50/50; those below 1 are 1'),
      }),
    )
    .default({})
    .describe('Queues by name: the queue of a job'),
  defaults: z.strictObject(queueFields).prefault({}).describe('settings of queues that do not say otherwise, and of those that are not named'),
  never: z.array(z.number()).default([]).describe('priorities whose jobs take nothing of others (`preemptionPolicy: Never` of a PriorityClass)'),
  actions: z.array(z.enum(['enqueue', 'allocate', 'backfill', 'preempt', 'reclaim', 'gangpreempt', 'gangreclaim', 'shuffle'])).min(1).default(['enqueue', 'allocate', 'backfill']).describe('what is done, in this order'),
  allowWholeBundle: z.boolean().default(true).describe('`gangpreempt`, `gangreclaim`: whether jobs that have no task to spare may go as a whole'),
  tiers: z
    .array(z.strictObject({ plugins: z.array(z.union([z.enum(pluginNames).transform((name) => ({ name })), plugin])).default([]).describe('the plug-ins of a tier, by name or with settings') }))
    .default(defaultTiers)
    .describe('plug-ins in tiers; default that of Volcano: priority, gang, conformance; overcommit, drf, proportion'),
})
export type VolcanoSettings = z.output<typeof volcanoOptions>
export type QueueSettings = VolcanoSettings['queues'][string]
export type PluginSettings = z.output<typeof plugin>
/** Options of `volcano`; all may be left out. */
export type VolcanoOptions = z.input<typeof volcanoOptions>
