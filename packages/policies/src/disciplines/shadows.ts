import { WrappedRound, type JobId, type LaneId, type NodeId, type ResourceId, type Round, type TaskId } from '@sched/core'
import type { SuspendedJobs } from './suspended-jobs.js'
import type { TasksByNode } from './tasks-by-node.js'

/**
 * What suspended jobs do not hold of their nodes is kept from those that may not take it from them: were all gone that may, they could go on.
 *
 * Source: Slurm, "shadows" of gang.c. Deviation: how much of what is free on a node is theirs is counted by amounts, not by single processors.
 */
export class Shadows {
  readonly #jobs: SuspendedJobs
  readonly #running: TasksByNode
  readonly #mayTake: (job: JobId, from: JobId) => boolean

  constructor(jobs: SuspendedJobs, running: TasksByNode, mayTake: (job: JobId, from: JobId) => boolean) {
    this.#jobs = jobs
    this.#running = running
    this.#mayTake = mayTake
  }

  areIn(lane: LaneId): boolean {
    return this.#jobs.in(lane).size > 0
  }

  /**
   * How many tasks of the job, of its next stage or of that `shape`, the node may take without keeping suspended
   * ones from going on that the job may not take from; `Infinity`: there are none.
   */
  leaves(job: JobId, node: NodeId, { lane, work, cluster }: Round, shape = work.shape(job, lane)): number {
    const owners = [...this.#jobs.on(node, lane)].filter(([owner]) => owner !== job && !this.#mayTake(job, owner))
    if (owners.length === 0) return Infinity
    const suspended = owners.flatMap(([, tasks]) => tasks)
    const takers = this.#running.on(node, lane).filter((task) => owners.some(([owner]) => this.#mayTake(work.jobOf(task), owner)))
    let most = Infinity
    for (const resource of this.#jobs.frees[lane] as readonly ResourceId[]) {
      const asked = work.demand(shape, resource)
      if (asked === 0) continue
      const amountOf = (tasks: readonly TaskId[]) => tasks.reduce((sum, task) => sum + work.demand(work.shapeOf(task), resource), 0)
      most = Math.min(most, Math.floor((cluster.free(node, resource) + amountOf(takers) - amountOf(suspended)) / asked))
    }
    return Math.max(0, most)
  }
}

/** A round in which nobody starts on what is kept for suspended jobs. */
export class KeepingRound extends WrappedRound {
  readonly #shadows: Shadows

  constructor(shadows: Shadows) {
    super()
    this.#shadows = shadows
  }

  /** The round as the policy inside sees it; `always`: also where nobody is suspended yet, as somebody may be while it goes on. */
  of(round: Round, always: boolean): Round {
    if (!always && !this.#shadows.areIn(round.lane)) return round
    this.inner = round
    return this
  }

  override fits(job: JobId, node: NodeId): boolean {
    return this.inner.fits(job, node) && (!this.#shadows.areIn(this.lane) || this.#shadows.leaves(job, node, this.inner) > 0)
  }

  override claim(task: TaskId, node: NodeId): boolean {
    return (!this.#shadows.areIn(this.lane) || this.#shadows.leaves(this.work.jobOf(task), node, this.inner, this.work.shapeOf(task)) > 0) && this.inner.claim(task, node)
  }
}
