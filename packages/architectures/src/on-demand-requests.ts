import {
  None, type GangPart, type DisruptionBudget, type JobId, type LaneId, type NodeId, type PlacementRule, type Policy, type Release, type Seconds, type ShapeId, type TaskId,
  type UserId, type QueueId, type WorkView,
} from '@sched/core'
import type { Suiting } from './on-demand-size.js'

/** A job's request for a virtual cluster. */
export interface Request {
  /** Number of nodes, at least 1. */
  readonly nodes: number
  /** Seconds for which the nodes are requested; `Infinity`: without limit. */
  readonly walltime: Seconds
  readonly suiting: Suiting
  /** The job that the request is made for. */
  readonly job: JobId
}

/** What requests have of their jobs, each read by the method of that name. */
const ofJob = [
  'name', 'priority', 'weight', 'deadline', 'user', 'queue', 'preemptible', 'movable', 'disruptionBudget', 'longestWait', 'gracePeriod', 'account', 'qos', 'array', 'arrayThrottle',
  'isExclusiveToUser', 'nice', 'minNodes', 'maxNodes', 'isContiguous', 'reservation', 'licenses', 'classOf',
] as const satisfies readonly (keyof WorkView)[]
type JobFacts = { readonly [Fact in (typeof ofJob)[number]]: ReturnType<WorkView[Fact]> }

/** Copies them, because the job may be gone when its virtual cluster ends. */
const factsOf = (job: JobId, work: WorkView): JobFacts => Object.fromEntries(ofJob.map((fact) => [fact, work[fact](job)])) as JobFacts

interface Entry extends Request, JobFacts {
  readonly rank: number
  readonly asked: Seconds
  /** One task per node. */
  readonly tasks: readonly TaskId[]
  unplaced: number
  running: number
}

/**
 * Requests for virtual clusters, presented as jobs to the resource manager's policy: rigid, one task per node, all at once, with the walltime as
 * estimate. User, queue, priority, weight, deadline and the like are those of the job.
 */
export class Requests implements WorkView {
  /** The policy that is told of requests. */
  listener: Policy | undefined
  /** Number of requested nodes that are not claimed. */
  pending = 0
  readonly areGangs = true
  readonly areRules = false
  readonly areCopies = false
  readonly #work: WorkView
  readonly #entries: (Entry | undefined)[] = []
  /** By shape: a request's shape is the set of nodes that suit it. */
  readonly #suitings: Suiting[] = []
  readonly #freeIds: JobId[] = []
  readonly #freeTasks: TaskId[] = []
  #tasks = 0
  #asked = 0
  readonly #jobOf: JobId[] = []
  /** By task: its node, and when it got the node. */
  readonly #node: (NodeId | None)[] = []
  readonly #started: Seconds[] = []

  constructor(work: WorkView) {
    this.#work = work
  }

  jobs(): JobId[] {
    return [...this.#entries.keys()].filter((id) => this.#entries[id] !== undefined) as JobId[]
  }

  /** Adds a request to the queue. */
  ask(request: Request, now: Seconds): JobId {
    const id = this.#freeIds.pop() ?? (this.#entries.length as JobId)
    const tasks = Array.from({ length: request.nodes }, () => this.#freeTasks.pop() ?? (this.#tasks++ as TaskId)).sort((a, b) => a - b)
    for (const task of tasks) {
      this.#jobOf[task] = id
      this.#node[task] = None
      this.#started[task] = NaN
    }
    const entry: Entry = { ...request, ...factsOf(request.job, this.#work), rank: this.#asked++, asked: now, tasks, unplaced: 0, running: 0 }
    this.#entries[id] = entry
    this.#suitings[request.suiting.id] = request.suiting
    this.listener?.onSubmit?.(id) // when a job is submitted, none of its tasks is unplaced yet
    entry.unplaced = request.nodes
    this.pending += request.nodes
    this.listener?.onReady?.(id, LANE)
    return id
  }

  /** Removes a request, served or not. */
  end(id: JobId): void {
    const { tasks, unplaced } = this.#entry(id)
    if (unplaced > 0) {
      this.pending -= unplaced
      this.#entry(id).unplaced = 0
      this.listener?.onDrained?.(id, LANE)
    }
    for (const task of tasks) if (this.#node[task] !== None) this.#release(task, 'ended')
    this.listener?.onFinish?.(id)
    this.#freeTasks.push(...tasks)
    this.#freeIds.push(id)
    this.#entries[id] = undefined
  }

  claim(task: TaskId, node: NodeId): void {
    const id = this.jobOf(task)
    const entry = this.#entry(id)
    this.#node[task] = node
    entry.unplaced--
    entry.running++
    this.pending--
    this.listener?.onClaim?.(id, LANE, task, node)
    if (entry.unplaced === 0) this.listener?.onDrained?.(id, LANE)
  }

  withdraw(task: TaskId): void {
    this.#release(task, 'withdrawn')
    const id = this.jobOf(task)
    this.pending++
    if (this.#entry(id).unplaced++ === 0) this.listener?.onReady?.(id, LANE)
    else this.listener?.onMore?.(id, LANE)
  }

  start(task: TaskId, now: Seconds): void {
    this.#started[task] = now
  }

  #release(task: TaskId, why: Release): void {
    const node = this.#node[task] as NodeId
    this.#node[task] = None
    this.#started[task] = NaN
    this.#entry(this.jobOf(task)).running--
    this.listener?.onRelease?.(this.jobOf(task), LANE, task, node, why)
  }

  #entry(id: JobId): Entry {
    return this.#entries[id] as Entry
  }

  // ---- what the policy reads ----

  rank(id: JobId): number {
    return this.#entry(id).rank
  }
  name(id: JobId): string {
    return this.#entry(id).name
  }
  submitted(id: JobId): Seconds {
    return this.#entry(id).asked
  }
  priority(id: JobId): number {
    return this.#entry(id).priority
  }
  weight(id: JobId): number {
    return this.#entry(id).weight
  }
  estimate(id: JobId): Seconds {
    return this.#entry(id).walltime
  }
  /** A request runs for its walltime. */
  minEstimate(): Seconds {
    return Infinity
  }
  isDeadlineFirm(): boolean {
    return false
  }
  recordedWait(): Seconds {
    return NaN
  }
  deadline(id: JobId): Seconds {
    return this.#entry(id).deadline
  }
  user(id: JobId): UserId {
    return this.#entry(id).user
  }
  userName(user: UserId): string {
    return this.#work.userName(user)
  }
  queue(id: JobId): QueueId {
    return this.#entry(id).queue
  }
  queueName(queue: QueueId): string {
    return this.#work.queueName(queue)
  }
  preemptible(id: JobId): boolean | 'semi' | undefined {
    return this.#entry(id).preemptible
  }
  movable(id: JobId): boolean {
    return this.#entry(id).movable
  }
  disruptionBudget(id: JobId): DisruptionBudget | undefined {
    return this.#entry(id).disruptionBudget
  }
  longestWait(id: JobId): Seconds | undefined {
    return this.#entry(id).longestWait
  }
  gracePeriod(id: JobId): Seconds | undefined {
    return this.#entry(id).gracePeriod
  }
  account(id: JobId): string {
    return this.#entry(id).account
  }
  qos(id: JobId): string {
    return this.#entry(id).qos
  }
  array(id: JobId): string {
    return this.#entry(id).array
  }
  arrayThrottle(id: JobId): number {
    return this.#entry(id).arrayThrottle
  }
  nice(id: JobId): number {
    return this.#entry(id).nice
  }
  minNodes(id: JobId): number {
    return this.#entry(id).minNodes
  }
  maxNodes(id: JobId): number {
    return this.#entry(id).maxNodes
  }
  isContiguous(id: JobId): boolean {
    return this.#entry(id).isContiguous
  }
  reservation(id: JobId): string {
    return this.#entry(id).reservation
  }
  isExclusiveToUser(id: JobId): boolean {
    return this.#entry(id).isExclusiveToUser
  }
  licenses(id: JobId): Readonly<Record<string, number>> {
    return this.#entry(id).licenses
  }
  topology(): undefined {
    return undefined // a request says nothing about how near its nodes must be
  }
  frontStage(id: JobId): number {
    return this.unplaced(id) > 0 ? 0 : -1
  }
  tasksByStage(job: JobId): readonly number[] {
    return [this.tasks(job)]
  }
  tags(): Readonly<Record<string, string>> {
    return {}
  }
  placementRules(): readonly PlacementRule[] {
    return []
  }
  constraints(): undefined {
    return undefined // a request has a set of suiting nodes instead
  }
  classOf(id: JobId): string {
    return this.#entry(id).classOf
  }
  avoids(): boolean {
    return false // a virtual cluster begins with nodes of which nothing is known
  }
  tasks(id: JobId): number {
    return this.#entry(id).nodes
  }
  unplaced(id: JobId): number {
    return this.#entry(id).unplaced
  }
  running(id: JobId): number {
    return this.#entry(id).running
  }
  shape(id: JobId): ShapeId {
    return this.#entry(id).suiting.id as ShapeId
  }
  together(id: JobId): number {
    return this.#entry(id).unplaced
  }
  mostTogether(id: JobId): number {
    return this.together(id)
  }
  parts(id: JobId): readonly GangPart[] {
    return [{ stage: 0, shape: this.shape(id), tasks: this.together(id), estimate: this.estimate(id) }]
  }
  asked(id: JobId): number {
    return this.#entry(id).unplaced
  }
  waiting(id: JobId): number {
    return this.#entry(id).unplaced
  }
  least(id: JobId): number {
    return this.#entry(id).nodes
  }
  isGangJob(): boolean {
    return false
  }
  gangOf(): number {
    return 0
  }
  nonPreemptible(): number {
    return 0
  }
  inGang(): boolean {
    return true
  }
  isMaster(): boolean {
    return false
  }
  masterShape(): None {
    return None
  }
  use(): undefined {
    return undefined
  }
  demand(): number {
    return 1
  }
  mayRunOn(shape: ShapeId, node: NodeId): boolean {
    return this.#suitings[shape]?.suits[node] === 1
  }
  softTaints(): number {
    return 0
  }
  isDistinct(): boolean {
    return false
  }
  requiresLabels(shape: ShapeId): boolean {
    const { suits, count } = this.#suitings[shape] as Suiting
    return count < suits.length
  }
  hasData(): boolean {
    return false
  }
  taskFor(id: JobId): TaskId | None {
    return this.#entry(id).tasks.find((task) => this.#node[task] === None) ?? None
  }
  level(): number {
    return 0
  }
  jobOf(task: TaskId): JobId {
    return this.#jobOf[task] as JobId
  }
  laneOf(): LaneId {
    return LANE
  }
  stageOf(): number {
    return 0
  }
  indexOf(task: TaskId): number {
    return this.#entry(this.jobOf(task)).tasks.indexOf(task)
  }
  isCopy(): boolean {
    return false
  }
  taskAt(id: JobId, _stage: number, index: number): TaskId | None {
    return this.#entry(id).tasks[index] ?? None
  }
  taskEstimate(task: TaskId): Seconds {
    return this.estimate(this.jobOf(task))
  }
  shapeOf(task: TaskId): ShapeId {
    return this.shape(this.jobOf(task))
  }
  nodeOf(task: TaskId): NodeId | None {
    return this.#node[task] as NodeId | None
  }
  devicesOf(): number {
    return 0
  }
  started(task: TaskId): Seconds {
    return this.#started[task] as Seconds
  }
  worked(): Seconds {
    return 0
  }
  suspendedOn(): None {
    return None
  }
  comesAgain(): boolean {
    return false
  }
  runningTasks(id: JobId, _lane: LaneId, out: TaskId[]): void {
    for (const task of this.#entry(id).tasks) if (this.#node[task] !== None) out.push(task)
  }
}

export const LANE = 0 as LaneId
