import { askedTogether, ownValue, Reason, startedTogether, WrappedRound, type Env, type JobId, type JobSpec, type LaneId, type NodeId, type ResourceId, type Round, type TaskId, type WorkListener } from '@sched/core'

/** An amount of the whole cluster: of a resource that nodes have, too, or without one of a licence of jobs. */
interface Amount {
  readonly name: string
  readonly resource: ResourceId | undefined
  readonly most: number
  used: number
}

/**
 * Amounts of the whole cluster, whichever nodes jobs are on. A job holds licences while any of its tasks runs; one that is suspended gives up what is released
 * then.
 *
 * Source: OpenPBS, `check_avail_resources` of check.cpp for resources of the server. Deviation: plans do not reckon with them, but only with room on nodes.
 */
export class ClusterAmounts implements WorkListener {
  readonly #env: Env
  readonly #amounts: readonly Amount[]
  /** Running tasks, by job. */
  readonly #running = new Map<JobId, number>()

  /** `resourceOf`: the resource of nodes that has this name, or none for a licence. */
  constructor(available: Readonly<Record<string, number>>, env: Env, resourceOf: (name: string) => ResourceId | undefined) {
    this.#env = env
    this.#amounts = Object.entries(available).map(([name, most]) => ({ name, resource: resourceOf(name), most, used: 0 }))
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
  }

  onRelease(job: JobId, _lane: LaneId, task: TaskId): void {
    const running = (this.#running.get(job) as number) - 1
    if (running === 0) this.#running.delete(job)
    else this.#running.set(job, running)
    this.#count(job, task, running === 0, -1)
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
    return this.#amounts.every(({ resource, used, most, name }) => used + (resource === undefined ? this.#licenses(job, name) : work.demand(shape, resource)) <= most)
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

  #lacks(job: JobId, lane: LaneId, { resource, used, most, name }: Amount): boolean {
    return used + (resource === undefined ? this.#licenses(job, name) : this.#env.work.asked(job, lane, resource)) > most
  }

  /** The licences that the job still has to get. */
  #licenses(job: JobId, name: string): number {
    return this.#running.has(job) ? 0 : (ownValue(this.#env.work.licenses(job), name) ?? 0)
  }

  #count(job: JobId, task: TaskId, isWhole: boolean, sign: 1 | -1): void {
    const { work } = this.#env
    for (const amount of this.#amounts)
      amount.used += sign * (amount.resource !== undefined ? work.demand(work.shapeOf(task), amount.resource) : isWhole ? (ownValue(work.licenses(job), amount.name) ?? 0) : 0)
  }
}

/** A round in which jobs start only where enough of the whole cluster's amounts is left. */
export class SuppliedRound extends WrappedRound {
  readonly #amounts: ClusterAmounts

  constructor(amounts: ClusterAmounts) {
    super()
    this.#amounts = amounts
  }

  of(round: Round): Round {
    this.inner = round
    return this
  }

  override fits(job: JobId, node: NodeId): boolean {
    return this.inner.fits(job, node) && this.#amounts.suffice(job, this.lane)
  }

  override claim(task: TaskId, node: NodeId): boolean {
    return this.#amounts.sufficeFor(task) && this.inner.claim(task, node)
  }
}
