import type { NodeId, TaskId } from '@sched/core'
import type { CellState } from './cell-state.js'
import type { Moves } from './moves.js'
import type { Work } from './work.js'
import { OPEN } from './work-columns.js'

/** Takes the claims on nodes that have gone, or of jobs whose master has or which have failed, out of the moves, with those of the same gangs; yields their tasks, in order. */
export function takeLostClaims(moves: Moves, work: Work, live: CellState): TaskId[] {
  const { tasks, count } = moves
  const isLost = (task: TaskId) => !live.up(work.nodeOf(task) as NodeId) || work.stageOpen[work.taskStage[task] as number] !== OPEN
  const gangs = new Set<number>()
  for (let i = 0; i < count; i++) {
    const task = tasks[i] as TaskId
    if (task >= 0 && work.stageGang[work.taskStage[task] as number] === 1 && isLost(task)) gangs.add(work.taskStage[task] as number)
  }
  const taken: TaskId[] = []
  moves.count = 0
  for (let i = 0; i < count; i++) {
    const move = tasks[i] as number
    if (move >= 0 && (gangs.has(work.taskStage[move] as number) || isLost(move as TaskId))) taken.push(move as TaskId)
    else tasks[moves.count++] = move
  }
  return taken
}
