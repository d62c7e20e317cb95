import type { NodeId, TaskId } from '@sched/core'
import type { CellState } from './cell-state.js'
import type { Moves } from './moves.js'
import type { Work } from './work.js'
import { OPEN } from './work-columns.js'

/**
 * Takes the claims on nodes that have gone, or of jobs whose master has or which have failed, out of the moves, with those of gangs that
 * lack tasks then; yields their tasks, in order.
 */
export function takeLostClaims(moves: Moves, work: Work, live: CellState): TaskId[] {
  const { tasks, count } = moves
  const isLost = (task: TaskId) => !live.up(work.nodeOf(task) as NodeId) || work.stageOpen[work.taskStage[task] as number] !== OPEN
  const gangs = new Map<number, number>()
  for (let i = 0; i < count; i++) {
    const task = tasks[i] as TaskId
    if (task < 0) continue
    const stage = work.taskStage[task] as number
    const isGone = isLost(task)
    if (work.isGang(stage) && (isGone || work.isElastic(stage))) gangs.set(stage, (gangs.get(stage) ?? 0) + (isGone ? 1 : 0))
  }
  const broken = new Set<number>()
  for (const stage of gangs.keys()) for (const each of work.stagesWith(stage)) if (work.spareIn(each) < (gangs.get(each) ?? 0)) broken.add(work.gangWith(stage))
  const isBroken = (stage: number) => broken.size > 0 && broken.has(work.gangWith(stage))
  return moves.takeClaims((move) => move >= 0 && (isBroken(work.taskStage[move] as number) || isLost(move as TaskId)))
}
