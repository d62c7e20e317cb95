import { buildCluster, readCluster, type ClusterDescription, type ClusterInput, type ClusterModel } from '@sched/cluster'
import { SchedError, type JobSpec, type StageSpec, type Workload } from '@sched/core'
import { workloadOf as workloadOfSorted } from '@sched/workload'

/** A job, and the fields of its only stage beside them. */
export type JobChange = Partial<JobSpec> & Partial<Pick<StageSpec, 'tasks' | 'demand' | 'duration' | 'data' | 'gang' | 'minTasks'>>

/** A valid job to change one thing of: `job`, submitted at 0, one task of 10 s on a map slot. */
export function job(change: JobChange = {}): JobSpec {
  const { tasks = 1, demand = { map: 1 }, duration = 10, data, gang, minTasks, ...rest } = change
  const stage: StageSpec = {
    name: 'map', tasks, demand, duration, ...(data !== undefined && { data }), ...(gang !== undefined && { gang }),
    ...(minTasks !== undefined && { minTasks }),
  }
  return { id: 'job', submit: 0, stages: [stage], ...rest }
}

/** A job of n maps that read one block each, placed by the cluster's rule. */
export const mapJob = (maps: number, change: JobChange = {}): JobSpec => job({ tasks: maps, data: {}, ...change })

/** Maps as of `mapJob`, and reduces of 10 s that open when 5 % of the maps have ended. */
export function mapReduceJob(maps: number, reduces: number, change: JobChange = {}): JobSpec {
  const mapped = mapJob(maps, change)
  const reduce: StageSpec = { name: 'reduce', tasks: reduces, demand: { reduce: 1 }, duration: 10, after: [{ stage: 0, fraction: 0.05 }] }
  return { ...mapped, stages: [...mapped.stages, reduce] }
}

/** Jobs as a workload, by submit time; jobs of one time keep their order. Throws `BAD_INPUT` for two jobs of one id. */
export function workloadOf(jobs: readonly JobSpec[]): Workload {
  const ids = new Set<string>()
  for (const { id } of jobs) {
    if (ids.has(id)) throw new SchedError('BAD_INPUT', `two jobs are called "${id}".`, {}, 'Give each an id of its own: job({ id }).')
    ids.add(id)
  }
  return workloadOfSorted('test', [...jobs].sort((a, b) => a.submit - b.submit))
}

/** A valid cluster to change one thing of: 4 nodes on 2 racks, 2 map slots and 1 reduce slot each, heartbeats every 3 s in turn. */
export function cluster(change: Partial<ClusterInput> = {}): ClusterDescription {
  const slots = change.resources === undefined && typeof change.nodes !== 'object' ? { slots: { map: 2, reduce: 1 } } : {}
  const nodes = typeof change.nodes === 'object' ? {} : { nodes: 4, racks: 2 }
  return readCluster({ heartbeat: { interval: 3 }, ...nodes, ...slots, ...change })
}

/** The same without heartbeats: every change reaches the master at once. */
export function instantCluster(change: Partial<ClusterInput> = {}): ClusterDescription {
  const { heartbeat: _, ...rest } = cluster(change)
  return rest
}

const models = new WeakMap<ClusterDescription | ClusterInput, ClusterModel>()

/** The columns of a described cluster, built once per description: worlds are run several times. */
export function modelOf(description: ClusterDescription | ClusterInput): ClusterModel {
  const known = models.get(description) ?? buildCluster(description)
  models.set(description, known)
  return known
}
