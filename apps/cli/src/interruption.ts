import { Script } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

/** The user has asked to stop. */
export class Interruption extends Error {
  override readonly name = 'Interruption'

  constructor() {
    super('interrupted')
  }
}

/** Throws when the user has asked to stop. */
export function heed(signal: AbortSignal): void {
  if (signal.aborted) throw new Interruption()
}

/** Milliseconds between two looks at signals and at the progress bar; each costs a tenth of one. */
const TURN = 20
let lastTurn = -Infinity

/** Whether signals and drawing have waited long for a turn: short runs in a row share one. */
export const isTurnDue = (): boolean => performance.now() - lastTurn >= TURN

/** Gives signals and drawing a turn, then goes on unless it is to stop. */
export async function breathe(mayGoOn: () => boolean): Promise<void> {
  await new Promise(setImmediate)
  lastTurn = performance.now()
  if (!mayGoOn()) throw new Interruption()
}

const turn: { work?: (() => void) | undefined } = {}
const key = Symbol.for('sched.turn')
const script = new Script('globalThis[Symbol.for("sched.turn")].work()', { filename: 'sched' })

/** Signals by which others end the program. */
const fromOutside = ['SIGTERM', 'SIGHUP'] as const

/**
 * Does some work that signals end even where it never would, in code of others that loops for ever: no handler has its turn then,
 * but Node can break off a script on Ctrl-C, of which the handlers are told afterwards, and other signals end the process where nobody
 * handles them. A signal that comes as this begins or ends may be lost, or end the process at once: only for what has nothing to clear
 * away and cannot run on another thread, which is ended without all this.
 */
export function interruptible<T>(work: () => T): T {
  if (!isMainThread) return work()
  let result: { readonly value: T } | undefined
  turn.work = () => void (result = { value: work() })
  Object.defineProperty(globalThis, key, { value: turn, configurable: true })
  const giveBack = withoutHandlers()
  try {
    script.runInThisContext({ breakOnSigint: true, displayErrors: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_INTERRUPTED') throw error
    process.emit('SIGINT')
    throw new Interruption()
  } finally {
    giveBack()
    turn.work = undefined
  }
  return (result as unknown as { readonly value: T }).value
}

function withoutHandlers(): () => void {
  const taken = fromOutside.map((signal) => [signal, process.listeners(signal)] as const)
  for (const [signal] of taken) process.removeAllListeners(signal)
  return () => {
    for (const [signal, handlers] of taken) for (const handler of handlers) process.on(signal, handler)
  }
}
