import type { JobId, NodeId } from './ids.js'
import type { ClusterView, WorkView } from './views.js'

/** The jobs in the system by name, for restoring a memory that refers to jobs by name. */
export const jobsByName = (work: Pick<WorkView, 'jobs' | 'name'>): ReadonlyMap<string, JobId> => new Map(work.jobs().map((job) => [work.name(job), job]))

/** Entries of a memory that begin with the name of a job, each with the job in place of its name. Those of jobs that are not in the system are left out. */
export function rememberedJobs<Rest extends readonly unknown[]>(entries: Iterable<readonly [job: string, ...rest: Rest]>, work: Pick<WorkView, 'jobs' | 'name'>): [job: JobId, ...rest: Rest][] {
  const jobs = jobsByName(work)
  return Array.from(entries).flatMap(([name, ...rest]) => {
    const job = jobs.get(name)
    return job === undefined ? [] : [[job, ...rest] satisfies [JobId, ...Rest]]
  })
}

/** The nodes by name, for the same purpose. */
export const nodesByName = (cluster: Pick<ClusterView, 'nodes' | 'name'>): ReadonlyMap<string, NodeId> =>
  new Map(Array.from({ length: cluster.nodes }, (_, node) => [cluster.name(node as NodeId), node as NodeId]))
