import { runTask, type Input, type Output, type TaskName } from './thread-tasks.js'
import type { Threads } from './threads.js'

/** Runs a task on every input, on threads where there are some. */
export function mapped<Name extends TaskName>(threads: Threads | undefined, task: Name, inputs: readonly Input<Name>[]): Output<Name>[] {
  return threads === undefined ? inputs.map((input) => runTask(task, input)) : threads.map(task, inputs)
}
