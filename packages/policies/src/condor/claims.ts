import { nodesByName, rememberedJobs, type Env, type JobId, type LaneId, type NodeId, type Release, type ResourceId, type Seconds, type TaskId } from '@sched/core'
import type { Accountant, Submitter } from './accountant.js'
import type { ConcurrencyLimits } from './concurrency-limits.js'
import type { SlotWeight } from './slot-weight.js'

/** A claim whose task has ended: a part of a node that its submitter may use again. */
export interface FreeClaim {
  readonly submitter: Submitter
  readonly node: NodeId
  /** Since when it is claimed. */
  readonly since: Seconds
  /** Its amounts, in the order of the lane's resources. */
  readonly amounts: readonly number[]
  /** The concurrency limits that its job asked for. */
  readonly limits: string
}

export interface ClaimsMemory {
  /** Claims that are older than their tasks. */
  readonly older: readonly (readonly [job: string, stage: number, index: number, since: Seconds])[]
  readonly free: readonly (readonly [user: string, account: string, node: string, since: Seconds, amounts: readonly number[], limits: string])[]
}

/** What submitters hold in a lane, since when, and what they may use again. */
export class Claims {
  /** Claims whose tasks have ended since the last round that saw their nodes. */
  free: FreeClaim[] = []
  /** The claim that the next task is started on; absent: a new one. */
  reused: FreeClaim | undefined
  readonly #since = new Map<TaskId, Seconds>()
  /** The same of tasks that had to go, in case that is taken back; until they are claimed anew. */
  readonly #sinceOfGone = new Map<TaskId, Seconds>()
  /** Numbers of claims by slot weight. */
  readonly #weights = new Map<number, number>()
  readonly #env: Env
  readonly #weight: SlotWeight
  readonly #resources: readonly ResourceId[]
  readonly #limits: ConcurrencyLimits

  constructor(env: Env, lane: LaneId, weight: SlotWeight, limits: ConcurrencyLimits) {
    this.#env = env
    this.#limits = limits
    this.#weight = weight
    this.#resources = env.cluster.lanes[lane]?.resources ?? []
  }

  start(submitter: Submitter, task: TaskId): void {
    const { work } = this.#env
    const started = work.started(task)
    const isNew = Number.isNaN(started)
    this.#since.set(task, isNew ? (this.reused?.since ?? this.#env.now()) : (this.#sinceOfGone.get(task) ?? started))
    this.#sinceOfGone.delete(task)
    this.#change(submitter, task, 1)
  }

  /** Where a task ends by itself the claim stays for another one. */
  end(submitter: Submitter, task: TaskId, node: NodeId, why: Release): void {
    const since = this.#since.get(task) as Seconds
    this.#since.delete(task)
    this.#change(submitter, task, -1)
    if (why === 'evicted') this.#sinceOfGone.set(task, since)
    if (why === 'ended') this.free.push({ submitter, node, since, amounts: this.#amountsOf(task), limits: this.#limits.asksFor(this.#env.work.jobOf(task)) })
  }

  /** The claimed and running tasks. */
  get tasks(): Iterable<TaskId> {
    return this.#since.keys()
  }

  has(task: TaskId): boolean {
    return this.#since.has(task)
  }

  /** Since when what a task runs on is claimed. */
  since(task: TaskId): Seconds {
    return this.#since.get(task) as Seconds
  }

  /** Whether the next task of a job asks for just what a claim has, and the job for the same concurrency limits. */
  suits(job: JobId, lane: LaneId, { amounts, limits }: FreeClaim): boolean {
    const shape = this.#env.work.shape(job, lane)
    return this.#limits.asksFor(job) === limits && this.#resources.every((r, i) => this.#env.work.demand(shape, r) === amounts[i])
  }

  /** The least slot weight of any claim. */
  leastWeight(): number {
    return Math.min(...this.#weights.keys())
  }

  memory(): ClaimsMemory {
    const { work, cluster } = this.#env
    const older = [...this.#since].filter(([task, since]) => since !== work.started(task))
    return {
      older: older.map(([task, since]) => [work.name(work.jobOf(task)), work.stageOf(task), work.indexOf(task), since] as const),
      free: this.free.map(({ submitter, node, since, amounts, limits }) => [submitter.user, submitter.account, cluster.name(node), since, amounts, limits] as const),
    }
  }

  recall({ older, free }: ClaimsMemory, accountant: Accountant): void {
    const { work, cluster } = this.#env
    for (const [job, stage, index, since] of rememberedJobs(older, work)) {
      const task = work.taskAt(job, stage, index)
      if (this.#since.has(task as TaskId)) this.#since.set(task as TaskId, since)
    }
    const nodes = nodesByName(cluster)
    this.free = free.flatMap(([user, account, name, since, amounts, limits]) => {
      const node = nodes.get(name)
      return node === undefined ? [] : [{ submitter: accountant.submitter(user, account), node, since, amounts, limits }]
    })
  }

  #amountsOf(task: TaskId): number[] {
    const { work } = this.#env
    const shape = work.shapeOf(task)
    return this.#resources.map((r) => work.demand(shape, r))
  }

  #change(submitter: Submitter, task: TaskId, sign: 1 | -1): void {
    const { held } = submitter
    submitter.claims += sign
    const { work } = this.#env
    const shape = work.shapeOf(task)
    for (const r of this.#weight.resources) held[r] = (held[r] as number) + sign * work.demand(shape, r)
    const weight = this.#weight.of((r) => work.demand(shape, r))
    const left = (this.#weights.get(weight) ?? 0) + sign
    if (left === 0) this.#weights.delete(weight)
    else this.#weights.set(weight, left)
  }
}
