import { SchedError, type Place } from '@sched/core'
import { ruleLine, type RuleCount } from './facts.js'
import type { BadLine, LinePlace } from './format.js'

const mostMessages = 5

/** Decides what a bad line does to the reading: stops it, or is counted and the first few reported. */
export class BadLines {
  skipped = 0
  readonly problems: string[] = []

  constructor(private readonly policy: 'fail' | 'skip') {}

  add(problem: BadLine, at: Pick<LinePlace, 'file' | 'line' | 'counted'>): void {
    const { counted = 'line' } = at
    const wayOut = `${problem.wayOut === '' ? `Correct the ${counted}` : problem.wayOut.replace(/\.$/, '')}, or drop such ${counted}s with onBadLine "skip".`
    const error = new SchedError('BAD_INPUT', problem.fact, { file: at.file, ...numbered(at), field: problem.field }, wayOut)
    if (this.policy === 'fail') throw error
    this.skipped++
    if (this.problems.length < mostMessages)
      this.problems.push(new SchedError('BAD_INPUT', problem.fact, error.place).message)
  }
}

/** An error of a parser that ends the reading: where it names a line of a table of rows, that is a row, and the header none. */
export function ofRow(error: unknown, at: Pick<LinePlace, 'line' | 'counted'>): unknown {
  return at.counted === 'row' && error instanceof SchedError && error.place.line !== undefined ? error.at(numbered(at)) : error
}

const numbered = ({ line, counted }: Pick<LinePlace, 'line' | 'counted'>): Place => (counted === 'row' ? { line: undefined, row: line > 0 ? line : undefined } : { line })

/** Of a trace that was read to its end without a job; `rules`: what they left out. */
export function noJobs(rules: readonly RuleCount[], file: string | undefined): SchedError {
  if (rules.length === 0) return new SchedError('BAD_INPUT', 'the trace holds no jobs.', { file }, 'Is it the right file, and whole?')
  return new SchedError('BAD_INPUT', `the trace holds no jobs or none is left: ${rules.map(ruleLine).join('; ')}.`, { file }, 'Choose other rules, or another file.')
}
