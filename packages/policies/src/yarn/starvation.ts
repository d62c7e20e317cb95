import type { JobId, LaneId, ResourceId, Seconds } from '@sched/core'
import type { QueueSharing } from './queue-sharing.js'
import type { Queue } from './queue-tree.js'

/** Amounts of a lane's resources, by position in the lane. */
export type LaneAmounts = readonly number[]

/** A job that may take tasks of others now: how much it lacks. */
export interface StarvedJob {
  readonly job: JobId
  readonly queue: Queue
  readonly lacks: LaneAmounts
}

/**
 * Whether usage is below a share as the policy of a queue compares amounts: by memory under `fair` and `fifo`, by the
 * larger part of the cluster under `drf`.
 */
export function isBelow(policy: Queue['policy'], usage: LaneAmounts, share: LaneAmounts, capacity: LaneAmounts, memory: number): boolean {
  if (policy !== 'drf') return (usage[memory] as number) < (share[memory] as number)
  return dominant(usage, capacity) < dominant(share, capacity)
}

/** The largest part of the cluster among the resources. */
export function dominant(amounts: LaneAmounts, capacity: LaneAmounts): number {
  return amounts.reduce((most, amount, i) => Math.max(most, (capacity[i] as number) === 0 ? 0 : amount / (capacity[i] as number)), 0)
}

/**
 * Which jobs have been starved past a timeout: a queue below its minimum share, or a job below the threshold of its own
 * fair share, in both cases within their demand.
 *
 * Source: Hadoop 3, FSLeafQueue.updateStarvedApps and FSAppAttempt.fairShareStarvation.
 */
export class Starvation {
  readonly #sharing: QueueSharing
  readonly #lane: LaneId
  readonly #resources: readonly ResourceId[]
  readonly #memory: number
  /** Last time that a queue was not below its minimum share, and a job not below its fair share. */
  readonly #atMin: (Seconds | undefined)[] = []
  readonly #atFair = new Map<JobId, Seconds>()
  /** Fair shares of jobs as of the last look. */
  readonly shareOf = new Map<JobId, LaneAmounts>()

  constructor(sharing: QueueSharing, lane: LaneId, resources: readonly ResourceId[]) {
    this.#sharing = sharing
    this.#lane = lane
    this.#resources = resources
    this.#memory = resources.indexOf(sharing.memory(lane))
  }

  get memory(): number {
    return this.#memory
  }

  /** Nothing waits: all clocks start anew when something does. */
  rest(): void {
    this.#atMin.length = 0
    this.#atFair.clear()
  }

  forget(job: JobId): void {
    this.#atFair.delete(job)
    this.shareOf.delete(job)
  }

  look(now: Seconds, capacity: LaneAmounts): StarvedJob[] {
    const sharing = this.#sharing
    const shares = this.#resources.map((r) => sharing.sharesOf(r))
    const starved: StarvedJob[] = []
    this.shareOf.clear()
    for (const queue of sharing.queues) if (!queue.isParent) this.#lookAt(queue, shares.map((share) => share[queue.id] as number), now, capacity, starved)
    return starved
  }

  #lookAt(queue: Queue, share: LaneAmounts, now: Seconds, capacity: LaneAmounts, starved: StarvedJob[]): void {
    const jobs: JobId[] = []
    this.#sharing.admitted(queue.id, jobs)
    const jobShares = this.#resources.map((r, i) => this.#sharing.jobShares(queue.id, jobs, r, this.#lane, share[i] as number))
    const lacking = jobs.map((job, at) => {
      const own = jobShares.map((each) => each[at] as number)
      this.shareOf.set(job, own)
      return this.#lacksFair(queue, job, own, now, capacity)
    })
    const lacksMin = this.#lacksMin(queue, now, capacity).map((amount, i) => Math.max(0, amount - lacking.reduce((sum, each) => sum + (each[i] as number), 0)))
    for (const [at, job] of jobs.entries()) {
      const lacks = (lacking[at] as number[]).map((fair, i) => {
        const pending = this.#pending(job, i) - fair
        const more = Math.max(0, Math.min(lacksMin[i] as number, pending))
        lacksMin[i] = (lacksMin[i] as number) - more
        return fair + more
      })
      if (lacks.some((amount) => amount > 0)) starved.push({ job, queue, lacks })
    }
  }

  #pending(job: JobId, i: number): number {
    const r = this.#resources[i] as ResourceId
    return this.#sharing.demandOfJob(job, r) - this.#sharing.usageOfJob(job, r)
  }

  #lacksFair({ policy, fairThreshold, fairTimeout }: Queue, job: JobId, share: LaneAmounts, now: Seconds, capacity: LaneAmounts): number[] {
    const usage = this.#resources.map((r) => this.#sharing.usageOfJob(job, r))
    const wanted = this.#resources.map((r, i) => Math.min(Math.floor((share[i] as number) * fairThreshold), this.#sharing.demandOfJob(job, r)))
    const isStarved = isBelow(policy, usage, wanted, capacity, this.#memory)
    if (!isStarved || !this.#atFair.has(job)) this.#atFair.set(job, now)
    if (!isStarved || now - (this.#atFair.get(job) as Seconds) < fairTimeout) return wanted.map(() => 0)
    return wanted.map((amount, i) => Math.max(0, amount - (usage[i] as number)))
  }

  #lacksMin({ id, policy, minResources, minTimeout }: Queue, now: Seconds, capacity: LaneAmounts): number[] {
    const usage = this.#resources.map((r) => this.#sharing.usage(id, r))
    const wanted = this.#resources.map((r) => Math.min(minResources[r] as number, this.#sharing.demandOf(id, r)))
    const isStarved = isBelow(policy, usage, wanted, capacity, this.#memory)
    if (!isStarved || this.#atMin[id] === undefined) this.#atMin[id] = now
    if (!isStarved || now - (this.#atMin[id]) < minTimeout) return wanted.map(() => 0)
    return wanted.map((amount, i) => Math.max(0, amount - (usage[i] as number)))
  }
}
