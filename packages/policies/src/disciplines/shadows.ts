import { WrappedRound, type JobId, type LaneId, type NodeId, type ResourceId, type Round, type TaskId, type WorkListener, type WorkView } from '@sched/core'
import type { PreemptionRights } from './preemption-rights.js'
import type { SuspendedJobs } from './suspended-jobs.js'
import type { TasksByNode } from './tasks-by-node.js'

/** What tasks on a node ask of what suspended ones free, in the order of `SuspendedJobs.frees`: those of all jobs of one kind, of which `job` is one. */
interface Tally {
  readonly job: JobId
  readonly amounts: number[]
}

type Tallies = ReadonlyMap<number, Tally>

/** A node: by kind, tallies of what is claimed there or runs, and of what is suspended, as long as that is `of`; and what is kept from others, where known. */
interface OnNode {
  readonly running: Map<number, Tally>
  suspended: Tallies
  of: ReadonlyMap<JobId, readonly TaskId[]>
  readonly kept: Map<number, readonly number[]>
}

/**
 * What suspended jobs do not hold of their nodes is kept from those that may not take it from them: were all gone that may, they could go on.
 *
 * Source: Slurm, "shadows" of gang.c. Deviation: how much of what is free on a node is theirs is counted by amounts, not by single processors.
 */
export class Shadows implements WorkListener {
  readonly #jobs: SuspendedJobs
  readonly #running: TasksByNode
  readonly #work: WorkView
  readonly #rights: Pick<PreemptionRights, 'mayTake' | 'kindOf' | 'version'>
  /** By lane: nodes that were asked for in this round, kept up to date by claims and releases while nobody's kind changes. */
  readonly #nodes: readonly Map<NodeId, OnNode>[]
  #version = 0

  constructor(jobs: SuspendedJobs, running: TasksByNode, work: WorkView, rights: Pick<PreemptionRights, 'mayTake' | 'kindOf' | 'version'>) {
    this.#jobs = jobs
    this.#running = running
    this.#work = work
    this.#rights = rights
    this.#nodes = jobs.frees.map(() => new Map())
  }

  areIn(lane: LaneId): boolean {
    return this.#jobs.in(lane).size > 0
  }

  /** To be called when a round begins, in which priorities are others. */
  begin(): void {
    for (const nodes of this.#nodes) nodes.clear()
    this.#version = this.#rights.version
  }

  onClaim(job: JobId, lane: LaneId, task: TaskId, node: NodeId): void {
    this.#change(job, lane, task, node, 1)
  }

  onRelease(job: JobId, lane: LaneId, task: TaskId, node: NodeId): void {
    this.#change(job, lane, task, node, -1)
  }

  /**
   * How many tasks of the job, of its next stage or of that `shape`, the node may take without keeping suspended
   * ones from going on that the job may not take from; `Infinity`: there are none. For a job that is suspended itself, `isBefore` says which of the others
   * go on before it; default: all.
   */
  leaves(job: JobId, node: NodeId, { lane, work, cluster }: Round, shape = work.shape(job, lane), isBefore = (_owner: JobId): boolean => true): number {
    const suspended = this.#jobs.on(node, lane)
    if (suspended.size === 0) return Infinity
    const kept = this.#keptFrom(job, this.#on(node, suspended, lane), lane, isBefore)
    const resources = this.#jobs.frees[lane] as readonly ResourceId[]
    let most = Infinity
    for (let i = 0; i < kept.length; i++) {
      const resource = resources[i] as ResourceId
      const asked = work.demand(shape, resource)
      if (asked > 0) most = Math.min(most, Math.floor((cluster.free(node, resource) - (kept[i] as number)) / asked))
    }
    return Math.max(0, most)
  }

  /** How much of each resource of the node is kept from a job that is not suspended itself; `undefined`: nothing. */
  keptOn(node: NodeId, job: JobId, lane: LaneId): ((resource: ResourceId) => number) | undefined {
    const suspended = this.#jobs.on(node, lane)
    if (suspended.size === 0) return undefined
    const kept = this.#keptFrom(job, this.#on(node, suspended, lane), lane, () => true)
    return (resource) => kept[(this.#jobs.frees[lane] as readonly ResourceId[]).indexOf(resource)] ?? 0
  }

  /** How much must be free for those suspended to go on, were all gone that may take it from them; empty: there are none that keep it from the job. */
  #keptFrom(job: JobId, there: OnNode, lane: LaneId, isBefore: (owner: JobId) => boolean): readonly number[] {
    if (there.of.has(job)) return this.#kept(job, this.#tally([...there.of].filter(([owner]) => owner !== job && isBefore(owner)), lane), there.running)
    const kind = this.#rights.kindOf(job)
    let kept = there.kept.get(kind)
    if (kept === undefined) there.kept.set(kind, (kept = this.#kept(job, there.suspended, there.running)))
    return kept
  }

  #kept(job: JobId, suspended: Tallies, running: Tallies): readonly number[] {
    const rights = this.#rights
    const owners = [...suspended.values()].filter((owner) => !rights.mayTake(job, owner.job))
    const takers = [...running.values()].filter((taker) => owners.some((owner) => rights.mayTake(taker.job, owner.job)))
    return owners[0]?.amounts.map((_, i) => amountOf(owners, i) - amountOf(takers, i)) ?? []
  }

  #on(node: NodeId, suspended: ReadonlyMap<JobId, readonly TaskId[]>, lane: LaneId): OnNode {
    if (this.#version !== this.#rights.version) this.begin()
    const nodes = this.#nodes[lane] as Map<NodeId, OnNode>
    let there = nodes.get(node)
    if (there === undefined) {
      const running = new Map<number, Tally>()
      for (const task of this.#running.on(node, lane)) this.#add([task], this.#work.jobOf(task), running, lane, 1)
      nodes.set(node, (there = { running, suspended: this.#tally(suspended, lane), of: suspended, kept: new Map() }))
    } else if (there.of !== suspended) {
      Object.assign(there, { suspended: this.#tally(suspended, lane), of: suspended })
      there.kept.clear()
    }
    return there
  }

  #change(job: JobId, lane: LaneId, task: TaskId, node: NodeId, sign: 1 | -1): void {
    if (this.#version !== this.#rights.version) return this.begin() // with this task kinds have changed: it would leave another tally than the one it is in
    const there = this.#nodes[lane]?.get(node)
    if (there === undefined) return
    this.#add([task], job, there.running, lane, sign)
    there.kept.clear()
  }

  #tally(jobs: Iterable<readonly [JobId, readonly TaskId[]]>, lane: LaneId): Tallies {
    const tallies = new Map<number, Tally>()
    for (const [job, tasks] of jobs) this.#add(tasks, job, tallies, lane, 1)
    return tallies
  }

  /** Adds the tasks of a job, or takes them away (`sign`). */
  #add(tasks: readonly TaskId[], job: JobId, to: Map<number, Tally>, lane: LaneId, sign: 1 | -1): void {
    const kind = this.#rights.kindOf(job)
    const resources = this.#jobs.frees[lane] as readonly ResourceId[]
    let tally = to.get(kind)
    if (tally === undefined) to.set(kind, (tally = { job, amounts: resources.map(() => 0) }))
    for (const task of tasks) for (let i = 0; i < resources.length; i++) (tally.amounts[i] as number) += sign * this.#work.demand(this.#work.shapeOf(task), resources[i] as ResourceId)
  }
}

function amountOf(tallies: readonly Tally[], i: number): number {
  let sum = 0
  for (const { amounts } of tallies) sum += amounts[i] as number
  return sum
}

/** A round in which nobody starts on what is kept for suspended jobs. */
export class KeepingRound extends WrappedRound {
  readonly #shadows: Shadows

  constructor(shadows: Shadows) {
    super()
    this.#shadows = shadows
  }

  /** The round as the policy inside sees it; `always`: also where nobody is suspended yet, as somebody may be while it goes on. */
  of(round: Round, always: boolean): Round {
    if (!always && !this.#shadows.areIn(round.lane)) return round
    this.inner = round
    return this
  }

  override fits(job: JobId, node: NodeId): boolean {
    return this.inner.fits(job, node) && (!this.#shadows.areIn(this.lane) || this.#shadows.leaves(job, node, this.inner) > 0)
  }

  override claim(task: TaskId, node: NodeId): boolean {
    return (!this.#shadows.areIn(this.lane) || this.#shadows.leaves(this.work.jobOf(task), node, this.inner, this.work.shapeOf(task)) > 0) && this.inner.claim(task, node)
  }
}
