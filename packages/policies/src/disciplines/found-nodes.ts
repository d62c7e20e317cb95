import type { JobId, NodeId, Round, Savepoint } from '@sched/core'
import { onFewNodes } from '../backfilling/few-nodes.js'
import { bestRuns, spreadOf } from '../backfilling/node-runs.js'
import type { Shadows } from './shadows.js'
import { startNearest } from './start-nearest.js'

/**
 * Looks for the nodes of what starts together of a job: by best fit among runs of consecutive nodes, as Slurm does, and beside what is kept for suspended
 * jobs.
 */
export class FoundNodes {
  /** The nodes found last, one per task. */
  readonly places: NodeId[] = []
  /** By node: tasks of the job that it has room for. */
  readonly #room: Int32Array
  readonly #shadows: Shadows | undefined
  /** On which nodes to look, and how many there may be at most. */
  #may: ((node: NodeId) => boolean) | undefined
  #most = Infinity

  constructor(nodes: number, shadows: Shadows | undefined) {
    this.#room = new Int32Array(nodes)
    this.#shadows = shadows
  }

  /** Runs `attempt`, which finds nodes among some alone. */
  within<T>(may: (node: NodeId) => boolean, most: number, attempt: () => T): T {
    this.#may = may
    this.#most = most
    const result = attempt()
    this.#may = undefined
    this.#most = Infinity
    return result
  }

  /** Looks for nodes for the next task of the job, or all of its gang; whether there is room. */
  find(job: JobId, round: Round): boolean {
    const { nodes, cluster, work, lane } = round
    const shape = work.shape(job, lane)
    const tasks = work.together(job, lane)
    if (work.isGangJob(job)) return this.#findForParts(job, tasks, round)
    this.#room.fill(0)
    let sum = 0
    for (const node of nodes) if (this.#may?.(node) !== false && round.fits(job, node)) sum += this.#room[node] = Math.min(cluster.couldTake(shape, node), this.#leaves(job, node, round))
    const most = Math.min(work.maxNodes(job), this.#most)
    const choose = (room: Int32Array, places: NodeId[]): boolean => {
      const spread = spreadOf(job, work, room, tasks, most)
      return spread !== undefined && bestRuns(room, tasks, places, undefined, spread)
    }
    return sum >= tasks && (most === Infinity ? choose(this.#room, this.places) : onFewNodes(choose, this.#room, tasks, most, this.places))
  }

  /** The same for a job that is one gang of several stages: the lowest nodes, in the order of the stages, by claims that are taken back. */
  #findForParts(job: JobId, tasks: number, round: Round): boolean {
    const { places } = this
    const before = round.savepoint()
    places.length = 0
    while (places.length < tasks) {
      const node = round.nodes.find((each) => this.#may?.(each) !== false && round.fits(job, each) && this.#leaves(job, each, round) > 0)
      if (node === undefined || !startNearest(job, node, round.cluster.levels, round)) break
      places.push(node)
    }
    round.rollback(before)
    return places.length === tasks
  }

  /** Finds nodes and starts the job there; false, and all is as it was at the savepoint, where it has no room. */
  start(job: JobId, round: Round, before: Savepoint): boolean {
    if (this.find(job, round) && startOn(this.places, job, round)) return true
    round.rollback(before)
    return false
  }

  /** Whether the job could start on these nodes, one per task; nothing changes. */
  canTake(places: readonly NodeId[], job: JobId, round: Round): boolean {
    const before = round.savepoint()
    const canTake = places.every((node) => this.#leaves(job, node, round) > 0 && startNearest(job, node, round.cluster.levels, round))
    round.rollback(before)
    return canTake
  }

  /** How many tasks of the job the node may take beside what suspended jobs keep. */
  #leaves(job: JobId, node: NodeId, round: Round): number {
    return this.#shadows?.leaves(job, node, round) ?? Infinity
  }
}

/** Starts tasks of the job on nodes, one on each; false where one has no room, and those before it have started. */
export const startOn = (places: readonly NodeId[], job: JobId, round: Round): boolean => places.every((node) => startNearest(job, node, round.cluster.levels, round))
