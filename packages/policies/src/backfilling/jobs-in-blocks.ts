import type { ClusterView, JobId, JobSpec, LaneId, NodeId, ResourceId, Seconds, ShapeId, StageSpec, WorkView } from '@sched/core'
import { Blocks } from './blocks.js'
import { bestRuns } from './node-runs.js'

/** The nodes of each base block, and the sizes of blocks in nodes (see `Blocks`). */
export interface NamedBlocks {
  readonly blocks: readonly (readonly NodeId[])[]
  readonly sizes: readonly number[]
}

/** Tasks to place. */
interface Tasks {
  readonly shape: ShapeId
  readonly tasks: number
}

/**
 * Chooses nodes for jobs that must be in blocks (see `Blocks`), in the segments that their `topology` asks for. A job that finds room only on nodes
 * outside all blocks may run there.
 *
 * Source: Slurm, `topology_p_eval_nodes` of topology/block.
 */
export class JobsInBlocks {
  readonly #work: WorkView
  readonly #cluster: ClusterView
  readonly #blocks: Blocks
  /** By shape: most tasks that an empty node holds. */
  readonly #most = new Map<ShapeId, number>()
  /** Jobs that had room, but not within blocks that hold them, and the time of the round in which that was found. */
  readonly #far = new Map<JobId, Seconds>()

  constructor(work: WorkView, cluster: ClusterView, { blocks, sizes }: NamedBlocks) {
    this.#work = work
    this.#cluster = cluster
    this.#blocks = new Blocks(cluster.nodes, blocks, sizes)
  }

  /** Called before a job is submitted: why no blocks can ever hold it; `undefined` where some can. */
  admits({ gang = false, stages, topology }: JobSpec): string | undefined {
    for (const stage of stages) {
      const why = this.#refusal(stage, gang || stage.gang === true ? (stage.minTasks ?? stage.tasks) : 1, (stage.topology ?? topology)?.segment ?? 0)
      if (why !== undefined) return why
    }
    return undefined
  }

  #refusal(stage: StageSpec, tasks: number, segment: number): string | undefined {
    const room = Int32Array.from({ length: this.#cluster.nodes }, (_, node) => Math.min(tasks, this.#cluster.couldHold(stage, node as NodeId)))
    if (!this.#blocks.has(room)) return undefined
    const nodes = Math.ceil(tasks / room.reduce((most, each) => Math.max(most, each), 1))
    if (segment > 0 && segment < nodes && nodes % segment > 0) return `it needs ${nodes} nodes, which segments of ${segment} do not divide`
    return this.#blocks.choose(room, { tasks, nodes, segment }, []) ? undefined : `no blocks hold ${nodes} nodes${segment > 0 ? ` in segments of ${segment}` : ''}`
  }

  /** Whether the job had room in the round at this time, but not within blocks that hold it. */
  isFar(job: JobId, now: Seconds): boolean {
    return this.#far.get(job) === now
  }

  noteFar(job: JobId, now: Seconds): void {
    this.#far.set(job, now)
  }

  /** Writes the nodes for so many tasks of the job to `places`; false where no blocks hold them. `room`: tasks that each node can take, enough in total. */
  choose(job: JobId, lane: LaneId, { shape, tasks }: Tasks, room: Int32Array, places: NodeId[], weights: Float64Array | undefined): boolean {
    if (!this.#blocks.has(room)) {
      bestRuns(room, tasks, places, weights)
      return true
    }
    const segment = this.#work.topology(job, lane)?.asked.segment ?? 0
    const nodes = Math.ceil(tasks / this.#mostOf(shape))
    return this.#blocks.choose(room, { tasks, nodes, segment: nodes % segment === 0 ? segment : 0 }, places, weights)
  }

  #mostOf(shape: ShapeId): number {
    const known = this.#most.get(shape)
    if (known !== undefined) return known
    let most = 1
    for (let node = 0 as NodeId; node < this.#cluster.nodes; node++) if (this.#work.mayRunOn(shape, node)) most = Math.max(most, this.#holds(shape, node))
    this.#most.set(shape, most)
    return most
  }

  /** Tasks of the shape that the node holds when it is empty. */
  #holds(shape: ShapeId, node: NodeId): number {
    if (this.#work.isDistinct(shape)) return 1
    let tasks = Infinity
    for (let resource = 0 as ResourceId; resource < this.#cluster.resources.length; resource++) {
      const asks = this.#work.demand(shape, resource)
      if (asks > 0) tasks = Math.min(tasks, Math.floor(this.#cluster.total(node, resource) / asks))
    }
    return tasks
  }
}
