import type { Env, JobBlock, JobId, LaneId, Order, Round, WorkView } from '@sched/core'
import { SortedBlocks } from './sorted-blocks.js'
import { Keys } from './sorted-ids.js'

/** Computes the key of a job when it begins to wait in a lane. */
type KeyOf = (job: JobId, lane: LaneId, work: WorkView) => number

/**
 * An order by a key that is computed once, when a job begins to wait in a lane, smallest first. Ties by submission, or (`turn`) by when it last
 * began to wait.
 */
export const byKey = (env: Env, keyOf: KeyOf, ties: 'submission' | 'turn' = 'submission'): Order => new ByKey(env, keyOf, ties === 'turn')

class ByKey implements Order {
  readonly readsAll = true
  readonly #work: WorkView
  readonly #keyOf: KeyOf
  readonly #inTurn: boolean
  #turns = 0
  /** By lane. */
  readonly #keys: readonly Keys[]
  readonly #lists: readonly SortedBlocks[]
  #reading: SortedBlocks | undefined

  constructor({ cluster, work }: Env, keyOf: KeyOf, inTurn: boolean) {
    this.#work = work
    this.#keyOf = keyOf
    this.#inTurn = inTurn
    this.#keys = cluster.lanes.map(() => new Keys())
    this.#lists = this.#keys.map((each) => new SortedBlocks(each))
  }

  onReady(job: JobId, lane: LaneId): void {
    this.#keys[lane]?.set(job, this.#keyOf(job, lane, this.#work), this.#inTurn ? this.#turns++ : this.#work.rank(job))
    this.#lists[lane]?.add(job)
  }

  onDrained(job: JobId, lane: LaneId): void {
    this.#lists[lane]?.remove(job)
  }

  begin({ lane }: Round): void {
    this.#reading = this.#lists[lane]
    this.#reading?.begin()
  }

  next(): JobBlock | undefined {
    return this.#reading?.next()
  }
}
