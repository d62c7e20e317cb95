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

/** Gives signals and drawing a turn, then goes on unless it is to stop. */
export async function breathe(mayGoOn: () => boolean): Promise<void> {
  await new Promise(setImmediate)
  if (!mayGoOn()) throw new Interruption()
}

const turn: { work?: (() => void) | undefined } = {}
const key = Symbol.for('sched.turn')
const script = new Script('globalThis[Symbol.for("sched.turn")].work()', { filename: 'sched' })

/** Signals by which others end the program. */
const fromOutside = ['SIGTERM', 'SIGHUP'] as const

/**
 * Does some work that Ctrl-C ends even where it never would, in a policy that loops for ever: no handler of signals has its turn then,
 * but Node can break off a script. The handlers are told afterwards. On other threads it is the thread that is ended. Other signals
 * Node does not look for: `atOnce` lets them end the process without a handler meanwhile, for code of others where nothing has to be cleared away.
 */
export function interruptible<T>(work: () => T, { atOnce = false }: { readonly atOnce?: boolean } = {}): T {
  if (!isMainThread) return work()
  let result: { readonly value: T } | undefined
  turn.work = () => void (result = { value: work() })
  Object.defineProperty(globalThis, key, { value: turn, configurable: true })
  const giveBack = atOnce ? withoutHandlers() : () => undefined
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
