import type { Env, JobId, Seconds } from '@sched/core'
import { ExpiringQueues, type ExpiringState } from './expiring-queues.js'
import { isSomething, nothingOf, ownCapacity, withCapacity } from './first-come.js'
import { ManagedCapacities } from './managed-capacities.js'
import type { ReadCapacityOptions } from './queue-options.js'
import type { Queue, QueueTree } from './queue-tree.js'

/**
 * The queues that were made, in the order of `QueueTree.made`, each with the partitions in which it has not what
 * its template says; and when the next looks are.
 */
export interface MadeMemory {
  readonly queues: readonly (Partial<ExpiringState> & { readonly path: string; readonly isInner: boolean; readonly without: readonly string[] })[]
  readonly nextExpiry: Seconds | null
  readonly nextMove: Seconds | null
}

/** Removes queues that were made at first use, and moves their capacities, as time passes and as far as the options say so. */
export class MadeQueues {
  readonly #env: Env
  readonly #tree: QueueTree
  readonly #expiring: ExpiringQueues | undefined
  readonly #managed: ManagedCapacities | undefined
  readonly #isStill: boolean

  constructor({ queueExpiration, queueManagementInterval }: ReadCapacityOptions, tree: QueueTree, env: Env) {
    this.#env = env
    this.#tree = tree
    if (queueExpiration !== undefined) this.#expiring = new ExpiringQueues(tree, queueExpiration)
    if (queueManagementInterval !== undefined) this.#managed = new ManagedCapacities(tree, queueManagementInterval)
    this.#isStill = this.#expiring === undefined && this.#managed === undefined
  }

  /** A job has come into a leaf; to be called after `look`. */
  enter(job: JobId, leaf: number): void {
    this.#expiring?.enter(leaf, this.#env.now())
    this.#managed?.enter(job, leaf)
  }

  /** A job has ended; to be called after `look`. */
  leave(job: JobId, leaf: number): void {
    this.#expiring?.leave(leaf)
    this.#managed?.leave(job)
  }

  /** Makes the looks that were due by now; to be called before anything changes or is read. */
  look(): void {
    if (this.#isStill) return
    const now = this.#env.now()
    this.#expiring?.lookUntil(now)
    this.#managed?.lookUntil(now)
  }

  memory(): MadeMemory {
    const tree = this.#tree
    const queues = tree.made().map((queue) => {
      const isInner = tree.isInner[queue.id] === true
      const hasLost = (label: string) => isSomething(ownCapacity(tree.templateOf(queue.id), label)) && !isSomething(ownCapacity(queue.own, label))
      return { path: queue.path, isInner, without: isInner ? [] : partitionsOf(queue).filter(hasLost), ...this.#expiring?.stateOf(queue.id) }
    })
    return { queues, nextExpiry: this.#expiring?.next ?? null, nextMove: this.#managed?.next ?? null }
  }

  recall({ queues, nextExpiry, nextMove }: MadeMemory): void {
    const tree = this.#tree
    const ids = tree.restore(queues)
    const states = new Map<number, ExpiringState>()
    for (const { path, without, came = null, isMarked = false } of queues) {
      const id = ids.get(path)
      if (id === undefined || tree.queue(id).isDeclared) continue
      states.set(id, { came, isMarked })
      if (tree.isInner[id] === true) continue
      const template = tree.templateOf(id)
      for (const label of partitionsOf(tree.queue(id))) {
        const whole = ownCapacity(template, label)
        tree.change(id, withCapacity(tree.queue(id).own, label, without.includes(label) ? nothingOf(whole) : whole))
      }
    }
    if (nextExpiry !== null) this.#expiring?.recall(nextExpiry, states)
    if (nextMove !== null) this.#managed?.recall(nextMove)
  }
}

/** The partitions in which a queue has a capacity of its own; the default one, '', always. */
const partitionsOf = ({ own }: Queue): string[] => ['', ...Object.keys(own.labels ?? {})]
