import type { SlotsAdjuster } from './dynamic-slots.js'
import type { ClusterDescription, ClusterModel } from '@sched/cluster'
import type { Demand, NodeId, Observer, Plug, Seconds, Workload } from '@sched/core'
import type { CheckpointOptions } from './checkpoints.js'
import type { FailureOptions } from './failures.js'
import type { Outage, OutageModel } from './outages.js'
import type { RuntimeModel, RuntimeOptions } from './runtime.js'

/** One run: a cluster, a workload and the scheduling system under test. */
export interface SimulationOptions {
  /** The nodes: a description, or what `buildCluster` made of one. */
  readonly cluster: ClusterDescription | ClusterModel
  /** The jobs, in order of submission. */
  readonly workload: Workload
  /** What every scheduler runs, unless `policies` says otherwise. */
  readonly policy: Plug<'policy'>
  /** Policies of single schedulers by name, where the architecture has several; the others run `policy`. */
  readonly policies?: Readonly<Record<string, Plug<'policy'>>>
  /** Who decides, `monolithic()` for example. */
  readonly architecture: Plug<'architecture'>
  /** A whole number; everything random in the run depends on it alone. Default 1. */
  readonly seed?: number
  /** How long tasks take; default: durations of the workload with the defaults of `RuntimeOptions`. */
  readonly runtime?: RuntimeOptions | RuntimeModel
  /** Told of all that happens, in order. */
  readonly observers?: readonly Observer[]
  /** Checks conservation, placement and every counter while running; slow. Default false. */
  readonly validate?: boolean
  /**
   * What happens to a job with a task larger than every node: an error, or `onReject` and the run goes on; to jobs that wait although nothing runs or will: an
   * error, or the end of the run with a warning. Default `fail`.
   */
  readonly infeasible?: 'fail' | 'reject'
  /**
   * Hadoop's "commit pending" bug: a finished task stops counting as running one heartbeat before its slot is free,
   * which hides sticky slots. Default false.
   */
  readonly commitPendingBug?: boolean
  /**
   * On a cluster without heartbeats, a pass after every event instead of one per instant, as some published simulators
   * do. Of events at one time, all ends come before the submissions, and those of what these start after them; or all
   * submissions come before the next end. Jobs that have waited for others come after those of the workload.
   * Tasks of a gang that end together are one event.
   */
  readonly passPerEvent?: 'submits-first' | 'ends-first'
  /** Tasks that run at time 0 already and belong to no job. */
  readonly prefill?: Iterable<PrefillTask>
  /** Nodes that go and come back: a list, a model of failures drawn from the seed, or several of both. Default: all nodes stay. */
  readonly outages?: OutageModel | readonly (Outage | OutageModel)[]
  /** Tasks that fail by themselves and start anew, or fail their jobs; default: none does. */
  readonly failures?: FailureOptions
  /** Tasks save their work now and then and go on from there when they were lost or preempted; default: they start anew. */
  readonly checkpoint?: CheckpointOptions
  /** How nodes change their slots, where the cluster has `dynamicSlots`; default: by the fractions that it gives. */
  readonly slotsAdjuster?: SlotsAdjuster
  /** Called once for each thing the user should know. */
  readonly warn?: (message: string) => void
}

/** A task that runs before the first job arrives. */
export interface PrefillTask {
  /** Where it runs. */
  readonly node: NodeId
  /** What it holds. */
  readonly demand: Demand
  /** When it ends, seconds from the start of the run; `Infinity`: never. */
  readonly end: Seconds
}

/** `done`: everything has ended; `paused`: the limit was reached; `starved`: the source's `more()` must be awaited. */
export type RunState = 'done' | 'paused' | 'starved'
