import type { PlacementRule, TaskSelector } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { requirementSchema, termSchema } from './node-terms.js'

const name = z.string().min(1)

/** Tags of tasks. */
export const tagsSchema = z.record(name, z.string())

const selectorSchema = z.strictObject({
  tags: tagsSchema.exactOptional().describe('Tags that they have, with these values.'),
  matchExpressions: z.array(requirementSchema.refine(({ operator }) => operator !== 'Gt' && operator !== 'Lt', 'In, NotIn, Exists or DoesNotExist')).exactOptional()
    .describe('What tags of theirs must be: { "key": "tier", "operator": "NotIn", "values": ["web"] }.'),
  users: z.array(name).min(1).exactOptional().describe('Whose jobs they are of; default: anybody\'s.'),
  job: z.enum(['own', 'other']).exactOptional().describe('Of the job itself, or of others; default: of all.'),
}) satisfies z.ZodType<TaskSelector>

const of = selectorSchema.exactOptional().describe('The running tasks that it is about; default: all.')
const over = name.describe('Groups of nodes in which they are counted: node, rack, or nodes of one value of the label of this name (label:rack where that is called so).')
const weight = z.int().min(1).max(100)
const preferred = weight.exactOptional().describe('It is a preference, and counts so much; default: it must hold.')

const affinitySchema = z.strictObject({
  kind: z.enum(['affinity', 'antiAffinity']).describe('Where any of them runs, or away from all of them, who then stay away from it, too.'),
  of,
  over,
  weight: preferred,
})
const cardinalitySchema = z.strictObject({
  kind: z.literal('cardinality').describe('Where so many of them run before it comes.'),
  of,
  over,
  min: z.int().min(0).exactOptional().describe('At least so many; default 0.'),
  max: z.int().min(0).exactOptional().describe('Less than so many, of 0 none; default: any number.'),
}).refine(({ min, max }) => min !== undefined || max !== undefined, '`min` or `max`')
const spreadSchema = z.strictObject({
  kind: z.literal('spread').describe('Evenly over all groups.'),
  of,
  over,
  maxSkew: z.int().min(1).describe('With it no group has more than this above the group that has the fewest.'),
  minDomains: z.int().min(1).exactOptional().describe('While there are fewer groups than this the fewest is taken to be 0; default 1.'),
  nodeAffinityPolicy: z.enum(['Honor', 'Ignore']).exactOptional().describe('Whether only nodes count that have the labels that it requires; default: Honor, they do.'),
  nodeTaintsPolicy: z.enum(['Honor', 'Ignore']).exactOptional().describe('Whether only nodes count whose taints it tolerates; default: Ignore, all do.'),
  weight: preferred,
})
const nodesSchema = z.strictObject({ kind: z.literal('nodes').describe('Rather on such nodes.'), term: termSchema.describe('What they are.'), weight: weight.describe('How much it counts.') })

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
