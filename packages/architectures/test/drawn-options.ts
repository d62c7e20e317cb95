import fc from 'fast-check'
import * as z from 'zod'

/** A JSON Schema, as far as options use it. */
interface Schema {
  readonly [key: string]: unknown
  readonly $ref?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly type?: string
  readonly default?: unknown
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly exclusiveMaximum?: number
  readonly pattern?: string
  readonly minLength?: number
  readonly items?: Schema
  readonly minItems?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | false
}

/** Texts: names of queues, users, resources and slots that worlds have, one that none has, and what amounts look like. */
const texts = ['a', 'b', 'c.x', 'ann', 'bob', 'cpu', 'map', 'normal', 'default', 'x', '50%', '2', '2w', 'cpu=2']
const keys = texts.slice(0, 10)
const numbers = [0, 0.1, 0.25, 0.5, 1, 1.5, 2, 3, 5, 7.3, 10, 30, 100]
/** Options given at once, and how deep they go. */
const MOST_OPTIONS = 5
const DEEPEST = 6

/** Options by the schema of a plug, each left out more often than not; `undefined` where it has no schema. Some break rules that a schema cannot say. */
export function drawnOptions(options: unknown): fc.Arbitrary<Record<string, unknown>> | undefined {
  if (typeof options !== 'object' || options === null || !('_zod' in options)) return undefined
  const schema = z.toJSONSchema(options as z.ZodType, { io: 'input', unrepresentable: 'any' }) as Schema
  return drawn(schema, schema, 0) as fc.Arbitrary<Record<string, unknown>>
}

function drawn(schema: Schema, root: Schema, depth: number): fc.Arbitrary<unknown> {
  const { $ref, anyOf, type, enum: choices } = schema
  if ('const' in schema) return fc.constant(schema.const)
  if (choices !== undefined) return fc.constantFrom(...choices)
  if (anyOf !== undefined) return fc.oneof(...anyOf.map((each) => drawn(each, root, depth)))
  if ($ref !== undefined) return depth > DEEPEST ? fc.constant({}) : drawn(at(root, $ref), root, depth + 1)
  switch (type) {
    case 'boolean':
      return fc.boolean()
    case 'number':
    case 'integer':
      return fc.constantFrom(...numbersIn(schema))
    case 'string':
      return textsOf(new RegExp(schema.pattern ?? ''), schema.minLength ?? 0)
    case 'array':
      return fc.array(drawn(schema.items ?? {}, root, depth + 1), { minLength: schema.minItems ?? 0, maxLength: 2 })
    case 'object':
      return fieldsOf(schema, root, depth)
    default:
      return fc.constantFrom('a', 1, true)
  }
}

function textsOf(pattern: RegExp, least: number): fc.Arbitrary<string> {
  const suiting = texts.filter((text) => text.length >= least && pattern.test(text))
  return suiting.length > 0 ? fc.constantFrom(...suiting) : fc.stringMatching(pattern)
}

const at = (root: Schema, path: string): Schema => path.split('/').slice(1).reduce((part, key) => part[key] as Schema, root)

function numbersIn({ type, minimum = -Infinity, exclusiveMinimum = -Infinity, maximum = Infinity, exclusiveMaximum = Infinity, default: usual }: Schema): number[] {
  const isIn = (number: number) => number >= minimum && number > exclusiveMinimum && number <= maximum && number < exclusiveMaximum && (type === 'number' || Number.isInteger(number))
  return [...numbers.filter(isIn), ...(typeof usual === 'number' ? [usual] : []), ...(Number.isFinite(minimum) ? [minimum] : [])]
}

function fieldsOf({ properties = {}, required = [], additionalProperties }: Schema, root: Schema, depth: number): fc.Arbitrary<Record<string, unknown>> {
  const fields = fc.subarray(Object.keys(properties).filter((key) => !required.includes(key)), { maxLength: Math.min(MOST_OPTIONS, Object.keys(properties).length - required.length) })
  const named = fields.chain((some) => fc.record(Object.fromEntries([...required, ...some].map((key) => [key, drawn(properties[key] ?? {}, root, depth + 1)]))))
  if (typeof additionalProperties !== 'object') return named
  return fc.tuple(named, fc.dictionary(fc.constantFrom(...keys), drawn(additionalProperties, root, depth + 1), { maxKeys: 2 })).map(([own, others]) => ({ ...others, ...own }))
}
