import type { JobId, LaneId, WorkView } from '@sched/core'
import type { CapacityQueues } from './capacity-queues.js'
import type { QueueLoads } from './ideal-allocation.js'
import type { NodeReservations } from './node-reservations.js'

/** What the queues of a pot use and want, as preemption sees it. Jobs want no more than their user's limit leaves. */
export function loadsOf(queues: CapacityQueues, pot: number, jobs: Iterable<JobId>, reservations: NodeReservations, work: WorkView): QueueLoads {
  const { tree, pots, quotas, usage } = queues
  const { width, count: potCount } = pots
  const count = tree.queues.length
  const column = (of: Float64Array) =>
    Float64Array.from({ length: count * width }, (_, at) => of[(Math.floor(at / width) * potCount + pot) * width + (at % width)] as number)
  const pending = new Float64Array(count * width)
  const reserved = new Float64Array(count * width)
  const rooms = new Map<number, Float64Array>()
  for (const job of jobs) {
    const leaf = queues.leafOf(job)
    addWanted(job, pot, queues, rooms, pending, leaf * width, work)
    for (const { lane, node, shape } of reservations.of(job)) {
      if (pots.of(lane, node) !== pot) continue
      const from = pots.demandAt(shape, lane)
      for (let i = 0; i < width; i++) reserved[leaf * width + i] = (reserved[leaf * width + i] as number) + (pots.demands[from + i] as number)
    }
  }
  return {
    count,
    width,
    total: pots.totals.slice(pot * width, (pot + 1) * width),
    parent: tree.parents,
    guaranteed: column(quotas.guaranteed),
    most: column(quotas.most),
    used: column(usage.used),
    pending,
    reserved,
    isProtected: tree.queues.map(({ isPreemptable }) => (isPreemptable ? 0 : 1)),
    priority: tree.queues.map(({ id, priority }) => (tree.isByPriority[id] === true ? priority : 0)),
  }
}

/** Counts what a job waits for in the pot, and takes it out of what its user may still have. */
function addWanted(job: JobId, pot: number, queues: CapacityQueues, rooms: Map<number, Float64Array>, pending: Float64Array, at: number, work: WorkView): void {
  const { pots } = queues
  const lane = pots.laneOf(pot) as LaneId
  if (queues.potOf[job * pots.lanes + lane] !== pot) return
  const pair = queues.pairOf[job] as number
  const room = rooms.get(pair) ?? queues.limits.room(pair, pot)
  rooms.set(pair, room)
  const from = pots.demandAt(work.shape(job, lane), lane)
  for (let i = 0; i < pots.width; i++) {
    const wanted = Math.min(room[i] as number, work.unplaced(job, lane) * (pots.demands[from + i] as number))
    room[i] = (room[i] as number) - wanted
    pending[at + i] = (pending[at + i] as number) + wanted
  }
}
