import type { Seconds } from './ids.js'
import type { NodeSelectorTerm } from './node-selector.js'
import type { PlacementRule } from './placement-rule.js'

/**
 * Amounts per task by resource name; non-negative integers in the resource's unit (slot, millicore, MiB, ...). Of a
 * resource that comes in devices either a share of one device, or a multiple of a device's amount: so many whole ones.
 */
export type Demand = Readonly<Record<string, number>>

/**
 * How long a task runs on a node of speed 1 with its data on the node, in seconds: one number for all tasks, one per
 * task, or a distribution sampled per task from the run's seed (so that every policy meets the same durations).
 */
export type Duration =
  | Seconds
  | readonly Seconds[]
  | Float64Array
  | { readonly kind: 'exponential'; readonly mean: Seconds; readonly shift?: Seconds }
  | { readonly kind: 'uniform'; readonly min: Seconds; readonly max: Seconds }

/**
 * The blocks a stage reads, one per task. Without `set` they are the job's own; jobs that name the same set read the
 * same blocks, so task i of each reads block `first + i` of that set.
 */
export interface DataSpec {
  /** Name of the set of blocks; absent: the job's own. */
  readonly set?: string
  /** Block of the set that the first task reads. Default 0. */
  readonly first?: number
  /** Node names that hold each task's block, where a trace records them; otherwise the cluster places replicas. */
  readonly hosts?: readonly (readonly string[])[]
}

/** What a taint does to tasks that do not tolerate it: the last one keeps nobody off. */
export type TaintEffect = 'NoSchedule' | 'NoExecute' | 'PreferNoSchedule'

/** Keeps tasks off a node that do not tolerate it. */
export interface Taint {
  /** For example `nvidia.com/gpu`. */
  readonly key: string
  /** Default: ''. */
  readonly value?: string
  /** Whether it keeps tasks off; such as run there already are left alone. */
  readonly effect: TaintEffect
}

/** Taints that tasks do not mind. */
export interface Toleration {
  /** That of the taints; default: any. */
  readonly key?: string
  /** Their value is `value` (`Equal`, the default), whatever it is (`Exists`), or a whole number above it or below (`Gt`, `Lt`). */
  readonly operator?: 'Equal' | 'Exists' | 'Gt' | 'Lt'
  /** Default: ''. */
  readonly value?: string
  /** That of the taints; default: any. */
  readonly effect?: TaintEffect
}

/** Where the tasks of a stage may run, whatever the policy: on nodes for which all of this holds. */
export interface Constraints {
  /** Labels that a node must have, each with this value or one of these: `{ model: ['T4', 'P100'] }`; `{ 'fast|ib': 'true' }`: one of two labels. */
  readonly require?: Readonly<Record<string, string | readonly string[]>>
  /** Of which one must hold. Source: required node affinity of Kubernetes. */
  readonly nodeSelectorTerms?: readonly NodeSelectorTerm[]
  /** Taints that do not keep its tasks off; default: none, all do. */
  readonly tolerations?: readonly Toleration[]
  /** No two running tasks of a job on one node, among the stages that say so. */
  readonly distinctNodes?: boolean
}

/**
 * Which nodes tasks share that should be near each other, by level: 0 one node, 1 a rack, 2 what racks stand in, and so on; a level above those of the cluster is all of
 * it. For placements that heed it (`topology-tree`, `topology-aware`).
 */
export interface Topology {
  /** All are in one group of this level: they wait for one. Kueue's `podset-required-topology`. */
  readonly required?: number
  /** All are in one group of this level if one has room for them, otherwise in one of the next level, up to `required`, or at last anywhere. Kueue's `podset-preferred-topology`. */
  readonly preferred?: number
  /** They are in so many racks at most, at least 1: they wait for that. Slurm's `--switches`. */
  readonly racks?: number
  /** They are in parts of so many nodes, at least 1, each in one block by itself, under schedulers that keep jobs in blocks. Slurm's `--segment`. */
  readonly segment?: number
  /** Seconds from its submission for which the job waits for `required` or `racks`; after that it may go anywhere. Default: for ever. Slurm's `--switches=1@time`. */
  readonly wait?: Seconds
}

/** Activities of one mean time that workers share, each of which does one at a time. */
export interface Phase {
  /** How many, at least 1. */
  readonly activities: number
  /** Mean time of one, above 0. */
  readonly time: Seconds
}

/** Tasks of one shape, for example the maps of a MapReduce job. */
export interface StageSpec {
  /** For example `map`; for messages and reports. */
  readonly name: string
  /** Number of tasks, at least 1. */
  readonly tasks: number
  /** What each task asks for. */
  readonly demand: Demand
  /** How long a task runs on a nominal node with its data there. */
  readonly duration: Duration
  /** Earlier stages (by index) of which a fraction of tasks must have ended: Hadoop's slow start is `{ stage: 0, fraction: 0.05 }`. */
  readonly after?: readonly { readonly stage: number; readonly fraction: number }[]
  /** Blocks that the tasks read, by which some nodes are nearer than others; default: none, every node is equally near. */
  readonly data?: DataSpec
  /** Slow-down by locality level (node, rack, ..., anywhere); overrides the runtime model's for this stage. */
  readonly localityFactors?: readonly number[]
  /** Bytes the whole stage reads and writes, where a trace gives them. */
  readonly bytesIn?: number
  /** Bytes the whole stage writes, where a trace gives them. */
  readonly bytesOut?: number
  /** Where its tasks may run; default: anywhere. */
  readonly constraints?: Constraints
  /** How near its tasks are to each other, in place of what the job says. */
  readonly topology?: Topology
  /** Tags of its tasks, by which rules select them: labels of pods, allocation tags of YARN. They come to those of the job, or in their place. */
  readonly tags?: Readonly<Record<string, string>>
  /** Where its tasks are to each other and to those of other jobs, in place of what the job says. */
  readonly placementRules?: readonly PlacementRule[]
  /**
   * What a task really uses of its node while it runs alone there, by the names of the nodes' hardware: `{ cores: 0.9,
   * disks: 0.3, memory: 1.5 }`. Schedulers go by `demand`; this is for contention and for measured use.
   */
  readonly use?: Readonly<Record<string, number>>
  /** What the tasks fetch over the network before they work: bytes in all from the tasks of an earlier stage, an equal part each. */
  readonly shuffle?: { readonly from: number; readonly bytes: number }
  /** All tasks start together or none does; see `minTasks`, and `gang` of the job. */
  readonly gang?: boolean
  /**
   * Of a gang, the fewest tasks that start together and run on, 1 to `tasks`; the others follow one by one as there is room. Default: all.
   * Ended tasks count as those that run. Volcano's `minAvailable`, `minMember` of a PodGroup.
   */
  readonly minTasks?: number
  /**
   * The user's estimate of the run time of its tasks, seconds, where the job is one gang and this is another than that of the job, which is the longest:
   * in Slurm every part of a heterogeneous job has a limit of its own. Default: that of the job.
   */
  readonly estimate?: Seconds
  /** Partition of the machine on whose nodes its tasks run, where that is another than the job's; for readers of queue files that know the nodes of partitions. */
  readonly partition?: string
  /**
   * The master of the job, as YARN's application master: one task, the first stage. The other stages open `duration` seconds after it has
   * started, it runs until all other tasks have ended, and where it is lost or evicted, so is what runs of the job; ended tasks stay ended.
   */
  readonly master?: boolean
  /**
   * What the tasks do as workers, one phase after the other. It makes the only stage of a job mouldable: `tasks` is how many
   * its user asked for, its scheduler may start another number, and `duration` changes in proportion to `phasesTime`.
   */
  readonly phases?: readonly Phase[]
}

/** What a log recorded of a job on the real machine, to compare with; of schedulers only one that does again what was recorded sees its wait. */
export interface RecordedRun {
  /** Seconds from submission to start. */
  readonly wait?: Seconds
  /** Seconds it ran, where the job's duration here is another one (cut at the estimate, say). */
  readonly runtime?: Seconds
  /** How it ended: `completed`, `failed`, `cancelled`, `timeout`, ... */
  readonly status?: string
  /** CPU time of each of its processors in the mean, seconds. */
  readonly cpuTime?: Seconds
  /** Memory that it used, MiB for each of its processors in the mean. */
  readonly mem?: number
}

/** What happens to a job, for which others may wait. */
export interface JobEvent {
  /** The id of that job. */
  readonly job: string
  /** `end`: it has left the system, however it ended (the default); `start`: its first task has started, or it has left without. */
  readonly on?: 'start' | 'end'
  /** Seconds from then on, at least 0; default 0. */
  readonly think?: Seconds
}

/** A job as a workload describes it: stages of tasks, submitted at a time by a user to a queue. */
export interface JobSpec {
  /** Unique in its workload. */
  readonly id: string
  /** Seconds from the start of the workload, at least 0. */
  readonly submit: Seconds
  /** Who submits it; of jobs that name nobody one user is made, called `user`. */
  readonly user?: string
  /** Path of the queue or pool, for example `root.ads`; default: the user's own, or `default`. */
  readonly queue?: string
  /** What else a log says of the job; for reports and filters. */
  readonly group?: string
  /** Account that pays for it. */
  readonly account?: string
  /** Partition of the machine that it was submitted to. */
  readonly partition?: string
  /** Quality of service that it asks for, by name. */
  readonly qos?: string
  /** Licences that it holds while it runs, by name, whatever nodes it runs on: counted in the whole cluster, by schedulers that know of them. */
  readonly licenses?: Readonly<Record<string, number>>
  /**
   * It has its nodes for itself, whatever it asks for of them (Slurm's `--exclusive`): for readers of queue files that know the sizes of nodes. `user`: it shares
   * them with jobs of its user alone (`--exclusive=user`): for schedulers that know of it, as Slurm's backfilling does.
   */
  readonly exclusive?: boolean | 'user'
  /** The array that it is a task of, such as a job array of Slurm. */
  readonly array?: string
  /** How many jobs of that array may run at once, at least 1; schedulers keep to it that know of arrays. Default: any number. */
  readonly arrayThrottle?: number
  /** What it runs. */
  readonly application?: string
  /** Larger is more important; default 0. Hadoop's five priorities are 2 (very high) to -2 (very low). */
  readonly priority?: number
  /** Whether what runs of it may be preempted, for schedulers that ask jobs (those of KAI, Volcano and YuniKorn); default: as they go by without. */
  readonly preemptible?: boolean
  /** Share of this job relative to its neighbours under a fair order; default 1. */
  readonly weight?: number
  /** The user's estimate of the run time, seconds; unknown when absent. */
  readonly estimate?: Seconds
  /** Seconds from the start of the workload, by which it should have ended; default: none. */
  readonly deadline?: Seconds
  /** Seconds between submission and the first task being schedulable (set-up cost). */
  readonly startup?: Seconds
  /** Waits for the end of this job, then `think` seconds more; its submit time moves to that instant if later. */
  readonly after?: string
  /** Seconds between the end of that job and this submission, at least 0; default 0. */
  readonly think?: Seconds
  /** Waits for all of these, too; its submit time moves to the last of them if later. */
  readonly afterAll?: readonly JobEvent[]
  /** Waits for the first of these, too: Slurm's dependencies with `?` between them. */
  readonly afterAny?: readonly JobEvent[]
  /** Kind of job by which architectures choose a scheduler, for example `batch` or `service`. */
  readonly class?: string
  /** Class of jobs for reports, for example the bin of a published table. */
  readonly label?: string
  /** What a log recorded of it on the real machine; no scheduler but one that does it again goes by it. */
  readonly recorded?: RecordedRun
  /**
   * The job is one gang: of each of its stages that is a gang all tasks, or its `minTasks`, start together with those of the others or none
   * does, in the order of the stages; a task too few of one of them stops all. Tasks of other stages follow one by one, and stop with them. No
   * stage waits for another, is a master or has phases. Volcano's jobs of several tasks, Kueue's workloads of several pod sets, Slurm's `hetjob`.
   */
  readonly gang?: boolean
  /** How near its tasks are to each other; where a stage says its own, those of each of the others. Default: as its scheduler places it. */
  readonly topology?: Topology
  /** Tags of all its tasks, by which rules select them. */
  readonly tags?: Readonly<Record<string, string>>
  /** Where its tasks are to each other and to those of other jobs; where a stage says its own, those of the others. Default: anywhere. */
  readonly placementRules?: readonly PlacementRule[]
  /** At least one. */
  readonly stages: readonly StageSpec[]
}

/** Jobs in order of submission. An object it returned is kept until its job has ended, so each call returns a new one. */
export interface JobSource {
  /** The next job by submit time; `undefined` at the end, or when only `more` can tell. */
  next(): JobSpec | undefined
  /** Closed loop: called when a job has ended; what it returns is submitted at `now`. */
  ended?(id: string, now: Seconds): JobSpec | undefined
  /** A source that reads on: resolves to false at its end. Present only on streams. */
  more?(): Promise<boolean>
}

/** A workload that can be read again from its start, once per run. */
export interface Workload {
  /** For reports. */
  readonly name: string
  /** Number of jobs where it is known beforehand, for progress. */
  readonly jobs?: number
  /** False: no job follows another (`after`, `afterAll`, `afterAny`), so that ended jobs need not be remembered. Default true. */
  readonly chained?: boolean
  /** What time 0 is on the clock of the log: seconds since 1970, or of some logs since the start of a window. Absent where it does not say. */
  readonly start?: Seconds
  /** The time zone of the place that it is of, by whose midnight calendars go: `US/Pacific`. Absent where times are those of clocks there already, or nobody says. */
  readonly timeZone?: string
  /** Its jobs from the first on; sources do not depend on each other. */
  open(): JobSource
}
