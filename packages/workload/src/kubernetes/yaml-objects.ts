import { LineCounter, parseDocument } from '@sched/bundled/yaml'
import { isCircular } from '@sched/core'
import type { Found } from '../json/documents.js'
import { BadLine } from '../trace/format.js'

/** Whether a text does not begin like JSON. */
export const isYaml = (text: string): boolean => !/^\s*[[{]/.test(text)

/**
 * Reads objects of consecutive YAML documents, and the items of lists that kubectl prints. Text is cut at `---` and at the dash of each item, so that
 * memory holds one object and not the file. A document whose items do not begin on lines of their own is read as a whole.
 */
export class YamlObjects {
  #lines: string[] = []
  /** Number in the file of each of these lines; empty lines of the file are skipped. */
  #numbers: number[] = []
  /** Number of blanks before the dash of an item; `undefined` outside of `items`, -1 before the first item. */
  #indent: number | undefined

  line(text: string, number: number, visit: (found: Found) => void): void {
    if (/^(---|\.\.\.)(\s|$)/.test(text)) {
      this.#finish(visit)
      this.#indent = undefined
      const rest = text.slice(3).trim()
      if (rest === '' || rest.startsWith('#') || text.startsWith('...')) return
      return this.#keep(rest, number)
    }
    if (this.#indent === undefined && /^items:\s*(#.*)?$/.test(text)) {
      this.#drop()
      this.#indent = -1
      return
    }
    if (this.#indent !== undefined) {
      const dash = /^(\s*)-(?=\s|$)/.exec(text)
      if (this.#indent === -1 && dash !== null) this.#indent = (dash[1] as string).length
      if (dash !== null && (dash[1] as string).length === this.#indent) {
        this.#finish(visit)
        return this.#keep(text.replace('-', ' '), number)
      }
      if (/^[^\s#-]/.test(text)) {
        this.#finish(visit)
        this.#indent = undefined // what follows the items belongs to the list
        this.#skips = true
        return
      }
    }
    this.#keep(text, number)
  }

  /** True until the end of the document, after the items of a list: the rest is not an object. */
  #skips = false

  end(visit: (found: Found) => void): void {
    this.#finish(visit)
  }

  #keep(text: string, number: number): void {
    if (this.#skips || (this.#lines.length === 0 && /^\s*(#|$)/.test(text))) return
    this.#lines.push(text)
    this.#numbers.push(number)
  }

  #drop(): void {
    this.#lines = []
    this.#numbers = []
  }

  #finish(visit: (found: Found) => void): void {
    const [lines, numbers] = [this.#lines, this.#numbers]
    this.#drop()
    this.#skips = false
    if (lines.length === 0) return
    const begin = numbers[0] as number
    const value = parsed(lines, numbers)
    if (lines.some((line) => line.includes('&')) && isCircular(value))
      throw new BadLine(undefined, `the object that begins on line ${begin} has an anchor that holds itself.`, 'Write the value out')
    const items = typeof value === 'object' && value !== null && 'items' in value ? value.items : undefined
    for (const each of Array.isArray(items) ? (items as unknown[]) : [value]) if (each !== null) visit({ value: each, line: begin })
  }
}

function parsed(lines: readonly string[], numbers: readonly number[]): unknown {
  const counter = new LineCounter()
  const document = parseDocument(lines.join('\n'), { lineCounter: counter, prettyErrors: false })
  const [error] = document.errors
  if (error === undefined) {
    try {
      return document.toJS({ maxAliasCount: 100 })
    } catch (wrong) {
      if (!(wrong instanceof ReferenceError)) throw wrong // an alias without its anchor, or too many aliases
      throw new BadLine(undefined, `the object that begins on line ${numbers[0]} is no YAML: ${wrong.message.replace(/\.$/, '')}.`)
    }
  }
  const line = numbers[counter.linePos(error.pos[0]).line - 1] ?? numbers.at(-1)
  throw new BadLine(undefined, `the object that begins on line ${numbers[0]} is no YAML: ${error.message.replace(/\.$/, '')} (line ${line}).`)
}
