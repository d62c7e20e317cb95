import { sizedJobs } from './omega/map-reduce-run.js'
import { runPoint } from './omega/point.js'
import type { Threads } from './threads.js'

/** What experiments may run on other threads. */
const tasks = { point: runPoint, 'map-reduce': sizedJobs }
export type Tasks = typeof tasks
export type TaskName = keyof Tasks

type Input<Name extends TaskName> = Parameters<Tasks[Name]>[0]
type Output<Name extends TaskName> = ReturnType<Tasks[Name]>

export function runTask<Name extends TaskName>(task: Name, input: Input<Name>): Output<Name> {
  return (tasks[task] as (input: Input<Name>) => Output<Name>)(input)
}

/** Runs a task on every input, on threads where there are some. */
export function mapped<Name extends TaskName>(threads: Threads | undefined, task: Name, inputs: readonly Input<Name>[]): Output<Name>[] {
  return threads === undefined ? inputs.map((input) => runTask(task, input)) : threads.map(task, inputs)
}
