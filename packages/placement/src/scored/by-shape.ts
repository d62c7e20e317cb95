import { None, type JobId, type NodeId, type Placement, type Round, type ShapeId } from '@sched/core'
import { bestBy, type Score } from './best-by.js'
import { ShapeIndexes, type ShapeScore } from './shape-indexes.js'

interface ByShapeOptions {
  /** If given, only nodes for which it returns true count. */
  readonly passes?: (job: JobId, node: NodeId, round: Round) => boolean
  /** How many nodes that fit and pass are enough to choose from, given the number of nodes in sight; default: all. */
  readonly enough?: (nodes: number) => number
}

/**
 * Places every task on the fitting node of the highest score, the lowest of equals. In rounds over the whole cluster the
 * nodes are kept in an index by score for each shape of which searches have cost as much as an index.
 *
 * Where fewer than all nodes are enough, the search takes the first so many from where the last search stopped, and ties go to the first.
 */
export class ByShape implements Placement {
  readonly #score: ShapeScore
  readonly #passes: (job: JobId, node: NodeId, round: Round) => boolean
  readonly #enough: (nodes: number) => number
  /** The index among the nodes in sight at which the next search begins, if some nodes are enough. */
  #from = 0
  readonly #indexes: ShapeIndexes

  constructor(score: ShapeScore, { passes = () => true, enough = (nodes) => nodes }: ByShapeOptions = {}) {
    this.#score = score
    this.#indexes = new ShapeIndexes(score)
    this.#passes = passes
    this.#enough = enough
  }

  pick(job: JobId, round: Round): NodeId | None {
    const { work, lane, nodes } = round
    const shape = work.shape(job, lane)
    const enough = this.#enough(nodes.length)
    const index = this.#indexes.of(shape, round)
    if (index === undefined) return this.#search(enough, shape, job, round)
    if (enough < nodes.length) return this.#bestOfSome(enough, (node) => (this.#passes(job, node, round) ? index.score(node) : -Infinity), job, round)
    return index.find((node) => round.fits(job, node) && this.#passes(job, node, round))
  }

  /** Looks at every node in sight that has room, or at as many as are enough. */
  #search(enough: number, shape: ShapeId, job: JobId, round: Round): NodeId | None {
    const { cluster, work, lane, nodes } = round
    let looks = 0
    const score = (node: NodeId): number => {
      looks++
      return this.#passes(job, node, round) ? this.#score(node, shape, lane, cluster, work) : -Infinity
    }
    const best = enough < nodes.length ? this.#bestOfSome(enough, score, job, round) : bestBy(score, job, round)
    this.#indexes.looked(shape, looks)
    return best
  }

  /** The best of the first `enough` nodes that fit and pass; a score of -Infinity means that a node does not pass. */
  #bestOfSome(enough: number, score: Score, job: JobId, round: Round): NodeId | None {
    const { nodes } = round
    let best: NodeId | None = None
    let highest = -Infinity
    let at = this.#from % nodes.length
    for (let looked = 0, found = 0; looked < nodes.length && found < enough; looked++) {
      const node = nodes[at] as NodeId
      const value = round.fits(job, node) ? score(node, job, round) : -Infinity
      if (value > -Infinity) found++
      if (value > highest) {
        highest = value
        best = node
      }
      at = at + 1 === nodes.length ? 0 : at + 1
    }
    this.#from = at
    return best
  }
}
