import { definePlacement, LowestNodes, None, type Env, type JobId, type LaneId, type NodeId, type Placement, type Plug, type Release, type Round, type TaskId } from '@sched/core'
import * as z from '@sched/bundled/zod'

/**
 * The node nearest to the data of any unplaced task of the job: with the data, else in its rack, else anywhere; ties to the lowest node. Without
 * data first fit.
 */
export const localityPlacement = definePlacement({
  name: 'locality',
  summary: 'the node nearest to the data of an unplaced task',
  source: 'Zaharia et al., EuroSys 2010, section 2 (node, rack, any)',
  options: z.strictObject({}),
  create: (_, env): Placement => new Nearest(env),
})

/** The node nearest to the data. */
export const locality = (): Plug<'placement'> => localityPlacement.plug({})

/**
 * In rounds over all nodes each level is searched from the lowest node that may still suit, which is remembered: a job's tasks are placed one by
 * one, and data do not move.
 */
class Nearest implements Placement {
  readonly #lanes: number
  /** Lowest nodes that may suit, by job, lane and level; valid while the job has the same tasks left, or fewer of them. */
  readonly #near = new LowestNodes()
  /** By job and lane: the stage for which `#near` is valid; -1: for none, or tasks have come back. */
  readonly #stages: number[] = []
  readonly #byShape = new LowestNodes()

  constructor({ cluster }: Env) {
    this.#lanes = cluster.lanes.length
  }

  pick(job: JobId, round: Round): NodeId | None {
    const { cluster, work, lane, nodes } = round
    const levels = work.hasData(job, lane) ? cluster.levels : 0
    if (levels > 0) this.#begin(job, round)
    for (let level = 0; level < levels; level++) {
      const suits = (node: NodeId): boolean => work.taskFor(job, lane, node, level) !== None
      const node = nodes.length < cluster.nodes
        ? nodes.find((each) => round.fits(job, each) && suits(each))
        : this.#near.find(this.#place(job, lane) * levels + level, job, round, suits)
      if (node !== undefined && node !== None) return node
    }
    return nodes.length < cluster.nodes ? (nodes.find((node) => round.fits(job, node)) ?? None) : this.#byShape.find(work.shape(job, lane), job, round)
  }

  #begin(job: JobId, { work, lane, cluster, nodes }: Round): void {
    const place = this.#place(job, lane)
    const task = work.taskFor(job, lane, nodes[0] as NodeId, cluster.levels)
    const stage = task === None ? -1 : work.stageOf(task)
    if (this.#stages[place] === stage) return
    this.#stages[place] = stage
    for (let level = 0; level < cluster.levels; level++) this.#near.forget(place * cluster.levels + level)
  }

  #place(job: JobId, lane: LaneId): number {
    return job * this.#lanes + lane
  }

  onReady(job: JobId, lane: LaneId): void {
    this.#stages[this.#place(job, lane)] = -1
  }

  onMore(job: JobId, lane: LaneId): void {
    this.#stages[this.#place(job, lane)] = -1
  }

  onRelease(job: JobId, lane: LaneId, _task: TaskId, _node: NodeId, why: Release): void {
    if (why !== 'ended') this.#stages[this.#place(job, lane)] = -1
  }
}
