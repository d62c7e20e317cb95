import type { Env, JobId, LaneId, NodeId, TaskId, WorkListener } from '@sched/core'

/** Knows of running tasks whether they belong to a gang: the views say so only of the stage whose tasks come next. */
export class GangStages implements WorkListener {
  readonly #env: Env
  /** By job: its stages that are gangs of several tasks, once one of them was claimed. */
  readonly #stages = new Map<JobId, Set<number>>()

  constructor(env: Env) {
    this.#env = env
  }

  has(task: TaskId): boolean {
    const { work } = this.#env
    return this.#stages.get(work.jobOf(task))?.has(work.stageOf(task)) === true
  }

  /** After the first claim of a gang of several tasks others of it are next. */
  onClaim(job: JobId, lane: LaneId, _task: TaskId, node: NodeId): void {
    const { work, cluster } = this.#env
    if (!work.isGang(job, lane)) return
    const stage = work.stageOf(work.taskFor(job, lane, node, cluster.levels) as TaskId)
    const known = this.#stages.get(job)
    if (known === undefined) this.#stages.set(job, new Set([stage]))
    else known.add(stage)
  }

  onFinish(job: JobId): void {
    this.#stages.delete(job)
  }
}
