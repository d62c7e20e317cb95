import type { JobId, NodeId } from './ids.js'
import type { ClusterView, WorkView } from './views.js'

/** The jobs in the system by name, for restoring a memory that refers to jobs by name. */
export const jobsByName = (work: Pick<WorkView, 'jobs' | 'name'>): ReadonlyMap<string, JobId> => new Map(work.jobs().map((job) => [work.name(job), job]))

/** The nodes by name, for the same purpose. */
export const nodesByName = (cluster: Pick<ClusterView, 'nodes' | 'name'>): ReadonlyMap<string, NodeId> =>
  new Map(Array.from({ length: cluster.nodes }, (_, node) => [cluster.name(node as NodeId), node as NodeId]))
