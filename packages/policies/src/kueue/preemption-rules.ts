import * as z from '@sched/bundled/zod'

const labelSelector = z.strictObject({
  matchLabels: z.record(z.string(), z.string()).default({}).describe('labels that it must have'),
  matchExpressions: z
    .array(z.strictObject({
      key: z.string().min(1).describe('name of the label'),
      operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']).describe('what its value must be'),
      values: z.array(z.string()).default([]).describe('one of these, or none of them'),
    }))
    .default([])
    .describe('further requirements'),
})

const comparison = z.enum(['LessThan', 'LessThanOrEqual', 'GreaterThan', 'GreaterThanOrEqual'])

const numericLabel = z.strictObject({
  key: z.string().min(1).describe('the label; who has no whole number there and no `fallbackValue` is no candidate'),
  fallbackValue: z.number().int().optional().describe('the value of workloads that have no whole number there'),
  comparison: comparison.optional().describe('how the value of the candidate compares to that of the preemptor'),
  minValue: z.number().int().nonnegative().optional().describe('the least value of a candidate'),
  maxValue: z.number().int().nonnegative().optional().describe('the largest value of a candidate'),
})

const classSelector = {
  matchNames: z.array(z.string().min(1)).default([]).describe('one of these classes; who has none is none of them'),
  notMatchNames: z.array(z.string().min(1)).default([]).describe('none of these classes'),
}

const candidateSelector = z.strictObject({
  scope: z.enum(['WithinLocalQueue', 'WithinClusterQueue', 'WithinParentCohort', 'WithinCohortTree', 'AnyClusterQueue']).describe('of which queues, seen from that of the preemptor; the LocalQueue is the user'),
  clusterQueueSelector: labelSelector.optional().describe('`labels` of the queue of a candidate; default any'),
  labelSelector: labelSelector.optional().describe('tags of a candidate; default any'),
  numericLabels: z.array(numericLabel).default([]).describe('whole numbers in tags; all must do'),
  priority: z
    .strictObject({
      mode: z.enum(['Base', 'Boosted']).optional().describe('without or with what `timeSharing` has taken off'),
      comparison: comparison.optional().describe('how that of the candidate compares to that of the preemptor'),
      ...classSelector,
    })
    .refine(({ mode, comparison: compared }) => (mode === undefined) === (compared === undefined), '`mode` and `comparison` together, or neither')
    .optional()
    .describe('which priorities and priority classes a candidate may have (the tag `kueue.x-k8s.io/priority-class` of its job names the class); default any'),
})

const rule = z.strictObject({
  name: z.string().optional().describe('for people'),
  preemptorSelector: labelSelector.optional().describe('tags of a workload that may preempt by this rule; default any'),
  preemptorPriorityClassSelector: z.strictObject(classSelector).optional().describe('priority classes of a workload that may preempt by this rule; default any'),
  activationPolicy: z
    .strictObject({ trigger: z.enum(['Always', 'InsufficientQuota', 'QuotaFeasibleAndInsufficientTopology']).describe('first of all, while there is no quota, or once there is quota but no nodes') })
    .describe('when its candidates count, each time only if those before are not enough'),
  candidateSelectors: z.array(candidateSelector).default([]).describe('who may be preempted: whom any of these selects'),
})

/** Rules of preemption. Source: Kueue, apis/kueue/v1alpha1, preemptionconfig_types.go. */
export const preemptionConfig = z.strictObject({ rules: z.array(rule).default([]).describe('each adds candidates') })

export type PreemptionRule = z.output<typeof rule>
export type CandidateSelector = z.output<typeof candidateSelector>
export type ClassSelector = NonNullable<PreemptionRule['preemptorPriorityClassSelector']>
export type LabelSelector = z.output<typeof labelSelector>
export type Comparison = z.output<typeof comparison>
export type Trigger = PreemptionRule['activationPolicy']['trigger']
