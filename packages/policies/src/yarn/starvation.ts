import { grown, rememberedJobs, type JobId, type LaneId, type ResourceId, type Seconds, type WorkView } from '@sched/core'
import { dominantShare } from '../capacity/comparing.js'
import { JobShares, type LaneAmounts } from './job-shares.js'
import type { QueueSharing } from './queue-sharing.js'
import type { Queue } from './queue-tree.js'

/** A job that may take tasks from others now, and the amounts that it lacks. */
export interface StarvedJob {
  readonly job: JobId
  readonly queue: Queue
  readonly lacks: LaneAmounts
}

/** Clocks by path of the queue and by name of the job. */
export interface StarvationClocks {
  readonly queues: readonly (readonly [queue: string, atMin: Seconds])[]
  readonly jobs: readonly (readonly [job: string, atFair: Seconds])[]
}

/**
 * Whether usage is below a share, in the comparison of the queue's policy: by memory under `fair` and `fifo`, by the
 * largest part of the cluster under `drf`.
 */
export function isBelow(policy: Queue['policy'], usage: LaneAmounts, share: LaneAmounts, capacity: LaneAmounts, memory: number): boolean {
  if (policy !== 'drf') return (usage[memory] as number) < (share[memory] as number)
  return dominant(usage, capacity) < dominant(share, capacity)
}

/** The largest part of the cluster that the amounts are, over all resources. */
export const dominant = (amounts: LaneAmounts, capacity: LaneAmounts): number => dominantShare(amounts, 0, capacity, 0, amounts.length)

/**
 * Finds the jobs that have been starved past a timeout. A queue is starved below its minimum share of memory (under drf: of any resource), a
 * job below the threshold of its own fair share, in both cases within their demand.
 *
 * Source: Hadoop 3, FSLeafQueue.updateStarvedApps and FSAppAttempt.fairShareStarvation.
 * Deviations: clocks start at the first look at a queue or job and not when it is made; minimum shares of resources that the
 * policy does not compare starve nobody; for a queue below its minimum, jobs claim what is missing up to the minimum, where Hadoop claims
 * what a job wants beyond that, if that is more.
 */
export class Starvation {
  readonly #sharing: QueueSharing
  readonly #resources: readonly ResourceId[]
  readonly #memory: number
  /** By queue, the last time that it was not below its minimum share; by job, the last time that it was not below its fair share; NaN: not looked at yet. */
  readonly #atMin: number[] = []
  #atFair = new Float64Array(64).fill(NaN)
  /** Fair shares of jobs as of the last look. */
  readonly #shares: JobShares

  constructor(sharing: QueueSharing, lane: LaneId, resources: readonly ResourceId[]) {
    this.#sharing = sharing
    this.#shares = new JobShares(sharing, lane, resources)
    this.#resources = resources
    this.#memory = resources.indexOf(sharing.memory(lane))
  }

  get memory(): number {
    return this.#memory
  }

  clocks(work: WorkView): StarvationClocks {
    const { queues } = this.#sharing
    return {
      queues: queues.flatMap(({ id, path }) => (this.#atMin[id] === undefined ? [] : [[path, this.#atMin[id]] as const])),
      jobs: work.jobs().flatMap((job) => (Number.isNaN(this.#atFair[job] ?? NaN) ? [] : [[work.name(job), this.#atFair[job] as Seconds] as const])),
    }
  }

  setClocks({ queues, jobs }: StarvationClocks, work: WorkView): void {
    const ids = new Map(this.#sharing.queues.map(({ id, path }) => [path, id]))
    for (const [path, atMin] of queues) if (ids.has(path)) this.#atMin[ids.get(path) as number] = atMin
    for (const [job, atFair] of rememberedJobs(jobs, work)) {
      if (job >= this.#atFair.length) this.#growClocks(job)
      this.#atFair[job] = atFair
    }
  }

  /** Forgets all clocks, since nothing waits; they start anew when something does. */
  rest(): void {
    this.#atMin.length = 0
    this.#atFair.fill(NaN)
  }

  forget(job: JobId): void {
    if (job < this.#atFair.length) this.#atFair[job] = NaN
    this.#shares.forget(job)
  }

  /** Fair share of a job as of the last look; undefined for one that may not run yet. */
  shareOf = (job: JobId): LaneAmounts | undefined => this.#shares.of(job)

  look(now: Seconds, capacity: LaneAmounts): StarvedJob[] {
    const { queues } = this.#sharing
    this.#shares.refresh()
    const starved: StarvedJob[] = []
    for (let id = 0; id < queues.length; id++) {
      const queue = queues[id] as Queue
      if (!queue.isParent && (queue.minTimeout < Infinity || queue.fairTimeout < Infinity)) this.#lookAt(queue, now, capacity, starved)
    }
    return starved
  }

  #lookAt(queue: Queue, now: Seconds, capacity: LaneAmounts, starved: StarvedJob[]): void {
    const isMinDue = queue.minTimeout < Infinity && this.#isMinDue(queue, now)
    if (queue.fairTimeout === Infinity && !isMinDue) return
    this.#shares.open(queue.id)
    const isFairDue = queue.fairTimeout < Infinity && this.#isFairDue(queue, now, capacity)
    if (isMinDue || isFairDue) this.#claim(queue, isMinDue, now, capacity, starved)
  }

  /** Updates the clock of the queue; returns whether it has been below its minimum share past the timeout. */
  #isMinDue(queue: Queue, now: Seconds): boolean {
    const { id, policy, minTimeout } = queue
    const isBelow = (r: ResourceId) => this.#sharing.usage(id, r) < this.#wantedMin(queue, r)
    const isStarved = policy === 'drf' ? this.#resources.some(isBelow) : isBelow(this.#resources[this.#memory] as ResourceId)
    if (!isStarved || this.#atMin[id] === undefined) this.#atMin[id] = now
    return isStarved && now - (this.#atMin[id]) >= minTimeout
  }

  /** Updates the clocks of the jobs of the opened leaf; returns whether one has been below the threshold of its share past the timeout. */
  #isFairDue({ policy, fairThreshold, fairTimeout }: Queue, now: Seconds, capacity: LaneAmounts): boolean {
    const { jobs } = this.#shares
    const n = this.#resources.length
    let isDue = false
    for (let at = 0; at < jobs.length; at++) {
      const job = jobs[at] as JobId
      const isStarved = policy === 'drf'
        ? this.#isBelowDominant(job, at * n, fairThreshold, capacity)
        : this.#sharing.usageOfJob(job, this.#resources[this.#memory] as ResourceId) < this.#wantedFair(job, at * n, this.#memory, fairThreshold)
      if (job >= this.#atFair.length) this.#growClocks(job)
      const since = this.#atFair[job] as number
      if (!isStarved || Number.isNaN(since)) this.#atFair[job] = now
      isDue ||= this.#isJobDue(job, isStarved, now, fairTimeout)
    }
    return isDue
  }

  #isJobDue(job: JobId, isStarved: boolean, now: Seconds, timeout: Seconds): boolean {
    return isStarved && now - (this.#atFair[job] as number) >= timeout
  }

  #isBelowDominant(job: JobId, row: number, threshold: number, capacity: LaneAmounts): boolean {
    let used = 0
    let wanted = 0
    for (let i = 0; i < this.#resources.length; i++) {
      const all = capacity[i] as number
      if (all === 0) continue
      used = Math.max(used, this.#sharing.usageOfJob(job, this.#resources[i] as ResourceId) / all)
      wanted = Math.max(wanted, this.#wantedFair(job, row, i, threshold) / all)
    }
    return used < wanted
  }

  #wantedFair(job: JobId, row: number, i: number, threshold: number): number {
    return Math.min(Math.floor((this.#shares.rows[row + i] as number) * threshold), this.#sharing.demandOfJob(job, this.#resources[i] as ResourceId))
  }

  #wantedMin({ id, minResources }: Queue, r: ResourceId): number {
    return Math.min(minResources[r] as number, this.#sharing.demandOf(id, r))
  }

  /** Adds the jobs of the opened leaf that lack something: each what it lacks of its own share, then, in order, what the queue lacks beyond that. */
  #claim(queue: Queue, isMinDue: boolean, now: Seconds, capacity: LaneAmounts, starved: StarvedJob[]): void {
    const lacking = this.#shares.jobs.map((job, at) => this.#lacksFair(queue, job, at, now, capacity))
    const lacksMin = this.#resources.map((r, i) => {
      const amount = isMinDue ? Math.max(0, this.#wantedMin(queue, r) - this.#sharing.usage(queue.id, r)) : 0
      return Math.max(0, amount - lacking.reduce((sum, each) => sum + (each[i] as number), 0))
    })
    for (const [at, job] of this.#shares.jobs.entries()) {
      const lacks = (lacking[at] as number[]).map((fair, i) => {
        const more = Math.max(0, Math.min(lacksMin[i] as number, this.#pending(job, i) - fair))
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

  #lacksFair({ policy, fairThreshold, fairTimeout }: Queue, job: JobId, at: number, now: Seconds, capacity: LaneAmounts): number[] {
    const wanted = this.#resources.map((_, i) => this.#wantedFair(job, at * this.#resources.length, i, fairThreshold))
    const usage = this.#resources.map((r) => this.#sharing.usageOfJob(job, r))
    const isDue = fairTimeout < Infinity && this.#isJobDue(job, isBelow(policy, usage, wanted, capacity, this.#memory), now, fairTimeout)
    return wanted.map((amount, i) => (isDue ? Math.max(0, amount - (usage[i] as number)) : 0))
  }

  #growClocks(job: JobId): void {
    this.#atFair = grown(this.#atFair, job + 1, NaN)
  }
}
