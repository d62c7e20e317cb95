import { Board } from './board.js'
import type { Outcome } from './outcome.js'
import type { Plan } from './plan.js'
import { runShare } from './run-share.js'

/** What a thread is given: the plan, the board's memory, and its place on it. */
export interface Share {
  readonly plan: Plan
  readonly memory: SharedArrayBuffer
  readonly id: number
}

/** One thread's share of a plan. */
export const runOnThread = ({ plan, memory, id }: Share): Promise<Outcome[]> => runShare(plan, { board: Board.of(memory), id })
