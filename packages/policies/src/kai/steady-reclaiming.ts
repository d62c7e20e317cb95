import type { JobId, ResourceId, WorkView } from '@sched/core'
import type { KaiOrder } from './kai.js'
import type { LeastRuntimes } from './least-runtimes.js'
import { partingOf } from './parting.js'
import type { Queue } from './queues.js'
import { isBelowSteadyShare, keeps } from './steady-shares.js'
import type { Victim } from './victim.js'
import { VictimsInTurn } from './victims-in-turn.js'
import type { Victims } from './victims.js'

/**
 * Finds the victims that a job, whose queue has fewer GPUs than its steady fair share, may take from queues that have more than theirs. No queue
 * is left with less; a victim that is too large for that is passed over. Where the paths of the queues part, both sides are compared.
 *
 * Source: KAI Scheduler, plug-in `proportion`, steadyFairShareReclaim. Deviation: all victims are found like this, or none: it is tried where fair
 * shares make no room.
 */
export class SteadyReclaiming {
  readonly #order: KaiOrder
  readonly #gpu: ResourceId
  readonly #multiplier: number
  readonly #path: readonly Queue[]
  readonly #inTurn: VictimsInTurn
  /** Jobs of which a part was passed over. */
  readonly #passed = new Set<JobId>()

  constructor(job: JobId, order: KaiOrder, gpu: ResourceId, victims: Victims, leastRuntimes: LeastRuntimes, work: WorkView, multiplier: number) {
    this.#order = order
    this.#gpu = gpu
    this.#multiplier = multiplier
    this.#path = order.path(job)
    const own = order.leaf(job)
    this.#inTurn = new VictimsInTurn(order, work, order.inside(0), (leaf) => (leaf === own ? [] : leastRuntimes.reclaimable(victims.of(leaf), this.#path)))
  }

  /** The next victim; `undefined` when no queue may give any more. */
  next(): Victim | undefined {
    return this.#inTurn.next((victim) => this.#mayTake(victim), true)
  }

  #mayTake(victim: Victim): boolean {
    const [own, other] = this.#sides(victim)
    const r = this.#gpu
    const may = !this.#passed.has(victim.job) && isBelowSteadyShare(own, r) && (other.allocated[r] as number) - this.#inTurn.amount(victim, r) >= keeps(other, r)
    if (!may) this.#passed.add(victim.job)
    return may
  }

  /** Whether, as things stand now, the job's side has no more than its steady fair share, or exceeds it by a smaller factor than who has given. */
  isFair(taken: readonly Victim[]): boolean {
    const part = ({ allocated, steadyShare }: Queue) => (allocated[this.#gpu] === 0 ? 0 : (allocated[this.#gpu] as number) / (steadyShare[this.#gpu] as number))
    return taken.every((victim) => {
      const [own, other] = this.#sides(victim)
      const share = part(own)
      return share <= 1 || other.steadyShare[this.#gpu] === 0 || share * this.#multiplier < part(other)
    })
  }

  #sides({ job }: Victim): readonly [own: Queue, other: Queue] {
    const path = this.#order.path(job)
    const depth = partingOf(this.#path, path)
    return [this.#path[depth] as Queue, path[depth] as Queue]
  }
}
