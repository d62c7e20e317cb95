import type { ClusterView, JobId, JobSpec, NodeId, NodeState, Observer, Seconds } from '@sched/core'
import { counts, secondsIn, wholeRun, type Period } from './period.js'

/** How long and how often nodes slept. */
export interface SleepResult {
  /** Number of times that a node began to wake. */
  readonly wakes: number
  /** Seconds that nodes were asleep, summed over nodes. */
  readonly asleep: Seconds
  /** These as a fraction of the time of all nodes that may sleep, in [0, 1]. */
  readonly share: number
  /** Seconds that nodes took to go to sleep and to wake, summed over nodes. */
  readonly switching: Seconds
}

/**
 * Measures how long nodes sleep and how often they wake, from the first submission to the end of the run. With a period, only what lies in it counts.
 */
export const sleep = (period?: Period): Sleep => new Sleep(period)

export class Sleep implements Observer {
  #maySleep = 0
  /** Nodes that are not awake, and since when. */
  readonly #since = new Map<NodeId, { state: NodeState; since: Seconds }>()
  #first = NaN
  #end = NaN
  #wakes = 0
  #asleep = 0
  #switching = 0

  constructor(private readonly period = wholeRun) {}

  onRunStart({ cluster }: { readonly cluster: ClusterView }): void {
    this.#maySleep = (cluster.sleep ?? []).reduce((count, rule) => count + (rule === undefined ? 0 : 1), 0)
  }

  onSubmit(_job: JobId, _spec: JobSpec, now: Seconds): void {
    if (Number.isNaN(this.#first)) this.#first = now
  }

  onNodeState(node: NodeId, state: NodeState, now: Seconds): void {
    this.#settle(node, now)
    if (state === 'awake') this.#since.delete(node)
    else this.#since.set(node, { state, since: now })
    if (state === 'waking' && counts(this.period, now)) this.#wakes++
  }

  onRunEnd(now: Seconds): void {
    this.#end = now
    for (const node of this.#since.keys()) this.#settle(node, now)
  }

  /** `undefined` if no node ever sleeps. */
  result(): SleepResult | undefined {
    if (this.#maySleep === 0) return undefined
    const all = this.#maySleep * secondsIn(this.period, this.#first, this.#end)
    return { wakes: this.#wakes, asleep: this.#asleep, share: all > 0 ? this.#asleep / all : NaN, switching: this.#switching }
  }

  #settle(node: NodeId, now: Seconds): void {
    const last = this.#since.get(node)
    if (last === undefined || Number.isNaN(this.#first)) return
    const seconds = secondsIn(this.period, Math.max(last.since, this.#first), now)
    if (last.state === 'asleep') this.#asleep += seconds
    else this.#switching += seconds
  }
}
