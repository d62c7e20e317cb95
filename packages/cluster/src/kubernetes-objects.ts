import { isCircular, SchedError, type Place } from '@sched/core'
import { isNode, LineCounter, parseAllDocuments } from '@sched/bundled/yaml'
import { JsonLines } from './json-lines.js'
import { yamlAdvice } from './yaml-advice.js'

export type Json = Readonly<Record<string, unknown>>
/** A path to a value: keys and indices. */
type Path = readonly (string | number)[]

/** A Kubernetes object that knows the place of each field in the file. */
export interface KubernetesObject {
  /** For example `Node`. */
  readonly kind: string
  /** All its fields. */
  readonly object: Json
  /** The place of a field or, if it is absent, of what is around it. */
  readonly place: (...path: Path) => Place
}

/** The objects of a file in order: manifests one after another, without those that hold nothing but comments, and the items of lists. Throws `BAD_INPUT`. */
export function* kubernetesObjects(text: string, file?: string): Generator<KubernetesObject> {
  for (const { value, at } of documentsOf(text, file)) {
    if (value === null || value === undefined) continue
    const top = objectIn(value)
    const isList = Array.isArray(top['items'])
    const items = isList ? (top['items'] as unknown[]) : [top]
    for (const [i, item] of items.entries()) {
      const object = objectIn(item)
      const around: Path = isList ? ['items', i] : []
      const kind = object['kind'] ?? (isList && typeof top['kind'] === 'string' ? top['kind'].replace(/List$/, '') : '')
      yield { kind: typeof kind === 'string' ? kind : '', object, place: (...path) => ({ ...at([...around, ...path]), field: fieldText([...around, ...path]) }) }
    }
  }
}

export const objectIn = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {})
export const listIn = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.map(objectIn) : [])

const inUnits: Readonly<Record<string, number>> = {
  n: 1e-9, u: 1e-6, m: 1e-3, '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60,
}

/** A quantity as Kubernetes writes it: 8, 7910m, 16Gi, 1e3; 0 if absent. Throws `BAD_INPUT`. */
export function quantityAt({ object, place }: KubernetesObject, ...path: Path): number {
  const value = path.reduce<unknown>((around, key) => objectIn(around)[key], object)
  if (value === undefined || value === null) return 0
  const parts = /^(\d+(?:\.\d*)?|\.\d+)(?:[eE]([+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)$/.exec(typeof value === 'number' ? value.toFixed(9) : typeof value === 'string' ? value : '')
  if (parts === null) throw new SchedError('BAD_INPUT', `found ${JSON.stringify(value)}, expected a quantity such as 8, 7910m or 16Gi.`, place(...path), `Write digits, then one of the units ${Object.keys(inUnits).filter((unit) => unit !== '').join(', ')} or none.`)
  return Number(parts[1]) * (parts[2] === undefined ? (inUnits[parts[3] ?? ''] as number) : Number(`1e${parts[2]}`))
}

const fieldText = (path: Path): string => path.map((key, i) => (typeof key === 'number' ? `[${key}]` : i === 0 ? key : `.${key}`)).join('')

interface Document {
  readonly value: unknown
  readonly at: (path: Path) => Place
}

/**
 * The documents of a text. A JSON text is read by the JSON parser, which is fast; its lines are looked for when a place is asked for. Throws `BAD_INPUT`.
 */
function documentsOf(text: string, file: string | undefined): Document[] {
  if (text.trimStart().startsWith('{')) {
    try {
      const value: unknown = JSON.parse(text)
      const lines = new JsonLines(text)
      return [{ value, at: (path) => ({ file, line: lines.line(path) }) }]
    } catch {
      // several objects, or a mistake that the other parser reports with its line
    }
  }
  const lines = new LineCounter()
  const lineAt = (offset: number): Place => ({ file, line: lines.linePos(offset).line })
  return [...parseAllDocuments(text, { lineCounter: lines, prettyErrors: false })].map((document) => {
    const [error] = document.errors
    if (error !== undefined) throw new SchedError('BAD_INPUT', `${error.message.replace(/\.?$/, '')}.`, lineAt(error.pos[0]), yamlAdvice(error))
    const at = (path: Path): Place => {
      const node = path.length === 0 ? document.contents : document.getIn(path, true)
      if (isNode(node) && node.range !== null && node.range !== undefined) return lineAt(node.range[0])
      return path.length === 0 ? { file } : at(path.slice(0, -1))
    }
    const value = valueOf(document, at([]))
    if (text.includes('&') && isCircular(value)) throw new SchedError('BAD_INPUT', 'an anchor holds itself.', at([]), 'Write the value out.')
    return { value, at }
  })
}

/** The value of a document. Throws `BAD_INPUT` for an alias without an anchor, and for more aliases than a well-meant file has. */
function valueOf(document: { toJS(options: { maxAliasCount: number }): unknown }, place: Place): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 })
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error
    throw new SchedError('BAD_INPUT', `${error.message.replace(/\.?$/, '')}.`, place, error.message.startsWith('Unresolved') ? 'Write &name before the value that *name stands for.' : 'Write the values out.')
  }
}
