import { None, type JobId, type NodeId, type Round } from '@sched/core'

/** How well a node suits a job's next task: larger is better. */
export type Score = (node: NodeId, job: JobId, round: Round) => number

/** The node in sight on which the job's next task fits with the highest score, the lowest of equals. Looks at every node with room. */
export function bestBy(score: Score, job: JobId, round: Round): NodeId | None {
  const { cluster, lane, nodes } = round
  let best: NodeId | None = None
  let highest = -Infinity
  const isAll = nodes.length === cluster.nodes
  let at = 0
  for (let node = isAll ? cluster.nextWithRoom(lane, 0) : (nodes[0] ?? None); node !== None; node = isAll ? cluster.nextWithRoom(lane, node + 1) : (nodes[++at] ?? None)) {
    if (!round.fits(job, node)) continue
    const value = score(node, job, round)
    if (value <= highest) continue
    highest = value
    best = node
  }
  return best
}
