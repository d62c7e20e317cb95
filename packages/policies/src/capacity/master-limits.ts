import { None, Reason, type JobId, type LaneId, type Round, type ShapeId, type WorkView } from '@sched/core'
import { isWithin, rowOf } from '../shares/vectors.js'
import { compareShares } from './comparing.js'
import type { LeafUsers } from './leaf-users.js'
import type { Pots } from './pots.js'
import type { Queue, QueueTree } from './queue-tree.js'
import type { Quotas } from './quotas.js'
import type { QueueUsage } from './usage.js'

/** A job with a master, active or waiting to be: its leaf and user, the pot of its master, and what the master asks for. */
interface Managed {
  readonly job: JobId
  readonly leaf: number
  readonly pair: number
  readonly pot: number
  readonly from: number
  readonly priority: number
}

export interface MasterLimitsOptions {
  readonly work: WorkView
  readonly tree: QueueTree
  readonly pots: Pots
  readonly quotas: Quotas
  readonly usage: QueueUsage
  readonly users: LeafUsers
  /** By lane: the step of limits. */
  readonly minimum: readonly (readonly number[])[]
  readonly potOfShape: (shape: ShapeId, leaf: number, lane: LaneId) => number
  readonly priorityIn: (job: JobId, queue: Queue) => number
  /** Called at once for each job that becomes active, since its user counts as active for the next job. */
  readonly activated: (job: JobId) => void
  /** Called for a job that was active and waits to be again. */
  readonly deactivated: (job: JobId) => void
}

/**
 * Limits on what the masters of active jobs may ask for together, per leaf and per user in a leaf: a part of what the leaf may use now, or of its
 * guarantee if that is more. Jobs beyond the limit wait to be active, by priority and submission; smaller ones may pass them. Each leaf has at least
 * one active job, whatever its master asks for. A job without a master is always active. After a restart jobs whose masters run come first.
 *
 * Source: Hadoop 3, AbstractLeafQueue.activateApplications, calculateAndGetAMResourceLimitPerPartition,
 * getUserAMResourceLimitPerPartition and FifoOrderingPolicyForPendingApps. Deviations: what a leaf may use is computed for the instant, in Hadoop at its last
 * assignment; the limit of a user goes by the user's own weight, in Hadoop by that of the first user looked at.
 */
export class MasterLimits {
  readonly #it: MasterLimitsOptions
  readonly #jobs = new Map<JobId, Managed>()
  readonly #active = new Set<JobId>()
  /** By leaf: the jobs that wait to be active, in order, and the number of active jobs. */
  readonly #waiting: Managed[][] = []
  readonly #activeIn: number[] = []
  /** `[leaf * pots + pot]` and `[pair * pots + pot]`: what the masters of active jobs ask for. */
  readonly #ofLeaf: (Float64Array | undefined)[] = []
  readonly #ofPair: (Float64Array | undefined)[] = []

  constructor(it: MasterLimitsOptions) {
    this.#it = it
  }

  isActive(job: JobId): boolean {
    return this.#jobs.size === 0 || !this.#jobs.has(job) || this.#active.has(job)
  }

  get areWaiting(): boolean {
    return this.#active.size < this.#jobs.size
  }

  /** A job asks to be active. */
  add(job: JobId, pair: number): void {
    const { work, tree, pots, users, potOfShape, priorityIn } = this.#it
    const shape = work.masterShape(job)
    if (shape === None) return this.#it.activated(job)
    const leaf = users.leaf[pair] as number
    const lane = pots.laneOfShape(shape)
    const managed = { job, leaf, pair, pot: potOfShape(shape, leaf, lane), from: pots.demandAt(shape, lane), priority: priorityIn(job, tree.queue(leaf)) }
    this.#jobs.set(job, managed)
    this.#await(managed)
    this.#activate(leaf)
  }

  /**
   * A task of a job that waits to be active runs already, since before a restart: the job is active, and those of its leaf of which nothing runs ask
   * to be anew.
   */
  resume(job: JobId): void {
    const managed = this.#jobs.get(job) as Managed
    const { leaf } = managed
    for (const other of [...this.#active].map((id) => this.#jobs.get(id) as Managed)) {
      if (other.leaf !== leaf || this.#isRunning(other.job)) continue
      this.#active.delete(other.job)
      this.#count(other, -1)
      this.#await(other)
      this.#it.deactivated(other.job)
    }
    this.#start(managed)
    this.#activate(leaf)
  }

  #isRunning(job: JobId): boolean {
    const { pots, work } = this.#it
    for (let lane = 0; lane < pots.lanes; lane++) if (work.running(job, lane as LaneId) > 0) return true
    return false
  }

  /** A job has ended. */
  remove(job: JobId): void {
    const managed = this.#jobs.get(job)
    if (managed === undefined) return
    this.#jobs.delete(job)
    if (this.#active.delete(job)) this.#count(managed, -1)
    else this.#waiting[managed.leaf]?.splice(this.#waiting[managed.leaf]?.indexOf(managed) as number, 1)
    this.#activate(managed.leaf)
  }

  /** Activates jobs in all leaves, after the cluster has grown or shrunk. */
  activateAll(): void {
    for (const leaf of this.#waiting.keys()) this.#activate(leaf)
  }

  /** Activates the jobs of a leaf that may be. */
  #activate(leaf: number): void {
    const waiting = this.#waiting[leaf] ?? []
    for (let i = 0; i < waiting.length; i++) {
      const next = waiting[i] as Managed
      if (!this.#mayBeActive(next)) continue
      i--
      this.#start(next)
    }
  }

  /** Puts a job where it belongs among those of its leaf that wait to be active. */
  #await(managed: Managed): void {
    const { work } = this.#it
    const waiting = (this.#waiting[managed.leaf] ??= [])
    const at = waiting.findIndex((other) => (other.priority - managed.priority || work.rank(managed.job) - work.rank(other.job)) < 0)
    waiting.splice(at < 0 ? waiting.length : at, 0, managed)
  }

  /** Makes a job that waits to be active so. */
  #start(managed: Managed): void {
    const waiting = this.#waiting[managed.leaf] as Managed[]
    waiting.splice(waiting.indexOf(managed), 1)
    this.#active.add(managed.job)
    this.#count(managed, 1)
    this.#it.activated(managed.job)
  }

  /** Defers, for a round that is explained, the jobs that wait to be active. */
  explain(round: Round): void {
    if (!this.areWaiting || !round.explained) return
    const { quotas, tree } = this.#it
    for (const waiting of this.#waiting)
      for (const { job, leaf, pot } of waiting ?? []) {
        const queue = tree.queue(leaf)
        round.defer(job, Reason.Limit, `maximum-am-resource-percent ${queue.path}`, quotas.risesAtAll('most', queue, pot) || quotas.risesAtAll('guaranteed', queue, pot))
      }
  }

  #mayBeActive({ leaf, pair, pot, from }: Managed): boolean {
    const { pots } = this.#it
    const ofLeaf = this.#ofLeaf[leaf * pots.count + pot]
    if ((this.#activeIn[leaf] ?? 0) < 1 || ofLeaf === undefined || ofLeaf.every((amount) => amount === 0)) return true
    const limit = this.limit(leaf, pot)
    return this.#fits(ofLeaf, from, limit) && this.#fits(this.#ofPair[pair * pots.count + pot], from, this.#userLimit(leaf, pair, pot, limit))
  }

  #fits(used: Float64Array | undefined, from: number, limit: readonly number[]): boolean {
    const { demands } = this.#it.pots
    return limit.every((most, i) => (used?.[i] ?? 0) + (demands[from + i] as number) <= most)
  }

  /** What the masters of a leaf may ask for together in a pot, by counted resource. */
  limit(leaf: number, pot: number): number[] {
    const guaranteed = this.#guaranteed(leaf, pot)
    const current = this.#it.pots.partitionOf(pot) === 0 ? this.#currentLimit(leaf, pot) : guaranteed
    const usable = isWithin(guaranteed, current) ? current : guaranteed
    return this.#part(usable, this.#percent(leaf, pot), pot)
  }

  #userLimit(leaf: number, pair: number, pot: number, ofLeaf: number[]): number[] {
    const { tree, users, pots } = this.#it
    const { userLimitPercent, userLimitFactor } = tree.queue(leaf)
    const { fround } = Math
    const equal = Math.max(fround(userLimitPercent / 100), fround(1 / Math.max(this.#activeUsers(leaf), 1)))
    const weighted = Math.min(fround(equal * fround(users.weightOf(pair))), 1)
    const percent = this.#percent(leaf, pot)
    const by = userLimitFactor === Infinity ? percent : fround(fround(percent * weighted) * fround(userLimitFactor))
    const own = this.#part(this.#guaranteed(leaf, pot), by, pot)
    const total = pots.totals.subarray(pot * pots.width, (pot + 1) * pots.width)
    return compareShares(own, 0, ofLeaf, 0, total, 0, pots.width) <= 0 ? own : ofLeaf
  }

  /** Number of users of a leaf with waiting jobs. */
  #activeUsers(leaf: number): number {
    const { users, pots } = this.#it
    let count = 0
    for (let pair = 0; pair < users.count; pair++) {
      if (users.leaf[pair] !== leaf) continue
      let isActive = this.#waiting[leaf]?.some((waiting) => waiting.pair === pair) === true
      for (let lane = 0; lane < pots.lanes; lane++) isActive ||= (users.active[pair * pots.lanes + lane] as number) > 0
      if (isActive) count++
    }
    return count
  }

  /** The most that a queue could use now: its maximum, within what the queues beside it leave of the same limit of its parent. */
  #currentLimit(queue: number, pot: number): number[] {
    const { quotas, usage, pots, tree, minimum } = this.#it
    const { width, count } = pots
    const parent = tree.queue(queue).parent
    const at = (queue * count + pot) * width
    const most = rowOf(quotas.most, queue * count + pot, width)
    if (parent < 0) return most
    const ofParent = (parent * count + pot) * width
    const steps = minimum[pots.laneOf(pot)] as readonly number[]
    return this.#currentLimit(parent, pot).map((limit, i) => {
      const left = Math.max(0, limit - (usage.used[ofParent + i] as number)) + (usage.used[at + i] as number)
      const step = steps[i] as number
      return Math.floor(Math.min(left, most[i] as number) / step) * step
    })
  }

  #guaranteed(queue: number, pot: number): number[] {
    const { quotas, pots } = this.#it
    return rowOf(quotas.guaranteed, queue * pots.count + pot, pots.width)
  }

  /** The part of the leaf for masters, as a single-precision number, as in Hadoop. */
  #percent(queue: number, pot: number): number {
    const { tree, pots } = this.#it
    const { own, maximumAmResourcePercent } = tree.queue(queue)
    return Math.fround(own.labels?.[pots.partitions[pots.partitionOf(pot)] as string]?.maximumAmResourcePercent ?? maximumAmResourcePercent)
  }

  /** Amounts times a part, rounded up to whole steps (`multiplyAndNormalizeUp`). */
  #part(amounts: readonly number[], by: number, pot: number): number[] {
    const { minimum, pots } = this.#it
    const steps = minimum[pots.laneOf(pot)] as readonly number[]
    return amounts.map((amount, i) => {
      const part = amounts.length === 1 ? Math.floor(amount * by + 0.5) : Math.ceil(Math.fround(amount * by))
      return Math.ceil(part / (steps[i] as number)) * (steps[i] as number)
    })
  }

  #count({ leaf, pair, pot, from }: Managed, sign: 1 | -1): void {
    const { count, width, demands } = this.#it.pots
    this.#activeIn[leaf] = (this.#activeIn[leaf] ?? 0) + sign
    const vectors = [(this.#ofLeaf[leaf * count + pot] ??= new Float64Array(width)), (this.#ofPair[pair * count + pot] ??= new Float64Array(width))]
    for (const vector of vectors) for (let i = 0; i < width; i++) vector[i] = (vector[i] as number) + sign * (demands[from + i] as number)
  }
}
