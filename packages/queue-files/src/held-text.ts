import { fieldsOf, type Path } from './fields.js'

/**
 * The path of the first text in a value that `isSought` accepts, in the order of the file and at any depth; `undefined` if there is none. A scheduler's
 * configuration is such a text: in the `data` of a ConfigMap, in the values of a Helm chart or of a chart inside it, or in the values that an object of
 * Flux or Argo CD holds. `metadata` is not searched: its annotations may hold a copy of the object.
 */
export function pathOfText(value: unknown, isSought: (text: string, key: string) => boolean): Path | undefined {
  for (const [key, inside] of Object.entries(fieldsOf(value))) {
    if (key === 'metadata') continue
    if (typeof inside === 'string' && isSought(inside, key)) return [key]
    const path = pathOfText(inside, isSought)
    if (path !== undefined) return [key, ...path]
  }
  return undefined
}
