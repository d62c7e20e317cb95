import { parentPort } from 'node:worker_threads'
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

/** One thread's share of a plan. What the user should know goes to the thread that talks to the user, as messages. */
export const runOnThread = ({ plan, memory, id }: Share): Promise<Outcome[]> =>
  runShare(plan, { board: Board.of(memory), id, onWarning: (text) => parentPort?.postMessage(text) })
