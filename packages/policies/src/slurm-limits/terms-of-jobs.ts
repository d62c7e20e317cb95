import type { Env, JobId, JobSpec } from '@sched/core'
import { queuesIn } from '../backfilling/partitions.js'
import type { CountedTasks } from './counted-tasks.js'
import type { Terms, TermsBook } from './terms.js'
import { TermsByQueue } from './terms-by-queue.js'

/** By user the account of jobs that name none: it is that of the user's first job; and where jobs of several queues run. */
interface TermsMemory {
  readonly usual: Readonly<Record<string, string>>
  readonly queues: Readonly<Record<string, string>>
}

/** Which limits hold for the jobs in the system, each of which counts as one in the groups of its queue. */
export class TermsOfJobs {
  readonly #work: Env['work']
  readonly #book: TermsBook
  readonly #tasks: Pick<CountedTasks, 'of'>
  /** By job: its limits; of a job that may start in several queues those of the one in which it started last, or that it names. */
  readonly #terms: Terms[] = []
  /** Absent where jobs start in the queue that they name alone. */
  readonly #several: TermsByQueue | undefined

  constructor(work: Env['work'], book: TermsBook, tasks: Pick<CountedTasks, 'of'>, startsInQueues: boolean) {
    this.#work = work
    this.#book = book
    this.#tasks = tasks
    this.#several = startsInQueues ? new TermsByQueue(work) : undefined
  }

  /** Those of a job that is not in the system yet, in the queue that it names. */
  ofNew(spec: JobSpec): Terms {
    const { user = 'user', account = '', qos = '', licenses = {} } = spec
    return this.#book.of({ user, account, qos, partition: spec.queue ?? spec.user ?? 'default', licenses })
  }

  /** Those of the queue in which the job started last, or that it names. */
  of(job: JobId): Terms {
    return this.#terms[job] as Terms
  }

  /** The groups and limits of any of its queues. */
  inAnyOf(job: JobId): Pick<Terms, 'limiting' | 'accounting'> {
    return this.#several?.of(job) ?? this.of(job)
  }

  /** Those of each queue; `undefined`: the job names one. */
  byQueue(job: JobId): ReadonlyMap<string, Terms> | undefined {
    return this.#several?.of(job)?.of
  }

  /** Those of each queue in which the job may start: what of it runs keeps the rest in the same queue. `undefined`: it starts under `of`. */
  toChoose(job: JobId): ReadonlyMap<string, Terms> | undefined {
    return this.#tasks.of(job) > 0 ? undefined : this.byQueue(job)
  }

  /** Whether jobs may choose their queue at all. */
  get areChosen(): boolean {
    return this.#several !== undefined
  }

  #named(job: JobId, partition = this.#work.queueName(this.#work.queue(job))): Terms {
    const work = this.#work
    return this.#book.of({ user: work.userName(work.user(job)), account: work.account(job), qos: work.qos(job), partition, licenses: work.licenses(job) })
  }

  enter(job: JobId): void {
    const queues = this.#several === undefined ? undefined : queuesIn(this.#work.constraints(job, 0)?.alike)
    const started = queues === undefined ? undefined : this.#several?.enter(job, queues, (queue) => this.#named(job, queue))
    this.#terms[job] = started ?? this.#named(job)
    this.#count(job, 1)
  }

  /** The job counts under the terms that it has now. */
  enterAgain(job: JobId): void {
    this.#count(job, -1)
    this.enter(job)
  }

  /** The job starts in this one of its queues, and counts there. */
  startIn(job: JobId, queue: string): void {
    const terms = this.#tasks.of(job) > 0 ? undefined : this.#several?.start(job, queue)
    if (terms === undefined || terms === this.#terms[job]) return
    this.#count(job, -1)
    this.#terms[job] = terms
    this.#count(job, 1)
  }

  leave(job: JobId): void {
    this.#count(job, -1)
    this.#several?.leave(job)
  }

  #count(job: JobId, by: 1 | -1): void {
    for (const group of this.of(job).counted) group.submitted += by
  }

  memory(): TermsMemory {
    return { usual: this.#book.usual, queues: this.#several?.memory() ?? {} }
  }

  /** Returns the jobs that have other terms now. */
  recall({ usual, queues }: TermsMemory): readonly JobId[] {
    this.#book.recall(usual)
    const elsewhere = this.#several?.recall(queues)
    return this.#work.jobs().filter((job) => this.#named(job) !== this.#terms[job] || elsewhere?.has(job) === true)
  }
}
