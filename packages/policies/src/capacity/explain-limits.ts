import { Reason, type JobId, type Round } from '@sched/core'
import type { SortedIds } from '../orders/sorted-ids.js'
import type { CapacityQueues } from './capacity-queues.js'
import { couldHold } from './node-amounts.js'

/**
 * Defers each waiting job that a limit keeps out of the round, and names that limit: that of running applications, that of the
 * user in the leaf (`user-limit`), or the maximum of the innermost queue that is too small (`maximum-capacity`). It also defers jobs for which no
 * node of their partition, or of one that is lent to them, is large enough. Room that is held back for reservations is not looked at.
 */
export function explainLimits(round: Round, queues: CapacityQueues): void {
  queues.explainRunning(round)
  for (let pot: number = round.lane; pot < queues.pots.count; pot += queues.pots.lanes) explainPot(round, queues, pot)
}

function explainPot(round: Round, queues: CapacityQueues, pot: number): void {
  const { pots, tree, usage, users, limits } = queues
  for (let leaf = 1; leaf < tree.queues.length; leaf++) {
    if (tree.isInner[leaf] === true || !usage.isListed(leaf, pot)) continue
    const rooms = [...tree.chain(leaf)].map(({ id, path }): Room => ({ limit: `maximum-capacity ${path}`, left: roomOf(queues, id, pot) }))
    const ofUsers = `user-limit ${tree.queue(leaf).path}`
    const waiting = queues.waiting(leaf, pot)
    for (let i = waiting.from; i < waiting.to; i++) {
      const pair = waiting.ids[i] as number
      const isOver = limits.isOver(pair, pot)
      const { ids, from, to } = users.jobs[pair * pots.count + pot] as SortedIds
      for (let k = from; k < to; k++) {
        const job = ids[k] as JobId
        const limit = isOver ? ofUsers : rooms.find(({ left }) => !hasRoom(round, queues, left, job))?.limit
        if (limit !== undefined) round.defer(job, Reason.Limit, limit)
        else if (!isHeld(round, queues, pot, job)) round.defer(job, Reason.NoRoom)
      }
    }
  }
}

/** Whether any node that the job may use could hold its next task if it were empty. */
function isHeld(round: Round, { pots, isLent }: CapacityQueues, pot: number, job: JobId): boolean {
  const { lane, work, reach = round.nodes } = round
  const shape = work.shape(job, lane)
  return reach.some((node) => {
    const own = pots.of(lane, node)
    return (own === pot || (pots.partitionOf(pot) === 0 && isLent[own] === true)) && work.mayRunOn(shape, node) && couldHold(shape, node, round)
  })
}

/** What is left below a limit, by counted resource. */
interface Room {
  readonly limit: string
  readonly left: readonly number[]
}

/** What the queue may still use, by counted resource. */
function roomOf({ pots: { width, count }, quotas, usage, tree, killable }: CapacityQueues, queue: number, pot: number): number[] {
  const first = (queue * count + pot) * width
  const free = tree.isInner[queue] === true ? killable?.amounts : undefined
  return Array.from({ length: width }, (_, i) => (quotas.most[first + i] as number) - (usage.used[first + i] as number) + (free?.[first + i] ?? 0))
}

function hasRoom({ work, lane }: Round, { pots }: CapacityQueues, room: readonly number[], job: JobId): boolean {
  const from = pots.demandAt(work.shape(job, lane), lane)
  const times = work.together(job, lane)
  return room.some((left) => left > 0) && room.every((left, i) => (pots.demands[from + i] as number) === 0 || times * (pots.demands[from + i] as number) <= left)
}
