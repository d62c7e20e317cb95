import { once } from 'node:events'
import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads'
import type { Input, Output, TaskName } from './thread-tasks.js'

/** To a thread: run a task on an input. */
export interface Order {
  readonly index: number
  readonly task: TaskName
  readonly input: unknown
}
/** From a thread: what came of it. */
export interface Done {
  readonly index: number
  readonly result?: unknown
  readonly error?: string
}
/** What a thread is given when it starts: where its orders come from, and the count of answers of all threads that the caller waits on. */
export interface ThreadData {
  readonly port: MessagePort
  readonly answers: Int32Array
}

/**
 * Threads that run tasks, plain data in and plain data out, while the caller waits: an experiment reads as if it ran them
 * itself. Results have the order of the inputs, whatever the number of threads.
 */
export class Threads {
  readonly #ports: MessagePort[]
  readonly #answers: Int32Array

  private constructor(ports: MessagePort[], answers: Int32Array) {
    this.#ports = ports
    this.#answers = answers
  }

  /** Starts so many threads. Throws what one of them threw while it loaded. */
  static async start(count: number): Promise<Threads> {
    const answers = new Int32Array(new SharedArrayBuffer(4))
    return new Threads(await Promise.all(Array.from({ length: count }, () => start(answers))), answers)
  }

  /** Throws what the first task that failed threw. */
  map<Name extends TaskName>(task: Name, inputs: readonly Input<Name>[]): Output<Name>[] {
    const results: unknown[] = []
    let next = 0
    let left = inputs.length
    const give = (port: MessagePort) => {
      if (next < inputs.length) port.postMessage({ index: next, task, input: inputs[next++] } satisfies Order)
    }
    for (const port of this.#ports) give(port)
    while (left > 0) {
      const seen = Atomics.load(this.#answers, 0)
      for (const port of this.#ports)
        for (let answer = receiveMessageOnPort(port); answer !== undefined; answer = receiveMessageOnPort(port)) {
          const { index, result, error } = answer.message as Done
          if (error !== undefined) throw new Error(error)
          results[index] = result
          left--
          give(port)
        }
      if (left > 0) Atomics.wait(this.#answers, 0, seen) // returns at once when an answer has come since it was read
    }
    return results as Output<Name>[]
  }
}

const fromSource = import.meta.url.endsWith('.ts')

async function start(answers: Int32Array): Promise<MessagePort> {
  const { port1, port2 } = new MessageChannel()
  const workerData: ThreadData = { port: port2, answers }
  const execArgv = fromSource ? ['--conditions=@sched/source'] : []
  const thread = new Worker(program(), { eval: true, execArgv, workerData, transferList: [port2] })
  await once(thread, 'message') // it is ready
  thread.unref()
  port1.unref()
  return port1
}

/** Loads `thread.ts`: from the bundle, which is flat, or from its source by the loader that this program was loaded by. */
function program(): string {
  const load = (url: string) => `import(${JSON.stringify(url)})`
  if (!fromSource) return load(new URL('./papers-thread.js', import.meta.url).href)
  return `${load(import.meta.resolve('tsx/esm/api'))}.then(({ register }) => { register(); return ${load(new URL('./thread.ts', import.meta.url).href)} })`
}
