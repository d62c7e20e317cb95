import { SchedError, type Place as ErrorPlace } from '@sched/core'
import { ruleLine, type RuleCount } from './facts.js'
import { BadLine, type LinePlace } from './format.js'

const mostMessages = 5

/** Where an error happened; `counted` says what `line` counts. */
type Place = Pick<LinePlace, 'file' | 'line' | 'counted'>

/** Handles bad lines as the policy says: `fail` throws `BAD_INPUT` for the first one; `skip` counts them and keeps messages about the first few. */
export class BadLines {
  skipped = 0
  readonly problems: string[] = []

  constructor(private readonly policy: 'fail' | 'skip') {}

  /** Handles an error at a place of a file. Throws any error other than `BadLine`; in a table of rows, it names the row instead of a line. */
  excuse(error: unknown, at: Place): void {
    if (!BadLine.is(error)) throw ofRow(error, at)
    this.#add(error, at)
  }

  /** The error of a trace without a job of which lines were skipped; `undefined` if none was. */
  allBad({ counted = 'line' }: Pick<Place, 'counted'>): SchedError | undefined {
    const [first] = this.problems
    return first === undefined ? undefined : new SchedError('BAD_INPUT', `all ${this.skipped} ${counted}s with jobs are bad, the first: ${first}`, {}, 'Is the trace of the format that it is read as? Without onBadLine "skip" the message says what to do about the first.')
  }

  #add(problem: BadLine, at: Place): void {
    const { counted = 'line' } = at
    const wayOut = `${problem.wayOut === '' ? `Correct the ${counted}` : problem.wayOut.replace(/\.$/, '')}, or drop such ${counted}s with onBadLine "skip".`
    const error = new SchedError('BAD_INPUT', problem.fact, { file: at.file, ...numbered(at), field: problem.field }, wayOut)
    if (this.policy === 'fail') throw error
    this.skipped++
    if (this.problems.length < mostMessages)
      this.problems.push(new SchedError('BAD_INPUT', problem.fact, error.place).message)
  }
}

/** An error that ends the reading. If it names a line in a table of rows, it names the row instead; the header has no number. */
function ofRow(error: unknown, at: Place): unknown {
  return at.counted === 'row' && error instanceof SchedError && error.place.line !== undefined ? error.at(numbered(at)) : error
}

const numbered = ({ line, counted }: Place): ErrorPlace => (counted === 'row' ? { line: undefined, row: line > 0 ? line : undefined } : { line })

/** The error for a trace that was read to its end without a job. `rules` tells which jobs were left out. */
export function noJobs(rules: readonly RuleCount[], file: string | undefined): SchedError {
  if (rules.length === 0) return new SchedError('BAD_INPUT', 'the trace holds no jobs.', { file }, 'Is it the right file, and whole?')
  return new SchedError('BAD_INPUT', `the trace holds no jobs or none is left: ${rules.map(ruleLine).join('; ')}.`, { file }, 'Choose other rules, or another file.')
}
