import { fieldsOf, type Path } from './fields.js'

/**
 * Where the first text lies that is what is looked for, in the order of the file and however deep: in a ConfigMap it is in its `data`, in values of Helm in one of
 * the chart or of one inside it, in objects of Flux and Argo CD in the values there. What `metadata` holds are copies.
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
