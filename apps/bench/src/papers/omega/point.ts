import { monolithic, sharedState, twoLevel } from '@sched/architectures'
import type { Plug, Seconds } from '@sched/core'
import { bestFit, randomFit } from '@sched/placement'
import { fifo, greedy } from '@sched/policies'
import { Simulation } from '@sched/sim'
import { omegaCluster, omegaClusterCell, omegaClusterPrefill, type OmegaClusterName } from '@sched/workload'
import { classFigures, type ClassFigures } from './class-figures.js'

/** Seconds per attempt at a job and per task of it. */
interface DecisionTimes {
  readonly job?: Seconds
  readonly task?: Seconds
}

/**
 * One point of a sweep: plain data in, plain data out, nothing else read or written, so that points may run on other
 * threads and in any order.
 */
export interface Point {
  readonly cluster: OmegaClusterName
  /** Size of the cell relative to the cluster: see `omega-cluster`. */
  readonly scale: number
  readonly seed: number
  readonly horizon: Seconds
  readonly validate: boolean
  /** `single`: monolithic, one decision time for all jobs; `multi`: monolithic, one per class. */
  readonly system: System
  /** Decision times of service jobs, under `single` of all jobs; the authors' defaults (0.1 s and 0.005 s) otherwise. */
  readonly service?: DecisionTimes
  /** Decision times of batch jobs. */
  readonly batch?: DecisionTimes
  /** Omega: schedulers that share the batch jobs by a hash of the job id. */
  readonly batchSchedulers?: number
  readonly conflict?: 'fine' | 'coarse'
  readonly commit?: 'incremental' | 'all-or-nothing'
  /** Factor on the arrival rate of batch jobs; their run times are divided by it, so that the cell stays as full. */
  readonly batchRate?: number
  /** Default: randomised first fit. */
  readonly placement?: 'best-fit'
}
export type System = 'single' | 'multi' | 'omega' | 'mesos'

/** What one point gave. */
export interface PointResult {
  readonly batch: ClassFigures
  readonly service: ClassFigures
  /** Sum of both classes' busyness over the schedulers' number: of the one scheduler under `single` and `multi`. */
  readonly busyness: number
}

/** Runs one point. Workload, prefill and placement depend on the seed alone, so points that are compared meet the same jobs. */
export function runPoint(point: Point): PointResult {
  const { cluster, scale, seed, horizon, validate, batchRate = 1, placement } = point
  const batchRunTime = 1 / batchRate
  const figures = classFigures(horizon)
  new Simulation({
    cluster: omegaClusterCell(cluster, scale),
    workload: omegaCluster({ cluster, seed, horizon, scale, batchRate, batchRunTime }),
    prefill: omegaClusterPrefill(cluster, { seed, scale, batchRunTime }),
    policy: greedy(fifo(), placement === 'best-fit' ? bestFit() : randomFit()),
    architecture: architecture(point),
    runtime: { jitter: 0 },
    observers: [figures],
    seed, validate,
  }).run(horizon)
  const [batch, service] = [figures.result('batch'), figures.result('service')]
  return { batch, service, busyness: batch.busyness + service.busyness }
}

function architecture({ system, service = {}, batch = {}, batchSchedulers = 1, conflict, commit }: Point): Plug<'architecture'> {
  if (system === 'single') return monolithic({ decision: service })
  const classes = { batch, service }
  if (system === 'multi') return monolithic({ classes })
  if (system === 'mesos') return twoLevel({ frameworks: { batch: {}, service: {} }, classes })
  return sharedState({
    schedulers: { batch: { count: batchSchedulers }, service: {} }, classes,
    ...(conflict !== undefined && { conflict }), ...(commit !== undefined && { commit }),
  })
}
