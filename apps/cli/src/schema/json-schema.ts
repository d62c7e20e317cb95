import { clusterSchema } from '@sched/cluster'
import type { Defined, Kind, Registry } from '@sched/core'
import { machineMapping, nativeJsonSchema } from '@sched/workload'
import * as z from '@sched/bundled/zod'
import { experimentSchema } from '../experiment/schema.js'

export type JsonSchema = { readonly [key: string]: unknown }

const kinds: readonly Kind[] = ['policy', 'order', 'placement', 'architecture']

/** The JSON Schema of a kind of file, for editors. Names of plug-ins are allowed beside the built-in ones. */
export function jsonSchemas(registry: Registry): Readonly<Record<string, () => JsonSchema>> {
  return {
    experiment: () => experiment(registry),
    cluster: () => ({ title: 'A cluster of sched', ...plain(clusterSchema) }),
    machines: () => ({ title: 'What the columns of a table of machines mean', ...plain(machineMapping) }),
    workload: () => nativeJsonSchema() as JsonSchema,
  }
}

/** A zod schema as JSON Schema of what one writes; a part that cannot be said in it is left open. `undefined` for other libraries. */
export function optionsSchema(options: unknown): JsonSchema | undefined {
  return typeof options === 'object' && options !== null && '_zod' in options ? plain(options as z.ZodType) : undefined
}

/** Without the dialect, which is a URL: a published file is to name no host. */
function plain(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return rest
}

function experiment(registry: Registry): JsonSchema {
  const { properties, ...rest } = plain(experimentSchema) as { readonly properties: Record<string, JsonSchema> }
  const { workload, policies, policy, architecture } = properties as Record<
    | 'workload'
    | 'policies'
    | 'policy'
    | 'architecture', { readonly properties: Record<string, JsonSchema> } & JsonSchema>
  const named = {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'what it is called in tables and files' },
      policy: { description: 'the policy, by name or with options', ...ref('policy') },
      schedulers: { type: 'object', description: 'other policies of some schedulers of the architecture, by name or kind', additionalProperties: ref('policy') },
    },
    required: ['name', 'policy'],
    additionalProperties: false,
  }
  return hoisted({
    title: 'An experiment of sched',
    ...rest,
    properties: {
      ...properties,
      workload: { ...workload, properties: { ...workload.properties, generate: { description: workload.properties['generate']?.['description'], ...generatorSchema(registry) } } },
      policies: { ...policies, items: { anyOf: [ref('policy'), named] } },
      policy: { description: policy['description'], ...ref('policy') },
      architecture: { description: architecture['description'], ...ref('architecture') },
    },
    $defs: Object.fromEntries(kinds.map((kind) => [kind, kindSchema(registry, kind)])),
  })
}

/**
 * A schema in which the parts that refer to themselves, such as pools in pools, stand where references look for them: among the `$defs` of the whole,
 * named after the definition that they are of.
 */
function hoisted({ $defs, ...file }: JsonSchema): JsonSchema {
  const all: Record<string, unknown> = { ...($defs as JsonSchema) }
  const within = (at: unknown, key: string, names: Readonly<Record<string, string>>): unknown => {
    if (Array.isArray(at)) return at.map((each) => within(each, key, names))
    if (typeof at !== 'object' || at === null) return at
    const { $defs: own = {}, $ref, ...rest } = at as JsonSchema & { readonly $defs?: JsonSchema; readonly $ref?: string }
    const known = { ...names, ...Object.fromEntries(Object.keys(own).map((name, i) => [`#/$defs/${name}`, `#/$defs/${key}-${i + 1}`])) }
    for (const [name, part] of Object.entries(own)) all[(known[`#/$defs/${name}`] as string).slice('#/$defs/'.length)] = within(part, key, known)
    const entries = Object.entries(rest).map(([name, part]) => [name, within(part, name, known)])
    return { ...Object.fromEntries(entries), ...($ref !== undefined && { $ref: known[$ref] ?? $ref }) }
  }
  const top = within(file, 'file', {}) as JsonSchema
  for (const kind of kinds) all[kind] = within(all[kind], kind, {})
  return { ...top, $defs: all }
}

const ref = (kind: Kind): JsonSchema => ({ $ref: `#/$defs/${kind}` })

/** What may stand for a part: its name, or its name with options. A policy may also be an order, which then is greedy. */
function kindSchema(registry: Registry, kind: Kind): JsonSchema {
  const presets = registry.presets(kind)
  const described = registry.list(kind).map((definition): [string, JsonSchema] => [definition.name, definitionSchema(definition)])
  if (kind === 'policy') for (const { name, summary } of registry.list('order')) described.push([name, { description: summary, $ref: `#/$defs/order/anyOf/1/properties/${name}` }])
  const short = presets.map(({ name, summary }): [string, JsonSchema] => [name, { description: summary, type: ['object', 'null'] }])
  return oneOf([...described, ...short])
}

function definitionSchema({ summary, options, inner, defaults }: Defined<Kind>): JsonSchema {
  const schema = optionsSchema(options) ?? {}
  const parts = Object.fromEntries(Object.entries(inner).map(([part, kind]) => [part, partSchema(kind, defaults?.[part])]))
  return { description: summary, ...schema, properties: { ...(schema['properties'] as object | undefined), ...parts } }
}

const partSchema = (kind: Kind, usual: string | undefined): JsonSchema => ({
  description: `${kind === 'order' || kind === 'architecture' ? 'an' : 'a'} ${kind}, by name or with options`,
  ...(usual !== undefined && { default: usual }),
  ...ref(kind),
})

const generatorSchema = (registry: Registry): JsonSchema => oneOf(registry.added('generator').map(({ name, summary, options }) => [name, { description: summary, ...optionsSchema(options) }]))

/** A name, or a mapping of one name to its options. */
function oneOf(entries: readonly (readonly [string, JsonSchema])[]): JsonSchema {
  const names = { anyOf: [{ enum: entries.map(([name]) => name) }, { type: 'string' }] }
  return { anyOf: [names, { type: 'object', properties: Object.fromEntries(entries), minProperties: 1, maxProperties: 1 }] }
}
