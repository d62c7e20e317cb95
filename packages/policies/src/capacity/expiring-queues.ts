import type { Seconds } from '@sched/core'
import { multipleAfter } from '../disciplines/multiple-after.js'
import type { Queue, QueueTree } from './queue-tree.js'

/** What a queue goes by. */
export interface ExpiringState {
  readonly came: Seconds | null
  readonly isMarked: boolean
}

/**
 * Takes queues that were made at first use out of the tree again. Looks are at multiples of `seconds`. A queue goes if it is empty at two looks in
 * a row and its last job came longer ago than `seconds`. A queue around others is empty when these have gone. Looks that are due are made when
 * somebody asks.
 *
 * Source: Hadoop 3.4, AutoCreatedQueueDeletionPolicy and AbstractCSQueue.isInactiveDynamicQueue, where looks are counted from the start of the resource manager.
 */
export class ExpiringQueues {
  readonly #tree: QueueTree
  readonly #seconds: Seconds
  #next: Seconds
  #marked: ReadonlySet<number> = new Set()
  /** By queue: the number of jobs in it (of leaves only), and the time at which the last job came into it or a queue inside it. */
  readonly #jobs: number[] = []
  readonly #came: Seconds[] = []

  constructor(tree: QueueTree, seconds: Seconds) {
    this.#tree = tree
    this.#seconds = seconds
    this.#next = seconds
  }

  enter(leaf: number, now: Seconds): void {
    this.#jobs[leaf] = (this.#jobs[leaf] ?? 0) + 1
    for (const { id } of this.#tree.chain(leaf)) this.#came[id] = now
  }

  leave(leaf: number): void {
    this.#jobs[leaf] = (this.#jobs[leaf] as number) - 1
  }

  /** Of a queue: when the last job came into it, `null` if none has, and whether it was empty at the last look. */
  stateOf(id: number): ExpiringState {
    return { came: this.#came[id] ?? null, isMarked: this.#marked.has(id) }
  }

  /** When the next look is. */
  get next(): Seconds {
    return this.#next
  }

  /** Takes up where another has stopped, with queues by id. */
  recall(next: Seconds, states: ReadonlyMap<number, ExpiringState>): void {
    this.#next = next
    this.#marked = new Set([...states].filter(([, { isMarked }]) => isMarked).map(([id]) => id))
    for (const [id, { came }] of states) {
      this.#jobs[id] ??= 0
      if (came !== null) this.#came[id] = came
    }
  }

  /** Makes the looks that were due, while there is a queue that may go. */
  lookUntil(now: Seconds): void {
    while (this.#next <= now) this.#next = this.#look(this.#next) ? this.#next + this.#seconds : multipleAfter(now, this.#seconds)
  }

  /** Makes a look at `time`; returns whether any queue was empty. */
  #look(time: Seconds): boolean {
    const empty = this.#tree.queues.filter((queue) => this.#isEmpty(queue))
    const leaving = empty.filter(({ id }) => this.#marked.has(id))
    this.#marked = new Set(empty.map(({ id }) => id).filter((id) => !this.#marked.has(id)))
    for (const { id } of leaving) if (Math.floor(time - (this.#came[id] as number)) > this.#seconds) this.#tree.remove(id)
    return empty.length > 0
  }

  #isEmpty({ id, isDeclared, children, own }: Queue): boolean {
    if (isDeclared || this.#tree.isGone[id] === true || own.autoRemoval === false) return false
    return this.#tree.isInner[id] === true ? children.length === 0 : this.#jobs[id] === 0
  }
}
