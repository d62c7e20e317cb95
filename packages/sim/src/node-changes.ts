import { loseSuspendedOn, type CellState, type Work } from '@sched/cluster'
import type { Architecture, JobId, NodeId, Seconds } from '@sched/core'
import type { Observers } from './observers.js'
import type { SleepingNodes } from './sleeping-nodes.js'
import type { TaskRuns } from './task-runs.js'

/** Whom a node that goes down or comes up concerns. */
export interface NodeChangesEnv {
  readonly cell: CellState
  readonly work: Work
  readonly runs: TaskRuns
  readonly sleep: SleepingNodes | undefined
  readonly architecture: Architecture
  readonly observers: Observers
}

/** Takes a node down, or brings it up, for all that run or watch something there. What runs on it is up to the caller; what is suspended there is lost. */
export function changeNode({ cell, work, runs, sleep, architecture, observers }: NodeChangesEnv, node: NodeId, up: boolean, now: Seconds): void {
  if (!up) loseSuspended(work, cell, runs, node, now)
  cell.setUp(node, up)
  work.tellNode(node, up)
  architecture.onNode?.(node, up)
  sleep?.setUp(node, up, now)
  observers.onNode(node, up, now)
  runs.avoidance?.nodesChanged(now)
}

function loseSuspended(work: Work, cell: CellState, runs: TaskRuns, node: NodeId, now: Seconds): void {
  const lost = new Set<JobId>()
  loseSuspendedOn(work, cell, node, (task) => {
    runs.loseSuspended(task, 'lost', now)
    lost.add(work.jobOf(task))
  })
  for (const job of lost) runs.waitsAgain(job)
}
