import {
  WrappedRound, type ClusterView, type Env, type JobId, type LaneId, type NodeId, type ResourceId, type Round, type TaskId,
  type WorkListener, type WorkView,
} from '@sched/core'
import { slurmResource } from '../slurm-limits/amounts.js'
import type { TasksByJob } from './tasks-by-job.js'

/** A suspended job: where those of its tasks were that have not gone on, and in which round it was suspended. */
interface Suspended {
  readonly places: Map<TaskId, NodeId>
  readonly round: number
}

/**
 * Jobs that are suspended. A policy is not told of them until they go on, so that nobody else starts them again; and what they do not hold of their
 * nodes is kept from those that may not take it from them: were all gone that may, they could go on.
 *
 * Source: Slurm, "shadows" of gang.c. Deviation: how much of what is free on a node is theirs is counted by amounts, not by single processors.
 */
export class SuspendedJobs implements WorkListener {
  readonly #env: Env
  readonly #told: WorkListener
  readonly #running: TasksByJob
  readonly #mayTake: (job: JobId, from: JobId) => boolean
  readonly #lanes: readonly Map<JobId, Suspended>[]
  /** By lane: what a suspended task gives up. Memory and devices are not. */
  readonly frees: readonly (readonly ResourceId[])[]

  /** `told` hears of waiting jobs that are not suspended. */
  constructor(env: Env, told: WorkListener, running: TasksByJob, mayTake: (job: JobId, from: JobId) => boolean) {
    this.#env = env
    this.#told = told
    this.#running = running
    this.#mayTake = mayTake
    this.#lanes = env.cluster.lanes.map(() => new Map())
    this.frees = env.cluster.lanes.map((_, lane) => processorsOf(env.cluster, lane as LaneId))
  }

  in(lane: LaneId): ReadonlyMap<JobId, Suspended> {
    return this.#lanes[lane] as Map<JobId, Suspended>
  }

  has(job: JobId, lane: LaneId): boolean {
    return this.in(lane).has(job)
  }

  /** A job is suspended in this round, with all that ran of it; others of its tasks may be already. */
  suspended(job: JobId, places: ReadonlyMap<TaskId, NodeId>, { lane, serial, work }: Round): void {
    const before = this.in(lane).get(job)
    this.#lanes[lane]?.set(job, { places: new Map([...(before?.places ?? []), ...places]), round: serial })
    if (before === undefined && work.unplaced(job, lane) > 0) this.#told.onDrained?.(job, lane)
  }

  /** A task goes on, or has to start anew; with the last one its job is suspended no more. */
  over(job: JobId, lane: LaneId, task: TaskId): void {
    const jobs = this.#lanes[lane] as Map<JobId, Suspended>
    const { places } = jobs.get(job) as Suspended
    places.delete(task)
    if (places.size > 0) return
    jobs.delete(job)
    if (this.#env.work.unplaced(job, lane) > 0) this.#told.onReady?.(job, lane)
  }

  /** Between rounds: forgets jobs that were given up, of which no task waits any more, though others may still run. */
  forgetGivenUp(lane: LaneId): void {
    const jobs = this.#lanes[lane] as Map<JobId, Suspended>
    for (const job of jobs.keys()) if (this.#env.work.unplaced(job, lane) === 0) jobs.delete(job)
  }

  onReady(job: JobId, lane: LaneId): void {
    if (!this.has(job, lane)) this.#told.onReady?.(job, lane)
  }

  onMore(job: JobId, lane: LaneId): void {
    if (!this.has(job, lane)) this.#told.onMore?.(job, lane)
  }

  onDrained(job: JobId, lane: LaneId): void {
    if (!this.has(job, lane)) this.#told.onDrained?.(job, lane)
  }

  onFinish(job: JobId): void {
    for (const jobs of this.#lanes) jobs.delete(job)
  }

  onNode(node: NodeId, up: boolean): void {
    if (up) return
    const { work } = this.#env
    for (const [lane, jobs] of this.#lanes.entries())
      for (const [job, { places }] of [...jobs]) {
        const lost = [...together([...places.keys()], work)].filter((tasks) => tasks.some((task) => places.get(task) === node))
        for (const task of lost.flat()) this.over(job, lane as LaneId, task)
      }
  }

  /** How many tasks of the job the node may take without keeping suspended ones from going on that the job may not take from; `Infinity`: there are none. */
  leaves(job: JobId, node: NodeId, { lane, work, cluster }: Round): number {
    const owners = [...this.in(lane)].filter(([owner, { places }]) => owner !== job && [...places.values()].includes(node) && !this.#mayTake(job, owner))
    if (owners.length === 0) return Infinity
    const shape = work.shape(job, lane)
    let most = Infinity
    for (const resource of this.frees[lane] as readonly ResourceId[]) {
      const asked = work.demand(shape, resource)
      if (asked === 0) continue
      const amountOf = (tasks: Iterable<TaskId>) => [...tasks].reduce((sum, task) => sum + work.demand(work.shapeOf(task), resource), 0)
      const owed = owners.reduce((sum, [, { places }]) => sum + amountOf([...places].flatMap(([task, at]) => (at === node ? [task] : []))), 0)
      let taken = 0
      for (const [taker, tasks] of this.#running.in(lane))
        if (owners.some(([owner]) => this.#mayTake(taker, owner))) taken += amountOf(tasks.filter((task) => work.nodeOf(task) === node))
      most = Math.min(most, Math.floor((cluster.free(node, resource) + taken - owed) / asked))
    }
    return Math.max(0, most)
  }
}

/** Tasks that start, and are lost, at once: those of one gang, and every other one alone. */
export function together(tasks: readonly TaskId[], work: WorkView): Iterable<readonly TaskId[]> {
  const found = new Map<number, TaskId[]>()
  for (const task of tasks) {
    const key = work.inGang(task) ? -1 - work.stageOf(task) : task
    found.set(key, [...(found.get(key) ?? []), task])
  }
  return found.values()
}

/** Processors and whole nodes, under any of their names; of a lane without them the first resource. */
function processorsOf({ lanes, resources }: ClusterView, lane: LaneId): readonly ResourceId[] {
  const own = lanes[lane]?.resources ?? []
  const found = own.filter((resource) => ['cpu', 'node'].some((tres) => slurmResource(tres, [resources[resource] as string]) === 0))
  return found.length > 0 ? found : own.slice(0, 1)
}

/** A round in which nobody starts on what is kept for suspended jobs. */
export class KeepingRound extends WrappedRound {
  readonly #jobs: SuspendedJobs

  constructor(jobs: SuspendedJobs) {
    super()
    this.#jobs = jobs
  }

  /** The round as the policy inside sees it. */
  of(round: Round): Round {
    if (this.#jobs.in(round.lane).size === 0) return round
    this.inner = round
    return this
  }

  override fits(job: JobId, node: NodeId): boolean {
    return this.inner.fits(job, node) && this.#jobs.leaves(job, node, this.inner) > 0
  }

  override claim(task: TaskId, node: NodeId): boolean {
    return this.#jobs.leaves(this.work.jobOf(task), node, this.inner) > 0 && this.inner.claim(task, node)
  }
}
