import type { Env, JobId, LaneId, LimitsSay } from '@sched/core'
import { AskedPiece } from './asked-piece.js'
import type { Limit, Piece } from './counted.js'
import type { CountedTasks } from './counted-tasks.js'
import type { Terms } from './terms.js'
import type { TermsOfJobs } from './terms-of-jobs.js'

/** Which limits keep the next piece of a job from starting. */
export class HoldingLimits {
  readonly #terms: TermsOfJobs
  readonly #tasks: Pick<CountedTasks, 'of'>
  readonly #piece: AskedPiece
  /** Whether the policy is also told of jobs that a limit of a QOS or an association holds back (assoc_limit_stop). */
  readonly #stops: boolean

  constructor(env: Env, terms: TermsOfJobs, tasks: Pick<CountedTasks, 'of'>, stops: boolean) {
    this.#terms = terms
    this.#tasks = tasks
    this.#piece = new AskedPiece(env)
    this.#stops = stops
  }

  /** What the next piece of the job asks; valid until the next question. */
  asked(job: JobId, lane: LaneId, { bill }: Pick<Terms, 'bill'> = this.#terms.of(job)): Piece {
    this.#piece.ask(job, lane, this.#tasks.of(job), bill)
    return this.#piece
  }

  /** The first one, in each of the queues in which the job may start; undefined: none does. */
  of(job: JobId, lane: LaneId): Limit | undefined {
    const queues = this.#terms.toChoose(job)
    if (queues === undefined) return this.in(this.#terms.of(job), job, lane)
    let first: Limit | undefined
    for (const terms of queues.values()) {
      const limit = this.in(terms, job, lane)
      if (limit === undefined) return undefined
      first ??= limit
    }
    return first
  }

  /** The first one of each queue in which the job may start; undefined: it has no choice. */
  inEach(job: JobId, lane: LaneId): readonly Limit[] | undefined {
    const queues = this.#terms.toChoose(job)
    return queues && [...queues.values()].flatMap((terms) => this.in(terms, job, lane) ?? [])
  }

  /**
   * The first one of one queue. If the policy is told of jobs held back by QOS and associations, a limit of a partition or a licence is preferred, for which it
   * is not.
   */
  in(terms: Terms, job: JobId, lane: LaneId): Limit | undefined {
    const { limits, accounting } = terms
    if (limits.length === 0) return undefined
    this.asked(job, lane, terms)
    const hiding = this.#stops ? limits.find((limit) => !accounting.has(limit) && this.#piece.isOver(limit)) : undefined
    return hiding ?? limits.find((limit) => this.#piece.isOver(limit))
  }

  /**
   * What a policy that is told of jobs held back is told of one. Prefers a limit of numbers, since Slurm checks these before it looks for nodes. `chosen`: the
   * terms of one of its queues, if it may start in several.
   */
  say(job: JobId, lane: LaneId, isHeld: boolean, chosen?: Terms): LimitsSay {
    const terms = chosen ?? this.#terms.of(job)
    const { limits, qos, accounting } = terms
    const first = chosen === undefined ? undefined : this.in(chosen, job, lane)
    if (chosen === undefined ? !isHeld : first === undefined || !accounting.has(first)) return { by: '', groups: qos }
    this.asked(job, lane, terms)
    const over = limits.filter((limit) => this.#piece.isOver(limit))
    const limit = over.find(({ isOfNumbers }) => isOfNumbers) ?? over[0]
    const name = limit?.of?.name ?? ''
    return { held: limit?.isOfNumbers === true ? 'number' : 'amount', by: qos.includes(name) ? name : '', groups: qos }
  }
}
