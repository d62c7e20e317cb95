import { SchedError } from '@sched/core'

type Key = string | number

/** A path as keys: `policies[0].delay.node`; a name with dots stands in quotes, `queues["root.etl"].capacity`. Throws `BAD_INPUT`. */
export function fieldPath(path: string): Key[] {
  const keys = pathParts(path).flatMap((part) => {
    const [, name, inside] = /^([^[\]]+)((?:\[(?:\d+|"[^"[\]]+")\])*)$/.exec(part) ?? []
    if (name === undefined)
      throw new SchedError('BAD_INPUT', `"${path}" is no path.`, { field: 'matrix' }, 'Write for example `cluster.nodes`, `policies[0].delay.node`, or `queues["root.etl"].capacity` of a name with dots.')
    return [name, ...Array.from((inside ?? '').matchAll(/\[(?:(\d+)|"([^"]+)")\]/g), ([, index, quoted]) => quoted ?? Number(index))]
  })
  if (keys.some((key) => key === '__proto__')) throw new SchedError('BAD_INPUT', `"${path}" is no path.`, { field: 'matrix' }, 'No setting is called __proto__.')
  return keys
}

/** The parts of a path, between dots that are not within brackets. */
export const pathParts = (path: string): string[] => path.split(/\.(?![^[]*\])/)

/**
 * A copy in which the value stands at the path. Mappings on the way are made where nothing is, and a part given by its
 * name alone (`architecture: shared-state`) becomes a mapping of that name. `*` stands for every key that is there, so
 * `architecture.*.requeue` is about whichever architecture is chosen. Throws `BAD_INPUT` where the path leads nowhere.
 */
export const withValue = (root: unknown, path: string, value: unknown): unknown => set(root, fieldPath(path), 0, value)

/** What stands at a path, `undefined` where nothing does, or where it is about several places. */
export function valueAt(root: unknown, path: string): unknown {
  return fieldPath(path).reduce<unknown>(
    (inside, key) => (typeof inside === 'object' && inside !== null && Object.hasOwn(inside, key)
      ? (inside as Readonly<Record<Key, unknown>>)[key]
      : undefined),
    root,
  )
}

function set(inside: unknown, keys: readonly Key[], depth: number, value: unknown): unknown {
  const key = keys[depth]
  if (key === undefined) return value
  if (typeof key === 'number') {
    if (!Array.isArray(inside) || key >= inside.length) throw dead(keys, depth, inside)
    return (inside as unknown[]).map((each, index) => (index === key ? set(each, keys, depth + 1, value) : each))
  }
  if (key === '*') return setAll(inside, keys, depth, value)
  const mapping = inside === undefined || inside === null ? {} : inside === key ? { [key]: {} } : inside
  if (typeof mapping !== 'object' || Array.isArray(mapping)) throw dead(keys, depth, inside)
  const known = mapping as Readonly<Record<string, unknown>>
  return { ...known, [key]: set(Object.hasOwn(known, key) ? known[key] : undefined, keys, depth + 1, value) }
}

function setAll(inside: unknown, keys: readonly Key[], depth: number, value: unknown): unknown {
  const mapping = typeof inside === 'string' ? { [inside]: {} } : inside
  if (typeof mapping !== 'object' || mapping === null || Array.isArray(mapping) || Object.keys(mapping).length === 0) throw dead(keys, depth, inside)
  return Object.fromEntries(Object.entries(mapping).map(([key, own]) => [key, set(own, keys, depth + 1, value)]))
}

function dead(keys: readonly Key[], depth: number, found: unknown): SchedError {
  const text = (upTo: number) => keys.slice(0, upTo).reduce<string>((path, key) => `${path}${keyText(key, path === '')}`, '')
  return new SchedError(
    'BAD_INPUT',
    `the path ${text(keys.length)} leads nowhere: ${text(depth)} is ${typeof found === 'string' ? `"${found}"` : Array.isArray(found) ? `a list of ${found.length}` : String(found)}.`,
    { field: 'matrix' },
    Array.isArray(found) && found.length > 0
      ? `Number one of them, from 0: ${text(depth)}[0].`
      : 'Give the whole part as a value of the axis, or correct the path.',
  )
}

function keyText(key: Key, isFirst: boolean): string {
  if (typeof key === 'number') return `[${key}]`
  return key.includes('.') ? `["${key}"]` : `${isFirst ? '' : '.'}${key}`
}
