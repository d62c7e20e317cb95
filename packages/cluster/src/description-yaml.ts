import { describeIssues, fieldOf, isCircular, SchedError, type Place } from '@sched/core'
import {
  isAlias, isMap, isNode, isPair, isScalar, isSeq, LineCounter, parseDocument, visit, type Alias, type Document, type Node, type Pair,
  type YAMLError,
} from '@sched/bundled/yaml'
import type * as z from '@sched/bundled/zod'
import { yamlAdvice } from './yaml-advice.js'

/** Most anchor uses in a file: otherwise a few lines of aliases of aliases could fill the memory. */
const MOST_ALIASES = 100

type Path = readonly PropertyKey[]
/** A node of the YAML document, with the key that leads to it if there is one. */
interface Spot {
  readonly node: Node | null
  readonly key?: Node
}

/** A YAML (or JSON) text that knows the line of each value. Throws `BAD_INPUT` with line and column. */
export class YamlSource {
  /** The parsed value. */
  readonly value: unknown
  readonly #document: Document.Parsed
  readonly #lines = new LineCounter()

  constructor(
    text: string,
    readonly file?: string,
  ) {
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false })
    const [error] = [...this.#document.errors, ...this.#document.warnings]
    if (error !== undefined) throw this.#bad(error)
    this.#refuseOddKeys()
    try {
      this.value = this.#document.toJS({ maxAliasCount: MOST_ALIASES })
    } catch (error) {
      if (!(error instanceof ReferenceError)) throw error
      if (error.message.startsWith('Unresolved'))
        throw new SchedError(
          'BAD_INPUT',
          `${error.message}.`,
          this.#aliasWhere((alias) => alias.resolve(this.#document) === undefined),
          'Write &name before the value that *name stands for.',
        )
      throw new SchedError('BAD_INPUT', `uses anchors more than ${MOST_ALIASES} times, first here.`, this.#aliasWhere(() => true), 'Write the values out.')
    }
    if (isCircular(this.value))
      throw new SchedError(
        'BAD_INPUT',
        'an anchor holds itself.',
        this.#aliasWhere(({ source }, around) => around.some((node) => isNode(node) && 'anchor' in node && node.anchor === source)),
        'Write the value out.',
      )
    if (this.value === null) throw new SchedError('BAD_INPUT', 'is empty.', { file }, 'Is it the right file, and whole?')
  }

  /** The value as checked by a schema. Throws `BAD_INPUT` with the place, what was found, and the nearest known key for an unknown one. */
  read<S extends z.ZodType>(schema: S): z.output<S> {
    const read = schema.safeParse(this.value)
    if (read.success) return read.data
    const { at, fact, wayOut } = describeIssues(schema, this.value, read.error.issues)
    throw new SchedError('BAD_INPUT', fact, { ...this.place(at), ...(at.length > 0 && { field: fieldOf(at) }) }, wayOut)
  }

  /** The place of a value or, if it is not in the text, of the innermost value around it. */
  place(path: Path): Place {
    return this.#placeOf(this.#spot(path))
  }

  /**
   * The place of an option that an error names by a path in text form, for example `policy.fair.pools.x`. Names may contain dots, so the longest
   * matching key is followed. A path that starts further inside is searched for below `under`.
   */
  placeOfField(field: string, under: Path = []): Place {
    const around = this.#spot(under)
    return this.#placeOf(this.#descend(this.#spot([]), field) ?? this.#search(around, field) ?? around)
  }

  #spot(path: Path): Spot {
    const root: Spot = { node: this.#document.contents }
    return path.reduce<Spot>((spot, key) => this.#inside(spot).find(([name]) => name === String(key))?.[1] ?? spot, root)
  }

  /** Follows the field as far as possible; `undefined` if its first part leads nowhere. */
  #descend(spot: Spot, field: string): Spot | undefined {
    const [longest] = this.#inside(spot)
      .filter(([name]) => field.startsWith(name) && /^([.[\]]|$)/.test(field.slice(name.length)))
      .sort(([a], [b]) => b.length - a.length)
    if (longest === undefined) return undefined
    return this.#descend(longest[1], field.slice(longest[0].length).replace(/^[.[\]]+/, '')) ?? longest[1]
  }

  /** The first place inside `spot` from which the field can be followed. */
  #search(spot: Spot, field: string): Spot | undefined {
    for (const [, child] of this.#inside(spot)) {
      const found = this.#descend(child, field) ?? this.#search(child, field)
      if (found !== undefined) return found
    }
    return undefined
  }

  #inside({ node }: Spot): [string, Spot][] {
    const target = isAlias(node) ? node.resolve(this.#document) : node
    if (isSeq(target)) return target.items.map((item, index) => [String(index), { node: isNode(item) ? item : null }])
    if (!isMap(target)) return []
    return target.items.filter(isPair).map((pair: Pair) => {
      const { key, value } = pair
      return [isScalar(key) ? String(key.value) : '', { node: isNode(value) ? value : null, ...(isNode(key) && { key }) }]
    })
  }

  #placeOf({ node, key }: Spot): Place {
    const offset = (key ?? node)?.range?.[0]
    if (offset === undefined) return { file: this.file }
    const { line, col } = this.#lines.linePos(offset)
    return { file: this.file, line, column: col }
  }

  /** The place of the first alias that meets a condition. */
  #aliasWhere(isSuch: (alias: Alias, around: readonly unknown[]) => boolean): Place {
    let found: Alias | undefined
    visit(this.#document, {
      Alias: (_, alias, around) => {
        if (!isSuch(alias, around)) return undefined
        found = alias
        return visit.BREAK
      },
    })
    return this.#placeOf({ node: found ?? null })
  }

  /** Throws for a list or a mapping as a key, which a stray `? ` or brace produces: plain values cannot have such keys. */
  #refuseOddKeys(): void {
    visit(this.#document, {
      Pair: (_, { key }) => {
        const place = isNode(key) ? this.#placeOf({ node: key }) : { file: this.file }
        if (isScalar(key) && key.value === '__proto__') throw new SchedError('BAD_INPUT', 'nothing can be called "__proto__".', place, 'Take another name.')
        if (isScalar(key) && (key.value === null || typeof key.value !== 'object')) return
        throw new SchedError('BAD_INPUT', 'a key is not a word.', place, 'Write `key: value`.')
      },
    })
  }

  #bad(error: YAMLError): SchedError {
    const { code, message, pos } = error
    if (code === 'RESOURCE_EXHAUSTION') return new SchedError('BAD_INPUT', 'is nested too deeply.', { file: this.file }, 'Is it the right file?')
    const { line, col } = this.#lines.linePos(pos[0])
    const fact = code === 'MULTIPLE_DOCS' ? 'holds several documents.' : `${message.split('\n', 1)[0]?.replace(/[.:]$/, '')}.`
    return new SchedError('BAD_INPUT', fact, { file: this.file, line, column: col }, yamlAdvice(error))
  }
}
