import type { JobSpec } from '@sched/core'
import type { ClusterQueue } from './queues.js'

/** Why no flavor of the queue could ever have room for a workload of the job. */
export function tooLarge({ stages }: JobSpec, queue: ClusterQueue, resources: readonly string[]): string | undefined {
  for (const { demand, gang, tasks } of stages) {
    const asked = resources.map((name) => (demand[name] ?? 0) * (gang === true ? tasks : 1))
    const lackIn = (flavor: number): number => asked.findIndex((amount, r) => amount > queue.potential(flavor * resources.length + r))
    if (queue.flavors.some((flavor) => lackIn(flavor) < 0)) continue
    const flavor = queue.flavors[0] as number
    const r = lackIn(flavor)
    return `queue ${queue.name}: ${asked[r]} ${resources[r]} of at most ${queue.potential(flavor * resources.length + r)}`
  }
  return undefined
}
