import { partitionPoint } from '@sched/core'

/** Keys and indices. */
type Path = readonly (string | number)[]

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}:,]|[^\s"[\]{}:,]+/g

/**
 * The lines of values in a valid JSON text. The text is looked through when the first line is asked for; what a path passes is kept, so that a
 * further value of a large list costs as much as its own object is long.
 */
export class JsonLines {
  readonly #text: string
  /** Where each line after the first begins. */
  #starts: readonly number[] | undefined
  readonly #inside = new Map<number, ReadonlyMap<string, number>>()

  constructor(text: string) {
    this.#text = text
  }

  /** Line, 1-based, of the value at a path or, if there is none, of what is around it. */
  line(path: Path): number {
    let at = this.#text.search(/\S/)
    for (const key of path) {
      const next = this.#valuesIn(at).get(String(key))
      if (next === undefined) break
      at = next
    }
    return this.#lineOf(at)
  }

  /** Offsets of the values in the object or list that begins at an offset; none in other values. */
  #valuesIn(from: number): ReadonlyMap<string, number> {
    let values = this.#inside.get(from)
    if (values === undefined) this.#inside.set(from, (values = valuesIn(this.#text, from)))
    return values
  }

  #lineOf(offset: number): number {
    const starts = (this.#starts ??= [...this.#text.matchAll(/\n/g)].map(({ index }) => index + 1))
    return partitionPoint(0, starts.length, (i) => (starts[i] as number) <= offset) + 1
  }
}

function valuesIn(text: string, from: number): Map<string, number> {
  const values = new Map<string, number>()
  const isObject = text[from] === '{'
  if (!isObject && text[from] !== '[') return values
  const tokens = new RegExp(TOKEN)
  tokens.lastIndex = from + 1
  let key = isObject ? undefined : '0'
  for (let depth = 1; depth > 0;) {
    const found = tokens.exec(text)
    if (found === null) break
    const [token] = found
    const isEnd = token === '}' || token === ']'
    if (depth === 1 && !isEnd && token !== ':') {
      if (token === ',') key = isObject ? undefined : String(values.size)
      else if (key === undefined) key = JSON.parse(token) as string
      else values.set(key, found.index)
    }
    if (isEnd) depth--
    else if (token === '{' || token === '[') depth++
  }
  return values
}
