import type { LaneId, NodeId, ShapeId, TaskId, WorkView, ClusterView } from '@sched/core'
import type { CapacityQueues } from './capacity-queues.js'
import type { NodeReservations } from './node-reservations.js'
import type { RunningTasks } from './running-tasks.js'

/** What the selectors of tasks on reserved nodes read. */
export interface Reserved {
  readonly queues: CapacityQueues
  readonly work: WorkView
  readonly cluster: ClusterView
  readonly running: RunningTasks
  readonly reservations: NodeReservations
}

/** By reserved node: the running tasks that selectors may choose, which are those in no gang that are not masters. */
export function tasksOnReserved(lane: LaneId, { work, running, reservations }: Reserved): Map<NodeId, TaskId[]> {
  const found = new Map<NodeId, TaskId[]>(reservations.nodes(lane).map((node) => [node, []]))
  for (const job of work.jobs())
    for (let task = running.any(job, lane) as TaskId; task >= 0; task = running.next(task) as TaskId)
      if (!work.inGang(task) && !work.isMaster(task)) found.get(work.nodeOf(task) as NodeId)?.push(task)
  return found
}

/** Free amounts of a node, by counted resource of the lane. */
export const freeOn = (node: NodeId, lane: LaneId, { queues: { pots }, cluster }: Reserved): number[] => amounts(pots.width, (i) => {
  const resource = pots.counted[lane]?.[i]
  return resource === undefined ? 0 : cluster.free(node, resource)
})

export function demandOf(shape: ShapeId, lane: LaneId, { pots }: CapacityQueues): number[] {
  const at = pots.demandAt(shape, lane)
  return amounts(pots.width, (i) => pots.demands[at + i] as number)
}

const amounts = (width: number, amount: (i: number) => number) => Array.from({ length: width }, (_, i) => amount(i))
