import { splitLine } from '../table/separators.js'
import type { RuleCount } from '../trace/facts.js'
import { BadLine, type LinePlace } from '../trace/format.js'
import { instant, timeSpan } from './times.js'

/** Columns of texts that users write, which may hold the separator. */
const written = /^(jobname|constraints|container|submitline|workdir|extra|wckey|std(in|out|err)|(admin|system)?comment)$/
/** Those that often hold line ends as well: where one is the last column, lines that begin no row go it on. */
const scripted = /^(submitline|(admin|system)?comment)$/
/** Those in which a row of too few fields may end. */
const breaking = new RegExp(`${scripted.source}|^jobname$`)

const isTime = (text: string) => instant(text) !== undefined
const isSpan = (text: string) => timeSpan(text) !== undefined
const isId = (text: string) => /^\d+([_+.][\w.+%,[\]-]*)?$/.test(text)
const isCount = (text: string) => /^[\d.]*[KM]?$/.test(text)

/** How the texts of other columns look, by which places of separators are told apart. What is not here may be any text. */
const forms: Readonly<Record<string, (text: string) => boolean>> = {
  jobid: isId, jobidraw: isId,
  submit: isTime, eligible: isTime, start: isTime, end: isTime,
  elapsed: isSpan, timelimit: isSpan, suspended: isSpan, totalcpu: isSpan, cputime: isSpan,
  elapsedraw: isCount, timelimitraw: (text) => isCount(text) || isSpan(text), cputimeraw: isCount, uid: isCount, gid: isCount, priority: isCount,
  ncpus: isCount, alloccpus: isCount, reqcpus: isCount, nnodes: isCount, allocnodes: isCount, reqnodes: isCount, ntasks: isCount,
  state: (text) => /^[A-Z_]*( by \d+)?$/i.test(text),
  exitcode: (text) => /^(\d+:\d+)?$/.test(text),
  workdir: (text) => text === '' || text.startsWith('/'),
  '': (text) => text === '', // behind the last separator of --parsable
}

/**
 * Makes rows of the lines of `sacct`, which writes the names and commands of users as they are: with separators in them, and with line ends. A
 * separator too many belongs to a text that users write; which one, the form of the other columns tells. Such a text neither begins nor ends with a
 * separator. Where there are several ways, the row stays as it is.
 */
export class SacctRows {
  #names: readonly string[] = []
  #separator = '|'
  /** The last column of those that may hold line ends; -1 if there is none. */
  #script = -1
  #isPlain = true
  /** The lines of a row that goes on below, and where it begins. */
  #open = ''
  #begin: Pick<LinePlace, 'file' | 'line'> = { file: undefined, line: 0 }
  #isWhole = false
  #abandoned: Pick<LinePlace, 'file' | 'line'> | undefined
  #joined = 0
  #passed = 0

  constructor(private readonly place: LinePlace) {}

  /** Begins a table. */
  start(names: readonly string[], separator: string): void {
    if (this.#open !== '') this.#abandon()
    this.#isWhole = false
    this.#names = names.map((name) => name.trim().toLowerCase())
    this.#separator = separator
    this.#script = this.#names.reduce((last, name, at) => (scripted.test(name) ? at : last), -1)
    this.#isPlain = separator === ',' || !this.#names.some((name) => written.test(name))
  }

  /** The fields of the row that ends with this line; `undefined` if it goes on below, or the line only goes on the text of the row above. */
  take(line: string): readonly string[] | undefined {
    const fields = splitLine(line, this.#separator)
    if (this.#isPlain) return fields
    if (this.#open !== '') {
      if (!this.#beginsRow(fields)) return this.#goOn(line)
      this.#abandon()
    }
    if (fields.length > this.#names.length) return this.#whole(this.#placed(fields) ?? fields)
    if (fields.length === this.#names.length && this.#fitBehindScript(fields)) return this.#whole(fields)
    if (this.#isCutInText(fields)) {
      this.#open = line
      this.#begin = { file: this.place.file, line: this.place.line }
      return undefined
    }
    if (!this.#isWhole || this.#script < 0 || this.#beginsRow(fields)) return fields
    this.#passed++
    return undefined
  }

  /** Throws `BadLine` if a row above the one taken last had no end, or at the end of all if the last one has none. */
  check(isEnd = false): void {
    if (isEnd && this.#open !== '') this.#abandon()
    const begin = this.#abandoned
    this.#abandoned = undefined
    if (begin === undefined) return
    const file = begin.file === this.place.file ? '' : ` of ${JSON.stringify(begin.file)}`
    throw new BadLine(undefined, `the record that begins on line ${begin.line}${file} has no end.`, 'Was the file cut short? Copy it again')
  }

  rules(): RuleCount[] {
    return [
      { rule: 'separators', jobs: this.#joined, text: `with "${this.#separator}" or a line end in a name or a command, steps too: read by the form of the other columns` },
      { rule: 'scripts', jobs: this.#passed, text: 'lines that go on a command above: passed over' },
    ].filter(({ jobs }) => jobs > 0)
  }

  #abandon(): void {
    this.#abandoned ??= this.#begin
    this.#open = ''
  }

  #whole(fields: readonly string[]): readonly string[] {
    this.#isWhole = fields.length === this.#names.length
    return fields
  }

  #goOn(line: string): readonly string[] | undefined {
    this.#open += `\n${line}`
    const fields = this.#open.split(this.#separator)
    const row = fields.length < this.#names.length ? undefined : this.#placed(fields)
    if (row !== undefined) this.#open = ''
    return row && this.#whole(row)
  }

  /** Whether fields begin a row: whether there is an id where ids stand. */
  #beginsRow(fields: readonly string[]): boolean {
    const at = this.#names.findIndex((name) => forms[name] === isId)
    return fields.length > at && isId(fields[at]!.trim())
  }

  /** Whether the columns behind the last command look as they should; without a command that is not asked. */
  #fitBehindScript(fields: readonly string[]): boolean {
    if (this.#script < 0) return true
    for (let i = this.#script + 1; i < fields.length; i++) if (!this.#fits(i, fields[i]!)) return false
    return true
  }

  #fits(column: number, text: string): boolean {
    return forms[this.#names[column]!]?.(text.trim()) ?? true
  }

  /** Whether a row of too few fields may end in a name or a command, which goes on below. */
  #isCutInText(fields: readonly string[]): boolean {
    if (!this.#beginsRow(fields)) return false
    return this.#names.some((name, at) => breaking.test(name) && at < fields.length && this.#ways(fields, this.#names.slice(0, at + 1)).length > 0)
  }

  #placed(fields: readonly string[]): readonly string[] | undefined {
    const ways = this.#ways(fields, this.#names)
    if (ways.length !== 1) return undefined
    this.#joined++
    return ways[0]
  }

  /** The ways in which these fields are so many columns, at most two of them. */
  #ways(fields: readonly string[], names: readonly string[]): string[][] {
    const ways: string[][] = []
    const dead = new Set<number>() // columns and fields from which no way leads on
    const sizes = names.map(() => 1) // how many fields a column is on the way that is tried
    const place = (column: number, at: number): void => {
      const here = column * (fields.length + 1) + at
      if (dead.has(here)) return
      const found = ways.length
      this.#step(fields, names, column, at, (next, from, parts) => {
        if (next < names.length) {
          sizes[next] = parts
          place(next + 1, from)
        } else if (from === fields.length) ways.push(this.#joinedBy(fields, sizes))
        return ways.length < 2
      })
      if (ways.length === found) dead.add(here)
    }
    place(0, 0)
    return ways
  }

  #joinedBy(fields: readonly string[], sizes: readonly number[]): string[] {
    let from = 0
    return sizes.map((size) => fields.slice(from, (from += size)).join(this.#separator))
  }

  /**
   * Passes over the columns up to the next text of users, if they look as they should, and calls `visit` for each number of fields that this text may
   * be, until it returns false; without such a text once.
   */
  #step(fields: readonly string[], names: readonly string[], column: number, at: number, visit: (next: number, from: number, parts: number) => boolean): void {
    const text = names.findIndex((name, i) => i >= column && written.test(name))
    const next = text === -1 ? names.length : text
    for (let i = column; i < next; i++) if (!this.#fits(i, fields[at + i - column] ?? '')) return
    const from = at + next - column
    if (text === -1) return void visit(next, from, 0)
    if (from >= fields.length || !this.#fits(next, fields[from]!)) return
    const most = fields.length - from - (names.length - next) + 1
    for (let parts = 1; parts <= most; parts++) {
      if (parts > 1 && (fields[from] === '' || fields[from + parts - 1] === '')) continue
      if (!visit(next, from + parts, parts)) return
    }
  }
}
