import { jobsByName, listOf, None, Reason, ownValue, type JobId, type Round, type UserId, type WorkView } from '@sched/core'
import type { Pool } from './pools.js'
import { Keys, SortedIds } from './sorted-ids.js'

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
 *
 * Waiting jobs of one user in one pool wait for the same, so only the first of them is compared with those of others, and only while its user may run more.
 */
export class JobLimits {
  readonly #work: WorkView
  readonly #pools: readonly Limited[]
  readonly #users: Readonly<Record<string, number>>
  readonly #userDefault: number
  readonly #inPool: number[] = []
  readonly #ofUser = new Map<UserId, number>()
  /** Waiting jobs, by user and then by pool. */
  readonly #waiting = new Map<UserId, Map<number, SortedIds>>()
  /** By pool: the first waiting job of each user that may run more. */
  readonly #firsts = new Map<number, SortedIds>()
  readonly #keys = new Keys()
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
    const mayRun = this.#mayRun(job)
    if (mayRun) this.#admit(job)
    else this.#wait(job)
    return mayRun
  }

  /** Defers, for a round that is explained, each job that a limit keeps out of it, and names that limit: the user's, or that of the innermost full pool. */
  explain(round: Round): void {
    if (this.#waiting.size > 0 && round.explained) this.#explainAll(round)
  }

  #explainAll(round: Round): void {
    for (const byPool of this.#waiting.values())
      for (const { ids, from, to } of byPool.values())
        for (const job of ids.subarray(from, to) as Iterable<JobId>) round.defer(job, Reason.Limit, `${this.#option} ${this.#fullFor(job)}`)
  }

  /** A job has ended; appends the jobs that may run now to `out`. */
  leave(job: JobId, out: JobId[]): void {
    if (this.#unlimited) return
    if (this.#admitted[job] !== true) {
      this.#waitNoMore(job) // another order has started it, or it was given up
      return
    }
    this.#count(job, -1)
    for (let next = this.#next(); next !== None; next = this.#next()) {
      this.#waitNoMore(next)
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
      if (this.#admitted[job] !== true) {
        this.#waitNoMore(job)
        this.#admit(job)
      } else {
        this.#count(job, -1)
        this.#wait(job)
      }
    }
    return changed
  }

  #admit(job: JobId): void {
    this.#count(job, 1)
    this.#admitted[job] = true
  }

  #wait(job: JobId): void {
    this.#admitted[job] = false
    const [user, pool] = [this.#work.user(job), this.#poolOf(job)]
    const byPool = this.#waiting.get(user) ?? new Map<number, SortedIds>()
    const jobs = byPool.get(pool) ?? new SortedIds(this.#keys)
    this.#waiting.set(user, byPool.set(pool, jobs))
    this.#keys.set(job, this.#byPriority ? -this.#work.priority(job) : 0, this.#work.rank(job))
    this.#unlist(user, pool, jobs)
    jobs.add(job)
    this.#list(user, pool, jobs)
  }

  #waitNoMore(job: JobId): void {
    const [user, pool] = [this.#work.user(job), this.#poolOf(job)]
    const byPool = this.#waiting.get(user) as Map<number, SortedIds>
    const jobs = byPool.get(pool) as SortedIds
    this.#unlist(user, pool, jobs)
    jobs.remove(job)
    this.#list(user, pool, jobs)
    if (jobs.isEmpty) byPool.delete(pool)
    if (byPool.size === 0) this.#waiting.delete(user)
  }

  /** Lists the first of a user's waiting jobs in a pool, if it has any and may run more. */
  #list(user: UserId, pool: number, { ids, from, isEmpty }: SortedIds): void {
    if (isEmpty || this.#isUserFull(user)) return
    const firsts = this.#firsts.get(pool) ?? new SortedIds(this.#keys)
    this.#firsts.set(pool, firsts)
    firsts.add(ids[from] as JobId)
  }

  /** Takes it off the list again, before its place or the limit of the user changes. */
  #unlist(user: UserId, pool: number, { ids, from, isEmpty }: SortedIds): void {
    if (!isEmpty && !this.#isUserFull(user)) this.#firsts.get(pool)?.remove(ids[from] as JobId)
  }

  /** The first of the waiting jobs that may run. */
  #next(): JobId | None {
    let first: JobId | None = None
    for (const [pool, { ids, from, isEmpty }] of this.#firsts) {
      const job = ids[from] as JobId
      if (!isEmpty && (first === None || this.#before(job, first)) && this.#fullPool(pool) === undefined) first = job
    }
    return first
  }

  #before(a: JobId, b: JobId): boolean {
    const { key, tie } = this.#keys
    return key[a] === key[b] ? (tie[a] as number) < (tie[b] as number) : (key[a] as number) < (key[b] as number)
  }

  #mayRun(job: JobId): boolean {
    return !this.#isUserFull(this.#work.user(job)) && this.#fullPool(this.#poolOf(job)) === undefined
  }

  /** Names the user or the innermost pool whose limit makes a job wait. */
  #fullFor(job: JobId): string {
    const user = this.#work.user(job)
    if (this.#isUserFull(user)) return `of user ${this.#work.userName(user)}`
    return this.#fullPool(this.#poolOf(job))?.path ?? ''
  }

  #isUserFull(user: UserId): boolean {
    return (this.#ofUser.get(user) ?? 0) >= (ownValue(this.#users, this.#work.userName(user)) ?? this.#userDefault)
  }

  /** The innermost full pool of this one and those around it. */
  #fullPool(pool: number): Limited | undefined {
    for (let id = pool; id >= 0; id = (this.#pools[id] as Limited).parent)
      if ((this.#inPool[id] ?? 0) >= (this.#pools[id] as Limited).maxRunningJobs) return this.#pools[id]
    return undefined
  }

  #count(job: JobId, by: 1 | -1): void {
    const user = this.#work.user(job)
    const waiting = this.#waiting.get(user)
    if (waiting !== undefined) for (const [pool, jobs] of waiting) this.#unlist(user, pool, jobs)
    this.#ofUser.set(user, (this.#ofUser.get(user) ?? 0) + by)
    if (waiting !== undefined) for (const [pool, jobs] of waiting) this.#list(user, pool, jobs)
    for (let id = this.#poolOf(job); id >= 0; id = (this.#pools[id] as Limited).parent) this.#inPool[id] = (this.#inPool[id] ?? 0) + by
  }
}
