import { ownValue, type Env, type JobId, type JobSpec, type LaneId, type Seconds, type TaskId, type WorkListener } from '@sched/core'
import { addTo, isWithin } from '../shares/vectors.js'
import { Profile } from './profile.js'
import type { RigidLane } from './rigid-lane.js'

/** The running tasks of a job, with their lanes. */
type Tasks = Map<TaskId, RigidLane>

/**
 * Licences of the whole cluster in a plan. A job holds its licences as long as any of its tasks runs; the plan expects them back when the
 * last of these tasks should end. Reservations take licences, too.
 *
 * Source: Slurm, `bf_licenses` of sched/backfill. Deviation: running jobs give licences back at their expected end, not at a multiple of bf_resolution.
 */
export class Licenses implements WorkListener {
  readonly #env: Env
  readonly #lanes: readonly RigidLane[]
  readonly #names: readonly string[]
  readonly #total: Float64Array
  readonly #free: Float64Array
  readonly #profile: Profile
  /** What each job asks for, of jobs that ask for any; and the running tasks of each job that holds licences. */
  readonly #asked = new Map<JobId, Float64Array>()
  readonly #holders = new Map<JobId, Tasks>()
  /** Until when each job holds its licences, in the plan. */
  readonly #until = new Map<JobId, Seconds>()

  constructor(licenses: Readonly<Record<string, number>>, env: Env, lanes: readonly RigidLane[]) {
    this.#env = env
    this.#lanes = lanes
    this.#names = Object.keys(licenses)
    this.#total = Float64Array.from(Object.values(licenses))
    this.#free = this.#total.slice()
    this.#profile = new Profile(this.#names.length)
  }

  admits({ licenses = {} }: JobSpec): string | undefined {
    for (const [i, name] of this.#names.entries()) {
      const [asked, most] = [ownValue(licenses, name) ?? 0, this.#total[i] as number]
      if (asked > most) return `it asks for ${asked} of licence ${name}, and there ${most === 1 ? 'is' : 'are'} ${most} (InvalidLicenses)`
    }
    return undefined
  }

  onSubmit(job: JobId): void {
    const licenses = this.#env.work.licenses(job)
    for (const name of Object.keys(licenses))
      if (!this.#names.includes(name)) this.#env.warn(`licence "${name}" is not among the licences of bf_licenses: jobs hold as many as they ask for`)
    if (this.#names.some((name) => (ownValue(licenses, name) ?? 0) > 0)) this.#asked.set(job, Float64Array.from(this.#names, (name) => ownValue(licenses, name) ?? 0))
  }

  onClaim(job: JobId, lane: LaneId, task: TaskId): void {
    const asked = this.#asked.get(job)
    if (asked === undefined) return
    const tasks: Tasks = this.#holders.get(job) ?? new Map<TaskId, RigidLane>()
    if (tasks.size === 0) addTo(this.#free, asked, -1)
    this.#holders.set(job, tasks.set(task, this.#lanes[lane] as RigidLane))
  }

  onRelease(job: JobId, _lane: LaneId, task: TaskId): void {
    const tasks = this.#holders.get(job)
    if (tasks?.delete(task) !== true || tasks.size > 0) return
    this.#holders.delete(job)
    addTo(this.#free, this.#asked.get(job) as Float64Array)
  }

  onFinish(job: JobId): void {
    this.#asked.delete(job)
  }

  /** Whether the job has its licences, or finds them free now. */
  has(job: JobId): boolean {
    const asked = this.#needs(job)
    return asked === undefined || isWithin(asked, this.#free)
  }

  /** A plan begins: nothing is reserved yet. */
  begin(now: Seconds): void {
    this.#profile.reset(now, this.#total)
    this.#until.clear()
    for (const [job, tasks] of this.#holders) {
      let end = now
      for (const [task, lane] of tasks) end = Math.max(end, this.#endOf(job, task, lane, now))
      this.start(job, now, end)
    }
  }

  /** The earliest time from `from` on from which the job's licences are free for `length` seconds. */
  earliest(job: JobId, from: Seconds, length: Seconds): Seconds {
    const asked = this.#needs(job)
    return asked === undefined ? from : this.#profile.earliest(length, asked, 0, from)
  }

  /** Takes the job's licences in the plan until `end`, since a piece of it starts or runs; licences that it holds already are extended. */
  start(job: JobId, now: Seconds, end: Seconds): void {
    const asked = this.#asked.get(job)
    const from = this.#until.get(job) ?? now
    if (asked === undefined || end <= from) return
    this.#profile.take(from, end, asked, 0)
    this.#until.set(job, end)
  }

  reserve(job: JobId, start: Seconds, end: Seconds): void {
    const asked = this.#needs(job)
    if (asked !== undefined) this.#profile.take(start, end, asked, 0)
  }

  /** The licences that the job still needs; `undefined` for a job that asks for none or holds them already. */
  #needs(job: JobId): Float64Array | undefined {
    return this.#holders.has(job) ? undefined : this.#asked.get(job)
  }

  /**
   * The expected end of a task, never in the past. A task on a drained node is in no plan, but keeps its licences; its end is its start plus its
   * estimate.
   */
  #endOf(job: JobId, task: TaskId, { running, length }: RigidLane, now: Seconds): Seconds {
    const started = this.#env.work.started(task)
    const end = running.has(task) ? running.endOf(running.pieceOf(task)) : (Number.isNaN(started) ? now : started) + (length[job] as number)
    return end >= now ? end : now + 1
  }
}
