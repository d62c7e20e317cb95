import type { PlacementRule, TaskSelector } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { requirementSchema, termSchema } from './node-terms.js'

const name = z.string().min(1)

/** Tags of tasks. */
export const tagsSchema = z.record(name, z.string())

const selectorSchema = z.strictObject({
  tags: tagsSchema.exactOptional().describe('Tags with these values, all of which the tasks have.'),
  matchExpressions: z.array(requirementSchema.refine(({ operator }) => operator !== 'Gt' && operator !== 'Lt', 'In, NotIn, Exists or DoesNotExist')).exactOptional()
    .describe('Requirements on tags of the tasks: { "key": "tier", "operator": "NotIn", "values": ["web"] }.'),
  users: z.array(name).min(1).exactOptional().describe('Users whose jobs the tasks belong to. Default: any user.'),
  job: z.enum(['own', 'other']).exactOptional().describe('Whether the tasks belong to the same job (own) or to other jobs (other). Default: to any job.'),
}) satisfies z.ZodType<TaskSelector>

const of = selectorSchema.exactOptional().describe('The running tasks that the rule is about. Default: all.')
const over = name.describe('Groups of nodes in which these tasks are counted: node, rack, or the name of a label, whose values make the groups (label:rack for a label called rack).')
const weight = z.int().min(1).max(100)
const preferred = weight.exactOptional().describe('Makes the rule a preference with this weight. Default: the rule must hold.')

const affinitySchema = z.strictObject({
  kind: z.enum(['affinity', 'antiAffinity']).describe('affinity: tasks go where one of these tasks runs; antiAffinity: they go where none of them runs, and these tasks then stay away from them, too.'),
  of,
  over,
  weight: preferred,
})
const cardinalitySchema = z.strictObject({
  kind: z.literal('cardinality').describe('Tasks go where a number of these tasks run already.'),
  of,
  over,
  min: z.int().min(0).exactOptional().describe('Fewest of these tasks. Default 0.'),
  max: z.int().min(0).exactOptional().describe('Most of these tasks, before another comes; 0 means none. Default: any number.'),
}).refine(({ min, max }) => min !== undefined || max !== undefined, '`min` or `max`')
const spreadSchema = z.strictObject({
  kind: z.literal('spread').describe('Tasks are spread evenly over all groups.'),
  of,
  over,
  maxSkew: z.int().min(1).describe('Largest number by which a group may exceed the group with the fewest of these tasks, with the new task counted.'),
  minDomains: z.int().min(1).exactOptional().describe('With fewer groups than this, the fewest is taken to be 0. Default 1.'),
  nodeAffinityPolicy: z.enum(['Honor', 'Ignore']).exactOptional().describe('Whether only nodes count that have the labels that the task requires. Default: Honor, only these.'),
  nodeTaintsPolicy: z.enum(['Honor', 'Ignore']).exactOptional().describe('Whether only nodes count whose taints the task tolerates. Default: Ignore, all count.'),
  weight: preferred,
})
const nodesSchema = z.strictObject({ kind: z.literal('nodes').describe('Tasks prefer such nodes.'), term: termSchema.describe('Term that such nodes meet.'), weight: weight.describe('Weight of the preference.') })

/** A placement rule of a stage or a job. */
export const placementRuleSchema = z.discriminatedUnion('kind', [affinitySchema, cardinalitySchema, spreadSchema, nodesSchema]) satisfies z.ZodType<PlacementRule>

type Written = Record<string, unknown>
type InOrder = (value: object, keys: readonly string[]) => Written

const keys = {
  affinity: Object.keys(affinitySchema.shape),
  antiAffinity: Object.keys(affinitySchema.shape),
  cardinality: Object.keys(cardinalitySchema.shape),
  spread: Object.keys(spreadSchema.shape),
  nodes: Object.keys(nodesSchema.shape),
} as const satisfies Readonly<Record<PlacementRule['kind'], readonly string[]>>

/** A rule with its keys in the order of the schema. */
export function orderedRule(rule: PlacementRule, inOrder: InOrder, orderedTerm: (term: object) => Written): Written {
  const plain = inOrder(rule, keys[rule.kind] ?? [])
  if (rule.kind === 'nodes') return { ...plain, term: orderedTerm(rule.term) }
  if (rule.of === undefined) return plain
  const { tags, matchExpressions } = rule.of
  const selector = inOrder(rule.of, Object.keys(selectorSchema.shape))
  if (tags !== undefined) selector['tags'] = inOrder(tags, Object.keys(tags).sort())
  if (matchExpressions !== undefined) selector['matchExpressions'] = matchExpressions.map((each) => inOrder(each, Object.keys(requirementSchema.shape)))
  return { ...plain, of: selector }
}
