import { SchedError, type JobSource } from '@sched/core'
import { eachLine } from '../rigid/each-line.js'
import { inferSize, machineOf, type Sizes } from '../rigid/machine.js'
import { BadLines } from '../trace/bad-lines.js'
import { ruleLine, type Machine, type RuleCount } from '../trace/facts.js'
import { BadLine, type ReadOptions, type Trace } from '../trace/format.js'
import { Cell, SwfJobs } from './cells.js'
import { NumberSet } from './number-set.js'
import { resourcesOf, type SwfRules } from './options.js'
import { SwfReading } from './reading.js'
import { headerNotes, isGuess, swfSizes } from './sizes.js'

/**
 * A log whose content is in memory, read at once: the cells of its jobs (some 120 bytes each) are kept, the bytes are
 * not, and a job is made when it is asked for. Jobs out of order are sorted by submit time, equal ones stay in the order
 * of the log. Throws `BAD_INPUT` with file, line and field.
 */
export function readSwf(bytes: Uint8Array, options: SwfRules, reading: ReadOptions): Trace {
  const table = new SwfTable(options, reading, bytes)
  const sorted = table.sort()
  const { size, width } = table
  const { machine, notes } = machineAndNotes(table, options)
  const rules = [...table.reading.rules(), ...sortedRule(sorted)]
  return {
    name: reading.file ?? 'swf',
    format: 'swf',
    jobs: size,
    machine,
    header: table.reading.header.fields,
    report: { lines: table.lines, jobs: size, skipped: table.bad.skipped, problems: table.bad.problems, rules, notes: [...notes, ...rules.map(ruleLine)] },
    open(): JobSource {
      const jobs = new SwfJobs(options)
      const { cells } = table
      let next = 0
      return { next: () => (next < size ? jobs.job(cells, width * next++) : undefined) }
    },
  }
}

/** The cells of all jobs, one after another. */
class SwfTable {
  readonly reading: SwfReading
  readonly bad: BadLines
  readonly width: number
  readonly checked = false
  readonly file: string | undefined
  readonly lines: number
  line = 0
  size = 0
  cells: Float64Array
  readonly #numbers = new NumberSet()
  #unsorted = 0

  constructor(options: SwfRules, { file, onBadLine = 'fail' }: ReadOptions, bytes: Uint8Array) {
    this.file = file
    this.bad = new BadLines(onBadLine)
    this.reading = new SwfReading(options, this, true)
    this.width = this.reading.cells.length
    this.cells = new Float64Array(this.width * Math.ceil(bytes.length / 64)) // lines of the archive's logs are longer; pages not written cost nothing
    this.lines = eachLine(bytes, file, (line, from, to) => {
      this.line = line
      this.#readLine(bytes, from, to)
    })
    if (this.size === 0) throw this.#empty()
  }

  /** Puts the jobs in order of submission; the number of jobs that were submitted before one above them. */
  sort(): number {
    if (this.#unsorted === 0) return 0
    const { cells, width, size } = this
    const order = new Uint32Array(size).map((_, i) => i).sort((a, b) => cells[a * width + Cell.submit]! - cells[b * width + Cell.submit]! || a - b)
    const sorted = new Float64Array(size * width)
    for (let i = 0; i < size; i++) sorted.set(cells.subarray(order[i]! * width, (order[i]! + 1) * width), i * width)
    this.cells = sorted
    return this.#unsorted
  }

  #readLine(bytes: Uint8Array, from: number, to: number): void {
    try {
      if (this.reading.line(bytes, from, to)) this.#add(this.reading.cells)
    } catch (error) {
      if (!(error instanceof BadLine)) throw error
      this.bad.add(error, this)
    }
  }

  #add(row: Float64Array): void {
    const { width } = this
    const at = this.size * width
    if (!this.#numbers.add(row[Cell.job]!)) throw new BadLine('job number', `job number ${row[Cell.job]} was used before.`, 'Give every job a number of its own')
    if (at + width > this.cells.length) this.#grow()
    const { cells } = this
    for (let i = 0; i < width; i++) cells[at + i] = row[i]!
    if (at > 0 && row[Cell.submit]! < this.#latest) this.#unsorted++
    else this.#latest = row[Cell.submit]!
    this.size++
  }
  #latest = 0

  #grow(): void {
    const larger = new Float64Array(Math.max(this.cells.length * 2, this.width * 64))
    larger.set(this.cells)
    this.cells = larger
  }

  #empty(): SchedError {
    const [first] = this.bad.problems
    if (first !== undefined) return new SchedError('BAD_INPUT', `all ${this.bad.skipped} lines with jobs are bad, the first: ${first}`)
    if (this.reading.rows === 0) return new SchedError('BAD_INPUT', 'the trace holds no jobs.', { file: this.file })
    return new SchedError('BAD_INPUT', `none of ${this.reading.rows} jobs is left: ${this.reading.rules().map(ruleLine).join('; ')}.`, { file: this.file }, 'Choose other rules.')
  }
}

const sortedRule = (jobs: number): RuleCount[] => (jobs === 0 ? [] : [{ rule: 'sorted', jobs, text: 'submitted before one above: sorted' }])

/** The machine; what neither the options nor the header say is inferred from the jobs. */
function machineAndNotes(table: SwfTable, options: SwfRules): { readonly machine: Machine; readonly notes: string[] } {
  const header = table.reading.header.fields
  const sizes = swfSizes(options, header)
  const known: Record<string, Sizes[keyof Sizes]> = { ...sizes }
  const notes = headerNotes(header, sizes, table.reading.rows)
  for (const [r, resource] of resourcesOf(options).entries()) {
    if (sizes[resource] !== undefined && !(resource === 'procs' && isGuess(sizes))) continue
    const inferred = inferSize(resource, recordedUse(table, r))
    const guess = sizes[resource]
    if (guess !== undefined && guess.amount >= widest(table, r)) continue
    known[resource] = inferred
    notes.push(`${resource} of the machine: ${inferred.amount}, ${inferred.origin}`)
  }
  return { machine: machineOf(resourcesOf(options), known)!, notes }
}

function widest({ cells, size, width }: SwfTable, resource: number): number {
  let most = 0
  for (let i = 0; i < size; i++) most = Math.max(most, cells[i * width + Cell.amounts + resource]!)
  return most
}

function recordedUse({ cells, size, width }: SwfTable, resource: number) {
  const column = (value: (at: number) => number) => new Float64Array(size).map((_, i) => value(i * width))
  const wait = (at: number) => (cells[at + Cell.wait]! >= 0 ? cells[at + Cell.wait]! : NaN)
  const ran = (at: number) => (cells[at + Cell.recorded]! >= 0 ? cells[at + Cell.recorded]! : cells[at + Cell.runtime]!)
  return {
    amounts: column((at) => cells[at + Cell.amounts + resource]!),
    starts: column((at) => cells[at + Cell.submit]! + wait(at)),
    ends: column((at) => cells[at + Cell.submit]! + wait(at) + ran(at)),
  }
}
