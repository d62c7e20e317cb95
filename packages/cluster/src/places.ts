import type { NodeId, TaskId } from '@sched/core'
import type { CellState } from './cell-state.js'
import type { Work } from './work.js'

/** Gives back what a claimed or running task holds on its node; also of one that was released just before. */
export function giveBack(task: TaskId, work: Work, cell: CellState): void {
  cell.give(work.shapeOf(task), work.nodeOf(task) as NodeId, work.devicesOf(task))
}

/** Takes it again, with the same devices. */
export function takeAgain(task: TaskId, work: Work, cell: CellState): void {
  cell.take(work.shapeOf(task), work.nodeOf(task) as NodeId, work.devicesOf(task))
}
