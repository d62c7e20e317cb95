import type { JobId, LaneId } from '@sched/core'
import type { ClusterQueue } from './queues.js'
import type { QuotaDemand } from './quota-demand.js'

/**
 * The resource of which the quota of a queue lacks room for the next workload of a job, in the flavor that lacks least, as a text: `quota of gpu in
 * research`; `undefined` where it has room.
 */
export function lackingQuota(queue: ClusterQueue, job: JobId, lane: LaneId, asked: QuotaDemand) {
  const demand = asked.together(job, lane, queue)
  const lackingIn = (choice: number) => asked.resources.filter((_, r) => {
    const amount = demand[r] as number
    return amount > 0 && amount > queue.available(queue.choices.all[choice]?.columns[r] as number)
  })
  const [least = []] = queue.choicesFor(demand).map(lackingIn).sort((a, b) => a.length - b.length)
  return least.length === 0 ? undefined : `quota of ${least.join(' and ')} in ${queue.name}`
}
