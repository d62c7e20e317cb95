import { sizedJobs } from './omega/map-reduce-run.js'
import { runPoint } from './omega/point.js'

/** What experiments may run on other threads. */
const tasks = { point: runPoint, 'map-reduce': sizedJobs }
type Tasks = typeof tasks
export type TaskName = keyof Tasks

export type Input<Name extends TaskName> = Parameters<Tasks[Name]>[0]
export type Output<Name extends TaskName> = ReturnType<Tasks[Name]>

export function runTask<Name extends TaskName>(task: Name, input: Input<Name>): Output<Name> {
  return (tasks[task] as (input: Input<Name>) => Output<Name>)(input)
}
