import { placedBlocks } from '@sched/cluster'
import type { JobSpec, StageSpec } from '@sched/core'
import { modelOf } from '../build.js'
import type { World } from './world.js'

/**
 * The world as a dispatcher can be told of it: data have hosts, jobs are submitted when they may start, masters are ordinary stages, and where ends are
 * known at once no task takes less than half a second, since a simulation knows of an end at the instant of its start before it looks again where it
 * has preempted.
 */
export function tellable(world: World): World {
  const model = modelOf(world.cluster)
  const places = placedBlocks(model, world.seed)
  const withHosts = (job: JobSpec, { data, master: _, ...stage }: StageSpec): StageSpec => {
    const { replicas, factor } = places(job, { data, ...stage } as StageSpec) ?? { replicas: [], factor: 0 }
    const hosts = Array.from({ length: stage.tasks }, (_, task) => Array.from(replicas.slice(task * factor, (task + 1) * factor), (node) => model.nodeNames[node] as string))
    const { duration } = stage
    const later = (seconds: number) => (world.cluster.heartbeat === undefined ? Math.max(seconds, 0.5) : seconds)
    const longer = typeof duration === 'number' ? later(duration) : Array.isArray(duration) ? (duration as number[]).map(later) : duration
    return { ...stage, duration: longer, ...(data !== undefined && { data: { hosts } }) }
  }
  const jobs = world.jobs.map(({ startup: _, after: _a, think: _t, afterAll: _all, afterAny: _any, ...job }) => ({ ...job, stages: job.stages.map((stage) => withHosts(job, stage)) }))
  return { ...world, jobs, commitPendingBug: false, claims: undefined }
}
