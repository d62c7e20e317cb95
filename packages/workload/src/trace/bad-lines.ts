import { SchedError } from '@sched/core'
import type { BadLine, LinePlace } from './format.js'

const mostMessages = 5

/** Decides what a bad line does to the reading: stops it, or is counted and the first few reported. */
export class BadLines {
  skipped = 0
  readonly problems: string[] = []

  constructor(private readonly policy: 'fail' | 'skip') {}

  add(problem: BadLine, { file, line }: LinePlace): void {
    const wayOut = `${problem.wayOut === '' ? 'Correct the line' : problem.wayOut.replace(/\.$/, '')}, or drop such lines with onBadLine "skip".`
    const error = new SchedError('BAD_INPUT', problem.fact, { file, line, field: problem.field }, wayOut)
    if (this.policy === 'fail') throw error
    this.skipped++
    if (this.problems.length < mostMessages)
      this.problems.push(new SchedError('BAD_INPUT', problem.fact, error.place).message)
  }
}
