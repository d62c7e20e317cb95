import type { NodeId } from './ids.js'
import type { JobSpec } from './job.js'
import { isGangJob, leastTasks } from './least-tasks.js'
import type { ClusterView } from './views.js'

/**
 * Why a job can never start where every round covers one node, as at a heartbeat: what must start at once fits on no single node. `undefined` if it
 * can start.
 */
export function beyondOneNode(spec: JobSpec, cluster: Pick<ClusterView, 'nodes' | 'couldHold'>): string | undefined {
  if (isGangJob(spec)) return `job ${spec.id} is one gang of several stages, which do not start at one node's heartbeat`
  for (const stage of spec.stages) {
    const least = leastTasks(stage)
    if (least === 1) continue
    let node = 0
    while (node < cluster.nodes && cluster.couldHold(stage, node as NodeId) < least) node++
    if (node === cluster.nodes) return `job ${spec.id} starts ${least} tasks of ${JSON.stringify(stage.demand)} at once, more than may start at one node's heartbeat`
  }
  return undefined
}
