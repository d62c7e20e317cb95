import type { NodesSay, ResourceId, ShapeId, WorkView } from '@sched/core'
import type { Entry, Limit } from './counted.js'

/**
 * Limits on nodes for jobs that share them: how many nodes such a job holds depends on where its tasks start, so the policy is told of the limits, and asks.
 * A job with nodes for itself demands them as an amount, and its limits are checked like those on other amounts.
 */
export class NodeLimits {
  readonly #work: WorkView
  /** The resource of nodes. */
  readonly #resource: ResourceId
  /** Jobs for which this round has found too many nodes, with the limit. */
  readonly #broken = new Map<Entry, Limit>()

  constructor(work: WorkView, resource: ResourceId) {
    this.#work = work
    this.#resource = resource
  }

  /** Whether tasks of the shape share their nodes. */
  isShared(shape: ShapeId): boolean {
    return this.#work.demand(shape, this.#resource) === 0
  }

  begin(): void {
    this.#broken.clear()
  }

  /** Limits that have kept jobs from starting on nodes that were found for them in this round. */
  get broken(): ReadonlyMap<Entry, Limit> {
    return this.#broken
  }

  /** What these limits say of a job that shares nodes. */
  say(entry: Entry, limits: readonly Limit[]): NodesSay {
    return {
      has: (node) => limits.some(({ of }) => of?.nodes.has(node)),
      isOver: (nodes) => {
        const limit = limits.find((each) => each.nodes?.isOver(nodes))
        if (limit !== undefined) this.#broken.set(entry, limit)
        return limit !== undefined
      },
    }
  }
}
