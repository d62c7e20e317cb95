import { eachTextLine } from '../table/header-rows.js'
import { Documents } from './documents.js'
import { Fields } from './fields.js'

/**
 * Calls `visit` for each JSON object of a small text; `list` and `deep`: where in another object they are listed, as in `Documents`. Throws `BAD_INPUT`
 * with file and line for a `BadLine`.
 */
export function eachObject(text: string, file: string | undefined, visit: (object: Fields) => void, list?: string, deep?: number): void {
  const place = { file, line: 0, checked: false }
  const documents = new Documents(place, list, deep)
  eachTextLine(text, place, (bytes, from, to) => documents.line(bytes, from, to, ({ value }) => visit(new Fields(value))), () => documents.end())
}
