import { isGangJob, ownValue, type ClusterView, type JobSpec, type LaneId, type ResourceId, type ShapeId, type StageSpec, type TaskId, type WorkView } from '@sched/core'

/** The size of a job: its amount of the first resource, in the order of the cluster, that it asks for; in logs of parallel machines, processors. */
export class JobAmounts {
  readonly #cluster: ClusterView
  readonly #work: WorkView
  /** By shape; 0 means not computed yet, since no shape is empty. */
  readonly #ofShape: number[] = []

  constructor({ cluster, work }: { readonly cluster: ClusterView; readonly work: WorkView }) {
    this.#cluster = cluster
    this.#work = work
  }

  /** Size of a rigid job: sum over all tasks of its first stage, a master left out; for a job that is one gang, over all stages. */
  ofJob(spec: JobSpec): number {
    return firstStages(spec).reduce((sum, stage) => sum + stage.tasks * this.#first(stage), 0)
  }

  ofTask(task: TaskId, lane: LaneId): number {
    const shape = this.#work.shapeOf(task)
    return (this.#ofShape[shape] ||= this.#ofLane(shape, lane))
  }

  #first({ demand }: StageSpec): number {
    for (const name of this.#cluster.resources) if ((ownValue(demand, name) ?? 0) > 0) return demand[name] as number
    return 0
  }

  #ofLane(shape: ShapeId, lane: LaneId): number {
    const { resources } = this.#cluster.lanes[lane] as { readonly resources: readonly ResourceId[] }
    for (const resource of resources) if (this.#work.demand(shape, resource) > 0) return this.#work.demand(shape, resource)
    return 0
  }
}

/** The first stage that is not the job's master. */
export const firstStage = ({ stages }: JobSpec): StageSpec | undefined => (stages[0]?.master === true ? stages[1] : stages[0])

/** The stages that determine a job's size: its first stage; for a job that is one gang, all stages. */
export function firstStages(spec: JobSpec): readonly StageSpec[] {
  if (isGangJob(spec)) return spec.stages
  const stage = firstStage(spec)
  return stage === undefined ? [] : [stage]
}
