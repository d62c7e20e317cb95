import { askedTogether, ownValue, Reason, startedTogether, WrappedRound, type Env, type JobId, type JobSpec, type LaneId, type NodeId, type Release, type ResourceId, type Round, type TaskId, type WorkListener } from '@sched/core'

/** An amount of the whole cluster: of a resource that nodes have, too, or without one of a licence of jobs. */
interface Amount {
  readonly name: string
  readonly resource: ResourceId | undefined
  readonly most: number
  /** Whether suspended jobs keep it. */
  readonly isKept: boolean
  used: number
}

/**
 * Amounts of the whole cluster, whichever nodes jobs are on. A job holds licences while any of its tasks runs; suspended tasks hold what is kept then, and
 * licences that are kept as long as any task of the job runs or is suspended.
 *
 * Source: OpenPBS, `check_avail_resources` of check.cpp for resources of the server, `create_resreq_rel_list` of job_info.cpp. Deviation: plans do not reckon with them, but only with room on nodes.
 */
export class ClusterAmounts implements WorkListener, Supply {
  readonly #env: Env
  readonly #amounts: readonly Amount[]
  /** Running tasks, by job. */
  readonly #running = new Map<JobId, number>()
  readonly #keepsAny: boolean
  /** Suspended tasks, by job, where these keep anything. */
  readonly #suspended = new Map<JobId, Set<TaskId>>()
  /** Tasks that were suspended and have been claimed in this round, which may be taken back. */
  readonly #resumed = new Set<TaskId>()
  #isSuspending = false

  /** `resourceOf`: the resource of nodes that has this name, or none for a licence. `isKept`: whether suspended jobs keep what has this name; default: none. */
  constructor(available: Readonly<Record<string, number>>, env: Env, resourceOf: (name: string) => ResourceId | undefined, isKept = (_name: string): boolean => false) {
    this.#env = env
    this.#amounts = Object.entries(available).map(([name, most]) => ({ name, resource: resourceOf(name), most, isKept: isKept(name), used: 0 }))
    this.#keepsAny = this.#amounts.some((amount) => amount.isKept)
  }

  /** To be called first in every round, with all tasks that are suspended: others may have to start anew since, or were given up. */
  begin(suspended: () => Iterable<TaskId>): void {
    if (!this.#keepsAny) return
    this.#resumed.clear()
    for (const [job, tasks] of this.#suspended) for (const task of tasks) this.#keep(job, task, -1)
    for (const task of suspended()) this.#keep(this.#env.work.jobOf(task), task, 1)
  }

  /** Tasks that are evicted meanwhile are suspended, and so hold on to what is kept. */
  whileSuspending(evict: () => void): void {
    this.#isSuspending = this.#keepsAny
    evict()
    this.#isSuspending = false
  }

  /** Why the job could never start: what it needs at once is more than there is. */
  admits(job: JobSpec): string | undefined {
    const { resources } = this.#env.cluster
    for (const { name, resource, most } of this.#amounts) {
      const asked = resource === undefined ? (ownValue(job.licenses, name) ?? 0) : Math.max(...startedTogether(job).map((stages) => askedTogether(stages, resources[resource] as string)))
      if (asked > most) return `it asks for ${asked} of ${name}, and the cluster has ${most}`
    }
    return undefined
  }

  onClaim(job: JobId, _lane: LaneId, task: TaskId): void {
    const running = (this.#running.get(job) ?? 0) + 1
    this.#running.set(job, running)
    this.#count(job, task, running === 1, 1)
    if (this.#isSuspended(job, task)) {
      this.#keep(job, task, -1)
      this.#resumed.add(task)
    }
  }

  onRelease(job: JobId, _lane: LaneId, task: TaskId, _node: NodeId, why: Release): void {
    if (why === 'withdrawn' ? this.#resumed.delete(task) : this.#isSuspending) this.#keep(job, task, 1)
    const running = (this.#running.get(job) as number) - 1
    if (running === 0) this.#running.delete(job)
    else this.#running.set(job, running)
    this.#count(job, task, running === 0, -1)
  }

  onFinish(job: JobId): void {
    for (const task of this.#suspended.get(job) ?? []) this.#keep(job, task, -1)
  }

  /** Whether enough is left for all that the job would start together, apart from room on nodes. */
  suffice(job: JobId, lane: LaneId): boolean {
    return this.#amounts.every((amount) => !this.#lacks(job, lane, amount))
  }

  /** Where somebody asks why jobs wait: says of those of them that lack any which it is, after the word for the limit. */
  explain(jobs: Iterable<JobId>, word: string, round: Round): void {
    if (!round.explained) return
    for (const job of jobs) {
      const lacking = this.#amounts.find((amount) => this.#lacks(job, round.lane, amount))
      if (lacking !== undefined) round.defer(job, Reason.Limit, `${word} of ${lacking.name}`)
    }
  }

  /** Whether enough is left for one task of the job. */
  sufficeFor(task: TaskId): boolean {
    const { work } = this.#env
    const [job, shape] = [work.jobOf(task), work.shapeOf(task)]
    return this.#amounts.every(({ resource, used, most, name, isKept }) => {
      const asked = resource === undefined ? this.#licenses(job, name, isKept) : isKept && this.#isSuspended(job, task) ? 0 : work.demand(shape, resource)
      return used + asked <= most
    })
  }

  /** Whether a job that runs holds any of what another one lacks. */
  givesWay(victim: JobId, lane: LaneId, job: JobId, tasks: readonly TaskId[]): boolean {
    const { work } = this.#env
    return this.#amounts.some((amount) => {
      const { resource, name } = amount
      if (!this.#lacks(job, lane, amount)) return false
      return resource === undefined ? (ownValue(work.licenses(victim), name) ?? 0) > 0 : tasks.some((task) => work.demand(work.shapeOf(task), resource) > 0)
    })
  }

  #lacks(job: JobId, lane: LaneId, { resource, used, most, name, isKept }: Amount): boolean {
    if (resource === undefined) return used + this.#licenses(job, name, isKept) > most
    const { work } = this.#env
    let asked = work.asked(job, lane, resource)
    if (isKept) for (const task of this.#suspended.get(job) ?? []) asked -= work.demand(work.shapeOf(task), resource)
    return used + Math.max(0, asked) > most
  }

  #isSuspended(job: JobId, task: TaskId): boolean {
    return this.#suspended.get(job)?.has(task) === true
  }

  /** The licences that the job still has to get. */
  #licenses(job: JobId, name: string, isKept: boolean): number {
    return this.#running.has(job) || (isKept && this.#suspended.has(job)) ? 0 : (ownValue(this.#env.work.licenses(job), name) ?? 0)
  }

  /** Counts a task that comes to run, or does so no more. Licences that are kept are counted for suspended tasks as well, so they do not change with these. */
  #count(job: JobId, task: TaskId, isWhole: boolean, sign: 1 | -1): void {
    for (const amount of this.#amounts) this.#add(amount, job, task, isWhole && !(amount.isKept && this.#suspended.has(job)), sign)
  }

  /** Counts a task that comes to be suspended, or is so no more. */
  #keep(job: JobId, task: TaskId, sign: 1 | -1): void {
    const tasks = this.#suspended.get(job) ?? new Set()
    if (sign === 1) this.#suspended.set(job, tasks.add(task))
    else tasks.delete(task)
    const isWhole = tasks.size === (sign === 1 ? 1 : 0)
    if (tasks.size === 0) this.#suspended.delete(job)
    for (const amount of this.#amounts) if (amount.isKept) this.#add(amount, job, task, isWhole && !this.#running.has(job), sign)
  }

  #add(amount: Amount, job: JobId, task: TaskId, isWhole: boolean, sign: 1 | -1): void {
    const { work } = this.#env
    amount.used += sign * (amount.resource !== undefined ? work.demand(work.shapeOf(task), amount.resource) : isWhole ? (ownValue(work.licenses(job), amount.name) ?? 0) : 0)
  }
}

/** What jobs wait for beside room on nodes. */
export interface Supply {
  /** Whether all that the job would start together may start. */
  suffice(job: JobId, lane: LaneId): boolean
  /** Whether one task may start. */
  sufficeFor(task: TaskId): boolean
}

/** A round in which jobs start only where there is enough of all of this. */
export class SuppliedRound extends WrappedRound {
  readonly #supplies: readonly Supply[]

  constructor(...supplies: readonly Supply[]) {
    super()
    this.#supplies = supplies
  }

  of(round: Round): Round {
    this.inner = round
    return this
  }

  override fits(job: JobId, node: NodeId): boolean {
    return this.inner.fits(job, node) && this.#supplies.every((supply) => supply.suffice(job, this.lane))
  }

  override claim(task: TaskId, node: NodeId): boolean {
    return this.#supplies.every((supply) => supply.sufficeFor(task)) && this.inner.claim(task, node)
  }
}
