import { leastTasks, type ClusterView, type JobSpec } from '@sched/core'
import { holds, type ClusterQueue, type Flavor } from './queues.js'

/** Why no flavor of the queue could ever have room for a workload of the job, in quota and on its nodes. */
export function tooLarge({ stages }: JobSpec, queue: ClusterQueue, flavors: readonly Flavor[], cluster: ClusterView): string | undefined {
  const { resources } = cluster
  for (const stage of stages) {
    const { demand } = stage
    const together = leastTasks(stage)
    const asked = resources.map((name) => (demand[name] ?? 0) * together)
    const lackIn = (flavor: number): number => asked.findIndex((amount, r) => amount > queue.potential(flavor * resources.length + r))
    const allowed = queue.flavors.filter((flavor) => lackIn(flavor) < 0)
    if (allowed.some((flavor) => holds(flavors[flavor] as Flavor, together, (node) => cluster.couldHold(stage, node)))) continue
    if (allowed.length > 0) return `queue ${queue.name}: no nodes of ${allowed.map((flavor) => `flavor ${flavors[flavor]?.name}`).join(' or ')} could hold ${together === 1 ? 'a task' : 'its gang'}`
    const flavor = queue.flavors[0] as number
    const r = lackIn(flavor)
    return `queue ${queue.name}: ${asked[r]} ${resources[r]} of at most ${queue.potential(flavor * resources.length + r)}`
  }
  return undefined
}
