import { leastTasks, ownValue, type ClusterView, type NodeId, type ResourceId, type StageSpec } from '@sched/core'
import { Packing, whenEmpty, type TasksAtOnce } from './packing.js'

/** Stages whose tasks run at the same time, `leastTasks` of each. */
export type AtOnce = readonly StageSpec[]

/** What groups of nodes hold when they are empty. Groups may share nodes. */
export class RoomWhenEmpty {
  readonly #cluster: ClusterView
  readonly #members: readonly (readonly NodeId[])[]
  /** By what the tasks of a stage ask for: how many of them each group holds. */
  readonly #held = new Map<string, Float64Array>()

  constructor(cluster: ClusterView, members: readonly (readonly NodeId[])[]) {
    this.#cluster = cluster
    this.#members = members
  }

  /** By group: how many tasks of a stage it holds. */
  heldBy(stage: StageSpec): Float64Array {
    const key = JSON.stringify([stage.demand, stage.constraints])
    let held = this.#held.get(key)
    if (held === undefined) this.#held.set(key, (held = Float64Array.from(this.#members, (nodes) => nodes.reduce((sum, node) => sum + this.#cluster.couldHold(stage, node), 0))))
    return held
  }

  /** Whether a group holds these stages beside each other. */
  holds(stages: AtOnce, group: number): boolean {
    const [first] = stages
    if (stages.length === 1 && first !== undefined) return (this.heldBy(first)[group] as number) >= leastTasks(first)
    const cluster = this.#cluster
    const parts = partsWhenEmpty(stages, cluster)
    return new Packing(parts, this.#members[group] as readonly NodeId[], cluster, whenEmpty(cluster)).all() !== undefined
  }
}

/** Stages that are to run at the same time on empty nodes. */
export const partsWhenEmpty = (stages: AtOnce, cluster: ClusterView): readonly TasksAtOnce[] =>
  stages.map((stage) => ({
    tasks: leastTasks(stage), demand: (r: ResourceId) => ownValue(stage.demand, cluster.resources[r] as string) ?? 0, most: (node: NodeId) => cluster.couldHold(stage, node),
    isDistinct: stage.constraints?.distinctNodes === true,
  }))
