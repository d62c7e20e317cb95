import { SchedError } from '@sched/core'
import { availableParallelism } from 'node:os'
import type { Piscina } from 'piscina'
import { Interruption } from '../interruption.js'
import type { RunResult } from '../run-once.js'
import { Board } from './board.js'
import { errorOf, type Outcome } from './outcome.js'
import type { Plan } from './plan.js'
import { program } from './program.js'
import { runShare } from './run-share.js'
import type { Share } from './worker.js'

export interface RunPlanOptions {
  readonly signal: AbortSignal
  /** Threads, this one too; default: as many as there are processors, once the runs turn out to take long. */
  readonly threads?: number | undefined
  /** Called as runs begin on this thread, and every few milliseconds. */
  readonly onRun?: (run: number) => void
  readonly onProgress?: (sum: Board['sum']) => void
  /** Called with what the user should know before a run goes on, perhaps for each of several runs; not called any more once all is done. */
  readonly onWarning?: (text: string) => void
  /** Makes what a failed run threw what the user is told. */
  readonly explain?: (run: number, error: Error) => Error
}

/** Work that is done sooner than threads have started, milliseconds. */
const SHORT = 1000

/**
 * Runs a plan and yields the results in its order, whatever the number of threads. This thread takes runs like the
 * others, unless it must be there to hear signals; a thread does many runs, since each has to warm up. Throws what the first run in the order of the plan threw
 * that failed, and `Interruption`.
 */
export async function runPlan(plan: Plan, { signal, threads, onRun, onProgress, onWarning, explain }: RunPlanOptions): Promise<RunResult[]> {
  const runners = Math.max(1, Math.min(threads ?? availableParallelism(), plan.runs.length))
  const isApart = runsApart(plan)
  const board = Board.for(isApart ? runners + 1 : runners, plan.runs.length)
  const stop = () => board.stopAfter(-1)
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  const others = new Others(plan, board, isApart ? runners : runners - 1, (text) => onWarning?.(text))
  const began = performance.now()
  const tick = () => {
    if (threads === undefined && performance.now() - began > SHORT && board.hasMore) void others.start()
    onProgress?.(board.sum)
  }
  try {
    if (threads !== undefined) await others.start()
    else if (isApart) await others.start(1)
    if (isApart) onRun?.(0)
    const own = isApart ? [] : await runShare(plan, { board, id: 0, onProgress: tick, onWarning, ...(onRun !== undefined && { onRun }) })
    const outcomes = [...own, ...(await Promise.race([others.outcomes(tick), aborted(signal)]))]
    if (signal.aborted) throw new Interruption()
    return inOrder(outcomes, explain)
  } finally {
    stop()
    signal.removeEventListener('abort', stop)
    await others.end()
  }
}

/** Code of others may loop for ever, and a thread that does hears no signal. */
const runsApart = ({ variants }: Plan): boolean => variants.some(({ spec }) => (spec.plugins ?? []).length > 0)

/** Who loops for ever on another thread does not see that it is to stop: nobody waits for it then. */
const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    const stop = () => reject(new Interruption())
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })

function inOrder(outcomes: Outcome[], explain: RunPlanOptions['explain']): RunResult[] {
  outcomes.sort((a, b) => a.run - b.run)
  const failed = outcomes.find(({ failure }) => failure !== undefined)
  if (failed?.failure !== undefined) {
    const error = errorOf(failed.failure)
    throw explain?.(failed.run, error) ?? error
  }
  return outcomes.map(({ result }) => result as RunResult)
}

/** The threads beside this one. */
class Others {
  readonly #plan: Plan
  readonly #board: Board
  readonly #count: number
  readonly #onWarning: (text: string) => void
  #pool: Promise<Piscina<Share, Outcome[]>> | undefined
  readonly #shares: Promise<Outcome[]>[] = []

  constructor(plan: Plan, board: Board, count: number, onWarning: (text: string) => void) {
    this.#plan = plan
    this.#board = board
    this.#count = count
    this.#onWarning = onWarning
  }

  /** Settles when they run, or the first so many of them. */
  async start(count = this.#count): Promise<void> {
    if (this.#shares.length >= count) return
    this.#pool ??= this.#makePool()
    const pool = await this.#pool
    while (this.#shares.length < count) {
      const share = pool.run({ plan: this.#plan, memory: this.#board.memory, id: this.#shares.length + 1 })
      share.catch(() => this.#board.stopAfter(-1))
      this.#shares.push(share)
    }
  }

  /** Loads the library too, which runs on one thread can do without. */
  async #makePool(): Promise<Piscina<Share, Outcome[]>> {
    const { Piscina } = await import('piscina')
    const pool = new Piscina<Share, Outcome[]>({ ...program(), minThreads: 1, maxThreads: this.#count, name: 'runOnThread' })
    pool.on('message', this.#onWarning)
    return pool
  }

  /** What they did, once all have ended; meanwhile `tick` is called now and then. */
  async outcomes(tick: () => void): Promise<Outcome[]> {
    const timer = setInterval(tick, 100)
    try {
      const all = async (): Promise<Outcome[][]> => {
        const { length } = this.#shares
        const outcomes = await Promise.all(this.#shares)
        return this.#shares.length === length ? outcomes : all() // more have started meanwhile
      }
      return (await all()).flat()
    } catch (error) {
      throw new SchedError(
        'BROKEN_CONTRACT',
        `a thread has ended early: ${error instanceof Error ? error.message : String(error)}`,
        {},
        'Try `--threads 1`, or give Node more memory.',
      )
    } finally {
      clearInterval(timer)
    }
  }

  async end(): Promise<void> {
    await (await this.#pool)?.destroy()
  }
}
