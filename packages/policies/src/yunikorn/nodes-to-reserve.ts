import { runningTasks, type JobId, type NodeId, type Round, type ShapeId } from '@sched/core'
import { couldHold } from '../capacity/node-amounts.js'
import type { ReservedNodes } from './reserved-nodes.js'

interface Candidate {
  readonly node: NodeId
  readonly lacks: number
}

/**
 * The nodes that so many tasks of the job reserve, one after another. Each task takes, of the nodes in sight that are not reserved and that could hold it
 * if they were empty, the one that lacks least of what it asks for. If that node may not have the task for another reason, for example labels or a taint, the
 * task reserves none. Of a gang, which starts as a whole, as many tasks as a node has room for reserve it together.
 *
 * Source: YuniKorn 1.8, application.go (tryNodes), resources.go (FitInScore); of the shim predicate_manager.go (reservationFilters). Deviations: ties between
 * nodes go to the lowest, in YuniKorn to the first as nodes are sorted; for a job that is one gang only what its first stage asks for counts.
 */
export function nodesToReserve(job: JobId, tasks: number, round: Round, reserved: Pick<ReservedNodes, 'isReserved'>): { readonly nodes: NodeId[]; readonly isEnough: boolean } {
  const { work, cluster, lane } = round
  const shape = work.shape(job, lane)
  const isGang = work.together(job, lane) > 1
  const candidates: Candidate[] = []
  for (const node of round.nodes)
    if (!reserved.isReserved(node) && cluster.up(node) && couldHold(shape, node, round)) candidates.push({ node, lacks: lacking(shape, node, round) })
  candidates.sort((a, b) => a.lacks - b.lacks || a.node - b.node)
  const nodes: NodeId[] = []
  let left = tasks
  for (const { node } of candidates) {
    // if a task fits there, it is the placement that does not take the node
    if (left <= 0 || !mayBeOn(job, shape, node, round) || (!isGang && round.fits(job, node))) break
    nodes.push(node)
    left -= isGang ? Math.max(1, cluster.couldTake(shape, node)) : 1
  }
  return { nodes, isEnough: left <= 0 }
}

/** How much a node lacks for a task: the missing fractions of what it asks for, summed over resources; 0 if it fits by amounts. */
function lacking(shape: ShapeId, node: NodeId, { work, cluster, lane }: Round): number {
  let sum = 0
  for (const r of cluster.lanes[lane]?.resources ?? []) {
    const asked = work.demand(shape, r)
    const free = Math.max(0, cluster.free(node, r))
    if (asked > free) sum += (asked - free) / asked
  }
  return sum
}

/** Whether the task may be on the node, apart from amounts. */
function mayBeOn(job: JobId, shape: ShapeId, node: NodeId, { work, lane, bars }: Round): boolean {
  if (!work.mayRunOn(shape, node) || bars?.(job, node) === true) return false
  return !work.isDistinct(shape) || runningTasks(job, lane, work).every((task) => work.nodeOf(task) !== node || work.shapeOf(task) !== shape)
}
