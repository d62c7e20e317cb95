import type { Env, JobId, JobSpec, QueueId, Seconds } from '@sched/core'
import { holidaysOf } from './holidays.js'
import { backfillOf, spillOf, type ByStatus, type ReadPrimeTimeOptions } from './options.js'
import { PrimeClock } from './prime-clock.js'

/** When jobs of a queue may start. */
type Kind = 'prime' | 'nonPrime' | 'anytime'

/** A year, for which a start is looked for. */
const LONGEST: Seconds = 366 * 86_400

/**
 * When jobs may start: those of queues for prime time in prime time, those for non-prime time outside it, and where they must end with the status in which they start, or a
 * little later, only if they do.
 *
 * Source: OpenPBS, check_prime_queue, check_nonprime_queue and check_prime_boundary of check.cpp.
 */
export class PrimeRules {
  readonly clock: PrimeClock
  readonly #env: Env
  readonly #options: ReadPrimeTimeOptions
  readonly #endsWith: ByStatus<boolean>
  readonly #spill: ByStatus<Seconds>
  readonly #kinds = new Map<QueueId, Kind>()

  constructor(options: ReadPrimeTimeOptions, env: Env) {
    this.#env = env
    this.#options = options
    this.clock = new PrimeClock(holidaysOf(options.holidays, 'prime-time.holidays'), env)
    this.#endsWith = backfillOf(options.backfill_prime, 'prime-time.backfill_prime')
    this.#spill = spillOf(options.prime_spill, 'prime-time.prime_spill')
  }

  /** Why the job may not start now; `undefined` if it may. */
  keepsBack(job: JobId, now: Seconds): string | undefined {
    return this.#why(this.#kindOf(job), this.#env.work.estimate(job), now)
  }

  /** The earliest time from `from` on at which the job may start; `Infinity`: there is none. */
  from(job: JobId, from: Seconds): Seconds {
    return this.#earliest(this.#kindOf(job), this.#env.work.estimate(job), from)
  }

  /** Why the job may never start. */
  admits(spec: JobSpec, now: Seconds): string | undefined {
    const estimate = spec.estimate ?? Infinity
    const kind = this.#kindNamed(spec.queue ?? spec.user ?? 'default')
    return this.#earliest(kind, estimate, now) < Infinity ? undefined : `no time comes at which it may start (${this.#why(kind, estimate, now)})`
  }

  #earliest(kind: Kind, estimate: Seconds, from: Seconds): Seconds {
    for (let time = from; time <= from + LONGEST; time = this.clock.changeAfter(time)) if (this.#why(kind, estimate, time) === undefined) return time
    return Infinity
  }

  #why(kind: Kind, estimate: Seconds, time: Seconds): string | undefined {
    const isPrime = this.clock.isPrime(time)
    if (kind === 'prime' && !isPrime) return 'prime time only'
    if (kind === 'nonPrime' && isPrime) return 'non-prime time only'
    if (!(isPrime ? this.#endsWith.prime : this.#endsWith.nonPrime) || (kind === 'anytime' && this.#options.prime_exempt_anytime_queues)) return undefined
    const end = this.clock.knownEnd(time)
    const spill = isPrime ? this.#spill.nonPrime : this.#spill.prime
    return end < Infinity && time + estimate > end + spill ? `it would cross into ${isPrime ? 'non-prime' : 'prime'} time` : undefined
  }

  #kindOf(job: JobId): Kind {
    const { work } = this.#env
    const queue = work.queue(job)
    let kind = this.#kinds.get(queue)
    if (kind === undefined) this.#kinds.set(queue, (kind = this.#kindNamed(work.queueName(queue))))
    return kind
  }

  #kindNamed(queue: string): Kind {
    const { primetime_prefix: prime, nonprimetime_prefix: nonPrime } = this.#options
    return prime !== '' && queue.startsWith(prime) ? 'prime' : nonPrime !== '' && queue.startsWith(nonPrime) ? 'nonPrime' : 'anytime'
  }
}
