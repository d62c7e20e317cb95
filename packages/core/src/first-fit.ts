import { None, type JobId, type NodeId, type ShapeId } from './ids.js'
import { LowestNodes } from './lowest-nodes.js'
import type { Placement } from './plugs.js'
import type { Round } from './round.js'

/**
 * First fit: the lowest node in sight on which the job's next task fits. With all nodes in sight it tries the lowest node with any room first, then
 * continues where the search for the job's shape left off.
 */
export class FirstFit implements Placement {
  readonly #byShape = new LowestNodes()
  readonly #inSight = new FirstInSight()

  pick(job: JobId, round: Round): NodeId | None {
    const { cluster, work, lane, nodes } = round
    if (nodes.length < cluster.nodes) return this.#inSight.pick(job, round)
    const lowest = cluster.nextWithRoom(lane, 0)
    return lowest === None || round.fits(job, lowest) ? lowest : this.#byShape.find(work.shape(job, lane), job, round)
  }
}

/**
 * The first node in sight with room, where not all are. It remembers before which node none has room for the shape, for the next task of a job that is
 * placed task by task.
 */
class FirstInSight {
  #nodes: readonly NodeId[] | undefined
  #serial = -1
  #shape = -1
  /** Index of a node in sight: none before it had room for `#shape` after `#seen` changes. */
  #from = 0
  #seen = 0

  pick(job: JobId, round: Round): NodeId | None {
    const { nodes, cluster, work, lane } = round
    const shape = work.shape(job, lane)
    let from = this.#start(shape, round)
    let isPassed = false
    let i = from
    for (; i < nodes.length && !round.fits(job, nodes[i] as NodeId); i++)
      if (!isPassed && cluster.couldTake(shape, nodes[i] as NodeId) > 0) {
        isPassed = true // there is room, but not for this job now
        from = i
      }
    this.#from = isPassed ? from : i
    this.#seen = cluster.changeLog?.count ?? -Infinity
    return nodes[i] ?? None
  }

  #start(shape: ShapeId, { nodes, cluster: { changeLog: log }, serial }: Round): number {
    const isSame = nodes === this.#nodes && serial === this.#serial && shape === this.#shape
    this.#nodes = nodes
    this.#serial = serial
    this.#shape = shape
    if (!isSame || log === undefined || log.count - this.#seen > log.kept) return 0
    const first = nodes[this.#from] ?? Infinity
    for (let change = this.#seen; change < log.count; change++) if (log.node(change) < first) return 0
    return this.#from
  }
}
