import { anyBelow0, filledFrom, less, saysNothing, smaller, type Sparse } from './amounts.js'
import type { Queue } from './queue-tree.js'

/** What guarantees are reckoned from. */
export interface Queues {
  readonly queues: readonly Pick<Queue, 'parent' | 'around' | 'isLeaf' | 'guaranteed' | 'max' | 'path' | 'settings'>[]
  readonly resources: readonly number[]
  used(queue: number, r: number): number
}

/** What queues would have if some tasks went and others came, and what of their guarantees that leaves. */
export class Ledger {
  readonly #of: Queues
  readonly #width: number
  /** The queue of who asks. */
  readonly #asking: number
  readonly #changes = new Map<number, Float64Array>()

  constructor(of: Queues, asking: number) {
    this.#of = of
    this.#asking = asking
    this.#width = of.queues[0]?.guaranteed.length ?? 0
  }

  /** Adds, or with -1 takes away, so much in a queue and all around it. */
  change(queue: number, amounts: ArrayLike<number>, sign: 1 | -1): void {
    for (const id of this.#of.queues[queue]?.around ?? []) {
      const change = this.#changes.get(id) ?? new Float64Array(this.#width)
      for (let r = 0; r < this.#width; r++) change[r] = (change[r] as number) + sign * (amounts[r] as number)
      this.#changes.set(id, change)
    }
  }

  /**
   * What is left of the guarantees of a queue and those around it, below 0 where more is used; `undefined` where nothing is guaranteed. What the queue that asks is
   * guaranteed itself counts before what those around it are; and where it is guaranteed something, a queue around it does not shield the others in it.
   *
   * Source: YuniKorn, preemption.go, GetRemainingGuaranteedResource.
   */
  remaining(queue: number): Sparse | undefined {
    const { queues } = this.#of
    const asking = queues[this.#asking]
    let left: Sparse | undefined
    for (const id of queues[queue]?.around ?? []) {
      const { guaranteed } = queues[id] as Queue
      const isSilent = saysNothing(guaranteed)
      if (isSilent) continue // as the queue around it
      const own = less(guaranteed, this.#used(id))
      if (id === this.#asking) left = left === undefined ? own : filledFrom(own, left)
      else if (asking !== undefined && asking.around.includes(id) && !saysNothing(asking.guaranteed)) left = undefined
      else left = left === undefined ? own : smaller(own, left)
    }
    return left
  }

  #used(queue: number): Float64Array {
    const used = new Float64Array(this.#width)
    const change = this.#changes.get(queue)
    for (const r of this.#of.resources) used[r] = this.#of.used(queue, r) + (change?.[r] ?? 0)
    return used
  }
}

/** Whether something is guaranteed and nothing of it exceeded. */
export const isWithin = (remaining: Sparse | undefined): boolean => remaining !== undefined && !anyBelow0(remaining)

/** From which queue on inwards somebody may take tasks, and as of which priority he is in each queue from his own to that one. */
export interface Fence {
  readonly root: number
  readonly priorities: ReadonlyMap<number, number>
}

/**
 * The nearest queue around who asks that is fenced, or has all of its maximum, or else the root.
 *
 * Source: YuniKorn, queue.go, findPreemptionFenceRoot.
 */
export function fenceAround(of: Queues, leaf: number, priority: number): Fence {
  const { queues, resources } = of
  const priorities = new Map<number, number>()
  let current = priority
  for (let id = leaf; ; id = (queues[id] as Queue).parent) {
    const { parent, max, settings } = queues[id] as Queue
    current = settings.priorityPolicy === 'fence' ? settings.priorityOffset : current + settings.priorityOffset
    priorities.set(id, current)
    const isFull = !saysNothing(max) && resources.every((r) => of.used(id, r) === (Number.isNaN(max[r] as number) ? 0 : max[r]))
    if (parent < 0 || settings.preemptionPolicy === 'fence' || isFull) return { root: id, priorities }
  }
}

/**
 * Which queues that hold jobs may give tasks to who asks, with the highest priority of those that they may: those inside the fence, his own left out, that are not
 * within what they are guaranteed.
 *
 * Source: YuniKorn, queue.go, findEligiblePreemptionVictims.
 */
export function giversTo(leaf: number, { root, priorities }: Fence, of: Queues): ReadonlyMap<number, number> {
  const ledger = new Ledger(of, leaf)
  const givers = new Map<number, number>()
  for (const [id, { around, isLeaf, settings }] of of.queues.entries()) {
    if (!isLeaf || id === leaf || settings.preemptionPolicy === 'disabled' || !around.includes(root)) continue
    const most = highestWithin(around.slice(around.indexOf(root) + 1), priorities.get(root) as number, priorities, of)
    if (most === undefined || isWithin(ledger.remaining(id))) continue
    givers.set(id, most)
  }
  return givers
}

/** Goes inwards: an offset is taken off, and behind a fence of priorities all may be taken, or nobody. */
function highestWithin(path: readonly number[], outside: number, known: ReadonlyMap<number, number>, { queues }: Queues): number | undefined {
  let priority = outside
  let isFenced = false
  for (const id of path) {
    const own = known.get(id)
    const { priorityPolicy, priorityOffset } = (queues[id] as Queue).settings
    if (own !== undefined) priority = own
    else if (priorityPolicy !== 'fence') priority -= priorityOffset
    else if (priorityOffset > priority) return undefined
    else isFenced = true
  }
  return isFenced ? Infinity : priority
}
