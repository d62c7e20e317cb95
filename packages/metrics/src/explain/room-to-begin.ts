import { askedTogether, isGangJob, leastTasks, type Architecture, type ClusterView, type JobId, type JobSpec, type NodeId, type ResourceId, type StageSpec } from '@sched/core'
import { Room } from './room.js'

/** Whether there is room for tasks of a stage that a job may begin with, on the nodes that its scheduler may use. */
export class RoomToBegin {
  /** The stages that the job may begin with. */
  readonly stages: readonly StageSpec[]
  readonly #isOneGang: boolean
  readonly #cluster: ClusterView
  readonly #room: Room

  constructor(job: JobId, spec: JobSpec, cluster: ClusterView, architecture: Architecture) {
    this.stages = spec.stages[0]?.master === true ? spec.stages.slice(0, 1) : spec.stages.filter(({ after = [] }) => after.length === 0)
    this.#isOneGang = isGangJob(spec)
    this.#cluster = cluster
    this.#room = new Room(job, cluster, architecture)
  }

  /** Whether there is room now for one task or, for a gang, for all that must start together. */
  get isThere(): boolean {
    if (!this.#isOneGang) return this.stages.some((stage) => this.#holds(stage))
    const stages = this.stages.filter(({ gang }) => gang === true)
    return stages.every((stage) => this.#holds(stage)) && this.#holdsAmounts(stages)
  }

  /**
   * Whether the amounts that stages ask for to start at once are free. A job that cannot be placed even so counts as behind others, as far as is
   * known.
   */
  #holdsAmounts(stages: readonly StageSpec[]): boolean {
    const cluster = this.#cluster
    return cluster.resources.every((name, r) => {
      let lacks = askedTogether(stages, name)
      for (let node = 0 as NodeId; node < cluster.nodes && lacks > 0; node++) if (cluster.up(node)) lacks -= cluster.free(node, r as ResourceId)
      return lacks <= 0
    })
  }

  #holds(stage: StageSpec): boolean {
    return this.#room.holds(stage, leastTasks(stage))
  }
}
