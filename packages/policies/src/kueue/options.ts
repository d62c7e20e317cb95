import * as z from '@sched/bundled/zod'
import { preemptionConfig } from './preemption-rules.js'

const amount = z.number().nonnegative()
/** Amounts by resource, or by flavor and then by resource. */
const quantities = z.record(z.string(), z.union([amount, z.record(z.string(), amount)]))
export type Quantities = z.output<typeof quantities>

const protection = z
  .strictObject({ minAdmitDuration: z.number().nonnegative().default(0).describe('seconds since the workload was admitted; 0: at once') })
  .prefault({})

const cohortFields = {
  nominalQuota: quantities.optional().describe('amounts by resource, or by flavor and resource, in the order in which flavors are tried; `pods`: how many tasks, unless nodes have a resource of this name'),
  borrowingLimit: quantities.optional().describe('the most above the nominal quota that is taken from the cohort; default no limit'),
  lendingLimit: quantities.optional().describe('the most of the nominal quota that others in the cohort may take; default all'),
  weight: z.number().nonnegative().optional().describe('fair sharing: what it borrows counts over this; default 1, 0: it counts as infinite'),
}

const queueFields = {
  ...cohortFields,
  resourceGroups: z
    .array(z.array(z.string().min(1)).min(1))
    .min(1)
    .optional()
    .describe('resources by group, where `nominalQuota` has flavors of some resources and others of others: a workload has one flavor of each group of which it asks something; default: of all resources one flavor'),
  cohort: z.string().min(1).optional().describe('queues of a cohort borrow what others of it have idle; default: none'),
  queueingStrategy: z
    .enum(['BestEffortFIFO', 'StrictFIFO'])
    .optional()
    .describe('whether workloads behind the first are tried if it is not admitted; default BestEffortFIFO'),
  admissionMode: z
    .enum(['UsageBasedAdmissionFairSharing', 'NoAdmissionFairSharing'])
    .optional()
    .describe('whether the workloads of users who have used least lately come first in the queue, before priority and age (`admissionFairSharing`); default no'),
  preemption: z
    .strictObject({
      withinClusterQueue: z
        .enum(['Never', 'LowerPriority', 'LowerOrNewerEqualPriority'])
        .default('Never')
        .describe('which admitted workloads of its own queue a workload may preempt'),
      reclaimWithinCohort: z
        .enum(['Never', 'LowerPriority', 'Any'])
        .default('Never')
        .describe('which workloads of queues that borrow it may preempt, if it stays within the nominal quota'),
      borrowWithinCohort: z
        .strictObject({
          policy: z.enum(['Never', 'LowerPriority']).default('Never').describe('none, or those of lower priority than its own'),
          maxPriorityThreshold: z.number().int().optional().describe('only workloads of this priority and below'),
        })
        .prefault({})
        .describe('which workloads of other queues it may preempt although it borrows itself; with fair sharing shares decide'),
    })
    .optional()
    .describe('whom a workload without quota may preempt; default nobody'),
  preemptionConfig: z.string().min(1).optional().describe('name among `preemptionConfigs`: rules by which a workload preempts where `preemption` does not find enough; default none'),
  labels: z.record(z.string(), z.string()).optional().describe('by which the rules of `preemptionConfigs` select the queue'),
  flavorFungibility: z
    .strictObject({
      whenCanBorrow: z.enum(['MayStopSearch', 'Borrow', 'TryNextFlavor']).default('MayStopSearch').describe('a flavor where it fits by borrowing: take it, or look for one where it need not'),
      whenCanPreempt: z.enum(['MayStopSearch', 'Preempt', 'TryNextFlavor']).default('TryNextFlavor').describe('a flavor where it would have to preempt: do, or look for one where it need not'),
      preference: z.enum(['BorrowingOverPreemption', 'PreemptionOverBorrowing']).default('BorrowingOverPreemption').describe('which of several flavors is taken where each needs one or the other'),
    })
    .optional()
    .describe('which flavor a workload gets where the first has no quota at hand'),
}

const transformation = z.strictObject({
  input: z.string().min(1).describe('a resource of the cluster'),
  strategy: z.enum(['Retain', 'Replace']).default('Retain').describe('whether the resource counts itself, too'),
  multiplyBy: z.string().min(1).optional().describe('a resource of which a task that asks for it counts the input so many times'),
  units: z.record(z.string(), z.number().positive()).default({}).describe('how much of the input, and of the resource that multiplies it, is one of it; default 1 each'),
  outputs: z.record(z.string().min(1), amount).default({}).describe('by resource: what one of the input counts as. What a task counts for is rounded up'),
})

export const kueueOptions = z.strictObject({
  queues: z.record(z.string().min(1), z.strictObject(queueFields)).default({}).describe('ClusterQueues by name: the queue of a job'),
  cohorts: z
    .record(z.string().min(1), z.strictObject({ ...cohortFields, parent: z.string().min(1).optional().describe('the cohort it lies in') }))
    .default({})
    .describe('cohorts that lie in others, or have quota of their own'),
  defaults: z.strictObject(queueFields).prefault({}).describe('settings of queues that do not say otherwise, and of those that are not named. Without a nominal quota: as much as the nodes have'),
  flavors: z
    .record(z.string().min(1), z.record(z.string(), z.string()))
    .default({})
    .describe('resource flavors: the labels of their nodes; default: one, of all nodes'),
  transformations: z
    .array(transformation)
    .default([])
    .describe('resources that count against quotas as others; of an output that nodes do not have only queues count anything whose nominal quota names it'),
  fairSharing: z
    .union([
      z.boolean(),
      z.strictObject({
        preemptionStrategies: z
          .array(z.enum(['LessThanOrEqualToFinalShare', 'LessThanInitialShare']))
          .min(1)
          .default(['LessThanOrEqualToFinalShare', 'LessThanInitialShare'])
          .describe('when workloads of another queue may be preempted, tried one after the other: the share of the preemptor is then at most that of the other after it, or below that of the other before it'),
        preemptWithinNominal: z.boolean().default(true).describe('whether a queue that stays within its nominal quota preempts without regard to strategies (in Kueue the gate FairSharingPreemptWithinNominal)'),
        prioritizeNonBorrowing: z.boolean().default(true).describe('whether workloads whose queue would not borrow what they ask come before others, whatever the shares (in Kueue the gate FairSharingPrioritizeNonBorrowing)'),
        reevaluate: z.boolean().default(false).describe('whether the first strategy is tried once more when workloads of the own queue are to go, which lowers its share (in Kueue the gate FairSharingReevaluatePreemptionCandidates)'),
        verifyFinalTargets: z.boolean().default(false).describe('whether nobody is preempted unless a strategy allows each of them in the end, when those of the own queue that need not go are back (in Kueue the gate FairSharingVerifyFinalTargets)'),
        refill: z.number().int().nonnegative().default(0).describe('how many workloads may come into a cycle besides the first ones of the queues: the next one of a queue of which one has been admitted (in Kueue 8 with the gate FairSharingRefill)'),
      }),
    ])
    .default(false)
    .describe('whether queues of a cohort are served, and preempted, by what they borrow over their weight; false: by priority and age'),
  crossClusterQueueOrdering: z
    .enum(['Priority', 'Timestamp'])
    .default('Priority')
    .describe('whether workloads of different queues are taken up by priority and then by age, or by age alone (in Kueue 0.20 the gate PrioritySortingWithinCohort)'),
  timestampPreemptionBuffer: z
    .number()
    .nonnegative()
    .default(0)
    .describe('by more than so many seconds a workload of equal priority must be newer to be preempted by `LowerOrNewerEqualPriority` (in Kueue 300 with the gate SchedulerTimestampPreemptionBuffer)'),
  timeSharing: z
    .strictObject({
      interval: z.number().nonnegative().default(0).describe('seconds after its admission when the priority of a workload falls; 0: never'),
      negativeBoost: z.number().int().nonnegative().default(100_000).describe('by so much'),
      maxWorkloadPriority: z.number().int().optional().describe('only of workloads of this priority and below; default all'),
    })
    .prefault({})
    .describe('whether workloads of the same priority take turns (the controller kueue-priority-booster, with the gate PriorityBoost)'),
  preemptionConfigs: z
    .record(z.string().min(1), preemptionConfig)
    .default({})
    .describe('by name: rules by which queues that name them (`preemptionConfig`) preempt (PreemptionConfigs, with the gate ConfigurablePreemptions)'),
  labelKeysToCopy: z.array(z.string().min(1)).optional().describe('which tags of jobs those rules see; default all'),
  preemptionProtection: z
    .strictObject({
      fairSharing: protection.describe('from preemption by shares, with fair sharing'),
      reclaimWithinCohort: protection.describe('from preemption for the nominal quota of others, and by `borrowWithinCohort`'),
    })
    .prefault({})
    .describe('which workloads of other queues a workload does not preempt yet'),
  partialAdmission: z
    .boolean()
    .default(false)
    .describe('whether a gang with `minTasks` is admitted once, with as many tasks as there is quota for, which the others follow; otherwise with these, and then task by task'),
  failedNodeReplacementFailFast: z
    .boolean()
    .default(true)
    .describe('whether a gang with a topology is preempted when a task of it was lost with its node (`replacesLost`) and no node is there for it; false: it waits for one and runs on meanwhile'),
  preserveScanProgress: z
    .boolean()
    .default(true)
    .describe('whether a workload that would have come in by a flavor, and was passed by in its cycle, goes on with its next flavors in the next one (the gate FlavorFungibilityPreserveScanProgress); false: it begins with the first again, and so does any search of several cycles when another workload was admitted or has gone'),
  admissionFairSharing: z
    .strictObject({
      usageHalfLifeTime: z.number().nonnegative().default(604_800).describe('seconds after which past usage counts half; 0: only what is admitted now'),
      usageSamplingInterval: z.number().positive().default(300).describe('seconds for which a workload is charged at once when it is admitted'),
      resourceWeights: z.record(z.string(), z.number().nonnegative()).default({}).describe('what one of the amount of a resource counts, in the units of the cluster (in Kueue a core, a byte, a device); default 1 each'),
      users: z.record(z.string(), z.strictObject({ weight: z.number().nonnegative().describe('usage is divided by it; 0: always the last') })).default({}).describe('what the usage of users (LocalQueues) counts over; default 1 each'),
    })
    .prefault({})
    .describe('how the usage of users is counted in queues whose `admissionMode` goes by it'),
})
export type KueueSettings = z.output<typeof kueueOptions>
export type QueueSettings = KueueSettings['defaults']
export type CohortSettings = KueueSettings['cohorts'][string]
/** Options of `kueue`; all may be left out. */
export type KueueOptions = z.input<typeof kueueOptions>
