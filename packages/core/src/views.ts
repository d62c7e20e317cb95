import type { JobId, LaneId, NodeId, None, QueueId, ResourceId, Seconds, ShapeId, TaskId, UserId } from './ids.js'
import type { Constraints, DisruptionBudget, JobSpec, StageSpec, Topology } from './job.js'
import type { PlacementRule } from './placement-rule.js'
import type { ScaledGroup } from './autoscale.js'
import type { NodePower, NodeSleep } from './power.js'

/**
 * Resources that are scheduled together. On a cluster of typed slots every slot type is its own lane, because Hadoop runs the policy once per slot
 * type, independently. Everywhere else one lane holds all resources.
 */
export interface Lane {
  /** Name of the slot type; `all` where there is one lane. */
  readonly name: string
  /** What tasks of the lane may ask for. */
  readonly resources: readonly ResourceId[]
}

/** A log of changes to what is free or up, by node, for readers that cache something per node. */
export interface ChangeLog {
  /** Number of changes so far. */
  readonly count: number
  /** How many of the latest changes the log still holds. A reader that is further behind must look at every node. */
  readonly kept: number
  /** The node of a change; changes are numbered from 0. */
  node(change: number): NodeId
}

/**
 * What a monitor on each node would report: how much hardware of each kind the node has, how fast it is, how much of it tasks use now, and how many
 * tasks work.
 * Where the cluster describes its nodes' `hardware`, use is the real use (a stage's `use`), whatever the tasks asked for. Where it does not, the
 * kinds are the resources, and claimed amounts stand for use. Reading costs one array access; the cost of keeping it current does not grow with the
 * cluster.
 */
export interface HardwareView {
  /** Kinds of hardware by index: `cores`, `disks`, `memory`, ... Units are those of the cluster's description. */
  readonly kinds: readonly string[]
  /** True: `use` is what tasks really use. False: it is what they claim, drafted claims included. */
  readonly isMeasured: boolean
  /** Amount of the kind on the node; `Infinity` where its description does not say. */
  amount(node: NodeId, kind: number): number
  /** Relative speed of the kind on the node, 1 = nominal. */
  speed(node: NodeId, kind: number): number
  /** Amount of the kind that tasks on the node use now; above `amount` where they contend for it. */
  use(node: NodeId, kind: number): number
  /** Number of tasks that work on the node now: its load. Where use is measured, tasks that wait for the network do not count. */
  runnable(node: NodeId): number
}

/** What a scheduler may read about nodes. Amounts are integers in the resource's unit; drafted claims already count. */
export interface ClusterView {
  /** Number of nodes; ids are 0 to nodes - 1. */
  readonly nodes: number
  /** Names of the resources, by `ResourceId`. */
  readonly resources: readonly string[]
  /** Lanes by `LaneId`. */
  readonly lanes: readonly Lane[]
  /**
   * Number of locality levels below "anywhere", and so the level of "anywhere" itself. Level 0 is the node, level 1 its rack, level 2 the next larger
   * group.
   */
  readonly levels: number
  /** Seconds between two heartbeats of a node; 0 where every change reaches the master at once. */
  readonly heartbeat: Seconds
  /** Amount that no claim holds, drafted claims included, whether or not the node is up. */
  free(node: NodeId, resource: ResourceId): number
  /** Amount that the node has, free or not, up or not. */
  total(node: NodeId, resource: ResourceId): number
  /** Amount of one device, for a resource that comes in devices (1000 for a GPU counted in thousandths); 0 for any other resource. */
  deviceSize(resource: ResourceId): number
  /** Number of devices of the resource on the node; 0 for a resource that does not come in devices. */
  devices(node: NodeId, resource: ResourceId): number
  /** Amount free on device `index` of the node; the sum over the devices is `free`. */
  deviceFree(node: NodeId, resource: ResourceId, index: number): number
  /**
   * How many tasks of the shape, all of one job, the node could take now, one after the other. Amounts, devices and labels count. At most 1 for tasks
   * that must be on different nodes, whether or not the job has one there.
   */
  couldTake(shape: ShapeId, node: NodeId): number
  /** The same for tasks of a stage, if the node were empty and up. */
  couldHold(stage: StageSpec, node: NodeId): number
  /** The same for tasks of a stage and what is free on the node now: `couldTake` for a stage that need not be open. */
  couldStart(stage: StageSpec, node: NodeId): number
  /** Sum of the resource over all nodes that are up. */
  capacity(resource: ResourceId): number
  /** The group of a node at a level: the node itself at 0, its rack at 1. */
  group(level: number, node: NodeId): number
  /** Number of groups at a level: nodes at 0, racks at 1. */
  groups(level: number): number
  /** The name of a group in the cluster's description. */
  groupName(level: number, group: number): string
  /** Relative speed of the node, 1 = nominal. */
  speed(node: NodeId): number
  /** Raised by one whenever a claim is committed on the node, and whenever the node goes down or comes up. */
  version(node: NodeId): number
  /** Whether the node is up, that is, takes tasks. */
  up(node: NodeId): boolean
  /** The node's name in the cluster's description. */
  name(node: NodeId): string
  /** The names of the labels that nodes have, in order of first mention. */
  readonly labels: readonly string[]
  /** The value of a node's label; `undefined` where the node has no label of that name. */
  label(node: NodeId, key: string): string | undefined
  /**
   * What keeps tasks with these constraints off a node, whatever is free there: a taint (`taint gpu=yes:NoSchedule`) or labels that it lacks
   * (`requires model = T4`). `undefined`: nothing does. Tasks without constraints may be asked about, too.
   */
  keepsOff(constraints: Constraints | undefined, node: NodeId): string | undefined
  /**
   * Whether any node has taints that tasks should avoid but may ignore (`PreferNoSchedule`). `WorkView.softTaints` counts those of a node that a
   * shape does not tolerate.
   */
  readonly hasSoftTaints: boolean
  /** Whether the lane's smallest demands are free on the node; false: no task can start there. */
  hasRoom(lane: LaneId, node: NodeId): boolean
  /** The lowest node, from `from` on, with room for the lane's smallest demands, or `None`. */
  nextWithRoom(lane: LaneId, from: number): NodeId | None
  /** What hardware the nodes have and use, as opposed to what is asked for and free. */
  readonly hardware: HardwareView
  /** Power model of each node; `undefined` for a node whose description gives none. Absent: no node has one. */
  readonly power?: readonly (NodePower | undefined)[] | undefined
  /** Sleep settings of each node; `undefined` for a node that never sleeps. Absent: no node ever sleeps. */
  readonly sleep?: readonly (NodeSleep | undefined)[] | undefined
  /** Groups of nodes whose size follows demand, in order of their nodes; absent: all nodes are always there. */
  readonly autoscale?: readonly ScaledGroup[] | undefined
  /** Log of changes. Absent: a reader must recompute what it keeps per node. */
  readonly changeLog?: ChangeLog
}

/** Tasks of one stage that start together with tasks of others. */
export interface GangPart {
  /** Index of the stage in its job. */
  readonly stage: number
  /** What each of the tasks asks for. */
  readonly shape: ShapeId
  /** Number of these tasks, at least 1. */
  readonly tasks: number
  /** The user's estimate of their run time in seconds, `Infinity` without one. */
  readonly estimate: Seconds
}

/** What a scheduler may read about its jobs: demands, estimates and progress, never true run times. */
export interface WorkView {
  /** The jobs in the system, submitted and not ended, by ascending id. Costs a scan over as many entries as there have ever been jobs at once. */
  jobs(): JobId[]
  /** Submission sequence number, unique and ascending: breaks every remaining tie. */
  rank(job: JobId): number
  /** Its `id` in the workload. */
  name(job: JobId): string
  /** When it was submitted, seconds from the start of the run. */
  submitted(job: JobId): Seconds
  /** Larger is more important; 0 for a job that sets none. */
  priority(job: JobId): number
  /** By how much its computed priority is lower (`JobSpec.nice`); 0 for a job that sets none. */
  nice(job: JobId): number
  /** Share relative to its neighbours under a fair order; 1 for a job that sets none. */
  weight(job: JobId): number
  /** Estimated run time in seconds, `Infinity` when unknown; of a job that runs for less (`Round.limitTo`), that. */
  estimate(job: JobId): Seconds
  /** The least estimate to which a policy may lower that of a job that waits, in seconds; `Infinity` where it may not. */
  minEstimate(job: JobId): Seconds
  /** Seconds that the job waited on the real machine, from its log; `NaN` where unknown. Only for a policy that replays the recorded schedule. */
  recordedWait(job: JobId): Seconds
  /** When the job should have ended, seconds from the start of the run; `Infinity` without a deadline. */
  deadline(job: JobId): Seconds
  /** Whether a job that could not end by its deadline any more is given up. */
  isDeadlineFirm(job: JobId): boolean
  /** The user of the job. */
  user(job: JobId): UserId
  /** The name of a user. */
  userName(user: UserId): string
  /** The queue that the job was submitted to. */
  queue(job: JobId): QueueId
  /** The full name of a queue. */
  queueName(queue: QueueId): string
  /** The account that the job is charged to, '' for none. */
  account(job: JobId): string
  /** Whether the job's running tasks may be preempted, `semi`: only those beyond its minimum; `undefined` where the job does not say. */
  preemptible(job: JobId): boolean | 'semi' | undefined
  /** Whether running tasks of the job may be moved elsewhere to make room for others. */
  movable(job: JobId): boolean
  /** How many of the job's tasks may be missing; `undefined` where the job does not say. */
  disruptionBudget(job: JobId): DisruptionBudget | undefined
  /** The longest time that the job should wait to be let in, seconds; `undefined` where it does not say. */
  longestWait(job: JobId): Seconds | undefined
  /** Seconds for which the job's tasks run on after they were told to go; `undefined` where it does not say. */
  gracePeriod(job: JobId): Seconds | undefined
  /** Name of the quality of service that the job asks for, '' for none. */
  qos(job: JobId): string
  /** Name of the job array that it belongs to, '' for none. */
  array(job: JobId): string
  /** How many jobs of its array may run at once, `Infinity` without a limit. */
  arrayThrottle(job: JobId): number
  /** Whether the job shares its nodes only with jobs of the same user. */
  isExclusiveToUser(job: JobId): boolean
  /** Fewest nodes that tasks of the job which start together must be on, 1 where it does not say. */
  minNodes(job: JobId): number
  /** Most nodes that tasks of the job which start together may be on, `Infinity` without a limit. */
  maxNodes(job: JobId): number
  /** Whether tasks of the job which start together must be on consecutive nodes. */
  isContiguous(job: JobId): boolean
  /** Names of the reservations of nodes of which it asks for any, between commas; '' for a job that asks for none. */
  reservation(job: JobId): string
  /** The licences that the job holds while it runs: number by name. */
  licenses(job: JobId): Readonly<Record<string, number>>
  /**
   * How near to each other tasks must be: those of the front stage alone if `isOfStage`, otherwise all tasks of the job. `undefined` where nothing is
   * asked.
   */
  topology(job: JobId, lane: LaneId): { readonly asked: Topology; readonly isOfStage: boolean } | undefined
  /** Index of the job's front stage in the lane, -1 if none of its tasks is unplaced. */
  frontStage(job: JobId, lane: LaneId): number
  /** Number of tasks of each of its stages. */
  tasksByStage(job: JobId): readonly number[]
  /** The tags of the tasks of a stage. */
  tags(job: JobId, stage: number): Readonly<Record<string, string>>
  /** Rules about where the tasks of a stage run relative to other tasks. */
  placementRules(job: JobId, stage: number): readonly PlacementRule[]
  /** Constraints on where the tasks of a stage may run, `undefined` for none. */
  constraints(job: JobId, stage: number): Constraints | undefined
  /** The job's class, by which architectures choose a scheduler; '' for none. */
  classOf(job: JobId): string
  /** Whether any job so far has had a gang. If not, no `together` is above 1, and a loop over jobs need not ask. */
  readonly areGangs: boolean
  /** Whether any job so far has had placement rules, or the placement has such of its own. If so, tasks with the same demand may be allowed on different nodes. */
  readonly areRules: boolean
  /** Whether tasks may be copied while they run. If not, no task `isCopy`. */
  readonly areCopies: boolean
  /** Whether tasks of the job are kept off nodes because tasks have failed there: see `avoid` of a simulation. Their shapes say off which. */
  avoids(job: JobId): boolean
  /** Number of tasks of the job over all stages. */
  tasks(job: JobId): number
  /** Tasks that may be placed now (their stage is open) and are not placed. */
  unplaced(job: JobId, lane: LaneId): number
  /** Tasks claimed or running; equals the number of `onClaim` calls minus `onRelease` calls. */
  running(job: JobId, lane: LaneId): number
  /** Demand vector and constraints of the job's front stage in the lane: its earliest open stage with an unplaced task. */
  shape(job: JobId, lane: LaneId): ShapeId
  /**
   * Number of tasks of the front stage that must be claimed in one round. For a gang: all its unplaced tasks, or as many as are missing from its
   * `minTasks`. Otherwise 1, and 0 for a job without unplaced tasks in the lane.
   * For a job that is one gang: the missing tasks of all its stages together; when it runs, those of a group of stages that it does without. The
   * front stage is then the first stage with missing tasks, so that claiming task after task claims them all.
   */
  together(job: JobId, lane: LaneId): number
  /**
   * For a gang: all unplaced tasks of the front stage, which could start in one round although only `together` of them must. Otherwise the same as
   * `together`.
   */
  mostTogether(job: JobId, lane: LaneId): number
  /**
   * The `together` tasks by stage, in the order in which they are claimed: what a task of each stage asks for, and how many there are. Only a job
   * that is one gang has more than one part.
   */
  parts(job: JobId, lane: LaneId): readonly GangPart[]
  /** Amount of a resource that the `together` tasks ask for; in a job that is one gang, each task counts the demand of its own stage. */
  asked(job: JobId, lane: LaneId, resource: ResourceId): number
  /**
   * Amount of a resource that all unplaced tasks ask for. Each counts the demand of the front stage; in a job that is one gang, that of its own
   * stage.
   */
  waiting(job: JobId, lane: LaneId, resource: ResourceId): number
  /**
   * Fewest tasks that must run at once: if the front stage is a gang, all its tasks or its `minTasks`, otherwise 1. For a job that is one gang: the
   * sum over the stages that it needs. 1 for a job without unplaced tasks in the lane.
   */
  least(job: JobId, lane: LaneId): number
  /** Whether the job is one gang of several stages, whose tasks may ask for different amounts. */
  isGangJob(job: JobId): boolean
  /**
   * Number of a task's gang in its job: the index of its stage; where the job is one gang 0, or the index of the first stage of the task's group that
   * the gang does without.
   */
  gangOf(task: TaskId): number
  /**
   * Whether the task must run together with others or not at all, placed or not. In a gang with `minTasks`, these are the first placed tasks and the
   * tasks not placed. Any other task can be evicted alone, but is evicted with them.
   */
  inGang(task: TaskId): boolean
  /** Of a job that is preemptible beyond its minimum alone: so many tasks of a stage may not be preempted; 0 where neither a gang nor the stage says. */
  nonPreemptible(job: JobId, stage: number): number
  /** Whether the task is its job's master. Evicting a master evicts everything else that runs of its job. */
  isMaster(task: TaskId): boolean
  /** Shape of the job's master, `None` for a job without one. */
  masterShape(job: JobId): ShapeId | None
  /**
   * What a task of the front stage is known to use of its node's hardware while it runs alone there, by kind (a stage's `use`, as if measured on
   * earlier runs). `undefined` where unknown. The same stage gives the same object.
   */
  use(job: JobId, lane: LaneId): Readonly<Record<string, number>> | undefined
  /** Amount per task of a shape. */
  demand(shape: ShapeId, resource: ResourceId): number
  /** Whether the constraints of the shape allow the node by its labels, name and taints, whatever is free there. */
  mayRunOn(shape: ShapeId, node: NodeId): boolean
  /** Number of `PreferNoSchedule` taints of the node that the shape does not tolerate: its tasks may run there, but preferably elsewhere. */
  softTaints(shape: ShapeId, node: NodeId): number
  /** Whether running tasks of one job with this shape must be on different nodes. */
  isDistinct(shape: ShapeId): boolean
  /** Whether required labels or taints keep the shape off some nodes. Such tasks cannot be planned by amounts of the whole cluster. */
  requiresLabels(shape: ShapeId): boolean
  /** Whether the front stage reads blocks at known places; without them every node is equally near. */
  hasData(job: JobId, lane: LaneId): boolean
  /**
   * The unplaced task of the front stage whose data is nearest to the node, at most `within` levels away: 0 is only on the node, `levels` is
   * anywhere. The lowest task index wins within a level.
   */
  taskFor(job: JobId, lane: LaneId, node: NodeId, within: number): TaskId | None
  /** Distance of the task's data from the node: 0 on it, `levels` anywhere; 0 for a task without data. */
  level(task: TaskId, node: NodeId): number
  /** The job of a task. */
  jobOf(task: TaskId): JobId
  /** The lane in which a task is scheduled. */
  laneOf(task: TaskId): LaneId
  /** Index of the task's stage in its job. */
  stageOf(task: TaskId): number
  /** Index of the task in its stage. */
  indexOf(task: TaskId): number
  /**
   * Whether the task is a copy of another one of its stage, which runs, too: see `speculation` of a simulation. It has the index of that task. When
   * one of the two is done, the other ends with it.
   */
  isCopy(task: TaskId): boolean
  /** The task at an index of a stage, `None` where there is none: for policies that restore their memory. */
  taskAt(job: JobId, stage: number, index: number): TaskId | None
  /** The user's estimate of the task's run time in seconds: that of its stage, else that of its job; `Infinity` without one. */
  taskEstimate(task: TaskId): Seconds
  /** The shape of the task's stage. */
  shapeOf(task: TaskId): ShapeId
  /** The node of a claimed or running task, `None` for any other. */
  nodeOf(task: TaskId): NodeId | None
  /** The devices of its node that a claimed or running task holds, one bit each, numbered through all resources that come in devices; 0: none. */
  devicesOf(task: TaskId): number
  /** When a running task started or resumed; `NaN` for one that is only claimed, by a decision that is not over. */
  started(task: TaskId): Seconds
  /** Seconds of work that a suspended task has done before. The value stays until the task ends or has to start anew; 0 for any other task. */
  worked(task: TaskId): Seconds
  /** The node on which a suspended task will resume, `None` for any other task. */
  suspendedOn(task: TaskId): NodeId | None
  /**
   * Whether the job leaves only to come back at once with an updated description. Its suspended tasks and its place in the order stay as they were.
   * For use in `onFinish`.
   */
  comesAgain(job: JobId): boolean
  /** Appends the running and the claimed tasks of a job in a lane to `out`, in task order. Costs a scan of the job. */
  runningTasks(job: JobId, lane: LaneId, out: TaskId[]): void
}

/** Why a claimed or running task gave back its place on a node. */
export type Release = 'ended' | 'evicted' | 'withdrawn'

/**
 * Hooks that keep an order or a policy current, called by the owner of the state. A claim counts from the moment it is drafted; a rollback or a
 * conflict takes it back as `withdrawn`. The views are consistent between the hooks of one call.
 */
export interface WorkListener {
  /**
   * Called before a job is submitted; changes nothing. Returns why the job is refused, with the limit that forbids it ("queue root.a: 10 of 10
   * applications"), or `undefined`. A refused job is reported to observers, and the run goes on.
   * `again`: the job is in the system already, because this policy takes over after a restart, or because the job is updated and keeps its user,
   * queue, group, account, partition and QOS. Limits on the number of jobs, and queues that take no new jobs, then do not apply.
   */
  admits?(spec: JobSpec, again?: boolean): string | undefined
  /** The queue, in full, that rules of this policy give the job which `admits` has just let in; `undefined`: the one that it names. For figures by queue. */
  queueFor?(spec: JobSpec): string | undefined
  /** A job has arrived. */
  onSubmit?(job: JobId): void
  /** The job had no unplaced tasks in the lane and has some now. */
  onReady?(job: JobId, lane: LaneId): void
  /** The last unplaced task of the job in the lane was claimed. */
  onDrained?(job: JobId, lane: LaneId): void
  /** The job has more unplaced tasks than before, and had some already (another stage opened, or a task came back). */
  onMore?(job: JobId, lane: LaneId): void
  /**
   * A start has been drafted, an eviction has been taken back, or the task's job was updated; in the last two cases `started` is known. From here on
   * the task counts as running.
   */
  onClaim?(job: JobId, lane: LaneId, task: TaskId, node: NodeId): void
  /** The task does not count as running any more. */
  onRelease?(job: JobId, lane: LaneId, task: TaskId, node: NodeId, why: Release): void
  /**
   * All tasks have ended; the id may be reused after this call. For a job that is updated (`comesAgain`): `onSubmit` follows with the same id and
   * rank, and then hooks for everything of it that waits and runs.
   */
  onFinish?(job: JobId): void
  /** A node has gone down or come up again (`ClusterView.up`). Tasks lost with it were released before. */
  onNode?(node: NodeId, up: boolean): void
  /** A node that is up has sent a heartbeat. Called before its rounds, whether or not it has room. */
  onHeartbeat?(node: NodeId, now: Seconds): void
  /**
   * State to hand to a successor after a restart: what the policy decides by beyond jobs, running tasks, nodes and the time. Plain data that survives
   * JSON, with jobs by name. Absent: there is none, or it is not kept.
   */
  memory?(): unknown
  /**
   * Restores the `memory` of a predecessor with the same options. Called after the jobs and running tasks of that time were announced; entries for
   * what no longer exists are skipped. Called only where `memory` is there, too.
   */
  recall?(memory: unknown): void
}
