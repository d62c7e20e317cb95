import { None, runningTasks, SchedError, type JobId, type LaneId, type ShapeId, type TaskId } from '@sched/core'
import { DONE, OPEN, UNPLACED } from './work-columns.js'
import type { WorkReads } from './work-reads.js'

/** Recounts every counter and throws `INVARIANT` at the first difference. For tests and `--validate`. */
export function checkWork(work: WorkReads): void {
  const unplaced = work.pendingTasks.map(() => 0)
  for (let job = 0; job < work.jobSpec.length; job++) {
    if (work.jobSpec[job] === undefined) continue
    if (work.isGangJob(job as JobId)) checkGangJob(work, job as JobId)
    for (let lane = 0; lane < work.lanes; lane++) {
      const count = recount(work, job as JobId, lane as LaneId)
      const at = (work.jobOwner[job] as number) * work.lanes + lane
      if (work.jobHeld[job] === 0) unplaced[at] = (unplaced[at] as number) + count
    }
  }
  for (const [at, count] of unplaced.entries())
    if (count !== work.pendingTasks[at])
      throw new SchedError(
        'INVARIANT',
        `scheduler ${Math.floor(at / work.lanes)} counts ${work.pendingTasks[at] ?? 0} unplaced tasks in lane ${at % work.lanes}, there are ${count}`,
      )
}

/** Counts the unplaced tasks of a job in a lane. Tests run this after every round, so it allocates nothing if nothing is wrong. */
function recount(work: WorkReads, job: JobId, lane: LaneId): number {
  const { taskRun } = work
  const waiting = UNPLACED // a local variable: in unbundled modules, as in tests, an import is read by a call
  const first = work.jobFirstStage[job] as number
  let unplaced = 0
  let running = 0
  let isDistinct = false
  for (let stage = first; stage < first + (work.jobStages[job] as number); stage++) {
    if (work.stageLane[stage] !== lane || work.stageOpen[stage] === 0) continue // a shut stage may have claims of a decision that takes time
    isDistinct ||= work.isDistinct(work.stageShape[stage] as ShapeId)
    const isOpen = work.stageOpen[stage] === OPEN
    if ((work.stageSpares[stage] as number) > 0) checkCopies(work, stage)
    const from = work.stageFirst[stage] as number
    const end = from + (work.stageTasks[stage] as number) + (work.stageSpares[stage] as number)
    for (let task = from; task < end; task++) {
      const run = taskRun[task] as number
      if (run === waiting) unplaced += isOpen ? 1 : 0
      else if (run >= 0 && work.runTask(run) >= 0) running++
    }
  }
  const [countedUnplaced, countedRunning] = [work.unplaced(job, lane), work.running(job, lane)]
  if (countedUnplaced !== unplaced || countedRunning !== running)
    throw new SchedError('INVARIANT', `job ${work.name(job)} lane ${lane} counts ${countedUnplaced} unplaced and ${countedRunning} running, there are ${unplaced} and ${running}`)
  if (isDistinct) checkApart(work, job, lane)
  const front = work.laneFront[job * work.lanes + lane] as number
  if (work.bars !== undefined && front >= 0 && work.stageAsks[front] !== work.bars.asks(front)) throw new SchedError('INVARIANT', `job ${work.name(job)} lane ${lane} asks for another shape than its next task`)
  return unplaced
}

/** Throws if a spare task id waits or runs that is the copy of no task, or is on a node that it is kept off. */
function checkCopies(work: WorkReads, stage: number): void {
  const first = (work.stageFirst[stage] as number) + (work.stageTasks[stage] as number)
  for (let copy = first as TaskId; copy < first + (work.stageSpares[stage] as number); copy++) {
    if (work.taskRun[copy] === DONE || work.isReleased(copy)) continue
    if (work.otherAttempt(copy) === None) throw new SchedError('INVARIANT', `task ${copy} of job ${work.name(work.jobOf(copy))} is the copy of no task`)
    const node = work.nodeOf(copy)
    if (node !== None && work.bars?.isBarred(copy, node) === true) throw new SchedError('INVARIANT', `task ${copy} of job ${work.name(work.jobOf(copy))} is a copy on a node that it is kept off`)
  }
}

/** Throws if a job that is one gang, or a group of its stages, runs only in part, unless it may after a loss. */
function checkGangJob(work: WorkReads, job: JobId): void {
  if (work.spec(job).replacesLost === true) return
  for (const task of work.startedOf(job))
    if (work.lacksTasks(work.taskStage[task] as number)) throw new SchedError('INVARIANT', `task ${task} of job ${work.name(job)} runs without others of its gang`)
}

/**
 * Throws if two tasks share a node that may not: two that have started, or two that are claimed. A claim of a suspended round may be where a task runs, which the
 * round evicts when it is committed.
 */
function checkApart(work: WorkReads, job: JobId, lane: LaneId): void {
  const apart = runningTasks(job, lane, work).filter((task) => work.isDistinct(work.stageShape[work.taskStage[task] as number] as ShapeId))
  for (const isClaim of [false, true]) {
    const nodes = apart.filter((task) => Number.isNaN(work.started(task)) === isClaim).map((task) => work.nodeOf(task))
    const twice = nodes.find((node, i) => nodes.indexOf(node) < i)
    if (twice !== undefined) throw new SchedError('INVARIANT', `job ${work.name(job)} runs two tasks on ${work.model.nodeNames[twice] ?? ''} that must be on different nodes`)
  }
}
