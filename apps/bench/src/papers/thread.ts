import { parentPort, workerData } from 'node:worker_threads'
import { runTask } from './thread-tasks.js'
import type { Done, Order, ThreadData } from './threads.js'

// A thread of `Threads`: runs what it is told until the program ends.
const { port, answers } = workerData as ThreadData
port.on('message', ({ index, task, input }: Order) => {
  port.postMessage(done(index, () => runTask(task, input as never)))
  Atomics.add(answers, 0, 1)
  Atomics.notify(answers, 0)
})
parentPort?.postMessage('ready')

function done(index: number, run: () => unknown): Done {
  try {
    return { index, result: run() }
  } catch (error) {
    return { index, error: error instanceof Error ? error.message : String(error) }
  }
}
