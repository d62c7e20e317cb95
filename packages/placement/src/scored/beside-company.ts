import { None, type ClusterView, type JobId, type LaneId, type NodeId, type Round } from '@sched/core'
import type { NodeIndex } from './node-index.js'
import { ShapeIndexes, type ShapeScore } from './shape-indexes.js'
import { nodesByRack, rackOf, type TaskCounts } from './task-counts.js'

/** The weight of company, the job's tasks in a node's rack and on it: `pack` (sign 1) counts them for the node, `spread` (-1) against it. */
export interface CompanyScore {
  readonly sign: 1 | -1
  readonly weight: number
}

/** Company of a node: tasks of the job, of all lanes, in its rack, plus those on the node itself, which together count less than one task in the rack. */
export const companyOf = (inRack: number, onNode: number, running: number): number => inRack + onNode / (running + 1)

export function runningOf(job: JobId, { work, cluster }: Round): number {
  let running = 0
  for (let lane = 0 as LaneId; lane < cluster.lanes.length; lane++) running += work.running(job, lane)
  return running
}

/**
 * In rounds over the whole cluster: the node with the largest sum of percentages by what is free and scores by company, each scaled to 0..1. Nodes
 * in racks without tasks of the job have no company, so among them the percentages decide, by which an index holds them. The other nodes are looked
 * at one by one.
 */
export class BesideCompany {
  readonly #indexes: ShapeIndexes
  readonly #scores: readonly CompanyScore[]
  readonly #counts: TaskCounts
  readonly #passes: (job: JobId, node: NodeId, cluster: ClusterView) => boolean
  /** By rack: its nodes, lowest first. */
  readonly #members: readonly (readonly NodeId[])[]
  /** Nodes in racks with company on which the task fits, and their company. */
  readonly #nodes: NodeId[] = []
  readonly #company: number[] = []

  constructor(
    percentages: ShapeScore,
    scores: readonly CompanyScore[],
    counts: TaskCounts,
    cluster: ClusterView,
    passes: (job: JobId, node: NodeId, cluster: ClusterView) => boolean,
  ) {
    this.#indexes = new ShapeIndexes(percentages)
    this.#scores = scores
    this.#counts = counts
    this.#passes = passes
    this.#members = nodesByRack(cluster)
  }

  /** The best node; `undefined`: every node has to be looked at instead. */
  pick(job: JobId, round: Round): NodeId | None | undefined {
    const { cluster, work, lane, nodes } = round
    const shape = work.shape(job, lane)
    const index = this.#indexes.of(shape, round)
    if (index === undefined) {
      this.#indexes.looked(shape, nodes.length)
      return undefined
    }
    const racks = this.#counts.racks(job)
    const suits = (node: NodeId): boolean => round.fits(job, node) && this.#passes(job, node, cluster)
    this.#collect(job, index, suits, round)
    const isApart = (node: NodeId): boolean => racks?.has(rackOf(cluster, node)) !== true && suits(node)
    const apart = index.find(isApart)
    const sumOf = this.#sums(apart !== None)
    let best: NodeId | None = None
    let most = -Infinity
    for (const [i, node] of this.#nodes.entries()) {
      const sum = sumOf(this.#company[i] as number, index.score(node))
      if (sum < most || (sum === most && node > (best as NodeId))) continue
      best = node
      most = sum
    }
    if (apart === None) return best
    const sum = sumOf(0, index.score(apart))
    if (sum < most) return best
    const lowest = index.lowest((percentages) => sumOf(0, percentages) >= sum, isApart) as NodeId // rounding may make sums equal
    return sum > most || lowest < (best as NodeId) ? lowest : best
  }

  #collect(job: JobId, index: NodeIndex, suits: (node: NodeId) => boolean, round: Round): void {
    this.#nodes.length = 0
    this.#company.length = 0
    const running = runningOf(job, round)
    for (const [rack, { total, onNode }] of this.#counts.racks(job) ?? [])
      for (const node of this.#members[rack] as readonly NodeId[]) {
        if (index.score(node) === -Infinity || !suits(node)) continue
        this.#nodes.push(node)
        this.#company.push(companyOf(total, onNode.get(node) ?? 0, running))
      }
  }

  /** The function that sums company and percentages, scaled by the least and the most company of any node in question. */
  #sums(isAnyApart: boolean): (company: number, percentages: number) => number {
    let [least, most] = isAnyApart ? [0, 0] : [Infinity, -Infinity]
    for (const each of this.#company) {
      least = Math.min(least, each)
      most = Math.max(most, each)
    }
    return (company, percentages) => {
      let sum = 0
      if (most !== least) for (const { sign, weight } of this.#scores) sum += (weight * (sign * company - (sign === 1 ? least : -most))) / (most - least)
      return sum + percentages / 100
    }
  }
}
