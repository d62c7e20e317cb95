import { rememberedJobs, type Env, type JobId } from '@sched/core'
import type { Counted, Limit } from './counted.js'
import type { Terms } from './terms.js'

/** The limits of a job that may start in several queues. */
interface TermsOfQueues {
  /** Those of each queue. */
  readonly of: ReadonlyMap<string, Terms>
  /** The groups with a limit that holds in any of them, and all limits of QOS and associations. */
  readonly limiting: readonly Counted[]
  readonly accounting: ReadonlySet<Limit>
}

/**
 * The jobs that may start in several queues. One that waits is held back only if limits hold it back in each of them; when it starts, it counts in the groups
 * of the queue in which it does.
 */
export class TermsByQueue {
  readonly #work: Env['work']
  readonly #terms = new Map<JobId, TermsOfQueues>()
  /** By job: the queue in which it started last. */
  readonly #started = new Map<JobId, string>()

  constructor(work: Env['work']) {
    this.#work = work
  }

  /** `undefined`: the job names one queue. */
  of(job: JobId): TermsOfQueues | undefined {
    return this.#terms.size === 0 ? undefined : this.#terms.get(job)
  }

  /** A job has come; returns the limits that count from the first for one that is updated and has started in another queue than the one that it names. */
  enter(job: JobId, queues: readonly string[], termsIn: (queue: string) => Terms): Terms | undefined {
    const of = new Map(queues.map((queue) => [queue, termsIn(queue)]))
    const all = [...of.values()]
    this.#terms.set(job, { of, limiting: [...new Set(all.flatMap(({ limiting }) => limiting))], accounting: new Set(all.flatMap(({ accounting }) => [...accounting])) })
    return of.get(this.#started.get(job) ?? '')
  }

  /** Notes in which of its queues the job starts and returns the limits there. */
  start(job: JobId, queue: string): Terms | undefined {
    const terms = this.#terms.get(job)?.of.get(queue)
    if (terms !== undefined) this.#started.set(job, queue)
    return terms
  }

  leave(job: JobId): void {
    if (this.#terms.delete(job) && !this.#work.comesAgain(job)) this.#started.delete(job)
  }

  /** By job: the queue in which it started, of several. */
  memory(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#started].map(([job, queue]) => [this.#work.name(job), queue]))
  }

  /** Returns the jobs that have started in another queue than the one that they name. */
  recall(memory: Readonly<Record<string, string>>): ReadonlySet<JobId> {
    for (const [job, queue] of rememberedJobs(Object.entries(memory), this.#work)) this.#started.set(job, queue)
    return new Set(this.#started.keys())
  }
}
