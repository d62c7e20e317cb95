import { definePolicy, forwarding, Reason, SchedError, WrappedRound, type Env, type JobId, type LaneId, type NodeId, type Plug, type Policy, type Round, type Seconds, type TaskId } from '@sched/core'
import type * as z from '@sched/bundled/zod'
import { primeTimeOptions, type ReadPrimeTimeOptions } from './options.js'
import { PrimeRules } from './prime-rules.js'

/** Options of `prime-time`; all may be left out. */
export type PrimeTimeOptions = z.input<typeof primeTimeOptions> & {
  /** The policy outside prime time; default: the same one. */
  readonly nonPrime?: Plug<'policy'>
}

/**
 * Prime time and non-prime time around a policy: by the clock, jobs of some queues start in one of them alone, and jobs may have to end before the other one begins. A
 * policy that plans does so for starts at which the job may start. Outside prime time there may be another policy. Tasks that a running gang lacks start at any time.
 *
 * Source: OpenPBS, prime.cpp and check.cpp. Deviations: all are looked at when prime time begins or ends, there in the next cycle; what a job has done before it
 * was preempted counts as if it were to be done again; a job that may never start is refused, and waits there.
 */
export const primeTimePolicy = definePolicy({
  name: 'prime-time',
  summary: 'jobs of some queues start in prime time or outside it alone, and end before the other begins (OpenPBS)',
  source: 'OpenPBS, prime time',
  options: primeTimeOptions,
  inner: { policy: 'policy', nonPrime: 'policy?' },
  defaults: { policy: 'greedy' },
  create: (options, env, { policy, nonPrime }) => new PrimeTime(options, env, policy.create(env), nonPrime?.create(env)),
})

/** Prime time and non-prime time around a policy. */
export const primeTime = (policy: Plug<'policy'>, { nonPrime, ...options }: PrimeTimeOptions = {}): Plug<'policy'> => primeTimePolicy.plug({ policy, nonPrime }, options)

class PrimeTime implements Policy {
  readonly startsGangJobs: boolean
  readonly #policy: Policy
  readonly #nonPrime: Policy
  readonly #rules: PrimeRules
  readonly #round: PrimeRound
  /** By lane, the jobs that wait. */
  readonly #waiting = new Map<LaneId, Set<JobId>>()

  constructor(options: ReadPrimeTimeOptions, env: Env, policy: Policy, nonPrime: Policy | undefined) {
    this.#policy = checked(policy, 'policy')
    this.#nonPrime = nonPrime === undefined ? policy : checked(nonPrime, 'nonPrime')
    this.#rules = new PrimeRules(options, env)
    this.#round = new PrimeRound(this.#rules)
    this.startsGangJobs = policy.startsGangJobs === true && nonPrime?.startsGangJobs !== false
    const waits = {
      onReady: (job: JobId, lane: LaneId) => void this.#waitingIn(lane).add(job),
      onDrained: (job: JobId, lane: LaneId) => void this.#waitingIn(lane).delete(job),
      onFinish: (job: JobId) => { for (const jobs of this.#waiting.values()) jobs.delete(job) },
    }
    Object.assign(this, forwarding({ admits: (spec) => this.#rules.admits(spec, env.now()) }, policy, nonPrime, waits))
    if (nonPrime !== undefined && this.promisedStart !== undefined) this.promisedStart = (job) => this.#active(env.now()).promisedStart?.(job)
  }

  declare promisedStart?: NonNullable<Policy['promisedStart']>

  schedule(given: Round): void {
    const { now } = given
    this.#active(now).schedule(this.#round.around(given))
    const jobs = this.#waitingIn(given.lane)
    if (jobs.size === 0) return
    const next = this.#rules.clock.changeAfter(now)
    if (next < Infinity) given.wakeAt(next)
    if (!given.explained) return
    for (const job of jobs) {
      const why = this.#round.keepsBack(job)
      if (why !== undefined) given.defer(job, Reason.Limit, why)
    }
  }

  #active(now: Seconds): Policy {
    return this.#rules.clock.isPrime(now) ? this.#policy : this.#nonPrime
  }

  #waitingIn(lane: LaneId): Set<JobId> {
    let jobs = this.#waiting.get(lane)
    if (jobs === undefined) this.#waiting.set(lane, (jobs = new Set()))
    return jobs
  }
}

/** Throws `BAD_OPTION` for a policy that plans starts without regard to the time of day. */
function checked(policy: Policy, field: string): Policy {
  if (policy.promises !== true || policy.heedsStartTimes === true) return policy
  throw new SchedError('BAD_OPTION', 'it plans starts, and does not know that jobs may start at some times of the day alone.', { field: `prime-time.${field}` }, 'Use greedy, strict or easy.')
}

/** A round in which those jobs start that may at this time. */
class PrimeRound extends WrappedRound {
  readonly #rules: PrimeRules
  /** By job, why it may not start in this round. */
  readonly #why = new Map<JobId, string | undefined>()
  readonly #from = (job: JobId, from: Seconds): Seconds => (this.#isGoingOn(job) ? from : this.#rules.from(job, from))

  constructor(rules: PrimeRules) {
    super()
    this.#rules = rules
  }

  around(round: Round): this {
    this.inner = round
    this.#why.clear()
    return this
  }

  override get mayStartFrom() {
    return this.#from
  }

  override take(job: JobId): boolean {
    return this.keepsBack(job) === undefined && this.inner.take(job)
  }

  override fits(job: JobId, node: NodeId): boolean {
    return this.keepsBack(job) === undefined && this.inner.fits(job, node)
  }

  override claim(task: TaskId, node: NodeId): boolean {
    return this.keepsBack(this.work.jobOf(task)) === undefined && this.inner.claim(task, node)
  }

  /** Why the job may not start now; `undefined` if it may. */
  keepsBack(job: JobId): string | undefined {
    if (!this.#why.has(job)) this.#why.set(job, this.#rules.keepsBack(job, this.now))
    const why = this.#why.get(job)
    return why === undefined || this.#isGoingOn(job) ? undefined : why
  }

  /** Whether it is a gang that runs and lacks some of its tasks. */
  #isGoingOn(job: JobId): boolean {
    const { work, lane } = this.inner
    return work.running(job, lane) > 0 && work.least(job, lane) > 1
  }
}
