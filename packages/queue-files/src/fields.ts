import type { KubernetesObject } from '@sched/cluster'
import { SchedError } from '@sched/core'

/** The fields of a mapping or a list, none for anything else. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> => (typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {})

/** A value as people write it. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** The name of an object, empty for a `Configuration`, which needs none. Throws `BAD_INPUT` with the line where it is missing. */
export function nameOf({ kind, object, place }: KubernetesObject): string {
  const name = fieldsOf(object['metadata'])['name']
  if (typeof name === 'string' && name !== '') return name
  if (kind === 'Configuration') return ''
  throw new SchedError('BAD_INPUT', 'is missing.', place('metadata', 'name'))
}

/** Objects by name, in their order. `what` they are in messages. Throws `BAD_INPUT` with the line where a name is missing, or was given before. */
export function byName(objects: readonly KubernetesObject[], what: string): Map<string, KubernetesObject> {
  const found = new Map<string, KubernetesObject>()
  for (const each of objects) {
    const name = nameOf(each)
    if (found.has(name)) throw new SchedError('BAD_INPUT', `${what} "${name}" was declared before.`, each.place('metadata', 'name'), 'Give every one once.')
    found.set(name, each)
  }
  return found
}

/** Where a field lies in an object: names of fields and places in lists. */
export type Path = readonly (string | number)[]

/** What lies at a path, `undefined` for nothing. */
export const at = (object: unknown, path: Path): unknown => path.reduce<unknown>((found, key) => fieldsOf(found)[key], object)

/** Where that stands, for findings. */
export function where(found: KubernetesObject, path: Path): { readonly line: number; readonly file?: string | undefined } {
  const { line = 1, file } = found.place(...path)
  return { line, file }
}

/** The list at a path, empty for nothing. Throws `BAD_INPUT` for what is no list. */
export function listAt(found: KubernetesObject, path: Path): readonly unknown[] {
  const list = at(found.object, path) ?? []
  if (!Array.isArray(list)) throw unexpected(found, path, 'a list')
  return list
}

/** The whole number at a path, `undefined` for nothing. Throws `BAD_INPUT` for another value. */
export function wholeAt(found: KubernetesObject, path: Path, least: number, most = Infinity): number | undefined {
  const value = at(found.object, path)
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
  throw unexpected(found, path, `a whole number from ${least} ${most === Infinity ? 'on' : `to ${most}`}`)
}

/** The error of a value that is none of those there are. */
export const unexpected = (found: KubernetesObject, path: Path, expected: string, wayOut?: string): SchedError =>
  new SchedError('BAD_INPUT', `found ${JSON.stringify(at(found.object, path) ?? null)}, expected ${expected}.`, found.place(...path), wayOut)
