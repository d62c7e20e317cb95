import type { JobSpec, Seconds } from '@sched/core'
import type { RuleCount } from '../trace/facts.js'
import { ruleLine } from '../trace/facts.js'
import { BadLine, type LineParser, type LinePlace } from '../trace/format.js'

/** What time 0 is: the first submission, or time 0 of the trace. */
export type Origin = 'first' | 'trace'

interface HeldOptions {
  readonly perSecond?: number
  readonly renames?: boolean
  readonly counted?: LinePlace['counted']
}

/**
 * Holds the jobs of a trace that is not in order of submission until its end, and then returns them by submit time; equal times keep the order of the
 * trace. All jobs are in memory, even if the file is streamed.
 */
export class HeldJobs {
  readonly #jobs: JobSpec[] = []
  readonly #lines = new Map<string, number>()
  /** Highest number given to a repeated id. */
  readonly #times = new Map<string, number>()
  #next = 0
  #isEnded = false
  #first: Seconds = 0
  #unsorted = 0
  #repeated = 0
  readonly #origin: Origin
  readonly #perSecond: number
  readonly #counted: string
  /** Whether repeated ids get a number; otherwise they are refused. */
  renames: boolean

  /** `perSecond`: units of submit times per second. */
  constructor(origin: Origin, { perSecond = 1, renames = false, counted = 'line' }: HeldOptions = {}) {
    this.#origin = origin
    this.#perSecond = perSecond
    this.#counted = counted
    this.renames = renames
  }

  /** Adds a job. Throws `BadLine` for an id that was used before, if these are refused. */
  add(job: JobSpec, line: number): void {
    const before = this.#lines.get(job.id)
    if (before !== undefined && !this.renames)
      throw new BadLine('id', `job id "${job.id}" was used before, on ${this.#counted} ${before}.`, 'Give every job an id of its own')
    const id = before === undefined ? job.id : this.#numbered(job.id)
    this.#lines.set(id, line)
    const last = this.#jobs.at(-1)
    if (last !== undefined && job.submit < last.submit) this.#unsorted++
    this.#jobs.push(before === undefined ? job : { ...job, id })
  }

  /** The first of `id#2`, `id#3`, ... that is not used yet. */
  #numbered(id: string): string {
    let times = this.#times.get(id) ?? 1
    do times++
    while (this.#lines.has(`${id}#${times}`))
    this.#times.set(id, times)
    this.#repeated++
    return `${id}#${times}`
  }

  /** Sorts the jobs; called after the last one. If the trace has submit times before its own 0, time 0 is the first submission. */
  end(origin = this.#origin): void {
    this.#isEnded = true
    if (this.#unsorted > 0) this.#jobs.sort((a, b) => a.submit - b.submit)
    const first = this.#jobs[0]?.submit ?? 0
    this.#first = origin === 'first' || first < 0 ? first : 0
  }

  /** The next job; `undefined` before the end and when all have been returned. */
  more(): JobSpec | undefined {
    const job = this.#jobs[this.#next]
    if (job === undefined || !this.#isEnded) return undefined
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

/** Reads rows and counts what it did to them. */
export interface RowReader {
  /** The job of a line; `undefined` if the line has none. Throws `BadLine`. */
  job(bytes: Uint8Array, from: number, to: number): JobSpec | undefined
  /** The next of further jobs: those of the line read last or, after `end`, those held back. Default: a line has at most one job. */
  more?(): JobSpec | undefined
  /** The job that the last line has left open, if any. Throws `BadLine`. */
  end?(): JobSpec | undefined
  rules?(): readonly RuleCount[]
  /** Notes for people. */
  notes?(): readonly string[]
  /** Whether repeated ids get a number; otherwise they are refused. */
  readonly renames?: boolean
  /** What time 0 is, if the rows tell. */
  readonly origin?: Origin
}

/** A parser that holds the jobs of its rows until the end and then returns them in order of submission. */
export function heldParser(rows: RowReader, place: LinePlace, origin: Origin): LineParser {
  const held = new HeldJobs(origin, { counted: place.counted })
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
      held.end(rows.origin)
    },
    more: () => held.more(),
    report() {
      const rules = [...(rows.rules?.() ?? []), ...held.rules()].filter(({ jobs }) => jobs > 0)
      return { rules, notes: [...(rows.notes?.() ?? []), ...rules.map(ruleLine)] }
    },
  }
}
