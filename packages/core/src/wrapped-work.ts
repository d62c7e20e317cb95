import type { JobId, LaneId, NodeId, None, QueueId, ResourceId, Seconds, ShapeId, TaskId, UserId } from './ids.js'
import type { Constraints, DisruptionBudget, Topology } from './job.js'
import type { PlacementRule } from './placement-rule.js'
import type { GangPart, WorkView } from './views.js'

/**
 * A view of the jobs that passes every call on to another view. A policy around another one extends it to change what the inner policy believes of
 * jobs, for example their estimates. Give it to the inner policy in place of `env.work`, and in place of `round.work` by a `WrappedRound`. Where two
 * methods tell the same (`estimate` and `taskEstimate`), override both.
 */
export abstract class WrappedWork implements WorkView {
  /** `inner`: the view that answers every call that is not overridden. */
  constructor(protected readonly inner: WorkView) {}

  jobs(): JobId[] { return this.inner.jobs() }
  rank(job: JobId): number { return this.inner.rank(job) }
  name(job: JobId): string { return this.inner.name(job) }
  submitted(job: JobId): Seconds { return this.inner.submitted(job) }
  priority(job: JobId): number { return this.inner.priority(job) }
  weight(job: JobId): number { return this.inner.weight(job) }
  estimate(job: JobId): Seconds { return this.inner.estimate(job) }
  minEstimate(job: JobId): Seconds { return this.inner.minEstimate(job) }
  recordedWait(job: JobId): Seconds { return this.inner.recordedWait(job) }
  deadline(job: JobId): Seconds { return this.inner.deadline(job) }
  isDeadlineFirm(job: JobId): boolean { return this.inner.isDeadlineFirm(job) }
  user(job: JobId): UserId { return this.inner.user(job) }
  userName(user: UserId): string { return this.inner.userName(user) }
  queue(job: JobId): QueueId { return this.inner.queue(job) }
  queueName(queue: QueueId): string { return this.inner.queueName(queue) }
  account(job: JobId): string { return this.inner.account(job) }
  preemptible(job: JobId): boolean | 'semi' | undefined { return this.inner.preemptible(job) }
  movable(job: JobId): boolean { return this.inner.movable(job) }
  disruptionBudget(job: JobId): DisruptionBudget | undefined { return this.inner.disruptionBudget(job) }
  longestWait(job: JobId): Seconds | undefined { return this.inner.longestWait(job) }
  gracePeriod(job: JobId): Seconds | undefined { return this.inner.gracePeriod(job) }
  qos(job: JobId): string { return this.inner.qos(job) }
  array(job: JobId): string { return this.inner.array(job) }
  arrayThrottle(job: JobId): number { return this.inner.arrayThrottle(job) }
  isExclusiveToUser(job: JobId): boolean { return this.inner.isExclusiveToUser(job) }
  nice(job: JobId): number { return this.inner.nice(job) }
  minNodes(job: JobId): number { return this.inner.minNodes(job) }
  maxNodes(job: JobId): number { return this.inner.maxNodes(job) }
  isContiguous(job: JobId): boolean { return this.inner.isContiguous(job) }
  reservation(job: JobId): string { return this.inner.reservation(job) }
  licenses(job: JobId): Readonly<Record<string, number>> { return this.inner.licenses(job) }
  topology(job: JobId, lane: LaneId): { readonly asked: Topology; readonly isOfStage: boolean } | undefined { return this.inner.topology(job, lane) }
  frontStage(job: JobId, lane: LaneId): number { return this.inner.frontStage(job, lane) }
  tasksByStage(job: JobId): readonly number[] { return this.inner.tasksByStage(job) }
  tags(job: JobId, stage: number): Readonly<Record<string, string>> { return this.inner.tags(job, stage) }
  placementRules(job: JobId, stage: number): readonly PlacementRule[] { return this.inner.placementRules(job, stage) }
  constraints(job: JobId, stage: number): Constraints | undefined { return this.inner.constraints(job, stage) }
  classOf(job: JobId): string { return this.inner.classOf(job) }
  get areGangs() { return this.inner.areGangs }
  get areRules() { return this.inner.areRules }
  get areCopies() { return this.inner.areCopies }
  avoids(job: JobId): boolean { return this.inner.avoids(job) }
  tasks(job: JobId): number { return this.inner.tasks(job) }
  unplaced(job: JobId, lane: LaneId): number { return this.inner.unplaced(job, lane) }
  running(job: JobId, lane: LaneId): number { return this.inner.running(job, lane) }
  shape(job: JobId, lane: LaneId): ShapeId { return this.inner.shape(job, lane) }
  together(job: JobId, lane: LaneId): number { return this.inner.together(job, lane) }
  mostTogether(job: JobId, lane: LaneId): number { return this.inner.mostTogether(job, lane) }
  parts(job: JobId, lane: LaneId): readonly GangPart[] { return this.inner.parts(job, lane) }
  asked(job: JobId, lane: LaneId, resource: ResourceId): number { return this.inner.asked(job, lane, resource) }
  waiting(job: JobId, lane: LaneId, resource: ResourceId): number { return this.inner.waiting(job, lane, resource) }
  least(job: JobId, lane: LaneId): number { return this.inner.least(job, lane) }
  isGangJob(job: JobId): boolean { return this.inner.isGangJob(job) }
  gangOf(task: TaskId): number { return this.inner.gangOf(task) }
  inGang(task: TaskId): boolean { return this.inner.inGang(task) }
  nonPreemptible(job: JobId, stage: number): number { return this.inner.nonPreemptible(job, stage) }
  isMaster(task: TaskId): boolean { return this.inner.isMaster(task) }
  masterShape(job: JobId): ShapeId | None { return this.inner.masterShape(job) }
  use(job: JobId, lane: LaneId): Readonly<Record<string, number>> | undefined { return this.inner.use(job, lane) }
  demand(shape: ShapeId, resource: ResourceId): number { return this.inner.demand(shape, resource) }
  mayRunOn(shape: ShapeId, node: NodeId): boolean { return this.inner.mayRunOn(shape, node) }
  softTaints(shape: ShapeId, node: NodeId): number { return this.inner.softTaints(shape, node) }
  isDistinct(shape: ShapeId): boolean { return this.inner.isDistinct(shape) }
  requiresLabels(shape: ShapeId): boolean { return this.inner.requiresLabels(shape) }
  hasData(job: JobId, lane: LaneId): boolean { return this.inner.hasData(job, lane) }
  taskFor(job: JobId, lane: LaneId, node: NodeId, within: number): TaskId | None { return this.inner.taskFor(job, lane, node, within) }
  level(task: TaskId, node: NodeId): number { return this.inner.level(task, node) }
  jobOf(task: TaskId): JobId { return this.inner.jobOf(task) }
  laneOf(task: TaskId): LaneId { return this.inner.laneOf(task) }
  stageOf(task: TaskId): number { return this.inner.stageOf(task) }
  indexOf(task: TaskId): number { return this.inner.indexOf(task) }
  isCopy(task: TaskId): boolean { return this.inner.isCopy(task) }
  taskAt(job: JobId, stage: number, index: number): TaskId | None { return this.inner.taskAt(job, stage, index) }
  taskEstimate(task: TaskId): Seconds { return this.inner.taskEstimate(task) }
  shapeOf(task: TaskId): ShapeId { return this.inner.shapeOf(task) }
  nodeOf(task: TaskId): NodeId | None { return this.inner.nodeOf(task) }
  devicesOf(task: TaskId): number { return this.inner.devicesOf(task) }
  started(task: TaskId): Seconds { return this.inner.started(task) }
  worked(task: TaskId): Seconds { return this.inner.worked(task) }
  suspendedOn(task: TaskId): NodeId | None { return this.inner.suspendedOn(task) }
  comesAgain(job: JobId): boolean { return this.inner.comesAgain(job) }
  runningTasks(job: JobId, lane: LaneId, out: TaskId[]): void { this.inner.runningTasks(job, lane, out) }
}
