import {
  tellEnds, tellStarts, withoutUndefined, type ClusterView, type EndRow, type JobId, type JobSpec, type LaneId, type NodeId, type NodeState,
  type None, type Observer, type Pass, type Seconds, type StartRow, type TaskEnd, type TaskId, type WorkView,
} from '@sched/core'
import { counts, type CountsResult } from './counts.js'
import { energy, type EnergyResult } from './energy/energy.js'
import { avoidance, type AvoidanceResult } from './avoidance.js'
import { failures } from './failures.js'
import { speculation, type SpeculationResult } from './speculation.js'
import { fairness, type FairnessOptions } from './fairness.js'
import { fragmentation, type FragmentationResult } from './fragmentation/fragmentation.js'
import { gangRacks, type GangRacksResult } from './gang-racks.js'
import { hardwareUse, type HardwareUseResult } from './hardware-use.js'
import type { ClassOf } from './job-classes.js'
import { jobTimes, type Times } from './job-times.js'
import type { LaneFairnessResult } from './lane-fairness.js'
import { locality, type LocalityCounts } from './locality.js'
import { autoscaling, type AutoscalingResult } from './autoscaling.js'
import { outages, type OutagesResult } from './outages.js'
import { preemption, type Evictions, type PreemptionResult } from './preemption.js'
import type { Period } from './period.js'
import { passes, type PassesResult } from './rigid/passes.js'
import { promises, type PromisesResult } from './promises.js'
import { rigidMetrics, type RigidOptions, type RigidResult } from './rigid/rigid-metrics.js'
import { shuffle, type ShuffleResult } from './shuffle-bytes.js'
import { sleep, type SleepResult } from './sleep.js'
import { utilisation, type UtilisationResult } from './utilisation.js'

/**
 * What happened in one run, as plain data with the same keys for every run, except where noted. Times are in seconds of simulated time, shares and
 * utilisations are fractions in [0, 1]; NaN (`null` in JSON) if a figure does not exist.
 */
export interface Summary {
  /** Jobs, tasks and launches. */
  readonly counts: CountsResult
  /** Waits, responses and slowdowns of all jobs. */
  readonly times: Times
  /** Launches by distance from the data, over all jobs. */
  readonly locality: LocalityCounts
  /** Names of the levels in every `launches`, `share` and `jobShare`. */
  readonly localityLevels: readonly string[]
  /** Times and locality by class of jobs, in natural order of labels; empty if no job has a class. */
  readonly classes: readonly ClassSummary[]
  /** Use of every resource. */
  readonly utilisation: UtilisationResult
  /** Fairness by lane. */
  readonly fairness: readonly LaneFairnessResult[]
  /** Tasks that were preempted, and the work lost with them. */
  readonly preemption: PreemptionResult
  /** Outages of nodes; absent if all nodes stayed up. */
  readonly outages?: OutagesResult
  /** Groups of nodes whose size followed demand; absent if all nodes were always there. */
  readonly autoscaling?: AutoscalingResult
  /** Tasks that failed by themselves, with others of their gang, or with their job; absent if none did. */
  readonly failures?: Evictions
  /** Nodes that were avoided after tasks had failed there; absent if none was. */
  readonly avoidance?: AvoidanceResult
  /** Copies of slow tasks; absent if none started. */
  readonly speculation?: SpeculationResult
  /** Starts that the policy promised, and how it kept them. */
  readonly promises: PromisesResult
  /** Passes of policies over their queues; absent if no policy reports any. */
  readonly passes?: readonly PassesResult[]
  /** Fragmentation by resource that comes in devices; absent on a cluster without such. */
  readonly fragmentation?: readonly FragmentationResult[]
  /** Over how many racks gangs were spread; absent without gangs or racks. */
  readonly gangRacks?: GangRacksResult
  /** What tasks fetched from others of their job; absent if none did. */
  readonly shuffle?: ShuffleResult
  /** Real use of the nodes' hardware; absent if the cluster describes none. */
  readonly hardware?: HardwareUseResult
  /** Energy and power; absent if no node has a power model. */
  readonly energy?: EnergyResult
  /** How nodes slept; absent if none ever sleeps. */
  readonly sleep?: SleepResult
  /** Metrics of rigid jobs on a parallel machine; absent unless asked for. */
  readonly rigid?: RigidResult
}

/** Times and locality of a class of jobs. */
export interface ClassSummary {
  /** Label of the class. */
  readonly label: string
  /** Waits, responses and slowdowns of its jobs. */
  readonly times: Times
  /** Launches of its jobs by distance from their data. */
  readonly locality: LocalityCounts
}

/** Options of `standardMetrics`; all may be left out. */
export interface StandardOptions {
  /** Class of a job; default: `JobSpec.label`. */
  readonly classOf?: ClassOf | undefined
  /** Number of values per distribution up to which percentiles are exact. Default 100,000. */
  readonly exact?: number | undefined
  /** Options of `fairness`; rows per queue are left out unless `queues` is true. */
  readonly fairness?: FairnessOptions | undefined
  /** Threshold tau of the bounded slowdown, seconds. Default 10. */
  readonly tau?: Seconds | undefined
  /**
   * Only jobs submitted in this period, and the time in it, count for times, utilisation, passes, fragmentation, hardware, energy, sleep and `rigid`;
   * the other figures cover the whole run.
   */
  readonly period?: Period | undefined
  /** Most samples over time of every node's hardware use; default none. */
  readonly samples?: number | undefined
  /** Whether jobs are rigid jobs of a parallel machine, for which there are more metrics. Default false. */
  readonly rigid?: boolean | Pick<RigidOptions, 'sizes' | 'lengths'> | undefined
}

/** The metrics that `run` and `compare` report, in one observer. */
export const standardMetrics = (options: StandardOptions = {}): StandardMetrics => new StandardMetrics(options)

/** Calls each part from its own call site, which is faster than a list of observers. */
export class StandardMetrics implements Observer {
  readonly #counts = counts()
  readonly #times
  readonly #locality
  readonly #utilisation
  readonly #fairness
  readonly #preemption = preemption()
  readonly #outages = outages()
  readonly #autoscaling
  readonly #failures = failures()
  readonly #avoidance = avoidance()
  readonly #speculation = speculation()
  readonly #promises = promises()
  readonly #passes
  readonly #fragmentation
  readonly #gangRacks = gangRacks()
  readonly #shuffle
  readonly #hardware
  readonly #energy
  readonly #sleep
  readonly #rigid
  #areCopies = false

  constructor({ classOf, exact, fairness: options, tau, period, samples, rigid = false }: StandardOptions) {
    this.#times = jobTimes({ classOf, exact, tau, period })
    this.#utilisation = utilisation(period)
    this.#passes = passes(period)
    this.#fragmentation = fragmentation(period)
    this.#shuffle = shuffle({ classOf })
    this.#hardware = hardwareUse({ period, samples })
    this.#energy = energy(period)
    this.#autoscaling = autoscaling(period)
    this.#sleep = sleep(period)
    this.#rigid = rigid === false ? undefined : rigidMetrics({ ...(rigid === true ? {} : rigid), exact, tau, period })
    this.#locality = locality({ classOf })
    this.#fairness = fairness({ queues: false, ...options })
  }

  onRunStart(run: { readonly cluster: ClusterView; readonly work: WorkView }): void {
    this.#counts.onRunStart(run)
    this.#locality.onRunStart(run)
    this.#utilisation.onRunStart(run)
    this.#fragmentation.onRunStart(run)
    this.#gangRacks.onRunStart(run)
    this.#shuffle.onRunStart(run)
    this.#hardware.onRunStart(run)
    this.#energy.onRunStart(run)
    this.#sleep.onRunStart(run)
    this.#fairness.onRunStart(run)
    this.#preemption.onRunStart(run)
    this.#outages.onRunStart(run)
    this.#autoscaling.onRunStart(run)
    this.#failures.onRunStart(run)
    this.#speculation.onRunStart(run)
    this.#areCopies = run.work.areCopies
    this.#promises.onRunStart(run)
    this.#rigid?.onRunStart(run)
  }

  onSubmit(job: JobId, spec: JobSpec, now: Seconds): void {
    this.#counts.onSubmit(job, spec, now)
    this.#times.onSubmit(job, spec, now)
    this.#locality.onSubmit(job, spec)
    this.#utilisation.onSubmit(job, spec, now)
    this.#fragmentation.onSubmit(job, spec, now)
    this.#gangRacks.onSubmit(job, spec)
    this.#shuffle.onSubmit(job, spec)
    this.#hardware.onSubmit(job, spec, now)
    this.#energy.onSubmit(job, spec, now)
    this.#sleep.onSubmit(job, spec, now)
    this.#autoscaling.onSubmit(job, spec, now)
    this.#fairness.onSubmit(job, spec, now)
    this.#promises.onSubmit(job, spec)
    this.#rigid?.onSubmit(job, spec, now)
  }

  onTasksStart(row: StartRow, now: Seconds): void {
    this.#counts.onTasksStart(row)
    if (this.#areCopies) this.#speculation.onTasksStart(row)
    if (this.#autoscaling.isAny) this.#autoscaling.onTasksStart(row, now)
    this.#times.onTasksStart(row, now)
    this.#fragmentation.onTasksStart(row, now)
    this.#energy.onTasksStart(row, now)
    this.#locality.onTasksStart(row)
    this.#gangRacks.onTasksStart(row)
    this.#shuffle.onTasksStart(row, now)
    this.#fairness.onTasksStart(row, now)
    this.#promises.onTasksStart(row, now)
    if (this.#rigid !== undefined) tellStarts(this.#rigid, row, now)
  }

  onTasksEnd(row: EndRow, now: Seconds): void {
    this.#counts.onTasksEnd(row)
    if (this.#areCopies) this.#speculation.onTasksEnd(row)
    if (this.#autoscaling.isAny) this.#autoscaling.onTasksEnd(row, now)
    this.#utilisation.onTasksEnd(row, now)
    this.#fragmentation.onTasksEnd(row, now)
    this.#gangRacks.onTasksEnd(row)
    this.#energy.onTasksEnd(row, now)
    this.#fairness.onTasksEnd(row, now)
    if (row.how !== 'done') {
      this.#preemption.onTasksEnd(row)
      this.#outages.onTasksEnd(row)
      this.#failures.onTasksEnd(row)
    }
    if (this.#rigid !== undefined) tellEnds(this.#rigid, row, now)
  }

  onWorkLost(task: TaskId, job: JobId, lane: LaneId, how: TaskEnd, seconds: Seconds, now: Seconds): void {
    this.#utilisation.onWorkLost(task, job, lane, how, seconds, now)
    this.#preemption.onWorkLost(task, job, lane, how, seconds)
    this.#outages.onWorkLost(task, job, lane, how, seconds)
    this.#failures.onWorkLost(task, job, lane, how, seconds)
    this.#speculation.onWorkLost(task, job, lane, how, seconds)
    this.#rigid?.onWorkLost(task, job, lane, how, seconds)
  }

  onFetch(job: JobId, from: NodeId, to: NodeId, bytes: number, now: Seconds): void {
    this.#shuffle.onFetch(job, from, to, bytes, now)
  }

  onTaskFetched(task: TaskId, now: Seconds): void {
    this.#shuffle.onTaskFetched(task, now)
  }

  onNode(node: NodeId, up: boolean, now: Seconds): void {
    this.#outages.onNode(node, up, now)
    this.#energy.onNode(node, up, now)
    this.#autoscaling.onNode()
  }

  onAvoid(node: NodeId, job: JobId | None, stage: number, task: number, isAvoided: boolean, now: Seconds): void {
    this.#avoidance.onAvoid(node, job, stage, task, isAvoided, now)
  }

  onScale(group: number, nodes: number, now: Seconds): void {
    this.#autoscaling.onScale(group, nodes, now)
  }

  onScaleDown(): void {
    this.#autoscaling.onScaleDown()
  }

  onNodeState(node: NodeId, state: NodeState, now: Seconds): void {
    this.#energy.onNodeState(node, state, now)
    this.#sleep.onNodeState(node, state, now)
  }

  onUse(node: NodeId, now: Seconds): void {
    this.#hardware.onUse(node, now)
  }

  onJobEnd(job: JobId, spec: JobSpec, now: Seconds): void {
    this.#shuffle.onJobEnd(job, spec, now)
    this.#counts.onJobEnd(job)
    this.#avoidance.onJobEnd(job, spec, now)
    this.#times.onJobEnd(job, spec, now)
    this.#locality.onJobEnd(job)
    this.#gangRacks.onJobEnd(job)
    this.#promises.onJobEnd(job, spec, now)
    this.#energy.onJobEnd(job, spec, now)
    this.#rigid?.onJobEnd(job, spec, now)
  }

  onAbandon(job: JobId): void {
    this.#counts.onAbandon(job)
    this.#times.onAbandon(job)
    this.#energy.onAbandon(job)
    this.#rigid?.onAbandon(job)
  }

  onReject(spec: JobSpec, reason: string, now: Seconds): void {
    this.#counts.onReject()
    this.#times.onReject(spec, reason, now)
    this.#locality.onReject(spec)
  }

  onReserve(job: JobId, start: Seconds): void {
    this.#promises.onReserve(job, start)
  }

  onPass(pass: Pass, now: Seconds): void {
    this.#passes.onPass(pass, now)
  }

  onRunEnd(now: Seconds): void {
    this.#counts.onRunEnd(now)
    this.#locality.onRunEnd(now)
    this.#utilisation.onRunEnd(now)
    this.#fragmentation.onRunEnd(now)
    this.#gangRacks.onRunEnd()
    this.#hardware.onRunEnd(now)
    this.#energy.onRunEnd(now)
    this.#sleep.onRunEnd(now)
    this.#fairness.onRunEnd(now)
    this.#promises.onRunEnd(now)
    this.#outages.onRunEnd(now)
    this.#autoscaling.onRunEnd(now)
    this.#avoidance.onRunEnd(now)
    this.#rigid?.onRunEnd(now)
  }

  result(): Summary {
    const times = this.#times.result()
    const near = this.#locality.result()
    const fragments = this.#fragmentation.result()
    return {
      counts: this.#counts.result(),
      times: times.overall,
      locality: near.overall,
      localityLevels: near.levels,
      classes: times.classes.map(({ label, ...own }) => ({ label, times: own, locality: unlabelled(near.classes.find((each) => each.label === label)) })),
      utilisation: this.#utilisation.result(),
      fairness: this.#fairness.result(),
      preemption: this.#preemption.result(),
      promises: this.#promises.result(),
      ...withoutUndefined({
        passes: this.#passes.result(),
        outages: this.#outages.result(),
        autoscaling: this.#autoscaling.result(),
        failures: this.#failures.result(),
        avoidance: this.#avoidance.result(),
        speculation: this.#speculation.result(),
        fragmentation: fragments.length > 0 ? fragments : undefined,
        gangRacks: this.#gangRacks.result(),
        shuffle: this.#shuffle.result(),
        hardware: this.#hardware.result(),
        energy: this.#energy.result(),
        sleep: this.#sleep.result(),
        rigid: this.#rigid?.result(),
      }),
    }
  }
}

/** The figures without their label. Every class that has times has a locality, of jobs outside the period, too. */
function unlabelled(counted: ({ readonly label: string } & LocalityCounts) | undefined): LocalityCounts {
  const { label: _, ...rest } = counted as { readonly label: string } & LocalityCounts
  return rest
}
