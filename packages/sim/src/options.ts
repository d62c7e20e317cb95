import type { SlotsAdjuster } from './dynamic-slots.js'
import type { ClusterDescription, ClusterInput, ClusterModel } from '@sched/cluster'
import type { Demand, NodeId, Observer, Plug, Seconds, Workload } from '@sched/core'
import type { AutoscalerOptions } from './autoscale/options.js'
import type { AvoidOptions } from './avoid/rules.js'
import type { CheckpointOptions } from './checkpoints.js'
import type { FailureOptions } from './failures.js'
import type { Outage, OutageModel } from './outages.js'
import type { RuntimeModel, RuntimeOptions } from './runtime.js'
import type { SpeculationOptions } from './speculation/rules.js'

/** A run: a cluster, a workload and the scheduling system under test. */
export interface SimulationOptions {
  /** The nodes: a description, as a file or a program writes it, or the result of `buildCluster`. */
  readonly cluster: ClusterDescription | ClusterInput | ClusterModel
  /** The jobs, in order of submission. */
  readonly workload: Workload
  /** The policy of every scheduler, unless `policies` gives another. */
  readonly policy: Plug<'policy'>
  /** Policies of single schedulers or groups of schedulers, by name, where the architecture has several; the others run `policy`. */
  readonly policies?: Readonly<Record<string, Plug<'policy'>>>
  /** The architecture, for example `monolithic()`. */
  readonly architecture: Plug<'architecture'>
  /** A whole number that alone determines everything random in the run. Default 1. */
  readonly seed?: number
  /** How long tasks take. Default: the durations of the workload, with the defaults of `RuntimeOptions`. */
  readonly runtime?: RuntimeOptions | RuntimeModel
  /** Observers, which are told of everything that happens, in order. */
  readonly observers?: readonly Observer[]
  /** Checks conservation, placement and every counter while running; slow. Default false. */
  readonly validate?: boolean
  /**
   * What happens to a job with a task larger than every node: `fail` throws an error; `reject` calls `onReject`, and the run goes on. What happens to
   * jobs that wait although nothing runs or will happen: `fail` throws an error; `reject` ends the run with a warning. Default `fail`.
   */
  readonly infeasible?: 'fail' | 'reject'
  /**
   * Hadoop's "commit pending" bug: a finished task stops counting as running one heartbeat before its slot is free, which hides sticky slots. Default
   * false.
   */
  readonly commitPendingBug?: boolean
  /**
   * On a cluster without heartbeats, a pass after every event instead of one per instant, as in some published simulators. `ends-first`: of events at
   * one time, all ends come before the submissions, and ends of tasks that these start come after them. `submits-first`: all submissions come before
   * the next end. Jobs that have waited for others are submitted after those of the workload. Tasks of a gang that end together are one event.
   */
  readonly passPerEvent?: 'submits-first' | 'ends-first'
  /** Tasks that run from time 0 and belong to no job. */
  readonly prefill?: Iterable<PrefillTask>
  /** When nodes are down: a list, a failure model drawn from the seed, or several of both. Default: all nodes stay up. */
  readonly outages?: OutageModel | readonly (Outage | OutageModel)[]
  /** How the autoscaler works, if groups of nodes have `autoscale`. Default: as Kubernetes' Cluster Autoscaler by default. */
  readonly autoscaler?: AutoscalerOptions
  /** Tasks that fail by themselves and start anew, or make their jobs fail. Default: none does. */
  readonly failures?: FailureOptions
  /** Which nodes are avoided after tasks have failed there. Default: none is. */
  readonly avoid?: AvoidOptions
  /** How tasks save their work, to continue from there after they are lost or preempted. Default: they start anew. */
  readonly checkpoint?: CheckpointOptions
  /**
   * Copies of slow tasks: `true` as Hadoop 2 and 3 make them, or by a rule and its limits. Whichever attempt of a task is done first ends the other.
   * Default: no task is copied.
   */
  readonly speculation?: true | SpeculationOptions
  /** How nodes change their number of slots, if the cluster has `dynamicSlots`. Default: by the fractions given there. */
  readonly slotsAdjuster?: SlotsAdjuster
  /** Called once for each message that the user should see. */
  readonly warn?: (message: string) => void
}

/** A task that runs from the start and belongs to no job. */
export interface PrefillTask {
  /** The node that it runs on. */
  readonly node: NodeId
  /** The resources that it holds. */
  readonly demand: Demand
  /** When it ends, seconds from the start of the run; `Infinity`: never. */
  readonly end: Seconds
}

/** `done`: everything has ended; `paused`: the limit of instants was reached; `starved`: the source's `more()` must be awaited. */
export type RunState = 'done' | 'paused' | 'starved'
