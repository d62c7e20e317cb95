import type { Env, JobId, LaneId, ResourceId } from '@sched/core'
import type { ClusterQueue } from './queues.js'

/**
 * The resource of which the quota of a queue lacks room for the next workload of a job, in the flavor that lacks least, as a text: `quota of gpu in
 * research`; `undefined` where it has room.
 */
export function lackingQuota(queue: ClusterQueue, job: JobId, lane: LaneId, resources: readonly string[], { work, cluster }: Env) {
  const demand = resources.map((_, r) => (r < cluster.resources.length ? work.asked(job, lane, r as ResourceId) : r === queue.pods ? work.together(job, lane) : 0))
  const lackingIn = (choice: number) => resources.filter((_, r) => {
    const asked = demand[r] as number
    return asked > 0 && asked > queue.available(queue.choices.all[choice]?.columns[r] as number)
  })
  const [least = []] = queue.choicesFor(demand).map(lackingIn).sort((a, b) => a.length - b.length)
  return least.length === 0 ? undefined : `quota of ${least.join(' and ')} in ${queue.name}`
}
