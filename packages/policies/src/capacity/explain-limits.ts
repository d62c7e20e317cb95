import { Reason, type JobId, type Round } from '@sched/core'
import type { SortedIds } from '../orders/sorted-ids.js'
import type { CapacityQueues } from './capacity-queues.js'

/**
 * Tells who listens which waiting jobs of a pot a limit keeps out of the round: of running applications, the maximum of a
 * queue around the job or the limit of its user. What is held back for reservations is not looked at.
 */
export function explainLimits(round: Round, queues: CapacityQueues, pot: number): void {
  const { pots, tree, usage, users, limits } = queues
  queues.explainRunning(round)
  for (let leaf = 1; leaf < tree.queues.length; leaf++) {
    if (tree.isInner[leaf] === true || !usage.isListed(leaf, pot)) continue
    const room = roomOf(queues, leaf, pot)
    const waiting = queues.waiting(leaf, pot)
    for (let i = waiting.from; i < waiting.to; i++) {
      const pair = waiting.ids[i] as number
      const isOver = limits.isOver(pair, pot)
      const { ids, from, to } = users.jobs[pair * pots.count + pot] as SortedIds
      for (let k = from; k < to; k++) if (isOver || !hasRoom(round, queues, room, ids[k] as JobId)) round.defer(ids[k] as JobId, Reason.Limit)
    }
  }
}

/** By counted resource: the least that the queue and those around it may still use. */
function roomOf({ pots: { width, count }, tree, quotas, usage }: CapacityQueues, leaf: number, pot: number): number[] {
  const chain = [...tree.chain(leaf)]
  return Array.from({ length: width }, (_, i) => Math.min(...chain.map(({ id }) => (quotas.most[(id * count + pot) * width + i] as number) - (usage.used[(id * count + pot) * width + i] as number))))
}

function hasRoom({ work, lane }: Round, { pots }: CapacityQueues, room: readonly number[], job: JobId): boolean {
  const from = pots.demandAt(work.shape(job, lane), lane)
  const times = work.isGang(job, lane) ? work.together(job, lane) : 1
  return room.some((left) => left > 0) && room.every((left, i) => (pots.demands[from + i] as number) === 0 || times * (pots.demands[from + i] as number) <= left)
}
