import { jobsByName, type Env, type JobBlock, type JobId, type LaneId, type Order, type Round, type WorkView } from '@sched/core'
import { SortedBlocks } from './sorted-blocks.js'
import { Keys } from './sorted-ids.js'

/** Computes the key of a job when it begins to wait in a lane. */
type KeyOf = (job: JobId, lane: LaneId, work: WorkView) => number

/**
 * An order by a key that is computed once, when a job begins to wait in a lane, smallest first. Ties by submission, or (`turn`) by when it last
 * began to wait.
 */
export const byKey = (env: Env, keyOf: KeyOf, ties: 'submission' | 'turn' = 'submission'): Order => (ties === 'turn' ? new InTurn(env, keyOf) : new ByKey(env, keyOf))

class ByKey implements Order {
  readonly readsAll = true
  protected readonly work: WorkView
  protected readonly lists: readonly SortedBlocks[]
  readonly #keyOf: KeyOf
  /** By lane. */
  readonly #keys: readonly Keys[]
  #reading: SortedBlocks | undefined

  constructor({ cluster, work }: Env, keyOf: KeyOf) {
    this.work = work
    this.#keyOf = keyOf
    this.#keys = cluster.lanes.map(() => new Keys())
    this.lists = this.#keys.map((each) => new SortedBlocks(each))
  }

  onReady(job: JobId, lane: LaneId): void {
    this.#keys[lane]?.set(job, this.#keyOf(job, lane, this.work), this.tieOf(job, lane))
    this.lists[lane]?.add(job)
  }

  onDrained(job: JobId, lane: LaneId): void {
    this.lists[lane]?.remove(job)
  }

  begin({ lane }: Round): void {
    this.#reading = this.lists[lane]
    this.#reading?.begin()
  }

  next(): JobBlock | undefined {
    return this.#reading?.next()
  }

  protected tieOf(job: JobId, _lane: LaneId): number {
    return this.work.rank(job)
  }
}

/** Names of the jobs that wait in a lane, in the order in which they last began to. */
type TurnMemory = readonly (readonly string[])[]

/** The same with ties by when a job last began to wait, which is not known from what runs and waits. */
class InTurn extends ByKey {
  #turns = 0
  /** By lane, the jobs that wait, the last to begin behind all others. */
  readonly #waiting: readonly Set<JobId>[]

  constructor(env: Env, keyOf: KeyOf) {
    super(env, keyOf)
    this.#waiting = this.lists.map(() => new Set<JobId>())
  }

  override onDrained(job: JobId, lane: LaneId): void {
    super.onDrained(job, lane)
    this.#waiting[lane]?.delete(job)
  }

  memory(): TurnMemory {
    return this.#waiting.map((jobs) => Array.from(jobs, (job) => this.work.name(job)))
  }

  recall(memory: unknown): void {
    const jobs = jobsByName(this.work)
    for (const [lane, names] of (memory as TurnMemory).entries())
      for (const job of names.flatMap((name) => jobs.get(name) ?? [])) {
        if (this.#waiting[lane]?.has(job) !== true) continue
        this.onDrained(job, lane as LaneId)
        this.onReady(job, lane as LaneId)
      }
  }

  protected override tieOf(job: JobId, lane: LaneId): number {
    this.#waiting[lane]?.add(job)
    return this.#turns++
  }
}
