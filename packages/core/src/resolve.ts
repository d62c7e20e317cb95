import { SchedError, suggest } from './error.js'
import { fieldOf } from './field-of.js'
import { lostKey } from './lost-key.js'
import type { Defined, Plug, Registry } from './define.js'
import type { Kind } from './kinds.js'

/**
 * A part of a scheduling system as a configuration file writes it: a name, or a name with its options. The parts it wraps are options, too: `fair`,
 * `{ delay: { node: 5, order: { fair: { pools: ... } } } }`.
 */
export type Config = string | { readonly [name: string]: unknown }

/**
 * Builds the plug that a configuration names. A policy may also be given as a preset, or as the name of an order, which then runs under the
 * discipline `greedy`. Throws `BAD_OPTION` or `UNKNOWN_NAME` with the path of the mistake, which begins with the name where `path` is empty.
 */
export function resolve<K extends Kind>(registry: Registry, kind: K, config: unknown, path: string = kind): Plug<K> {
  const [name, options] = split(config, kind, path)
  if (!registry.has(kind, name)) {
    const preset = registry.preset(kind, name)
    if (preset !== undefined) return renamed(resolve(registry, kind, overridden(preset.config, options), path), name)
    if (kind === 'policy' && registry.has('order', name)) return renamed(resolve(registry, kind, { greedy: { order: config } }, path), name)
    const known = [...registry.names(kind), ...registry.presets(kind).map((each) => each.name), ...(kind === 'policy' ? registry.names('order') : [])]
    throw new SchedError('UNKNOWN_NAME', `no ${kind} is called "${name}".`, at(path), wayOut(name, [...new Set(known)].sort()))
  }
  return build(registry, registry.get(kind, name), options, path)
}

/** Of a known name with something behind it, as results print what has options (`delay(node=5)`), how those are written; otherwise the nearest name. */
function wayOut(name: string, known: readonly string[]): string {
  const [, own = ''] = /^([\w-]+) *[(:=]/.exec(name) ?? []
  return known.includes(own) ? `Write options as a mapping, { ${own}: { option: value } }.` : suggest(name, known)
}

const at = (path: string) => (path === '' ? {} : { field: path })
const under = (path: string, key: string) => (path === '' ? key : `${path}.${key}`)

function build<K extends Kind>(registry: Registry, definition: Defined<K>, options: Readonly<Record<string, unknown>>, path: string): Plug<K> {
  const lost = lostKey(options)
  if (lost !== undefined) throw new SchedError('BAD_OPTION', 'nothing can be set under the name "__proto__".', { field: under(path, fieldOf([definition.name, ...lost])) }, 'Take another name.')
  const inner: Record<string, Plug<Kind>> = {}
  const own: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(options)) if (!Object.hasOwn(definition.inner, key)) own[key] = value
  for (const [part, kind] of Object.entries(definition.inner)) {
    const config = options[part] ?? definition.defaults?.[part]
    if (config !== undefined) inner[part] = resolve(registry, kind, config, `${under(path, definition.name)}.${part}`)
  }
  return definition.plug(inner as never, own, under(path, definition.name))
}

function split(config: unknown, kind: Kind, path: string): [string, Readonly<Record<string, unknown>>] {
  if (typeof config === 'string') return [config, {}]
  const entries: [string, unknown][] = typeof config === 'object' && config !== null && !Array.isArray(config) ? Object.entries(config) : []
  const [first] = entries
  if (first === undefined || entries.length > 1)
    throw new SchedError(
      'BAD_OPTION',
      `expected the name of one ${kind}, found ${JSON.stringify(config) ?? 'nothing'}.`,
      at(path),
      `Write \`${kind}: name\` or \`${kind}: { name: { options } }\`.`,
    )
  const [name, options] = first
  if (options === null || options === undefined) return [name, {}]
  if (typeof options !== 'object' || Array.isArray(options))
    throw new SchedError('BAD_OPTION', `the options of "${name}" are ${JSON.stringify(options)}.`, { field: under(path, name) }, 'Write them as a mapping of names to values.')
  return [name, options as Readonly<Record<string, unknown>>]
}

/** A preset's configuration in which `options` replace those of its outermost part. */
function overridden(config: Config, options: Readonly<Record<string, unknown>>): Config {
  if (Object.keys(options).length === 0) return config
  const [name, own] = split(config, 'policy', '')
  return { [name]: { ...own, ...options } }
}

const renamed = <K extends Kind>(plug: Plug<K>, name: string): Plug<K> => ({ ...plug, name })
