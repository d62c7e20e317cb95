import { ownValue, type JobId, type WorkView } from '@sched/core'

/**
 * How many reservations jobs of each queue get in a pass: queues that are named have their own number, and all others share one. In a queue with 0 nobody
 * passes a job that has to wait.
 *
 * Source: OpenPBS, `should_backfill_with_job` and `main_sched_loop` of fifo.cpp (backfill_depth of queues).
 */
export class QueueDepths {
  readonly #depths: Readonly<Record<string, number>>
  readonly #ofAll: number
  /** By queue, and under '' of those that share: the reservations made. */
  readonly #made = new Map<string, number>()
  /** Queues of which nobody starts any more. */
  readonly #closed = new Set<string>()

  /** `depths`: by queue; `ofAll`: of all other jobs together. */
  constructor(depths: Readonly<Record<string, number>>, ofAll: number) {
    this.#depths = depths
    this.#ofAll = ofAll
  }

  /** To be called when a pass begins. */
  begin(): void {
    this.#made.clear()
    this.#closed.clear()
  }

  /** Whether no job at all gets another reservation, as far as that is known without looking at the jobs. */
  get areUsedUp(): boolean {
    return Object.keys(this.#depths).length === 0 && (this.#made.get('') ?? 0) >= this.#ofAll
  }

  /** Whether the job may start behind those before it. */
  mayPass(job: JobId, work: WorkView): boolean {
    return this.#closed.size === 0 || !this.#closed.has(queueOf(job, work))
  }

  /** A job has to wait: whether it gets a reservation. */
  reserves(job: JobId, work: WorkView): boolean {
    const queue = queueOf(job, work)
    const own = ownValue(this.#depths, queue)
    if (own === 0) this.#closed.add(queue)
    return (this.#made.get(own === undefined ? '' : queue) ?? 0) < (own ?? this.#ofAll)
  }

  /** It has got one. */
  made(job: JobId, work: WorkView): void {
    const queue = queueOf(job, work)
    const of = ownValue(this.#depths, queue) === undefined ? '' : queue
    this.#made.set(of, (this.#made.get(of) ?? 0) + 1)
  }
}

const queueOf = (job: JobId, work: WorkView): string => work.queueName(work.queue(job))
