import type { Env, NodeId, Round, Seconds, TaskId } from '@sched/core'
import { withinBudgets } from './disruptions.js'
import type { VolcanoLane } from './lane.js'
import type { VolcanoJob } from './queue.js'
import type { RevocableZones } from './revocable-zones.js'

/** A task that runs on a node of a zone, and its job. */
interface Lodger {
  readonly job: VolcanoJob
  readonly task: TaskId
  readonly node: NodeId
}

/**
 * Takes tasks off the nodes of zones that are closed, of each job as many at a time as it may lose, the latest first. It does so at multiples of a period,
 * in seconds from the start of the run.
 *
 * Source: Volcano, plugins/tdm (victimsFn), which the actions `preempt` and `shuffle` call.
 */
export class Revoking {
  readonly #zones: RevocableZones
  readonly #period: Seconds
  readonly #lane: VolcanoLane
  readonly #env: Env
  /** The last time at which tasks were taken, and the next at which a round is needed; `NaN` and `Infinity`: none. */
  #last: Seconds = NaN
  #wake: Seconds = NaN

  constructor(zones: RevocableZones, period: Seconds, lane: VolcanoLane, env: Env) {
    this.#zones = zones
    this.#period = period
    this.#lane = lane
    this.#env = env
    this.#wake = Infinity
  }

  memory(): Seconds | null {
    return Number.isNaN(this.#last) ? null : this.#last
  }

  recall(memory: unknown): void {
    this.#last = (memory as Seconds | null) ?? NaN
  }

  /** Whether it needs a round although no task waits. */
  wantsRound(now: Seconds): boolean {
    return this.#wake <= now
  }

  /** Takes what is to be taken now, and asks for a round when more may be. */
  revoke(round: Round): void {
    const { now } = round
    const closed = this.#lodgers().filter((each) => this.#mustGo(each))
    if (closed.length > 0 && this.#due(now) === now) {
      closed.sort((a, b) => b.job.rank - a.job.rank || b.task - a.task)
      for (const { task } of withinBudgets(closed)) round.evict(task)
      this.#last = now
    }
    const left = this.#lodgers()
    this.#wake = left.length === 0 ? Infinity : left.some((each) => this.#mustGo(each)) ? this.#due(now) : this.#zones.next
    if (this.#wake < Infinity) round.wakeAt(this.#wake)
  }

  #mustGo({ job, task, node }: Lodger): boolean {
    return job.preemptible !== false && !this.#zones.isOpen(node) && !Number.isNaN(this.#env.work.started(task))
  }

  /** The first multiple of the period, from `now` on, at which nothing was taken yet. */
  #due(now: Seconds): Seconds {
    let periods = Math.round(now / this.#period)
    while (periods * this.#period < now || periods * this.#period <= this.#last) periods++
    return periods * this.#period
  }

  #lodgers(): Lodger[] {
    const { jobs } = this.#lane
    return this.#zones.nodes.flatMap((node) => (jobs.onNode[node] ?? []).map((task) => ({ job: jobs.of(this.#env.work.jobOf(task)), task, node })))
  }
}
