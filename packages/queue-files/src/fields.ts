import type { KubernetesObject } from '@sched/cluster'
import { adviseWord, SchedError } from '@sched/core'

/** The fields of a mapping or of a list (by index); no fields for any other value. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> => (typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {})

/** A value as text for people: a string as it is, any other value as JSON. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** The name of an object; empty for a `Configuration` without a name, since it needs none. Throws `BAD_INPUT` with the line if the name is missing. */
export function nameOf({ kind, object, place }: KubernetesObject): string {
  const name = fieldsOf(object['metadata'])['name']
  if (typeof name === 'string' && name !== '') return name
  if (kind === 'Configuration') return ''
  throw new SchedError('BAD_INPUT', 'is missing.', place('metadata', 'name'), 'Give the object a name.')
}

/** Objects by name, in their order. `what`: their kind, for messages. Throws `BAD_INPUT` with the line if a name is missing or comes twice. */
export function byName(objects: readonly KubernetesObject[], what: string): Map<string, KubernetesObject> {
  const found = new Map<string, KubernetesObject>()
  for (const each of objects) {
    const name = nameOf(each)
    if (found.has(name)) throw new SchedError('BAD_INPUT', `${what} "${name}" was declared before.`, each.place('metadata', 'name'), 'Give every one once.')
    found.set(name, each)
  }
  return found
}

/** The way to a field in an object: names of fields, and indexes in lists. */
export type Path = readonly (string | number)[]

/** The value at a path; `undefined` if there is none. */
export const at = (object: unknown, path: Path): unknown => path.reduce<unknown>((found, key) => fieldsOf(found)[key], object)

/** File and line of the value at a path, or of the nearest field around it if there is none; for findings. */
export function where(found: KubernetesObject, path: Path): { readonly line: number; readonly file?: string | undefined } {
  const { line = 1, file } = found.place(...path)
  return { line, file }
}

/** The list at a path, empty if nothing is there. Throws `BAD_INPUT` with the line for a value that is no list. */
export function listAt(found: KubernetesObject, path: Path): readonly unknown[] {
  const list = at(found.object, path) ?? []
  if (!Array.isArray(list)) throw unexpected(found, path, 'a list', 'Write - before each element, or [] around them.')
  return list
}

/** The whole number at a path, from `least` to `most`; `undefined` if nothing is there. Throws `BAD_INPUT` with the line for any other value. */
export function wholeAt(found: KubernetesObject, path: Path, least: number, most = Infinity): number | undefined {
  const value = at(found.object, path)
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
  throw unexpected(found, path, `a whole number from ${least} ${most === Infinity ? 'on' : `to ${most}`}`)
}

/** The way out for a setting that may be absent. */
export const OR_LEAVE_OUT = 'Correct it, or leave it out for the default.'

/** The error for a value at a path that is not what is expected there; `expected`: in words, or the words of which one is to stand there. */
export function unexpected(found: KubernetesObject, path: Path, expected: string | readonly string[], wayOut?: string): SchedError {
  const value = at(found.object, path) ?? null
  const isWord = typeof expected === 'object'
  const what = isWord ? `${expected.slice(0, -1).join(', ')} or ${expected.at(-1)}` : expected
  return new SchedError('BAD_INPUT', `found ${JSON.stringify(value)}, expected ${what}.`, found.place(...path), wayOut ?? (isWord ? adviseWord(value, expected) : OR_LEAVE_OUT))
}
