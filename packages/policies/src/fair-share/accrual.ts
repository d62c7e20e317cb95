import { rememberedJobs, ownValue, type Env, type JobId, type LaneId, type Release, type Seconds, type WorkListener } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { accountOptions } from '../slurm-limits/account-tree.js'
import { Associations, inherited, type Association } from '../slurm-limits/associations.js'

const count = z.int().nonnegative()
const ofAssociation = {
  GrpJobsAccrue: count.optional().describe('waiting jobs that may grow older at once'),
  MaxJobsAccrue: count.optional().describe('the same of each of its users'),
}
type UserAccrual = z.output<z.ZodObject<typeof ofAssociation>>
const qos = z.strictObject({
  GrpJobsAccrue: count.optional().describe('waiting jobs that may grow older at once'),
  MaxJobsAccruePerAccount: count.optional().describe('the same of one account'),
  MaxJobsAccruePerUser: count.optional().describe('the same of one user'),
})

export const accrualOptions = z.strictObject({
  qos: z.record(z.string(), qos).default({}).describe('those of jobs of a QOS; jobs that name none have `normal`'),
  accounts: z.record(z.string(), accountOptions(ofAssociation)).default({}).describe('those of the tree of accounts with their users; `root` is around all'),
})

/** Jobs that count together against one limit. */
class Accruing {
  jobs = 0
  /** Jobs that wait for room below the limit, by rank, from index `from` on; some may have gone. */
  readonly waiting: { readonly job: JobId; readonly rank: number }[] = []
  from = 0

  constructor(readonly most: number) {}

  /** Adds a job to those that wait. Jobs mostly come by rank; preempted ones do not. */
  add(job: JobId, rank: number): void {
    let at = this.waiting.length
    while (at > this.from && (this.waiting[at - 1] as { rank: number }).rank > rank) at--
    this.waiting.splice(at, 0, { job, rank })
  }

  clear(): void {
    this.jobs = this.waiting.length = this.from = 0
  }

  get first(): { readonly job: JobId; readonly rank: number } | undefined {
    return this.waiting[this.from]
  }

  drop(): void {
    this.from++
    if (this.from < 1024 || 2 * this.from < this.waiting.length) return
    this.waiting.splice(0, this.from)
    this.from = 0
  }
}

/** Each job: the time from which it grows older (null: not yet), and whether it counts, waits for room, or has run. */
type AccrualMemory = readonly (readonly [job: string, since: Seconds | null, counts: boolean, isQueued: boolean, hasRun: boolean])[]

/** The groups for which a job counts, and the one that limits it. */
interface Terms {
  readonly groups: readonly Accruing[]
  readonly limiting: Accruing | undefined
}

/**
 * The time from which each waiting job grows older, where QOS and associations limit how many jobs may do so at once. Of all limits of a job only the first
 * counts: GrpJobsAccrue, MaxJobsAccruePerAccount and MaxJobsAccruePerUser of its QOS, GrpJobsAccrue and MaxJobsAccrue of its user, GrpJobsAccrue of the
 * accounts around. A job counts until it starts; when there is room again, the next jobs by submission begin. A preempted job begins again.
 *
 * Source: Slurm, `acct_policy_handle_accrue_time` of acct_policy.c. Deviation: a preempted job counts at once, not only from when it may start anew.
 */
export class Accruals implements WorkListener {
  readonly #env: Env
  readonly #delay: Seconds
  readonly #options: z.output<typeof accrualOptions>
  readonly #associations: Associations<UserAccrual>
  readonly #known = new Map<string, Accruing>()
  readonly #terms = new Map<string, Terms>()
  /** Groups that have lost jobs since the last `refill`. */
  readonly #looser = new Set<Accruing>()
  /**
   * By job: its terms, the time from which it grows older (`Infinity`: not yet), the number of its running tasks, and whether it counts, waits for
   * room, or has run.
   */
  readonly #of: Terms[] = []
  readonly #since: Seconds[] = []
  readonly #running: number[] = []
  readonly #counts: boolean[] = []
  readonly #isQueued: boolean[] = []
  readonly #hasRun: boolean[] = []

  /** `delay`: seconds for which a preempted job waits before it may start anew; until then it does not grow older. */
  constructor(options: z.output<typeof accrualOptions>, delay: Seconds, env: Env) {
    this.#env = env
    this.#delay = delay
    this.#options = options
    this.#associations = new Associations(options.accounts)
  }

  /** The time from which the job grows older; `Infinity` if it does not yet. */
  since(job: JobId): Seconds {
    return this.#since[job] as Seconds
  }

  /** Lets the next jobs begin where there is room again; to be called before an order is read. */
  refill(): void {
    while (this.#looser.size > 0) {
      let next: Accruing | undefined
      for (const group of this.#looser) {
        this.#dropGone(group)
        if (group.first === undefined || group.jobs >= group.most) this.#looser.delete(group)
        else if (next?.first === undefined || group.first.rank < next.first.rank) next = group
      }
      if (next?.first === undefined) return
      const { job } = next.first
      next.drop()
      this.#isQueued[job] = false
      this.#begin(job, this.#env.now())
    }
  }

  memory(): AccrualMemory {
    const { work } = this.#env
    return work.jobs().map((job) => {
      const since = this.since(job)
      return [work.name(job), since === Infinity ? null : since, this.#counts[job] === true, this.#isQueued[job] === true, this.#hasRun[job] === true] as const
    })
  }

  recall(memory: unknown): void {
    const { work } = this.#env
    for (const [job, since, counts, isQueued, hasRun] of rememberedJobs(memory as AccrualMemory, work)) {
      this.#since[job] = since ?? Infinity
      this.#counts[job] = counts
      this.#isQueued[job] = isQueued
      this.#hasRun[job] = hasRun
    }
    this.#countAll()
  }

  /** Counts all jobs anew, from what is noted for each. */
  #countAll(): void {
    for (const group of this.#known.values()) group.clear()
    for (const job of this.#env.work.jobs()) {
      const { groups, limiting } = this.#of[job] as Terms
      if (this.#counts[job] === true) for (const group of groups) group.jobs++
      if (this.#isQueued[job] !== true || limiting === undefined) continue
      limiting.add(job, this.#env.work.rank(job))
      this.#looser.add(limiting)
    }
  }

  onSubmit(job: JobId): void {
    const terms = this.#termsOf(job)
    if (this.#env.work.comesAgain(job)) return this.#update(job, terms)
    this.#of[job] = terms
    this.#since[job] = Infinity
    this.#running[job] = 0
    this.#counts[job] = this.#isQueued[job] = this.#hasRun[job] = false
    this.#enter(job, this.#env.work.submitted(job))
  }

  /** Takes in an update of a job. The job goes on as before, unless it counts for other groups now; then it waits for room in these anew. */
  #update(job: JobId, terms: Terms): void {
    if (terms === this.#of[job]) return
    this.#leave(job)
    this.#isQueued[job] = false
    this.#of[job] = terms
    if (this.#running[job] !== 0 || this.#hasRun[job] === true) return
    this.#since[job] = Infinity
    this.#enter(job, this.#env.work.submitted(job))
  }

  onClaim(job: JobId): void {
    if (this.#env.work.comesAgain(job)) return
    this.#running[job] = (this.#running[job] as number) + 1
    this.#leave(job)
  }

  onRelease(job: JobId, _lane: LaneId, _task: unknown, _node: unknown, why: Release): void {
    if (this.#env.work.comesAgain(job)) return
    this.#running[job] = (this.#running[job] as number) - 1
    if (why === 'ended') this.#hasRun[job] = true
    if (this.#running[job] !== 0 || this.#hasRun[job] === true) return
    if (why === 'evicted') this.#since[job] = Infinity
    if (this.#since[job] === Infinity) this.#enter(job, this.#env.now() + (why === 'evicted' ? this.#delay : 0))
    else this.#begin(job, this.#since[job] as Seconds)
  }

  onFinish(job: JobId): void {
    if (this.#env.work.comesAgain(job)) return
    this.#leave(job)
    this.#isQueued[job] = false
  }

  /** Lets a job begin if there is room below its limit and no job waits for that; otherwise the job waits. */
  #enter(job: JobId, now: Seconds): void {
    const { limiting } = this.#of[job] as Terms
    if (limiting !== undefined) this.#dropGone(limiting)
    if (limiting === undefined || (limiting.jobs < limiting.most && limiting.first === undefined)) return this.#begin(job, now)
    if (this.#isQueued[job] !== true) limiting.add(job, this.#env.work.rank(job))
    this.#isQueued[job] = true
    this.#looser.add(limiting)
  }

  #begin(job: JobId, since: Seconds): void {
    this.#since[job] = since
    this.#counts[job] = true
    for (const group of (this.#of[job] as Terms).groups) group.jobs++
  }

  #leave(job: JobId): void {
    if (this.#counts[job] !== true) return
    this.#counts[job] = false
    for (const group of (this.#of[job] as Terms).groups) {
      group.jobs--
      if (group.first !== undefined) this.#looser.add(group)
    }
  }

  /** Drops waiting jobs that have started, have left, or count for other groups since. */
  #dropGone(group: Accruing): void {
    for (let first = group.first; first !== undefined; first = group.first) {
      const { job, rank } = first
      const isSame = this.#isQueued[job] === true && this.#env.work.rank(job) === rank && this.#of[job]?.limiting === group
      if (isSame && this.#running[job] === 0) return
      if (isSame) this.#isQueued[job] = false
      group.drop()
    }
  }

  #termsOf(job: JobId): Terms {
    const { work } = this.#env
    const [user, account, qos, partition] = [work.userName(work.user(job)), work.account(job), work.qos(job) === '' ? 'normal' : work.qos(job), work.queueName(work.queue(job))]
    const key = JSON.stringify([user, account, qos, partition])
    const known = this.#terms.get(key)
    if (known !== undefined) return known
    const association = this.#associations.of(user, account, partition)
    const { GrpJobsAccrue, MaxJobsAccruePerAccount, MaxJobsAccruePerUser } = ownValue(this.#options.qos, qos) ?? {}
    const within = association.parent?.name ?? 'root'
    const groups = [this.#group(['qos', qos], GrpJobsAccrue), this.#group(['account', qos, within], MaxJobsAccruePerAccount), this.#group(['user', qos, user], MaxJobsAccruePerUser)]
    for (let each: Association<UserAccrual> | undefined = association; each !== undefined; each = each.parent) {
      const most = each.settings.GrpJobsAccrue ?? (each.isUser ? inherited(each, 'MaxJobsAccrue') : undefined)
      groups.push(this.#group(['association', each.name, ...(each.isUser ? [within, each.partition ?? ''] : [])], most))
    }
    const made = { groups, limiting: groups.find(({ most }) => most < Infinity) }
    this.#terms.set(key, made)
    return made
  }

  #group(name: readonly string[], most = Infinity): Accruing {
    const key = JSON.stringify(name)
    const found = this.#known.get(key) ?? new Accruing(most)
    this.#known.set(key, found)
    return found
  }
}
