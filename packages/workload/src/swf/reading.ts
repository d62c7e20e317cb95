import { SchedError } from '@sched/core'
import { limitsOf, type Limits } from '../rigid/machine.js'
import { RigidJob } from '../rigid/resources.js'
import { Rules } from '../rigid/rules.js'
import type { RuleCount } from '../trace/facts.js'
import { asText } from '../trace/fields.js'
import { BadLine, type LinePlace } from '../trace/format.js'
import { textKind } from '../trace/looks-like.js'
import { Cell, type Cells } from './cells.js'
import { Field, fieldNames, statusNames } from './fields.js'
import { isComment, namesFields, SwfHeader } from './header.js'
import { resourcesOf, type SwfRules } from './options.js'
import { parsePlain, parseRow } from './parse-row.js'
import { isGuess, procsPerNode, swfSizes } from './sizes.js'

const kibPerMib = 1024

/** One reading of a log, line by line: comments are added to the header, and jobs, after the rules were applied, are stored in cells. */
export class SwfReading {
  readonly header = new SwfHeader()
  /** Number of lines that are not comments. */
  rows = 0
  /** Header fields in comments below the first job, which are not read. */
  readonly late = new Set<string>()
  /** Numbers of jobs that have lines about pieces of them. */
  readonly pieces = new Set<number>()
  readonly #row = new Float64Array(fieldNames.length)
  readonly #job: RigidJob
  readonly #keepsUse: boolean
  readonly #rules: Rules
  readonly #wanted: readonly boolean[] // by status; 6 stands for all others
  readonly #counts = { negative: 0, submit: 0, partial: 0, status: 0, processors: 0, memory: 0, dependencies: 0 }
  /** The first negative number other than -1, and its line. */
  #firstNegative = ''
  #procsPerNode = 1

  /** `held`: all jobs are read before the first is used, so a size of the machine that is only a guess need not limit them. */
  constructor(private readonly options: SwfRules, private readonly place: Pick<LinePlace, 'file' | 'line'>, private readonly held: boolean) {
    const resources = resourcesOf(options)
    this.#job = new RigidJob(resources.length)
    this.#keepsUse = options.recordedUse === 'keep'
    this.#rules = new Rules(options, resources, limitsOf(resources, {}))
    this.#wanted = [0, 1, 2, 3, 4, 5, 6].map((status) => (options.status as string[]).includes(statusNames[status] ?? 'unknown'))
  }

  /** Reads a line; true if it holds a job that the rules keep: then call `store`. Throws `BadLine`. */
  line(bytes: Uint8Array, from: number, to: number): boolean {
    if (isComment(bytes, from, to)) {
      if (this.rows === 0) this.header.add(bytes, from, to)
      else this.#addLate(asText(bytes, from, to))
      return false
    }
    if (this.rows === 0 && namesFields(asText(bytes, from, to))) return false
    if (this.rows++ === 0) this.#start(bytes, from, to)
    parseRow(bytes, from, to, this.#row, this.options.moreFields === 'ignore')
    this.#lookForNegatives()
    return this.#keep(this.#row)
  }

  /**
   * Counts lines with negative numbers other than -1. The format only knows -1, for unknown; other numbers result, for example, from clocks that were
   * set back.
   */
  #lookForNegatives(): void {
    const field = this.#row.findIndex((value) => value < 0 && value !== -1)
    if (field < 0) return
    this.#counts.negative++
    if (this.#firstNegative === '') this.#firstNegative = `${fieldNames[field]} ${this.#row[field]} in line ${this.place.line}`
  }

  #addLate(comment: string): void {
    const name = /\b(MaxProcs|MaxNodes|UnixStartTime):/.exec(comment)?.[1]
    if (name !== undefined) this.late.add(name)
  }

  /** Reads a plain line with a job, after the first one. Returns the end of the line, or -1 if it must be read with `line`. Then call `keep`. */
  plain(bytes: Uint8Array, from: number): number {
    return this.rows === 0 ? -1 : parsePlain(bytes, from, this.#row)
  }

  /** As `line`, for the plain line read last. */
  keep(): boolean {
    this.rows++
    return this.#keep(this.#row)
  }

  rules(): RuleCount[] {
    const { negative, submit, partial, status, processors, memory, dependencies } = this.#counts
    const { options } = this
    const other = options.processors === 'requested' ? 'allocated' : 'requested'
    return [
      { rule: 'negative', jobs: negative, text: `with a number below 0 other than -1 (${this.#firstNegative}): taken as unknown, like -1` },
      { rule: 'submit', jobs: submit, text: 'without submit time: left out' },
      { rule: 'partial', jobs: partial, text: 'with status 2, 3 or 4, pieces of a job that has a line of its own: left out' },
      { rule: 'status', jobs: status, text: `of a status other than ${options.status.join(', ')}: left out` },
      { rule: 'processors', jobs: processors, text: `without ${options.processors} processors: the ${other} ones taken` },
      { rule: 'memory', jobs: memory, text: `without ${options.memory} memory: none asked for` },
      { rule: 'dependencies', jobs: dependencies, text: 'after another job: submitted when the log says, all the same' },
      ...this.#rules.counts(),
    ].filter(({ jobs }) => jobs > 0)
  }

  /** Begins with the first line that is not a comment: the header is complete. */
  #start(bytes: Uint8Array, from: number, to: number): void {
    if (!isNearly18Numbers(asText(bytes, from, to))) {
      const kind = textKind(asText(bytes, from, Math.min(bytes.length, from + 4096)))
      throw new SchedError('BAD_INPUT', `looks like ${kind}, not like the Standard Workload Format.`, { file: this.place.file, line: this.place.line },
        'A line of that has 18 numbers with blanks between them, or is a comment that begins with ";".')
    }
    const sizes = swfSizes(this.options, this.header.fields)
    this.#procsPerNode = procsPerNode(this.options, sizes)
    this.#rules.limits = this.held && isGuess(sizes) ? this.#limits({ ...sizes, procs: undefined }) : this.#limits(sizes)
  }

  #limits(sizes: Parameters<typeof limitsOf>[1]): Limits {
    return limitsOf(resourcesOf(this.options), sizes)
  }

  #keep(row: Float64Array): boolean {
    const status = row[Field.status]!
    if (status >= 2 && status <= 4) {
      if (this.held) this.pieces.add(row[Field.job]!)
      return this.#leave('partial')
    }
    if (this.#wanted[status >= 0 && status <= 5 ? status : 6] !== true) return this.#leave('status')
    if (row[Field.submit]! < 0) return this.#leave('submit')
    if (row[Field.job]! < 0) throw new BadLine(fieldNames[0], `found "${row[Field.job]}", expected a number of at least 0.`)
    if (row[Field.preceding]! > 0 && this.options.dependencies === 'ignore') this.#counts.dependencies++
    this.#fill(row)
    return this.#rules.apply(this.#job)
  }

  #leave(why: 'partial' | 'status' | 'submit'): false {
    this.#counts[why]++
    return false
  }

  #fill(row: Float64Array): void {
    const { options } = this
    const job = this.#job
    const asked = options.processors === 'requested' ? row[Field.requested]! : row[Field.allocated]!
    const procs = asked > 0 ? asked : options.processors === 'requested' ? row[Field.allocated]! : row[Field.requested]!
    if (!(asked > 0) && procs > 0) this.#counts.processors++
    job.runtime = row[Field.runtime]!
    job.estimate = row[Field.requestedTime]!
    job.amounts[0] = options.unit === 'procs' ? procs : Math.ceil(procs / this.#procsPerNode)
    if (options.memory !== 'none') job.amounts[1] = this.#memory(row[options.memory === 'used' ? Field.usedMemory : Field.requestedMemory]!, procs)
  }

  #memory(kibPerProc: number, procs: number): number {
    if (kibPerProc > 0) return Math.ceil((kibPerProc * procs) / kibPerMib)
    this.#counts.memory++
    return 0
  }

  /** Stores the job kept last in cells from `at` on; see `Cell`. False if the cells cannot hold one of its numbers. */
  store(cells: Cells, at: number): boolean {
    const row = this.#row
    const { runtime, estimate, amounts } = this.#job
    let isExact = put(cells, at + Cell.job, row[Field.job]!)
    isExact = put(cells, at + Cell.submit, row[Field.submit]!) && isExact
    isExact = put(cells, at + Cell.wait, row[Field.wait]!) && isExact
    isExact = put(cells, at + Cell.runtime, runtime) && isExact
    isExact = put(cells, at + Cell.estimate, estimate) && isExact
    isExact = put(cells, at + Cell.recorded, row[Field.runtime] === runtime ? -1 : row[Field.runtime]!) && isExact
    const last = Field.think
    const rest = at + Cell.status - Field.status // the other fields have the same order in both
    for (let i: number = Field.status; i <= last; i++) isExact = put(cells, rest + i, row[i]!) && isExact
    for (let r = 0; r < amounts.length; r++) isExact = put(cells, at + Cell.amounts + r, amounts[r]!) && isExact
    if (!this.#keepsUse) return isExact
    const used = at + Cell.amounts + amounts.length
    isExact = put(cells, used, row[Field.cpuTime]!) && isExact
    isExact = put(cells, used + 1, row[Field.usedMemory]!) && isExact
    return isExact
  }
}

/** Stores a number in a cell; false if the cell cannot hold it exactly. */
function put(cells: Cells, at: number, value: number): boolean {
  cells[at] = value
  return cells[at] === value
}

/** Whether a line is meant for this format: a field too many or too few, or a bad field, is allowed. */
function isNearly18Numbers(line: string): boolean {
  const fields = line.trim().split(/\s+/)
  return fields.length >= 15 && fields.length <= 28 && fields.slice(0, 18).filter((field) => /^[-+]?\.?\d/.test(field)).length >= 9
}
