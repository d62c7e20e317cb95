import * as z from '@sched/bundled/zod'

const name = z.string().min(1)
const values = z.array(z.string()).min(1)
/** A requirement on a label of a node. */
export const requirementSchema = z.strictObject({
  key: name.describe('Name of a label.'),
  operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']).describe('How the value of the label compares with `values`; Gt and Lt as whole numbers.'),
  values: values.exactOptional().describe('Of In and NotIn at least one, of Gt and Lt one whole number, of others none.'),
}).refine(({ operator, values }) => {
  if (operator === 'Gt' || operator === 'Lt') return values?.length === 1 && /^-?\d+$/.test(values[0]!)
  return (operator === 'In' || operator === 'NotIn') === (values !== undefined)
}, '`values` with In and NotIn, one whole number in it with Gt and Lt, and none with others')

const fieldSchema = z.strictObject({
  key: z.literal('metadata.name').describe('The name of the node.'),
  operator: z.enum(['In', 'NotIn']).describe('Whether it is one of `values`, or none.'),
  values: values.describe('Names of nodes.'),
})

/** A term of node requirements, all of which must hold. */
export const termSchema = z.strictObject({
  matchExpressions: z.array(requirementSchema).exactOptional().describe('What labels of a node must be: { "key": "zone", "operator": "NotIn", "values": ["a"] }.'),
  matchFields: z.array(fieldSchema).exactOptional().describe('What the name of a node must be, with the key metadata.name.'),
})
