import { jobsByName, listOf, Reason, type JobId, type Round, type WorkView } from '@sched/core'
import type { Pool } from './pools.js'

type Limited = Pick<Pool, 'path' | 'parent' | 'maxRunningJobs'>

/** The limits: of each pool, of users by name, of other users, and of pools that are yet to be made. `Infinity`: no limit. */
interface Limits {
  readonly pools: readonly Limited[]
  readonly poolOf: (job: JobId) => number
  readonly users: Readonly<Record<string, number>>
  readonly userDefault: number
  readonly poolDefault: number
  /** What such a limit is called, for explanations. */
  readonly option: string
}

/** Names of the jobs that may run, for an order that takes the place of another. */
export type AdmittedMemory = readonly string[]

/**
 * How many jobs may run at once, per pool (at every level of the tree) and per user. Jobs beyond a limit wait and are
 * admitted by priority and submission as others end (Hadoop fair scheduler, `maxRunningJobs`), or by submission alone (YARN's
 * capacity scheduler). A job that was admitted stays admitted, as in YARN; Hadoop 1 decides anew at every update.
 */
export class JobLimits {
  readonly #work: WorkView
  readonly #pools: readonly Limited[]
  readonly #users: Readonly<Record<string, number>>
  readonly #userDefault: number
  readonly #inPool: number[] = []
  readonly #ofUser = new Map<number, number>()
  readonly #waiting: JobId[] = []
  readonly #admitted = listOf<boolean>()
  readonly #poolOf: (job: JobId) => number
  readonly #byPriority: boolean
  readonly #unlimited: boolean
  readonly #option: string

  /** `byPriority`: waiting jobs are admitted by priority, then by submission; otherwise by submission alone. */
  constructor(work: WorkView, { pools, poolOf, users, userDefault, poolDefault, option }: Limits, byPriority = true) {
    this.#work = work
    this.#pools = pools
    this.#poolOf = poolOf
    this.#users = users
    this.#userDefault = userDefault
    this.#byPriority = byPriority
    this.#option = option
    this.#unlimited =
      userDefault === Infinity && poolDefault === Infinity && Object.keys(users).length === 0 && pools.every((pool) => pool.maxRunningJobs === Infinity)
  }

  admitted(job: JobId): boolean {
    return this.#unlimited || this.#admitted[job] === true
  }

  /** Admits a new job; false when a limit makes it wait. */
  ask(job: JobId): boolean {
    if (this.#unlimited) return true
    this.#wait(job)
    if (!this.#mayRun(job)) return false
    this.#admit(job)
    return true
  }

  /** Defers, for a round that is explained, each job that a limit keeps out of it, and names that limit: the user's, or that of the innermost full pool. */
  explain(round: Round): void {
    if (this.#waiting.length > 0 && round.explained) this.#explainAll(round)
  }

  #explainAll(round: Round): void {
    for (const job of this.#waiting) round.defer(job, Reason.Limit, `${this.#option} ${this.#fullFor(job)}`)
  }

  /** A job has ended; appends the jobs that may run now to `out`. */
  leave(job: JobId, out: JobId[]): void {
    if (this.#unlimited) return
    if (this.#admitted[job] !== true) {
      this.#waiting.splice(this.#waiting.indexOf(job), 1) // another order has started it, or it was given up
      return
    }
    this.#count(job, -1)
    for (const next of [...this.#waiting])
      if (this.#mayRun(next)) {
        this.#admit(next)
        out.push(next)
      }
  }

  memory(): AdmittedMemory {
    return this.#unlimited ? [] : this.#work.jobs().filter((job) => this.#admitted[job]).map((job) => this.#work.name(job))
  }

  /** Lets those jobs run that might, and no others: who came first is known no more. Returns the jobs of which that was not so. */
  recall(admitted: AdmittedMemory): readonly JobId[] {
    if (this.#unlimited) return []
    const jobs = jobsByName(this.#work)
    const may = new Set(admitted)
    const changed = Array.from(jobs).flatMap(([name, job]) => (this.#admitted[job] === may.has(name) ? [] : [job]))
    for (const job of changed) {
      if (this.#admitted[job] !== true) this.#admit(job)
      else {
        this.#count(job, -1)
        this.#wait(job)
      }
    }
    return changed
  }

  #admit(job: JobId): void {
    this.#waiting.splice(this.#waiting.indexOf(job), 1)
    this.#count(job, 1)
    this.#admitted[job] = true
  }

  #wait(job: JobId): void {
    this.#admitted[job] = false
    const at = this.#waiting.findIndex((other) => this.#before(job, other))
    this.#waiting.splice(at < 0 ? this.#waiting.length : at, 0, job)
  }

  #before(a: JobId, b: JobId): boolean {
    const byPriority = this.#byPriority ? this.#work.priority(b) - this.#work.priority(a) : 0
    return byPriority === 0 ? this.#work.rank(a) < this.#work.rank(b) : byPriority < 0
  }

  #mayRun(job: JobId): boolean {
    return !this.#isUserFull(job) && this.#fullPool(job) === undefined
  }

  /** Names the user or the innermost pool whose limit makes a job wait. */
  #fullFor(job: JobId): string {
    if (this.#isUserFull(job)) return `of user ${this.#work.userName(this.#work.user(job))}`
    return this.#fullPool(job)?.path ?? ''
  }

  #isUserFull(job: JobId): boolean {
    const user = this.#work.user(job)
    return (this.#ofUser.get(user) ?? 0) >= (this.#users[this.#work.userName(user)] ?? this.#userDefault)
  }

  #fullPool(job: JobId): Limited | undefined {
    for (let id = this.#poolOf(job); id >= 0; id = (this.#pools[id] as Limited).parent)
      if ((this.#inPool[id] ?? 0) >= (this.#pools[id] as Limited).maxRunningJobs) return this.#pools[id]
    return undefined
  }

  #count(job: JobId, by: 1 | -1): void {
    const user = this.#work.user(job)
    this.#ofUser.set(user, (this.#ofUser.get(user) ?? 0) + by)
    for (let id = this.#poolOf(job); id >= 0; id = (this.#pools[id] as Limited).parent) this.#inPool[id] = (this.#inPool[id] ?? 0) + by
  }
}
