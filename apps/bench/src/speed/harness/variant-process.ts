import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { SchedError } from '@sched/core'
import type { Size } from './benchmark.js'
import type { Ran, Reply, Request, RunOptions } from './messages.js'

/** Whether this program runs from its sources; memory and cold figures then contain the loader that compiles them. */
export const fromSource = import.meta.url.endsWith('.ts')

/** A fresh process for one variant. */
export class VariantProcess {
  readonly #child: ChildProcess
  readonly #title: string

  private constructor(title: string, execArgv: readonly string[]) {
    this.#title = title
    const script = fromSource ? new URL('./worker.ts', import.meta.url) : new URL('./speed-worker.js', import.meta.url) // the bundle is flat
    const loader = fromSource ? ['--conditions=@sched/source', '--import', import.meta.resolve('tsx')] : []
    this.#child = fork(fileURLToPath(script), { execArgv: [...loader, '--expose-gc', ...execArgv], serialization: 'advanced' }) // JSON has no NaN
  }

  /** Starts the process and lets it prepare the variant. */
  static async start(benchmark: string, variant: string, size: Size, execArgv: readonly string[]): Promise<VariantProcess> {
    const started = new VariantProcess(`${benchmark}/${variant}`, execArgv)
    await started.#ask({ kind: 'prepare', benchmark, variant, size })
    return started
  }

  async run(how: RunOptions): Promise<Ran> {
    const reply = await this.#ask({ kind: 'run', how })
    if (reply.kind !== 'ran') throw new SchedError('BROKEN_CONTRACT', `${this.#title} answered "${reply.kind}" when asked to run`)
    return reply.run
  }

  /** Lets the process end. */
  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exit = once(this.#child, 'exit')
    if (this.#child.connected) this.#child.disconnect()
    await exit
  }

  #ask(request: Request): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const child = this.#child
      const settle = (act: () => void) => {
        child.off('message', onMessage).off('exit', onExit).off('error', reject)
        act()
      }
      const onMessage = (reply: Reply) =>
        settle(() => (reply.kind === 'failed' ? reject(new Error(`${this.#title}: ${reply.message}`)) : resolve(reply)))
      const onExit = (code: number | null, signal: string | null) =>
        settle(() => reject(new Error(`${this.#title}: its process ended with ${signal ?? `code ${code}`}`)))
      child.on('message', onMessage).on('exit', onExit).on('error', reject)
      child.send(request)
    })
  }
}
