import type { JobId, NodeId, TaskId } from '@sched/core'
import type { CellState } from './cell-state.js'
import type { Moves } from './moves.js'
import type { Work } from './work.js'
import { OPEN } from './work-columns.js'

/**
 * Removes claims that cannot start any more from the moves, and returns their tasks in order: claims on nodes that have gone down or that their tasks
 * are kept off now, claims of jobs that have failed or lost their master, and all claims of gangs that then lack tasks.
 */
export function takeLostClaims(moves: Moves, work: Work, live: CellState): TaskId[] {
  const { tasks, count } = moves
  const isLost = (task: TaskId) => !live.up(work.nodeOf(task) as NodeId) || work.stageOpen[work.taskStage[task] as number] !== OPEN || !work.suits(task, work.nodeOf(task) as NodeId)
  const gangs = new Map<number, number>()
  const add = (stage: number, lost: number) => void gangs.set(stage, (gangs.get(stage) ?? 0) + lost)
  for (let i = 0; i < count; i++) {
    const task = tasks[i] as TaskId
    if (task < 0) continue
    const stage = work.taskStage[task] as number
    const isGone = isLost(task)
    if (work.isGang(stage) && (isGone || work.isElastic(stage))) add(stage, isGone ? 1 : 0)
    if (work.isOptional(stage)) add(work.jobFirstStage[work.stageJob[stage] as JobId] as number, 0) // without which it does not run
  }
  const broken = new Set<number>()
  for (const stage of gangs.keys()) for (const each of work.stagesWith(stage)) if (work.spareIn(each) < (gangs.get(each) ?? 0)) broken.add(work.gangWith(stage))
  return moves.takeClaims((move) => move >= 0 && (work.stopsWith(broken, work.taskStage[move] as number) || isLost(move as TaskId)))
}
