import type { Seconds } from './ids.js'
import type { NodeSelectorTerm } from './node-selector.js'
import type { PlacementRule } from './placement-rule.js'

/**
 * Amounts per task by resource name: non-negative integers in the resource's unit (slot, millicore, MiB, ...). For a resource that comes in devices,
 * the amount is a share of one device or a whole number of devices (a multiple of a device's amount).
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
 * The blocks that a stage reads, one per task. Without `set` they are the job's own. Jobs that name the same set read the same blocks: task i of each
 * reads block `first + i` of the set.
 */
export interface DataSpec {
  /** Name of the set of blocks; absent: the job's own. */
  readonly set?: string
  /** Block of the set that the first task reads. Default 0. */
  readonly first?: number
  /** Names of the nodes that hold each task's block, where a trace records them; otherwise the cluster places the replicas. */
  readonly hosts?: readonly (readonly string[])[]
}

/** What a taint does to tasks that do not tolerate it: `PreferNoSchedule` keeps no task off the node, the others do. */
export type TaintEffect = 'NoSchedule' | 'NoExecute' | 'PreferNoSchedule'

/** Keeps tasks that do not tolerate it off a node. */
export interface Taint {
  /** Name of the taint, for example `nvidia.com/gpu`. */
  readonly key: string
  /** Default: ''. */
  readonly value?: string
  /** What the taint does to tasks that do not tolerate it. Tasks that run there already are left alone. */
  readonly effect: TaintEffect
}

/** Which taints tasks tolerate. */
export interface Toleration {
  /** Key of the taints; default: any. */
  readonly key?: string
  /**
   * How their value is compared: it equals `value` (`Equal`, the default), may be anything (`Exists`), or is a whole number above or below `value`
   * (`Gt`, `Lt`).
   */
  readonly operator?: 'Equal' | 'Exists' | 'Gt' | 'Lt'
  /** Value to compare with. Default: ''. */
  readonly value?: string
  /** Effect of the taints; default: any. */
  readonly effect?: TaintEffect
}

/** Where the tasks of a stage may run, whatever the policy: on nodes that meet all of these. */
export interface Constraints {
  /**
   * Labels that a node must have, each with this value or one of these: `{ model: ['T4', 'P100'] }`. A key with `|` stands for either label: `{
   * 'fast|ib': 'true' }`.
   */
  readonly require?: Readonly<Record<string, string | readonly string[]>>
  /** At least one of these terms must hold. Source: required node affinity of Kubernetes. */
  readonly nodeSelectorTerms?: readonly NodeSelectorTerm[]
  /** Taints that its tasks tolerate; default: none. */
  readonly tolerations?: readonly Toleration[]
  /**
   * All tasks of a gang are on nodes with the same one of these labels, those of the first one that lets them start earliest: `['rack1', 'rack2']`; `*`
   * stands for any nodes. For schedulers that know of it; `require` says beside it that each node has one of them. Slurm's
   * `--constraint=[rack1|rack2]`, and jobs that name several partitions.
   */
  readonly alike?: readonly string[]
  /** No two running tasks of the job share a node, among the stages that set this. */
  readonly distinctNodes?: boolean
}

/**
 * Which tasks should be near each other, by level of the group of nodes that they share: 0 is one node, 1 a rack, 2 the next larger group, and so on.
 * A level above those of the cluster means the whole cluster. For placements that heed it (`topology-tree`, `topology-aware`).
 */
export interface Topology {
  /** All tasks are in one group of this level, and wait for one with room. Kueue's `podset-required-topology`. */
  readonly required?: number
  /**
   * All tasks are in one group of this level if one has room; otherwise in one of the next level, and so on up to `required`; without `required`, at
   * last anywhere. Kueue's `podset-preferred-topology`.
   */
  readonly preferred?: number
  /** The tasks are in at most this many racks, at least 1, and wait for that. Slurm's `--switches`. */
  readonly racks?: number
  /**
   * The tasks are split into parts of this many nodes, at least 1, each part in one block. Only for schedulers that keep jobs in blocks. Slurm's
   * `--segment`.
   */
  readonly segment?: number
  /**
   * The tasks of a stage are split into slices that stay together, the outermost first: each slice of `size` tasks is in one group of `level`, and
   * waits for one with room. Of a job that is one gang they are of the workers of a leader, a stage beside one of one task. Sizes divide the one before,
   * levels are below the one before. Not with `racks` or `segment`. For `topology-aware`.
   * Kueue's `podset-slice-required-topology` and `podset-slice-size`.
   */
  readonly slices?: readonly Slice[]
  /**
   * Seconds from submission for which the job waits for `required`, `racks` or `slices`; after that it may go anywhere. Default: for ever. Slurm's
   * `--switches=1@time`.
   */
  readonly wait?: Seconds
}

/** Tasks that are in one group of nodes together; see `Topology.slices`. */
export interface Slice {
  /** Level of the group: 0 is one node, 1 a rack. */
  readonly level: number
  /** Number of tasks, at least 1. */
  readonly size: number
}

/** Activities with a common mean time that the workers share; a worker does one activity at a time. */
export interface Phase {
  /** Number of activities, at least 1. */
  readonly activities: number
  /** Mean time of one activity in seconds, above 0. */
  readonly time: Seconds
}

/** Tasks of one shape, for example the maps of a MapReduce job. */
export interface StageSpec {
  /** For messages and reports, for example `map`. */
  readonly name: string
  /** Number of tasks, at least 1. */
  readonly tasks: number
  /** What each task asks for. */
  readonly demand: Demand
  /** How long a task runs on a node of speed 1 with its data there. */
  readonly duration: Duration
  /**
   * Earlier stages, by index, of which this fraction of tasks must have ended before the stage opens. Hadoop's slow start is `{ stage: 0, fraction:
   * 0.05 }`.
   */
  readonly after?: readonly { readonly stage: number; readonly fraction: number }[]
  /** Blocks that the tasks read, which make some nodes nearer than others. Default: none, every node is equally near. */
  readonly data?: DataSpec
  /** Slow-down factors by locality level (node, rack, ..., anywhere); they replace those of the runtime model for this stage. */
  readonly localityFactors?: readonly number[]
  /** Bytes that the whole stage reads, where a trace gives them. */
  readonly bytesIn?: number
  /** Bytes that the whole stage writes, where a trace gives them. */
  readonly bytesOut?: number
  /** Where its tasks may run; default: anywhere. */
  readonly constraints?: Constraints
  /** How near its tasks must be to each other; replaces the job's `topology`. */
  readonly topology?: Topology
  /**
   * Tags by which rules select its tasks: pod labels in Kubernetes, allocation tags in YARN. They are added to the job's tags, and replace those of
   * the same name.
   */
  readonly tags?: Readonly<Record<string, string>>
  /** Rules about where its tasks run relative to each other and to tasks of other jobs; replace the job's. */
  readonly placementRules?: readonly PlacementRule[]
  /**
   * What a task really uses of its node's hardware while it runs alone there, by the names of the hardware: `{ cores: 0.9, disks: 0.3, memory: 1.5
   * }`. Schedulers go by `demand`; `use` is for contention and for measured use.
   */
  readonly use?: Readonly<Record<string, number>>
  /**
   * What the tasks fetch over the network before they work: `bytes` in total from the tasks of the earlier stage `from`, an equal part for each task.
   */
  readonly shuffle?: { readonly from: number; readonly bytes: number }
  /** All tasks start together or none does; see `minTasks`, and `JobSpec.gang`. */
  readonly gang?: boolean
  /**
   * For a gang, the fewest tasks that start together and keep running, 1 to `tasks`; the others follow one by one as there is room. Ended tasks count
   * as running. Default: all. Volcano's `minAvailable`, `minMember` of a PodGroup.
   */
  readonly minTasks?: number
  /**
   * In a job that is one gang: name of a group of its stages that the gang does without. The stages of the group, which are gangs, start together when
   * the gang runs, and stop together. Not of the first stage. Default: the gang needs the stage. KAI's subgroups beyond `minSubGroup`.
   */
  readonly optionalGroup?: string
  /**
   * Of a job that is preemptible beyond its minimum alone (`preemptible: 'semi'`): so many tasks of the stage may not be preempted, 0 to `tasks`.
   * Default, and the least of a gang that is not optional: the fewest that start together. KAI's `minNonPreemptible`.
   */
  readonly minNonPreemptible?: number
  /**
   * The user's estimate of the run time of its tasks in seconds, in a job that is one gang. Default: that of the job, which is the longest of its
   * stages. In Slurm every part of a heterogeneous job has its own time limit.
   */
  readonly estimate?: Seconds
  /** Partition on whose nodes its tasks run, where it is not the job's. Used by readers of queue files that know the nodes of partitions. */
  readonly partition?: string
  /**
   * The stage is the job's master, like YARN's application master: one task, the first stage. The other stages open `duration` seconds after it has
   * started, and it runs until all other tasks have ended. If the master is lost or evicted, all running tasks of the job are, too; ended tasks stay
   * ended.
   */
  readonly master?: boolean
  /**
   * What the tasks do as workers, one phase after the other. Phases make the only stage of a job mouldable: `tasks` is how many its user asked for,
   * the scheduler may start another number, and `duration` changes in proportion to `phasesTime`.
   */
  readonly phases?: readonly Phase[]
}

/** What a log recorded of a job on the real machine, for comparison. Only a scheduler that replays the recorded schedule sees its `wait`. */
export interface RecordedRun {
  /** Seconds from submission to start. */
  readonly wait?: Seconds
  /** Seconds that it ran, where the job's duration here differs (cut at the estimate, for example). */
  readonly runtime?: Seconds
  /** How it ended: `completed`, `failed`, `cancelled`, `timeout`, ... */
  readonly status?: string
  /** CPU time in seconds, the mean over its processors. */
  readonly cpuTime?: Seconds
  /** Memory used in MiB, the mean over its processors. */
  readonly mem?: number
}

/** An event of a job that other jobs may wait for. */
export interface JobEvent {
  /** The id of that job. */
  readonly job: string
  /** `end` (the default): the job has left the system, however it ended. `start`: its first task has started, or the job has left without a start. */
  readonly on?: 'start' | 'end'
  /** Seconds to wait after the event, at least 0; default 0. */
  readonly think?: Seconds
}

/** How many tasks of a job may be missing, or how many must run; a number, or a percentage of those that it has such as `30%`, rounded up. */
export interface DisruptionBudget {
  /** So many may be missing; it counts before `minAvailable`. */
  readonly maxUnavailable?: number | string
  /** So many must run. */
  readonly minAvailable?: number | string
}

/** A job as a workload describes it: stages of tasks, submitted at a time by a user to a queue. */
export interface JobSpec {
  /** Unique in its workload. */
  readonly id: string
  /** Seconds from the start of the workload, at least 0. */
  readonly submit: Seconds
  /** The user who submits it. Jobs that name nobody all belong to one user, called `user`. */
  readonly user?: string
  /** Path of the queue or pool, for example `root.ads`; default: the user's own, or `default`. */
  readonly queue?: string
  /** The group that a log gives for the job; for reports and filters. */
  readonly group?: string
  /** Account that pays for it. */
  readonly account?: string
  /** Partition that the job was submitted to. */
  readonly partition?: string
  /** Name of the quality of service that it asks for. */
  readonly qos?: string
  /**
   * Licences that it holds while it runs: number by name, whatever nodes it runs on. Schedulers that know of licences count them over the whole
   * cluster.
   */
  readonly licenses?: Readonly<Record<string, number>>
  /**
   * True: the job has its nodes to itself, whatever it asks for (Slurm's `--exclusive`); used by readers of queue files that know the sizes of nodes.
   * `user`: it shares its nodes only with jobs of its user (`--exclusive=user`); used by schedulers that know of it, such as Slurm's backfilling.
   */
  readonly exclusive?: boolean | 'user'
  /**
   * Name of the reservation of nodes in advance in which it runs, or several of them between commas, of which any will do. For schedulers that know of
   * reservations (Slurm's `--reservation`).
   */
  readonly reservation?: string
  /** Fewest nodes that its tasks which start together must be on, at least 1, under schedulers that know of it (Slurm's `--nodes=2-4`). Default: 1. */
  readonly minNodes?: number
  /** Most nodes that its tasks which start together may be on, at least 1, under schedulers that know of it (Slurm's `--nodes=1-4`). Default: any number. */
  readonly maxNodes?: number
  /** True: its tasks that start together are on consecutive nodes, under schedulers that know of it (Slurm's `--contiguous`). Default: any nodes will do. */
  readonly contiguous?: boolean
  /** Name of the job array that it belongs to, as in Slurm. */
  readonly array?: string
  /** How many jobs of its array may run at once, at least 1, under schedulers that know of arrays. Default: any number. */
  readonly arrayThrottle?: number
  /** Name of the application that it runs. */
  readonly application?: string
  /** Larger is more important; default 0. Hadoop's five priorities are 2 (very high) to -2 (very low). */
  readonly priority?: number
  /** By how much it stands behind, in the units of a computed priority such as Slurm's; negative: in front. Default 0. Slurm's `--nice`. */
  readonly nice?: number
  /**
   * Whether its running tasks may be preempted, for schedulers that ask jobs (those of KAI, Volcano and YuniKorn). Default: what these do for a job
   * that does not say. `semi`: those of its minimum may not be, those beyond it may (see `StageSpec.minTasks`, `minNonPreemptible`). KAI's
   * `semi-preemptible`; for all other schedulers the same as true.
   */
  readonly preemptible?: boolean | 'semi'
  /** False: running tasks of it are never moved elsewhere to make room for others. Default: schedulers that move tasks may. KAI's `safeToConsolidate`. */
  readonly movable?: boolean
  /**
   * False: nodes on which tasks of it run are not removed by an autoscaler, though schedulers may move or preempt these. Default: they may be.
   * Kubernetes' `cluster-autoscaler.kubernetes.io/safe-to-evict`.
   */
  readonly drainable?: boolean
  /** How many of its tasks may be taken at a time, under schedulers that know of such budgets (Volcano's plug-in `tdm`). Default: what these do. */
  readonly disruptionBudget?: DisruptionBudget
  /** Longest time in seconds, above 0, that it should wait to be let in, under schedulers that know of it (Volcano's plug-in `sla`). Default: what these say. */
  readonly longestWait?: Seconds
  /** Seconds for which its running tasks run on after they were told to go, under schedulers that know of it (Kubernetes' `terminationGracePeriodSeconds`). Default: 30. */
  readonly gracePeriod?: Seconds
  /** Share of this job relative to its neighbours under a fair order; default 1. */
  readonly weight?: number
  /** The user's estimate of the run time, seconds; unknown when absent. */
  readonly estimate?: Seconds
  /**
   * The least estimate, seconds, to which a policy that backfills may lower the job's own so that it starts sooner, where all its tasks start at once. It
   * then ends when so much time has passed, done or not. Slurm's `--time-min`, OpenPBS's `min_walltime`. Default: nobody lowers it.
   */
  readonly minEstimate?: Seconds
  /** When the job should have ended, seconds from the start of the workload; default: no deadline. */
  readonly deadline?: Seconds
  /** True: while nothing of it runs it is given up when it could not end by its deadline any more (Slurm's `--deadline`). Default: that says how urgent it is. */
  readonly firmDeadline?: boolean
  /** Seconds from submission until the first task can be scheduled (set-up cost). */
  readonly startup?: Seconds
  /** The job waits until this job has ended, and `think` seconds more; its submit time moves to that instant if that is later. */
  readonly after?: string
  /** Seconds between the end of that job and this submission, at least 0; default 0. */
  readonly think?: Seconds
  /** The job also waits for all of these events; its submit time moves to the last of them if that is later. */
  readonly afterAll?: readonly JobEvent[]
  /** The job also waits for the first of these events: Slurm's dependencies with `?` between them. */
  readonly afterAny?: readonly JobEvent[]
  /** Kind of job by which architectures choose a scheduler, for example `batch` or `service`. */
  readonly class?: string
  /** Class of jobs for reports, for example the bin of a published table. */
  readonly label?: string
  /** What a log recorded of it on the real machine. No scheduler uses it, except one that replays the recorded schedule. */
  readonly recorded?: RecordedRun
  /**
   * The job is one gang. Its stages that are gangs start together, each with all its tasks or its `minTasks`, in the order of the stages; if one
   * stage lacks a task, nothing starts, and everything stops. Tasks of the other stages follow one by one, or group by group (`optionalGroup`), and
   * stop with them. No stage waits for another, is a master or has phases. Volcano's jobs of several tasks, Kueue's workloads of several pod sets, Slurm's
   * `hetjob`.
   */
  readonly gang?: boolean
  /**
   * A task of a gang that is lost with its node, or fails, starts anew alone while the others run on, as controllers of Kubernetes replace single pods.
   * Several that the gang lacks start together. A preempted task still stops a gang that needs it. Default: with a task that must run together with
   * others all of these start anew.
   */
  readonly replacesLost?: boolean
  /**
   * How near its tasks must be to each other. A stage with its own `topology` goes by that; each other stage goes by this, on its own. Default: no
   * demand.
   */
  readonly topology?: Topology
  /** Tags of all its tasks, by which rules select them. */
  readonly tags?: Readonly<Record<string, string>>
  /** Rules about where its tasks run relative to each other and to tasks of other jobs. A stage with its own rules goes by those. Default: none. */
  readonly placementRules?: readonly PlacementRule[]
  /** At least one stage. */
  readonly stages: readonly StageSpec[]
}

/** Yields jobs in order of submission. A returned object is kept until its job has ended, so each call must return a new one. */
export interface JobSource {
  /** The next job by submit time; `undefined` at the end, or when only `more` can tell. */
  next(): JobSpec | undefined
  /** Closed loop: called when a job has ended; the job it returns is submitted at `now`. */
  ended?(id: string, now: Seconds): JobSpec | undefined
  /** Reads on; resolves to false at the end of the source. Present only on streams. */
  more?(): Promise<boolean>
}

/** A workload; each run reads it once from its start. */
export interface Workload {
  /** For reports. */
  readonly name: string
  /** Number of jobs where known in advance, for progress. */
  readonly jobs?: number
  /** False: no job follows another (`after`, `afterAll`, `afterAny`), so that ended jobs need not be remembered. Default true. */
  readonly chained?: boolean
  /**
   * What time 0 is on the clock of the log, in seconds since 1970 or, for some logs, since the start of a window. Absent where the workload does not
   * say.
   */
  readonly start?: Seconds
  /**
   * Time zone of the place where the workload was recorded, whose midnight calendars go by: `US/Pacific`. Absent where times are local clock times
   * already, or where nobody says.
   */
  readonly timeZone?: string
  /** A new source that starts at the first job. Sources are independent of each other. */
  open(): JobSource
}
