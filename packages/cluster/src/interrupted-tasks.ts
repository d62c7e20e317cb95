import { None, type JobId, type NodeId, type ResourceId, type Seconds, type TaskId } from '@sched/core'
import type { CellState } from './cell-state.js'
import { loseSuspended } from './interruptions.js'
import { taskName, type TaskName } from './task-name.js'
import { UNPLACED } from './work-columns.js'
import type { Work } from './work.js'

/** A task that is suspended, or was and runs again: plain data, for JSON. */
export interface InterruptedTask extends TaskName {
  /** Seconds that it had run when it was suspended last. */
  readonly worked: Seconds
  /** Of one that is suspended: the name of its node, and of what it has given up there. */
  readonly on?: { readonly node: string; readonly frees: readonly string[] }
}

/** All of them, in the order in which they were suspended first. */
export function interruptedTasks(work: Work, cell: CellState): InterruptedTask[] {
  return Array.from(work.suspended.allWorked(), ([task, worked]) => ({ ...taskName(work, task), worked, ...(work.suspended.has(task) && { on: placeOf(task, work, cell) }) }))
}

function placeOf(task: TaskId, work: Work, cell: CellState): { readonly node: string; readonly frees: readonly string[] } {
  const { node, shape: held } = work.suspended.of(task)
  const { resources } = work.shapes.of(work.shapeOf(task))
  const kept = held === None ? [] : work.shapes.of(held).resources
  return { node: cell.name(node), frees: resources.filter((resource) => !kept.includes(resource)).map((resource) => cell.resources[resource] as string) }
}

/**
 * Takes them up in work that has been told of all that runs: those that are suspended hold what they held, and of those that run it is known how long they have worked. Passes over
 * what runs or has ended meanwhile and what is not there any more; what finds no room on its node has to start anew, with its gang. Yields the jobs of which tasks run that had been suspended.
 */
export function takeUpInterrupted(tasks: readonly InterruptedTask[], work: Work, cell: CellState, jobs: ReadonlyMap<string, JobId>, nodes: ReadonlyMap<string, NodeId>): ReadonlySet<JobId> {
  const gangOf = (task: TaskId) => work.gangWith(work.taskStage[task] as number)
  const lost = new Set<number>()
  const known = new Set<JobId>()
  for (const { job: name, stage, task: index, worked, on } of tasks) {
    const job = jobs.get(name)
    const task = job === undefined ? None : work.taskAt(job, stage, index)
    if (task === None || !(on === undefined ? work.nodeOf(task) !== None : work.taskRun[task] === UNPLACED)) continue
    if (on === undefined) known.add(job as JobId)
    else if (!holdAgain(task, on, work, cell, nodes)) {
      if (work.inGang(task)) lost.add(gangOf(task))
      continue
    }
    work.suspended.ran(task, worked)
  }
  loseSuspended(work, cell, (task) => lost.has(gangOf(task)))
  return known
}

/** False, and nothing changes, where the node has no room for what the task keeps, takes no tasks, or is not there. */
function holdAgain(task: TaskId, { node: name, frees }: NonNullable<InterruptedTask['on']>, work: Work, cell: CellState, nodes: ReadonlyMap<string, NodeId>): boolean {
  const node = nodes.get(name)
  if (node === undefined || !cell.up(node)) return false
  const shape = work.shapes.without(work.shapeOf(task), frees.map((resource) => cell.resources.indexOf(resource) as ResourceId))
  if (shape !== None && !cell.fits(shape, node)) return false
  work.suspended.hold(task, { node, shape, devices: 0 }, cell)
  return true
}
