import { grown, SchedError } from '@sched/core'
import { checkText, eachLine, type LineVisitor } from '../rigid/each-line.js'
import { BadLines, noJobs } from '../trace/bad-lines.js'
import { ruleLine } from '../trace/facts.js'
import { BadLine, type ReadOptions } from '../trace/format.js'
import { Cell, cellsOf, type Cells } from './cells.js'
import { NumberSet } from './number-set.js'
import type { SwfRules } from './options.js'
import { SwfReading } from './reading.js'

/** Reads lines into a table. */
class Lines implements LineVisitor {
  constructor(private readonly table: SwfTable, private readonly bytes: Uint8Array, private readonly before: number) {}

  quick(line: number, from: number): number {
    const to = this.table.reading.plain(this.bytes, from)
    if (to < 0) return 0
    this.table.line = this.before + line
    this.table.read(this.bytes, from, to, true)
    return this.bytes[to] === 10 ? to + 1 : to + 2
  }

  visit(line: number, from: number, to: number): void {
    this.table.line = this.before + line
    this.table.read(this.bytes, from, to, false)
  }
}

/** Estimated number of lines, from the length of those in the middle of the log, with a tenth added. */
function aboutLines(bytes: Uint8Array): number {
  const sample = bytes.subarray(bytes.length >> 1, (bytes.length >> 1) + 4096)
  const lines = sample.reduce((sum, byte) => sum + (byte === 10 ? 1 : 0), 0)
  return Math.ceil((1.1 * bytes.length * (lines + 1)) / Math.max(64, sample.length))
}

/** The cells of all jobs, one after another. */
export class SwfTable {
  readonly reading: SwfReading
  readonly bad: BadLines
  readonly width: number
  readonly checked = false
  readonly file: string | undefined
  lines = 0
  line = 0
  size = 0
  cells: Cells
  readonly #numbers = new NumberSet()
  #unsorted = 0
  #latest = 0

  /** Allocates cells for the estimated number of lines in `bytes`. */
  constructor(options: SwfRules, { file, onBadLine = 'fail' }: ReadOptions, bytes: Uint8Array) {
    this.file = file
    this.bad = new BadLines(onBadLine)
    this.reading = new SwfReading(options, this, true)
    this.width = cellsOf(options)
    this.cells = new Int32Array(this.width * aboutLines(bytes))
  }

  /** Reads the next piece of the log, which ends where a line ends. */
  add(bytes: Uint8Array): void {
    if (this.lines === 0) checkText(bytes, this.file)
    this.lines += eachLine(bytes, new Lines(this, bytes, this.lines))
  }

  /** Called after the last piece. Throws `BAD_INPUT` if no job is left. */
  checkSize(): void {
    if (this.size === 0) throw this.#empty()
  }

  /** Sorts the jobs by submit time. Returns how many were submitted before a job above them. */
  sort(): number {
    if (this.#unsorted === 0) return 0
    const { cells, width, size } = this
    const order = new Uint32Array(size).map((_, i) => i).sort((a, b) => cells[a * width + Cell.submit]! - cells[b * width + Cell.submit]! || a - b)
    const sorted = cells.slice(0, size * width)
    for (let i = 0; i < size; i++) sorted.set(cells.subarray(order[i]! * width, (order[i]! + 1) * width), i * width)
    this.cells = sorted
    return this.#unsorted
  }

  /** Number of jobs that have lines about pieces of them, but no line of their own that is read. Call it once, after all lines. */
  onlyInPieces(): number {
    let found = 0
    for (const job of this.reading.pieces) if (this.#numbers.add(job)) found++
    return found
  }

  /** Reads a line, or takes the plain line that was read already. */
  read(bytes: Uint8Array, from: number, to: number, isPlain: boolean): void {
    try {
      if (isPlain ? this.reading.keep() : this.reading.line(bytes, from, to)) this.#add()
    } catch (error) {
      this.bad.excuse(error, this)
    }
  }

  /** Adds the job that was kept last. Throws `BadLine` if its number was used before. */
  #add(): void {
    const at = this.size * this.width
    this.cells = grown(this.cells, at + this.width)
    if (!this.reading.store(this.cells, at)) {
      this.cells = new Float64Array(this.cells)
      this.reading.store(this.cells, at)
    }
    const number = this.cells[at + Cell.job]!
    const submit = this.cells[at + Cell.submit]!
    if (!this.#numbers.add(number)) throw new BadLine('job number', `job number ${number} was used before.`, 'Give every job a number of its own')
    if (submit < this.#latest) this.#unsorted++
    else this.#latest = submit
    this.size++
  }

  #empty(): SchedError {
    const allBad = this.bad.allBad({})
    if (allBad !== undefined) return allBad
    if (this.reading.rows === 0) return noJobs([], this.file)
    return new SchedError('BAD_INPUT', `none of ${this.reading.rows} jobs is left: ${this.reading.rules().map(ruleLine).join('; ')}.`, { file: this.file }, 'Choose other rules.')
  }
}
