import * as z from '@sched/bundled/zod'

const name = z.string().min(1)
const values = z.array(z.string()).min(1)
/** A requirement on a label of a node. */
export const requirementSchema = z.strictObject({
  key: name.describe('Name of a label.'),
  operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']).describe('How the value of the label compares with `values`; for Gt and Lt both are whole numbers.'),
  values: values.exactOptional().describe('Values: at least one for In and NotIn, one whole number for Gt and Lt, none otherwise.'),
}).refine(({ operator, values }) => {
  if (operator === 'Gt' || operator === 'Lt') return values?.length === 1 && /^-?\d+$/.test(values[0]!)
  return (operator === 'In' || operator === 'NotIn') === (values !== undefined)
}, '`values` with In and NotIn, one whole number in it with Gt and Lt, and none with others')

const fieldSchema = z.strictObject({
  key: z.literal('metadata.name').describe('Stands for the name of the node.'),
  operator: z.enum(['In', 'NotIn']).describe('Whether the name is one of `values` (In) or none of them (NotIn).'),
  values: values.describe('Names of nodes.'),
})

/** A term of node requirements, all of which must hold. */
export const termSchema = z.strictObject({
  matchExpressions: z.array(requirementSchema).exactOptional().describe('Requirements on labels of a node: { "key": "zone", "operator": "NotIn", "values": ["a"] }.'),
  matchFields: z.array(fieldSchema).exactOptional().describe('Requirements on the name of a node, with the key metadata.name.'),
})
