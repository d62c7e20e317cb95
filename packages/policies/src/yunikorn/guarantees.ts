import { addTo, minus } from '../shares/vectors.js'
import { anyBelow0, filledFrom, saysNothing, smaller, type Sparse } from './amounts.js'
import type { Queue } from './queue-tree.js'

/** What the computation of guarantees reads. */
export interface Queues {
  readonly queues: readonly Pick<Queue, 'parent' | 'around' | 'isLeaf' | 'guaranteed' | 'max' | 'path' | 'settings'>[]
  readonly resources: readonly number[]
  used(queue: number, r: number): number
}

/** What queues would have if some tasks went and others came, and what would be left of their guarantees. */
export class Ledger {
  readonly #of: Queues
  readonly #width: number
  /** The queue of the task that asks for room. */
  readonly #asking: number
  readonly #changes = new Map<number, Float64Array>()

  constructor(of: Queues, asking: number) {
    this.#of = of
    this.#asking = asking
    this.#width = of.queues[0]?.guaranteed.length ?? 0
  }

  /** Adds amounts to a queue and all queues around it (`sign` 1), or takes them away (-1). */
  change(queue: number, amounts: ArrayLike<number>, sign: 1 | -1): void {
    for (const id of this.#of.queues[queue]?.around ?? []) {
      const change = this.#changes.get(id) ?? new Float64Array(this.#width)
      addTo(change, amounts, sign)
      this.#changes.set(id, change)
    }
  }

  /**
   * What is left of the guarantees of a queue and the queues around it, below 0 where more is used; `undefined` if nothing is guaranteed. For the
   * queue that asks its own guarantee takes precedence over those of the queues around it. If it has one, guarantees of queues around it do not
   * protect other queues in them.
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
      if (isSilent) continue // without a guarantee of its own it has what the queue around it has
      const own = minus(guaranteed, this.#used(id))
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

/** Whether something is guaranteed and no guarantee is exceeded. */
export const isWithin = (remaining: Sparse | undefined): boolean => remaining !== undefined && !anyBelow0(remaining)

/** The outermost queue within which a task may take others, and the priority that it has in each queue from its own out to that one. */
export interface Fence {
  readonly root: number
  readonly priorities: ReadonlyMap<number, number>
}

/**
 * The fence around a task: the nearest queue around it that is fenced or uses all of its maximum, or else the root.
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
 * The leaf queues that may give tasks to one that asks, each with the highest priority of the tasks that it may give: all inside the fence, except the
 * task's own, that are not within their guarantees.
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

/**
 * The highest priority that may be taken at the end of a path inwards. Each offset on the path is subtracted; behind a priority fence either every
 * priority may be taken (`Infinity`), or none (`undefined`).
 */
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
