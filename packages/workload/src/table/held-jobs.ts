import type { JobSpec, Seconds } from '@sched/core'
import type { RuleCount } from '../trace/facts.js'
import { ruleLine } from '../trace/facts.js'
import { BadLine, type LineParser, type LinePlace } from '../trace/format.js'

/** Where time 0 is: at the first submission, or where the trace has it. */
export type Origin = 'first' | 'trace'

interface HeldOptions {
  readonly perSecond?: number
  readonly renames?: boolean
  readonly counted?: LinePlace['counted']
}

/**
 * Jobs of a trace that is not in order of submission: held until its end, then given by submit time, equal ones as the
 * trace has them. Memory holds all of them, also when the file is streamed.
 */
export class HeldJobs {
  readonly #jobs: JobSpec[] = []
  readonly #lines = new Map<string, number>()
  #next = 0
  #first: Seconds = 0
  #unsorted = 0
  #repeated = 0
  readonly #origin: Origin
  readonly #perSecond: number
  readonly #counted: string
  /** Whether an id that comes again is numbered, and not refused. */
  renames: boolean

  /** Submit times are in units of which a second has `perSecond`. An id that comes again is refused, or numbered. */
  constructor(origin: Origin, { perSecond = 1, renames = false, counted = 'line' }: HeldOptions = {}) {
    this.#origin = origin
    this.#perSecond = perSecond
    this.#counted = counted
    this.renames = renames
  }

  /** Throws `BadLine` for an id that was used before where such are refused. */
  add(job: JobSpec, line: number): void {
    const before = this.#lines.get(job.id)
    if (before !== undefined && this.renames) return this.add({ ...job, id: `${job.id}#${++this.#repeated + 1}` }, line)
    if (before !== undefined) throw new BadLine('id', `job id "${job.id}" was used before, on ${this.#counted} ${before}.`, 'Give every job an id of its own')
    this.#lines.set(job.id, line)
    const last = this.#jobs.at(-1)
    if (last !== undefined && job.submit < last.submit) this.#unsorted++
    this.#jobs.push(job)
  }

  /** Throws `BadLine` where the trace has times before its own 0. */
  end(): void {
    if (this.#unsorted > 0) this.#jobs.sort((a, b) => a.submit - b.submit)
    const first = this.#jobs[0]?.submit ?? 0
    this.#first = this.#origin === 'first' || first < 0 ? first : 0
  }

  more(): JobSpec | undefined {
    const job = this.#jobs[this.#next]
    if (job === undefined) return undefined
    this.#next++
    return this.#first === 0 && this.#perSecond === 1 ? job : { ...job, submit: (job.submit - this.#first) / this.#perSecond }
  }

  rules(): RuleCount[] {
    return [
      { rule: 'repeated', jobs: this.#repeated, text: 'with the id of one above: called <id>#2, <id>#3, ...' },
      { rule: 'sorted', jobs: this.#unsorted, text: 'submitted before one above: sorted' },
    ].filter(({ jobs }) => jobs > 0)
  }
}

/** Reads rows; what it did to them is counted. */
export interface RowReader {
  /** The job of a line, `undefined` for one without. Throws `BadLine`. */
  job(bytes: Uint8Array, from: number, to: number): JobSpec | undefined
  /** Further jobs of the line read last, or after `end`, one at a time; default: a line has one at most. */
  more?(): JobSpec | undefined
  /** The job that the last line has left open, if any. Throws `BadLine`. */
  end?(): JobSpec | undefined
  rules?(): readonly RuleCount[]
  /** What people should know besides. */
  notes?(): readonly string[]
  /** Whether an id that comes again is numbered, and not refused. */
  readonly renames?: boolean
}

/** A parser that holds the jobs of its rows until the end and then gives them in order of submission. */
export function heldParser(rows: RowReader, place: LinePlace, origin: Origin): LineParser {
  const held = new HeldJobs(origin, { counted: place.counted })
  let isEnded = false
  const addAll = (first: JobSpec | undefined) => {
    for (let job = first; job !== undefined; job = rows.more?.()) held.add(job, place.line)
  }
  return {
    line(bytes, from, to) {
      const job = rows.job(bytes, from, to)
      if (job === undefined) return undefined
      held.renames = rows.renames === true
      addAll(job)
      return undefined
    },
    end() {
      addAll(rows.end?.())
      held.end()
      isEnded = true
    },
    more: () => (isEnded ? held.more() : undefined),
    report() {
      const rules = [...(rows.rules?.() ?? []), ...held.rules()].filter(({ jobs }) => jobs > 0)
      return { rules, notes: [...(rows.notes?.() ?? []), ...rules.map(ruleLine)] }
    },
  }
}
