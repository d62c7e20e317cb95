import { SchedError, suggest, type Config, type Kind, type Registry } from '@sched/core'
import { policyName } from '../experiment/policies.js'
import { optionsSchema, type JsonSchema } from '../schema/json-schema.js'
import { wrapped } from './wrapped.js'

/** A part of a scheduling system that is installed, as plain data. */
export interface Installed {
  readonly kind: Kind
  readonly name: string
  readonly summary: string
  readonly source?: string | undefined
  /** Of a preset: what it stands for. */
  readonly config?: Config
  /** Parts that it wraps, by option, with the one used when none is given. */
  readonly inner?: Readonly<Record<string, { readonly kind: Kind; readonly default?: string | undefined }>>
  readonly options?: JsonSchema | undefined
}

const kinds = ['policy', 'order', 'placement', 'architecture', 'metric'] as const

/** Everything in a registry but generators and formats, which other commands list; or what is called so. Throws `UNKNOWN_NAME`. */
export function installed(registry: Registry, names: readonly string[] = []): Installed[] {
  const all = kinds.flatMap((kind) => [
    ...definitions(registry, kind),
    ...registry.presets(kind).map(({ kind, name, summary, source, config }) => ({ kind, name, summary, source, config })),
  ])
  const unknown = names.find((name) => !all.some((part) => part.name === name))
  if (unknown !== undefined) throw new SchedError('UNKNOWN_NAME', `nothing is called "${unknown}".`, {}, suggest(unknown, [...new Set(all.map(({ name }) => name))].sort()))
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name))
}

function definitions(registry: Registry, kind: Kind): Installed[] {
  return registry.list(kind).map(({ name, summary, source, inner, defaults, options }) => ({
    kind,
    name,
    summary,
    source,
    inner: Object.fromEntries(Object.entries(inner).map(([part, kind]) => [part, { kind, default: defaults?.[part] }])),
    options: optionsSchema(options),
  }))
}

const headings: Readonly<Record<(typeof kinds)[number], string>> = {
  policy: 'Policies: whose work goes next, and may it go now (disciplines over an order; an order alone is run greedily)',
  order: 'Orders: whose work goes next',
  placement: 'Placements: where',
  architecture: 'Architectures: who decides, seeing what',
  metric: 'Metrics: what is measured besides',
}

/** Parts by kind with their options, sources and presets, in lines of at most `width` characters. */
export const installedText = (parts: readonly Installed[], width: number): string => byKind(parts, (part) => partText(part, width), width, '\n')

/** Parts by kind with a line each, or a few where `width` is less. */
export function installedList(parts: readonly Installed[], width: number): string {
  const longest = Math.max(...parts.map(({ name }) => name.length))
  return byKind(parts, (part) => listItem(part, longest, width), width, '')
}

function byKind(parts: readonly Installed[], text: (part: Installed) => string, width: number, between: string): string {
  const blocks = kinds.map((kind) => ({ kind, block: parts.filter((part) => part.kind === kind) })).filter(({ block }) => block.length > 0)
  return blocks.map(({ kind, block }) => `${wrapped(headings[kind], width, 2)}\n\n${block.map(text).join(between)}`).join('\n')
}

/** A name and what it is, in two columns of a list. */
export const listItem = ({ name, summary }: Pick<Installed, 'name' | 'summary'>, longest: number, width: number): string => `${wrapped(`  ${name.padEnd(longest)}  ${summary}`.trimEnd(), width, longest + 4)}\n`

/** A thing with its options, in lines of at most `width` characters. */
export function partText({ name, summary, source, config, inner = {}, options }: Omit<Installed, 'kind'>, width: number): string {
  const parts = Object.entries(inner).map(([part, { kind, default: usual }]) => option(part, `${article(kind)} ${kind}`, usual, undefined))
  const lines = [
    summary === '' ? `  ${name}` : `  ${name}: ${summary}`,
    ...(source === undefined ? [] : [`${INDENT}${source}`]),
    ...(config === undefined ? [] : [`${INDENT}= ${policyName(config)}`]),
    ...optionLines(options),
    ...parts,
  ]
  return lines.map((line) => `${wrapped(line, width, line.length - line.trimStart().length + 2)}\n`).join('')
}

const INDENT = '      '

function optionLines(schema: JsonSchema | undefined, indent = INDENT, shared = (schema?.['$defs'] ?? {}) as Shared): string[] {
  const needed = (schema?.['required'] ?? []) as readonly string[]
  return Object.entries((schema?.['properties'] ?? {}) as Record<string, JsonSchema>).flatMap(([key, each]) => {
    const usual = each['default']
    const type = `${typeText(each)}${needed.includes(key) && usual === undefined ? ', needed' : ''}`
    const line = option(key, type, usual === undefined ? undefined : JSON.stringify(usual), each['description'] as string | undefined, indent)
    return [line, ...innerLines(each, `${indent}    `, shared)]
  })
}

/** Schemas that others refer to. */
type Shared = Readonly<Record<string, JsonSchema>>

/** The keys of the mappings in an option: of itself, of the entries of a list, or below names; of one inside itself once. */
function innerLines(schema: JsonSchema, indent: string, shared: Shared): string[] {
  const { properties, items, additionalProperties: named, anyOf = [], $ref = '' } = schema as {
    readonly properties?: object
    readonly items?: JsonSchema
    readonly additionalProperties?: JsonSchema | boolean
    readonly anyOf?: readonly JsonSchema[]
    readonly $ref?: string
  }
  const name = $ref.slice('#/$defs/'.length)
  const { [name]: referred, ...others } = shared
  if (referred !== undefined) return innerLines(referred, indent, others)
  if (properties !== undefined) return optionLines(schema, indent, shared)
  if (items !== undefined) return innerLines(items, indent, shared)
  if (typeof named === 'object') {
    const keys = innerLines(named, `${indent}    `, shared)
    return keys.length === 0 ? [] : [`${indent}<name>:`, ...keys]
  }
  return anyOf.flatMap((each) => innerLines(each, indent, shared))
}

const option = (key: string, type: string, usual: string | undefined, description: string | undefined, indent = INDENT) =>
  `${indent}- ${key}: ${type}${usual === undefined ? '' : ` (default ${usual})`}${description === undefined ? '' : `: ${description}`}`

const article = (word: string) => (/^[aeiou]/.test(word) ? 'an' : 'a')

/** A type in a few words: `number or "auto"`, `list of number`, `mapping`. */
function typeText(schema: JsonSchema): string {
  const any = schema['anyOf'] as readonly JsonSchema[] | undefined
  if (any !== undefined) return [...new Set(any.map(typeText))].join(' or ')
  if ('const' in schema) return JSON.stringify(schema['const'])
  const values = schema['enum'] as readonly unknown[] | undefined
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' or ')
  if (schema['type'] === 'array') return `list of ${typeText((schema['items'] ?? {}) as JsonSchema)}`
  const words: Readonly<Record<string, string>> = { object: 'mapping', integer: 'whole number' }
  const type = typeof schema['type'] === 'string' ? schema['type'] : 'anything'
  return `${words[type] ?? type}${rangeText(schema)}`
}

/** What a number may be, where that is not any: ` ≥ 0`, ` > 0`, ` in (0, 1]`. */
function rangeText({ minimum, exclusiveMinimum, maximum, exclusiveMaximum }: JsonSchema): string {
  const [least, most] = [minimum ?? exclusiveMinimum, maximum ?? exclusiveMaximum].map((end) => (Math.abs(Number(end ?? NaN)) < Number.MAX_SAFE_INTEGER ? String(end) : undefined))
  if (least !== undefined && most !== undefined) return ` in ${minimum === undefined ? '(' : '['}${least}, ${most}${maximum === undefined ? ')' : ']'}`
  if (least !== undefined) return ` ${minimum === undefined ? '>' : '≥'} ${least}`
  return most === undefined ? '' : ` ${maximum === undefined ? '<' : '≤'} ${most}`
}
