import { sharedState } from '@sched/architectures'
import {
  phasesTime, type ClusterView, type Decision, type JobId, type JobSpec, type NodeId, type Observer, type ResourceId, type Seconds,
  type StageSpec, type WorkView,
} from '@sched/core'
import { randomFit } from '@sched/placement'
import { fifo, greedy, mapReduce, type MapReduceOptions } from '@sched/policies'
import { Simulation } from '@sched/sim'
import { omegaCluster, omegaClusterCell, omegaClusterPrefill, type OmegaClusterName } from '@sched/workload'

export type Limit = NonNullable<MapReduceOptions['limit']>

export interface MapReduceRun {
  readonly cluster: OmegaClusterName
  /** How many workers a job may get. */
  readonly limit: Limit
  readonly scale: number
  readonly seed: number
  readonly horizon: Seconds
  readonly validate: boolean
}

/** Part of all jobs that are MapReduce jobs (EuroSys 2013, section 6). */
const MAP_REDUCE = 0.2

/** MapReduce jobs of one run as they were started: a pure function of its arguments, as `runPoint` is. */
export function sizedJobs({ cluster, limit, scale, seed, horizon, validate }: MapReduceRun): Sized[] {
  const watch = new Sizes()
  new Simulation({
    cluster: omegaClusterCell(cluster, scale),
    workload: omegaCluster({ cluster, seed, horizon, scale, mapReduce: MAP_REDUCE }),
    prefill: omegaClusterPrefill(cluster, { seed, scale }),
    policy: greedy(fifo(), randomFit()),
    policies: { mapreduce: mapReduce(fifo(), { limit }, randomFit()) },
    architecture: sharedState({ schedulers: { batch: {}, service: {}, mapreduce: {} } }),
    runtime: { jitter: 0 },
    observers: [watch],
    seed, validate,
  }).run(horizon)
  return watch.jobs
}

/** A MapReduce job that was placed: how much faster its run is than with the workers asked for, and the use of the cell by then. */
export interface Sized {
  readonly speedUp: number
  readonly utilisation: number
}

/** Looks at MapReduce jobs when the last of their workers has been placed. */
class Sizes implements Observer {
  readonly jobs: Sized[] = []
  readonly #specs = new Map<JobId, JobSpec>()
  #cluster!: ClusterView
  #work!: WorkView

  onRunStart({ cluster, work }: { readonly cluster: ClusterView; readonly work: WorkView }): void {
    this.#cluster = cluster
    this.#work = work
  }

  onSubmit(job: JobId, spec: JobSpec): void {
    if (spec.class === 'mapreduce') this.#specs.set(job, spec)
  }

  onDecision({ job, unplaced }: Decision): void {
    const spec = this.#specs.get(job)
    if (spec === undefined || unplaced > 0) return
    this.#specs.delete(job)
    const [{ tasks, phases = [] }] = spec.stages as [StageSpec]
    this.jobs.push({ speedUp: phasesTime(phases, tasks) / phasesTime(phases, this.#work.tasks(job)), utilisation: cpusInUse(this.#cluster) })
  }
}

function cpusInUse(cluster: ClusterView): number {
  const cpu = cluster.resources.indexOf('cpu') as ResourceId
  let free = 0
  for (let node = 0; node < cluster.nodes; node++) free += cluster.free(node as NodeId, cpu)
  return 1 - free / cluster.capacity(cpu)
}
