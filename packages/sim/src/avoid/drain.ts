import type { NodeId, Seconds } from '@sched/core'
import { checkCounts, checkFractions, checkTimes } from './checks.js'
import type { DrainedNodes } from './drained-nodes.js'
import type { AvoidRule, Failure } from './rule.js'

/** Limits of nodes that are drained after failures. */
export interface DrainAvoid {
  readonly rule: 'drain'
  /** So many tasks, of any jobs, fail on a node before it is drained; at least 1, default 3. */
  readonly failures?: number | undefined
  /** Within so many seconds, > 0; default 3600. */
  readonly within?: Seconds | undefined
  /** For so many seconds it is drained, > 0; default 3600, `Infinity`: until the end. */
  readonly time?: Seconds | undefined
  /** Fraction of the nodes, in [0, 1], from which on no more are drained; default 0.5. */
  readonly most?: number | undefined
}

/** A node on which so many tasks have failed within a time is drained for a time, as by a check of its health after each failure. */
export class DrainRule implements AvoidRule {
  readonly isOfJobs = false
  readonly failsAfter = undefined
  readonly #drained: DrainedNodes
  readonly #limits: { readonly failures: number; readonly within: Seconds; readonly time: Seconds; readonly most: number }
  /** By node: times of its latest failures. */
  readonly #failures = new Map<NodeId, Seconds[]>()

  /** Throws `BAD_INPUT` for invalid options. */
  constructor({ failures = 3, within = 3600, time = 3600, most = 0.5 }: DrainAvoid, drained: DrainedNodes) {
    checkCounts({ failures })
    checkTimes({ within, time })
    checkFractions({ most })
    this.#drained = drained
    this.#limits = { failures, within, time, most }
  }

  failed({ node }: Failure, now: Seconds): void {
    const { failures, within, time, most } = this.#limits
    const drained = this.#drained
    const times = [...(this.#failures.get(node) ?? []), now].filter((each) => each > now - within)
    this.#failures.set(node, times)
    if (times.length < failures || drained.has(node) || drained.drained >= (drained.up + drained.drained) * most) return
    this.#failures.delete(node)
    drained.drain(node, now, time === Infinity)
    if (time < Infinity) drained.at(now + time, (end) => drained.restore(node, end))
  }

  forget(): void {
    // it counts by node, not by job
  }
}
