import { buildCluster } from '@sched/cluster'
import type { JobSpec, NodeId, Plug } from '@sched/core'
import { capacityScheduler, delay, fair, fifo, greedy, kubeScheduler, mapReduce, strict } from '@sched/policies'
import type { Outage } from '@sched/sim'
import type { World } from '@sched/testkit'
import { monolithic, onDemand, partitioned, sharedState, twoLevel } from '../src/index.js'

// What the laws of speculation and of avoided nodes run under.

const slow = { decision: { job: 0.5, task: 0.125 }, abandonAfter: false, abandonUnplacedAfter: false } as const
/** Every architecture, also with decision times. */
export const architectures: Readonly<Record<string, () => Plug<'architecture'>>> = {
  monolithic: () => monolithic(),
  'monolithic with decision times': () => monolithic(slow),
  'two-level': () => twoLevel(slow),
  'two-level with offers by node': () => twoLevel({ ...slow, offers: 'by-node', refuseSeconds: 5 }),
  'shared state': () => sharedState({ ...slow, schedulers: 3 }),
  partitioned: () => partitioned({ ...slow, partitions: 1 }),
  'on demand': () => onDemand(strict(fifo()), { sharedBy: 'user', idleRelease: 16 }),
}
/** Policies that choose nodes in different ways. */
export const policies: readonly (() => Plug<'policy'>)[] = [
  () => greedy(fifo()), () => greedy(fair()), () => delay(fair(), { node: 2, rack: 5 }), () => strict(fifo()), () => capacityScheduler(), () => kubeScheduler(), () => mapReduce(fifo()),
]

/** The outages of a world, on nodes that its cluster has. */
export const outagesOf = ({ cluster, outages = [] }: World): Outage[] => outages.map((outage) => ({ ...outage, node: (outage.node % buildCluster(cluster).nodes) as NodeId }))
/** The tasks of jobs by name. */
export const tasksOf = (jobs: readonly JobSpec[]) => jobs.flatMap(({ id, stages }) => stages.flatMap((stage, s) => Array.from({ length: stage.tasks }, (_, task) => `${id}.${s}.${task}`)))
