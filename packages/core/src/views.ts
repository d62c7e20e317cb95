import type { JobId, LaneId, NodeId, None, QueueId, ResourceId, Seconds, ShapeId, TaskId, UserId } from './ids.js'
import type { Constraints, JobSpec, StageSpec, Topology } from './job.js'
import type { PlacementRule } from './placement-rule.js'
import type { NodePower, NodeSleep } from './power.js'

/**
 * Resources that are scheduled together. On a cluster of typed slots every slot type is a lane of its own, because
 * Hadoop runs the same policy once per slot type, independently; everywhere else there is one lane with all resources.
 */
export interface Lane {
  /** Of a slot type its name; `all` where there is one lane. */
  readonly name: string
  /** What tasks of the lane may ask for. */
  readonly resources: readonly ResourceId[]
}

/** Changes of what is free, or of what is up, node by node, for readers that keep something per node. */
export interface ChangeLog {
  /** Changes so far. */
  readonly count: number
  /** How many of the last changes are known: whoever is further behind must look at every node. */
  readonly kept: number
  /** The node of a change, numbered from 0. */
  node(change: number): NodeId
}

/**
 * What a monitor on each node would report: what the node has of each kind of hardware, how fast that is, what its tasks
 * use of it now and how many of them work. Where the cluster describes its nodes' `hardware`, this is the real use (a
 * stage's `use`), whatever the tasks asked for. Where it does not, the kinds are the resources and what is claimed stands for
 * what is used. Reading costs an array access, keeping it current nothing that grows.
 */
export interface HardwareView {
  /** Kinds of work by index: `cores`, `disks`, `memory`, ... in the units of the cluster's description. */
  readonly kinds: readonly string[]
  /** Whether `use` is what tasks really use; false: it is what they claim, with the draft. */
  readonly isMeasured: boolean
  /** What the node has of the kind; `Infinity` where its description does not say. */
  amount(node: NodeId, kind: number): number
  /** Relative speed of the kind on the node, 1 = nominal. */
  speed(node: NodeId, kind: number): number
  /** What the tasks on the node use of the kind now; more than `amount` where they crowd it. */
  use(node: NodeId, kind: number): number
  /** Tasks that work on the node now: its load. Tasks that wait for the network do not, where the use is measured. */
  runnable(node: NodeId): number
}

/** What a scheduler may read about nodes. Amounts are integers in the resource's unit; they already count the draft. */
export interface ClusterView {
  /** Number of nodes; ids are 0 to nodes - 1. */
  readonly nodes: number
  /** Names of the resources, by `ResourceId`. */
  readonly resources: readonly string[]
  /** By id. */
  readonly lanes: readonly Lane[]
  /**
   * Number of locality levels below "anywhere": level 0 is the node, level 1 its rack, level 2 the next larger group.
   * `anywhere` equals this number.
   */
  readonly levels: number
  /** Seconds between two heartbeats of a node, 0 where every change reaches the master at once. */
  readonly heartbeat: Seconds
  /** What is not claimed, drafted claims counted, whether or not the node is up. */
  free(node: NodeId, resource: ResourceId): number
  /** What the node has, free or not, up or not. */
  total(node: NodeId, resource: ResourceId): number
  /** Amount of one device of a resource that comes in devices (1000 of a GPU in thousandths), 0 for any other resource. */
  deviceSize(resource: ResourceId): number
  /** Number of devices of the resource on the node; 0 for a resource that does not come in devices. */
  devices(node: NodeId, resource: ResourceId): number
  /** What is free on device `index` of the node; their sum is `free`. */
  deviceFree(node: NodeId, resource: ResourceId, index: number): number
  /**
   * How many tasks of the shape and one job the node could take now, one after the other: amounts, devices and labels
   * heeded; at most 1 of tasks that must be on different nodes, whether or not the job has one there.
   */
  couldTake(shape: ShapeId, node: NodeId): number
  /** The same of a stage and the node empty and up. */
  couldHold(stage: StageSpec, node: NodeId): number
  /** The same of a stage and what is free on the node now: `couldTake` of a stage that need not be open. */
  couldStart(stage: StageSpec, node: NodeId): number
  /** Sum of a resource over all nodes that are up. */
  capacity(resource: ResourceId): number
  /** The group of a node at a level: itself at 0, its rack at 1. */
  group(level: number, node: NodeId): number
  /** Number of groups at a level: of nodes at 0, of racks at 1. */
  groups(level: number): number
  /** The name of a group as the cluster's description has it. */
  groupName(level: number, group: number): string
  /** Relative speed of the node, 1 = nominal. */
  speed(node: NodeId): number
  /** Raised by one whenever a claim is committed on the node. */
  version(node: NodeId): number
  /** Whether the node takes tasks. */
  up(node: NodeId): boolean
  /** The node's name in the cluster's description. */
  name(node: NodeId): string
  /** The names of the labels that nodes have, in order of first mention. */
  readonly labels: readonly string[]
  /** The value of a node's label, `undefined` where it has none of that name. */
  label(node: NodeId, key: string): string | undefined
  /**
   * What keeps tasks with these constraints off a node, whatever is free there: a taint (`taint gpu=yes:NoSchedule`) or labels that it lacks
   * (`requires model = T4`); `undefined`: nothing. Also of tasks without constraints.
   */
  keepsOff(constraints: Constraints | undefined, node: NodeId): string | undefined
  /** Whether nodes have taints that keep nobody off (`PreferNoSchedule`): how many of a node its tasks do not tolerate says `softTaints` of the work. */
  readonly hasSoftTaints: boolean
  /** Whether the lane's smallest demands are free on the node: false means that no task can start there. */
  hasRoom(lane: LaneId, node: NodeId): boolean
  /** The lowest node from `from` on that has room for the lane's smallest demands, or `None`. */
  nextWithRoom(lane: LaneId, from: number): NodeId | None
  /** What nodes really have and use, beside what is asked for and free. */
  readonly hardware: HardwareView
  /** By node, what it draws; `undefined` where its description does not say. Absent: no description does. */
  readonly power?: readonly (NodePower | undefined)[] | undefined
  /** By node, when it goes to sleep; `undefined`: never. Absent: none ever does. */
  readonly sleep?: readonly (NodeSleep | undefined)[] | undefined
  /** Absent: what is kept per node must be found anew. */
  readonly changeLog?: ChangeLog
}

/** Tasks of one stage that start together with others. */
export interface GangPart {
  /** Index of the stage in its job. */
  readonly stage: number
  /** What each of the tasks asks. */
  readonly shape: ShapeId
  /** How many of its tasks, at least 1. */
  readonly tasks: number
  /** The user's estimate of their run time, `Infinity` without one. */
  readonly estimate: Seconds
}

/** What a scheduler may read about its jobs: demands, estimates and progress, never true run times. */
export interface WorkView {
  /** The jobs in the system, submitted and not ended, by ascending id. Costs a scan of as many as ever were at once. */
  jobs(): JobId[]
  /** Submission sequence number, unique and ascending: the last word in every tie. */
  rank(job: JobId): number
  /** Its `id` in the workload. */
  name(job: JobId): string
  /** When it was submitted, seconds from the start of the run. */
  submitted(job: JobId): Seconds
  /** Larger is more important; 0 of a job that says nothing. */
  priority(job: JobId): number
  /** Its share relative to its neighbours under a fair order; 1 of a job that says nothing. */
  weight(job: JobId): number
  /** Estimated run time, `Infinity` when unknown. */
  estimate(job: JobId): Seconds
  /** Seconds that the job waited on the real machine, as its log says; `NaN` where that is not known. For a policy that does again what was recorded, and for no other. */
  recordedWait(job: JobId): Seconds
  /** By when it should have ended, seconds from the start of the run; `Infinity` without one. */
  deadline(job: JobId): Seconds
  /** Whose the job is. */
  user(job: JobId): UserId
  /** The name of a user. */
  userName(user: UserId): string
  /** The queue that the job was submitted to. */
  queue(job: JobId): QueueId
  /** The full name of a queue. */
  queueName(queue: QueueId): string
  /** Whom the job is charged to, '' where it names nobody. */
  account(job: JobId): string
  /** Whether what runs of it may be preempted, `undefined` where it does not say. */
  preemptible(job: JobId): boolean | undefined
  /** The quality of service that it asks for, '' where it names none. */
  qos(job: JobId): string
  /** The array that it is a task of, '' where it is of none. */
  array(job: JobId): string
  /** How many jobs of its array may run at once, `Infinity` where that is not said. */
  arrayThrottle(job: JobId): number
  /** Whether it shares its nodes with jobs of its user alone. */
  isExclusiveToUser(job: JobId): boolean
  /** The licences that it holds while it runs, by name. */
  licenses(job: JobId): Readonly<Record<string, number>>
  /** How near the tasks of its front stage in the lane must be to each other, and whether these alone, or all of the job; `undefined` where nothing is said. */
  topology(job: JobId, lane: LaneId): { readonly asked: Topology; readonly isOfStage: boolean } | undefined
  /** Index of its front stage in the lane, -1 where none of its tasks is unplaced. */
  frontStage(job: JobId, lane: LaneId): number
  /** Tasks of each of its stages. */
  tasksByStage(job: JobId): readonly number[]
  /** The tags of the tasks of a stage. */
  tags(job: JobId, stage: number): Readonly<Record<string, string>>
  /** Where the tasks of a stage are to others. */
  placementRules(job: JobId, stage: number): readonly PlacementRule[]
  /** Where the tasks of a stage may run, `undefined` where nothing is said. */
  constraints(job: JobId, stage: number): Constraints | undefined
  /** The kind of job that architectures go by, '' for a job without. */
  classOf(job: JobId): string
  /** Whether there has been a gang: without one no `together` is above 1, and a loop over jobs need not ask. */
  readonly areGangs: boolean
  /** Whether any job so far has had placement rules: with one tasks that ask the same may not be everywhere alike. */
  readonly areRules: boolean
  /** Tasks of the job over all stages. */
  tasks(job: JobId): number
  /** Tasks that may be placed now (their stage is open) and are not. */
  unplaced(job: JobId, lane: LaneId): number
  /** Tasks claimed or running; equals `onClaim` less `onRelease` calls. */
  running(job: JobId, lane: LaneId): number
  /** Demand vector and constraints of the job's front stage in the lane: its earliest open stage with an unplaced task. */
  shape(job: JobId, lane: LaneId): ShapeId
  /**
   * Tasks of the front stage that must be claimed in one round: where the stage is a gang all its unplaced ones, or as many as it lacks of its
   * `minTasks`; 1 otherwise, 0 for a job without unplaced tasks in the lane. Of a job that is one gang what all its stages lack: the front stage is the
   * first that lacks tasks, so that claiming task by task is claiming them all.
   */
  together(job: JobId, lane: LaneId): number
  /** Of a gang all unplaced tasks of the front stage, which could start in one round although `together` of them must; otherwise `together`. */
  mostTogether(job: JobId, lane: LaneId): number
  /** Of which stages those `together` tasks are, in the order in which they are claimed: what a task of each asks, and how many of them. One but for a job that is one gang. */
  parts(job: JobId, lane: LaneId): readonly GangPart[]
  /** Amount of a resource that `together` tasks ask; of a job that is one gang each as its stage does. */
  asked(job: JobId, lane: LaneId, resource: ResourceId): number
  /** Amount of a resource that all its unplaced tasks ask: each as the front stage does, of a job that is one gang each as its own stage does. */
  waiting(job: JobId, lane: LaneId, resource: ResourceId): number
  /**
   * The fewest tasks of the front stage, of a job that is one gang of all its stages, that run at once: of a gang all, or its `minTasks`; otherwise
   * 1, also for a job without unplaced tasks in the lane.
   */
  least(job: JobId, lane: LaneId): number
  /** Whether the job is one gang of several stages, of which tasks ask different amounts. */
  isGangJob(job: JobId): boolean
  /** Number of a task's gang in its job: of its stage, or 0 where the job is one gang. */
  gangOf(task: TaskId): number
  /**
   * Whether the task is one of several that run together or not at all, placed or not. Of a gang with `minTasks` these are the first of its
   * placed tasks and those not placed; any other may go without them, but they take it with them.
   */
  inGang(task: TaskId): boolean
  /** Whether the task is its job's master. With a master all else that runs of its job is evicted. */
  isMaster(task: TaskId): boolean
  /** What the master of the job asks for, `None` for a job without. */
  masterShape(job: JobId): ShapeId | None
  /**
   * What a task of the front stage is known to use of its node's hardware while it runs alone there, by kind (a stage's
   * `use`, as if measured on earlier runs); `undefined` where nothing is known. The same object for the same stage.
   */
  use(job: JobId, lane: LaneId): Readonly<Record<string, number>> | undefined
  /** Amount per task of a shape. */
  demand(shape: ShapeId, resource: ResourceId): number
  /** Whether the constraints of the shape allow the node, by its labels, name and taints: nothing about what is free there. */
  mayRunOn(shape: ShapeId, node: NodeId): boolean
  /** How many taints of the node that keep nobody off its tasks do not tolerate: they would rather be elsewhere. */
  softTaints(shape: ShapeId, node: NodeId): number
  /** Whether running tasks of a job and this shape must be on different nodes. */
  isDistinct(shape: ShapeId): boolean
  /** Whether the shape may be on some nodes only, by labels that it requires or by taints: such tasks cannot be planned by amounts of the whole cluster. */
  requiresLabels(shape: ShapeId): boolean
  /** Whether the front stage reads blocks with known places: without them every node is equally near. */
  hasData(job: JobId, lane: LaneId): boolean
  /**
   * The unplaced task of the front stage nearest to the node, at most `within` levels away (lowest task index first
   * inside a level): 0 only on the node, `levels` anywhere.
   */
  taskFor(job: JobId, lane: LaneId, node: NodeId, within: number): TaskId | None
  /** How far the task's data is from the node: 0 on it, `levels` anywhere; 0 for a task without data. */
  level(task: TaskId, node: NodeId): number
  /** The job of a task. */
  jobOf(task: TaskId): JobId
  /** The lane in which a task is scheduled. */
  laneOf(task: TaskId): LaneId
  /** Index of the task's stage in its job. */
  stageOf(task: TaskId): number
  /** Index of the task in its stage. */
  indexOf(task: TaskId): number
  /** The task at a place in its job, `None` where there is none: for who takes up a memory. */
  taskAt(job: JobId, stage: number, index: number): TaskId | None
  /** The user's estimate of the run time of a task: that of its stage, otherwise of its job; `Infinity` without one. */
  taskEstimate(task: TaskId): Seconds
  /** The demand vector of the task's stage. */
  shapeOf(task: TaskId): ShapeId
  /** Where a claimed or running task is, `None` of others. */
  nodeOf(task: TaskId): NodeId | None
  /** The devices of its node that a claimed or running task holds, one bit each, counted over all resources that come in devices; 0: none. */
  devicesOf(task: TaskId): number
  /** When a running task started, or went on; NaN of one that is claimed by a decision which is not over. */
  started(task: TaskId): Seconds
  /** Seconds of work that a task which was suspended has behind it, until it ends or has to start anew; 0 of others. */
  worked(task: TaskId): Seconds
  /** The node on which a suspended task is to go on, `None` of others. */
  suspendedOn(task: TaskId): NodeId | None
  /** Whether the job leaves to come again at once as another, since somebody says other things of it: its suspended tasks, and its turn, are as before then. For `onFinish`. */
  comesAgain(job: JobId): boolean
  /** Appends the running tasks of a job in a lane to `out`, and those that are claimed, in task order. Costs a scan of the job. */
  runningTasks(job: JobId, lane: LaneId, out: TaskId[]): void
}

/** Why a running task gave its node back. */
export type Release = 'ended' | 'evicted' | 'withdrawn'

/**
 * Hooks that keep an order or a policy current, called by whoever holds the state. A claim counts from the moment it is
 * drafted; a rollback or a conflict takes it back as `withdrawn`. Between hooks of one call the views are consistent.
 */
export interface WorkListener {
  /**
   * Asked before a job is submitted, and changes nothing: `undefined`, or why the job is refused, with the limit that forbids
   * it ("queue root.a: 10 of 10 applications"). Such a job is reported to observers and the run goes on. `again`: it is in the system already, where whoever is asked takes another's
   * place after a restart, or other things are said of it and not whose it is. How many jobs there may be, and a queue that takes no more of them, forbid it nothing then.
   */
  admits?(spec: JobSpec, again?: boolean): string | undefined
  /** A job has arrived. */
  onSubmit?(job: JobId): void
  /** The job has unplaced tasks in the lane and had none. */
  onReady?(job: JobId, lane: LaneId): void
  /** The last unplaced task of the job in the lane was claimed. */
  onDrained?(job: JobId, lane: LaneId): void
  /** Number of unplaced tasks has grown without `onReady` (another stage opened, a task came back). */
  onMore?(job: JobId, lane: LaneId): void
  /** A start has been drafted, or an eviction taken back, or its job was updated (`started` is known of both then): from here on the task counts as running. */
  onClaim?(job: JobId, lane: LaneId, task: TaskId, node: NodeId): void
  /** The task does not count any more. */
  onRelease?(job: JobId, lane: LaneId, task: TaskId, node: NodeId, why: Release): void
  /** All tasks have ended; the id may be used again after this call. Of a job that is updated (`comesAgain`): it comes again by `onSubmit` with the same id and rank, and then all that waits and runs of it. */
  onFinish?(job: JobId): void
  /** A node takes no tasks any more, or takes them again (`ClusterView.up`). What it lost was released before. */
  onNode?(node: NodeId, up: boolean): void
  /** Every heartbeat of a node that is up, before its rounds, whether or not it has room. */
  onHeartbeat?(node: NodeId, now: Seconds): void
  /** What it decides by beyond jobs, running tasks, nodes and the time, for the one that takes its place after a restart: plain data that JSON keeps, with jobs by name. Absent: nothing, or nothing that it keeps. */
  memory?(): unknown
  /** Takes up the `memory` of another one with the same options, when it has been told of the jobs and running tasks of that time; what is not there any more is passed over. Called only where `memory` is there, too. */
  recall?(memory: unknown): void
}
