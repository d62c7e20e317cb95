import { rememberedJobs, runningTasks, type Env, type JobId, type LaneId, type Round, type Seconds, type TaskId, type WorkView } from '@sched/core'
import { minimumOf } from './minimum.js'

/** By name of a job: since when it is stale. */
export type StaleMemory = Readonly<Record<string, Seconds>>

/**
 * Evicts gangs that have run with fewer tasks than they must have for longer than a grace period: tasks of them were lost, and found no room again. Only
 * gangs whose single tasks start anew (`replacesLost`) ever run so. A gang of which a task has ended is never stale, nor one of which nothing runs, whatever
 * other stages of its job do.
 *
 * Source: KAI Scheduler, action stalegangeviction, `IsStale`.
 */
export class StaleGangs {
  readonly #grace: Seconds
  readonly #gangs: ReadonlySet<JobId>
  readonly #work: WorkView
  /** Gangs that have lost tasks: since when they have had too few of them; NaN: not looked at yet. */
  readonly #since = new Map<JobId, Seconds>()

  /** `grace`: seconds; below 0: nothing is evicted. `gangs`: the jobs of which tasks started together. */
  constructor(grace: Seconds, gangs: ReadonlySet<JobId>, { work }: Pick<Env, 'work'>) {
    this.#grace = grace
    this.#gangs = gangs
    this.#work = work
  }

  memory(): StaleMemory {
    return Object.fromEntries(Array.from(this.#since, ([job, since]) => [this.#work.name(job), since] as const).filter(([, since]) => !Number.isNaN(since)))
  }

  recall(memory: StaleMemory): void {
    for (const [job, since] of rememberedJobs(Object.entries(memory), this.#work)) this.#since.set(job, since)
  }

  /** To be called when a task of the job was taken away or lost. */
  lost(job: JobId): void {
    if (this.#grace >= 0 && this.#gangs.has(job) && !this.#since.has(job)) this.#since.set(job, NaN)
  }

  forget(job: JobId): void {
    this.#since.delete(job)
  }

  /** Evicts the gangs whose grace is over, and asks for a look when that of others is. */
  evict(round: Round): void {
    for (const [job, before] of this.#since) {
      const running = runningTasks(job, round.lane, this.#work)
      if (!this.#isStale(job, round.lane, running)) {
        this.#since.delete(job)
        continue
      }
      const since = Number.isNaN(before) ? round.now : before
      this.#since.set(job, since)
      if (since + this.#grace <= round.now) for (const task of running) round.evict(task)
      else if (round.cluster.heartbeat === 0) round.wakeAt(since + this.#grace)
    }
  }

  #isStale(job: JobId, lane: LaneId, running: readonly TaskId[]): boolean {
    const work = this.#work
    if (!running.some((task) => work.inGang(task)) || work.tasks(job) > work.unplaced(job, lane) + running.length) return false
    return minimumOf(running, true, work).length < work.least(job, lane)
  }
}
