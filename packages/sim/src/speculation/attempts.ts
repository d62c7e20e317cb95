import type { CellState, Work } from '@sched/cluster'
import { grown, None, type JobId, type NodeId, type Seconds, type ShapeId, type TaskId } from '@sched/core'

/** What rules of speculation know of running attempts. Progress is linear in time, from 0 at the start to 1 at the expected end. */
export class Attempts {
  /** By run: when it ends if it does not fail. */
  #ends = new Float64Array(64)

  /** `movesEnds`: whether the ends of tasks move with what else runs. */
  constructor(readonly work: Work, readonly cell: CellState, private readonly movesEnds: boolean) {}

  /** A run starts that ends at `end` if it does not fail. */
  starts(run: number, end: Seconds): void {
    this.#ends = grown(this.#ends, run + 1)
    this.#ends[run] = end
  }

  /** When a run is expected to end; `Infinity` for one that waits to fetch. */
  endOf(run: number): Seconds {
    return this.movesEnds ? this.work.runEnd(run) : (this.#ends[run] as number)
  }

  /** Whether a task has started and not been released. */
  isRunning(task: TaskId): boolean {
    const run = this.work.taskRun[task] as number
    return run >= 0 && !this.work.isReleased(task) && !Number.isNaN(this.work.runStart(run))
  }

  /** How much of a running task is done, in [0, 1]. */
  progress(task: TaskId, now: Seconds): number {
    const run = this.work.taskRun[task] as number
    const start = this.work.runStart(run)
    const length = this.endOf(run) - start
    return length > 0 ? Math.min(1, Math.max(0, (now - start) / length)) : 1
  }

  /** The tasks of a stage that run, without copies, by ascending id. */
  *running(stage: number): Generator<TaskId> {
    const first = this.work.stageFirst[stage] as number
    for (let task = first as TaskId; task < first + (this.work.stageTasks[stage] as number); task++) if (this.isRunning(task)) yield task
  }

  /** Those of them of which there is no copy. */
  *uncopied(stage: number): Generator<TaskId> {
    for (const task of this.running(stage)) if (this.work.otherAttempt(task) === None) yield task
  }

  /** What a copy of a task of the stage asks for, where none of the stage waits. */
  asks(stage: number): ShapeId {
    return this.work.bars?.asks(stage) ?? (this.work.stageShape[stage] as ShapeId)
  }

  nodeOf(task: TaskId): NodeId {
    return this.work.nodeOf(task) as NodeId
  }

  /** The stages of a job. */
  *stagesOf(job: JobId): Generator<number> {
    const first = this.work.jobFirstStage[job] as number
    for (let stage = first; stage < first + (this.work.jobStages[job] as number); stage++) yield stage
  }
}
