import { None, type JobId, type NodeId, type ResourceId, type Seconds, type TaskId } from '@sched/core'
import type { CellState } from './cell-state.js'
import { deviceSet, namedDevices, type HeldDevices } from './held-devices.js'
import { loseSuspended } from './interruptions.js'
import { taskName, type TaskName } from './task-name.js'
import { UNPLACED } from './work-columns.js'
import type { Work } from './work.js'

/** A task that is suspended, or was suspended and runs again: plain data for JSON. */
export interface InterruptedTask extends TaskName {
  /** Seconds of work done before it was last suspended; absent for a task that was suspended before it began. */
  readonly worked?: Seconds
  /** For a suspended task: the name of its node, the names of the resources that it has given up there, and the devices that it keeps. */
  readonly on?: { readonly node: string; readonly frees: readonly string[]; readonly devices?: HeldDevices }
  /** Seconds for which it may run, where the policy has lowered the estimate of its job. */
  readonly limit?: Seconds
}

/** All such tasks, in the order in which they were first suspended; those that had not begun come last. */
export function interruptedTasks(work: Work, cell: CellState): InterruptedTask[] {
  const { suspended } = work
  const named = (task: TaskId) => {
    const limit = work.limits.get(work.jobOf(task))
    return { ...taskName(work, task), ...(limit !== undefined && { limit }) }
  }
  const before = Array.from(suspended.entries(), ([task]) => task).filter((task) => !suspended.goesOn(task))
  return [
    ...Array.from(suspended.allWorked(), ([task, worked]) => ({ ...named(task), worked, ...(suspended.has(task) && { on: placeOf(task, work, cell) }) })),
    ...before.map((task) => ({ ...named(task), on: placeOf(task, work, cell) })),
  ]
}

function placeOf(task: TaskId, work: Work, cell: CellState): NonNullable<InterruptedTask['on']> {
  const { node, shape: held, devices: set } = work.suspended.of(task)
  const devices = namedDevices(set, node, cell)
  const { resources } = work.shapes.of(work.shapeOf(task))
  const kept = held === None ? [] : work.shapes.of(held).resources
  return { node: cell.name(node), frees: resources.filter((resource) => !kept.includes(resource)).map((resource) => cell.resources[resource] as string), ...(devices !== undefined && { devices }) }
}

/**
 * Restores interrupted tasks, after all running tasks have been reported. Suspended tasks hold what they held before; running ones get back their
 * seconds of work. Skips tasks that run or have ended meanwhile and jobs that are gone. A suspended task that finds no room on its node has to start
 * anew, with its gang. Returns the jobs with running tasks that had been suspended.
 */
export function takeUpInterrupted(tasks: readonly InterruptedTask[], work: Work, cell: CellState, jobs: ReadonlyMap<string, JobId>, nodes: ReadonlyMap<string, NodeId>): ReadonlySet<JobId> {
  const lost = new Set<number>()
  const known = new Set<JobId>()
  for (const { job: name, stage, task: index, worked, on, limit } of tasks) {
    const job = jobs.get(name)
    const task = job === undefined ? None : work.taskAt(job, stage, index)
    if (task === None || !(on === undefined ? work.nodeOf(task) !== None : work.taskRun[task] === UNPLACED)) continue
    if (on === undefined) known.add(job as JobId)
    else if (!holdAgain(task, on, work, cell, nodes)) {
      if (work.inGang(task)) lost.add(work.gangWith(work.taskStage[task] as number))
      continue
    }
    if (worked !== undefined) work.suspended.ran(task, worked)
    if (limit !== undefined) work.limits.set(job as JobId, limit)
  }
  loseSuspended(work, cell, (task) => work.stopsWith(lost, work.taskStage[task] as number))
  return known
}

/**
 * Lets a suspended task hold its resources again. False, and nothing changes, if the node is gone or down, or has no room for what the task keeps, on the devices where it is.
 */
function holdAgain(task: TaskId, { node: name, frees, devices = {} }: NonNullable<InterruptedTask['on']>, work: Work, cell: CellState, nodes: ReadonlyMap<string, NodeId>): boolean {
  const node = nodes.get(name)
  if (node === undefined || !cell.up(node)) return false
  const shape = work.shapes.without(work.shapeOf(task), frees.map((resource) => cell.resources.indexOf(resource) as ResourceId))
  if (shape !== None && !cell.fits(shape, node)) return false
  const set = shape === None ? 0 : deviceSet(devices, shape, node, work, cell)
  if (typeof set !== 'number') return false
  work.suspended.hold(task, { node, shape, devices: set }, cell)
  return true
}
