import type { JobId, NodeId, Round, ShapeId, TaskId } from '@sched/core'
import { couldHold } from '../capacity/node-amounts.js'

interface Candidate {
  readonly node: NodeId
  readonly lacks: number
}

/**
 * The nodes, so many at most, that tasks of the job reserve one after the other: of those in sight that are not reserved, and that empty could hold the task,
 * the one that lacks least of what it asks. Where that one may not have the task for another reason, labels or a taint for example, it reserves none.
 *
 * Source: YuniKorn 1.8, application.go (tryNodes), resources.go (FitInScore); of the shim predicate_manager.go (reservationFilters). Deviation: of nodes that
 * lack equal parts the lowest comes first, there the first as nodes are sorted.
 */
export function nodesToReserve(job: JobId, most: number, round: Round, isReserved: (node: NodeId) => boolean): NodeId[] {
  const shape = round.work.shape(job, round.lane)
  const candidates: Candidate[] = []
  for (const node of round.nodes)
    if (!isReserved(node) && round.cluster.up(node) && couldHold(shape, node, round)) candidates.push({ node, lacks: lacking(shape, node, round) })
  candidates.sort((a, b) => a.lacks - b.lacks || a.node - b.node)
  const chosen: NodeId[] = []
  for (const { node } of candidates) {
    if (chosen.length === most || !mayBeOn(job, shape, node, round)) break
    chosen.push(node)
  }
  return chosen
}

/** The parts of what a task asks that are not free on a node, summed over resources: 0 where it fits by amounts. */
function lacking(shape: ShapeId, node: NodeId, { work, cluster, lane }: Round): number {
  let sum = 0
  for (const r of cluster.lanes[lane]?.resources ?? []) {
    const asked = work.demand(shape, r)
    const free = Math.max(0, cluster.free(node, r))
    if (asked > free) sum += (asked - free) / asked
  }
  return sum
}

/** Whether the task might be on the node as far as amounts are not concerned. Where it fits, it is the placement that will not have it there. */
function mayBeOn(job: JobId, shape: ShapeId, node: NodeId, round: Round): boolean {
  const { work, lane } = round
  if (!work.mayRunOn(shape, node) || round.bars?.(job, node) === true || round.fits(job, node)) return false
  if (!work.isDistinct(shape)) return true
  const running: TaskId[] = []
  work.runningTasks(job, lane, running)
  return running.every((task) => work.nodeOf(task) !== node || work.shapeOf(task) !== shape)
}
