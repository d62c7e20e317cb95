import { SchedError, type JobSpec } from '@sched/core'
import { BadLines, noJobs } from './bad-lines.js'
import type { LineParser, LinePlace, ReadOptions, TraceReport } from './format.js'
import { JobSequence } from './job-sequence.js'
import { unreadableKind } from './looks-like.js'

const longestLine = 1 << 28 // 256 MiB, about 10 million task durations; a longer line means a file without lines

/**
 * Cuts bytes into lines and takes a job from each. `push` takes chunks that may end anywhere; then call `next` until it returns no more jobs. After
 * the last chunk call `end`, and `next` again. Lines end in LF or CR LF, empty lines are skipped, and a byte order mark at the start is dropped.
 * Chunks must not change, because they are only copied if a line continues in the next chunk.
 */
export class LineDecoder implements TraceReport, LinePlace {
  file: string | undefined
  readonly counted: 'line' | 'row'
  line: number
  jobs = 0
  readonly #bad: BadLines
  readonly #sequence: JobSequence
  readonly #parser: LineParser
  #bytes = new Uint8Array(0)
  #at = 0
  #searched = 0
  readonly #before: number
  #earlier = 0
  #ended = false

  constructor(parser: (place: LinePlace) => LineParser, { file, onBadLine = 'fail', counted = 'line', maxTasks = 10_000_000 }: ReadOptions, readonly checked = false) {
    this.file = file
    this.counted = counted
    this.#before = this.line = counted === 'row' ? -1 : 0 // the header is not a row
    this.#bad = new BadLines(onBadLine)
    this.#sequence = new JobSequence(maxTasks)
    this.#parser = parser(this)
  }

  get lines(): number {
    return this.#earlier + Math.max(this.line, 0)
  }

  get skipped(): number {
    return this.#bad.skipped
  }

  get problems(): readonly string[] {
    return this.#bad.problems
  }

  /** What the parser reports about the jobs. */
  get more(): Pick<TraceReport, 'rules' | 'notes'> {
    return this.#parser.report?.() ?? {}
  }

  get ended(): boolean {
    return this.#ended
  }

  push(chunk: Uint8Array): void {
    const left = this.#bytes.length - this.#at
    if (left === 0) this.#bytes = chunk as Uint8Array<ArrayBuffer>
    else this.#bytes = joined(this.#bytes.subarray(this.#at), chunk)
    this.#at = 0
    this.#searched = left
    if (this.line === this.#before) this.#checkStart()
    if (this.#bytes.length > longestLine && this.#bytes.indexOf(10) === -1)
      throw new SchedError('BAD_INPUT', `no line end within ${this.#bytes.length} bytes.`, { file: this.file, line: this.line + 1 }, 'Is it a text file?')
  }

  /** Begins another file of the same trace, whose lines are counted from 1. The file before must have ended with a line end. */
  startFile(file: string): void {
    this.#earlier = this.lines
    this.file = file
    this.line = this.#before
  }

  end(): void {
    this.#ended = true
  }

  /** The next job of the bytes so far; `undefined` if more bytes are needed or, after `end`, if there are no more jobs. */
  next(): JobSpec | undefined {
    for (;;) {
      const more = this.#more()
      if (more !== undefined) return more
      const found = this.#bytes.indexOf(10, this.#searched)
      const to = found === -1 && this.#ended ? this.#bytes.length : found
      if (to === -1 || this.#at >= this.#bytes.length) {
        this.#searched = this.#bytes.length
        return this.#ended ? this.#finish() : undefined
      }
      const from = this.#at
      this.#at = this.#searched = to + 1
      this.line++
      const job = this.#take(from, to > from && this.#bytes[to - 1] === 13 ? to - 1 : to)
      if (job !== undefined) return job
    }
  }

  #take(from: number, to: number): JobSpec | undefined {
    if (from === to) return undefined
    try {
      const job = this.#parser.line(this.#bytes, from, to)
      return job === undefined ? undefined : this.#accepted(job)
    } catch (error) {
      this.#bad.excuse(error, this)
      return undefined
    }
  }

  /** Checks a job against those before it, and counts it. */
  #accepted(job: JobSpec): JobSpec {
    if (!this.checked) this.#sequence.check(job)
    this.jobs++
    return job
  }

  /** The next further job of the parser. A job that cannot be used is reported with the line that is being read. */
  #more(): JobSpec | undefined {
    if (this.#parser.more === undefined) return undefined
    for (let job = this.#parser.more(); job !== undefined; job = this.#parser.more()) {
      try {
        return this.#accepted(job)
      } catch (error) {
        this.#bad.excuse(error, this)
      }
    }
    return undefined
  }

  #finish(): JobSpec | undefined {
    if (this.#at === Infinity) return undefined // already finished
    this.#at = Infinity
    try {
      this.#parser.end?.()
    } catch (error) {
      this.#bad.excuse(error, this)
    }
    const more = this.#more()
    if (more !== undefined || this.jobs > 0) return more
    throw this.#bad.allBad(this) ?? noJobs(this.more.rules ?? [], this.file)
  }

  #checkStart(): void {
    const kind = unreadableKind(this.#bytes)
    if (kind !== undefined) throw new SchedError('BAD_INPUT', `looks like ${kind.what}, not like text.`, { file: this.file }, kind.wayOut)
    if (this.#bytes[0] === 0xef && this.#bytes[1] === 0xbb && this.#bytes[2] === 0xbf) this.#at = this.#searched = 3
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}
