import { SchedError, type JobId, type LaneId, type ShapeId, type TaskId } from '@sched/core'
import { UNPLACED } from './work-columns.js'
import type { WorkReads } from './work-reads.js'

/** Compares every counter with a recount; throws `INVARIANT` with the first difference. For tests and `--validate`. */
export function checkWork(work: WorkReads, nodeNames: readonly string[]): void {
  const unplaced = work.pendingTasks.map(() => 0)
  for (let job = 0; job < work.jobSpec.length; job++) {
    if (work.jobSpec[job] === undefined) continue
    for (let lane = 0; lane < work.lanes; lane++) {
      const count = recount(work, job as JobId, lane as LaneId, nodeNames)
      const at = (work.jobOwner[job] as number) * work.lanes + lane
      if (work.jobHeld[job] === 0) unplaced[at] = (unplaced[at] as number) + count
    }
  }
  for (const [at, count] of unplaced.entries())
    if (count !== work.pendingTasks[at])
      throw new SchedError('INVARIANT', `scheduler ${Math.floor(at / work.lanes)} counts ${work.pendingTasks[at] ?? 0} unplaced tasks in lane ${at % work.lanes}, there are ${count}`)
}

function recount(work: WorkReads, job: JobId, lane: LaneId, nodeNames: readonly string[]): number {
  const first = work.jobFirstStage[job] as number
  const apart = new Set<number>()
  let unplaced = 0
  let running = 0
  for (let stage = first; stage < first + (work.jobStages[job] as number); stage++) {
    if (work.stageLane[stage] !== lane || work.stageOpen[stage] === 0) continue
    const from = work.stageFirst[stage] as number
    for (let task = from; task < from + (work.stageTasks[stage] as number); task++) {
      if (work.taskRun[task] === UNPLACED) unplaced++
      else if ((work.taskRun[task] as number) >= 0 && !work.isReleased(task as TaskId)) {
        running++
        const node = work.nodeOf(task as TaskId)
        if (!work.isDistinct(work.stageShape[stage] as ShapeId)) continue
        if (apart.has(node)) throw new SchedError('INVARIANT', `job ${work.name(job)} runs two tasks on ${nodeNames[node as number] ?? ''} that must be on different nodes`)
        apart.add(node)
      }
    }
  }
  const counted = `${work.unplaced(job, lane)} unplaced and ${work.running(job, lane)} running`
  if (counted !== `${unplaced} unplaced and ${running} running`) throw new SchedError('INVARIANT', `job ${work.name(job)} lane ${lane} counts ${counted}, there are ${unplaced} and ${running}`)
  return unplaced
}
