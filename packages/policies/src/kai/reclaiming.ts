import type { JobId, WorkView } from '@sched/core'
import type { KaiOrder } from './kai.js'
import type { LeastRuntimes } from './least-runtimes.js'
import type { KaiSettings } from './options.js'
import { partingOf } from './parting.js'
import { due } from './queue-order.js'
import type { Queue } from './queues.js'
import type { Victim } from './victim.js'
import { VictimsInTurn } from './victims-in-turn.js'
import type { Victims } from './victims.js'

type Settings = Pick<KaiSettings, 'reclaimerSaturationMultiplier' | 'queuePriorityInQuotaReclaim'>

/**
 * Finds the victims that a job may take from other queues, one after another. The job's queue and the victim's are compared where their paths part.
 *
 * Source: KAI Scheduler, reclaimable.go and strategies.go.
 */
export class Reclaiming {
  readonly #order: KaiOrder
  readonly #settings: Settings
  /** What the job asks for, by resource. */
  readonly #asked: number[] = []
  /** By queue around the job, from the outermost inwards: whether the queue stays within its quota with the job, even if none of its own tasks goes. */
  readonly #isWithinQuota: readonly boolean[]
  /** The queue of the job and those around it, outermost first. */
  readonly #path: readonly Queue[]
  readonly #inTurn: VictimsInTurn
  /** The outermost queues that may give, and that of the job. */
  readonly #outermost = new Set<number>()

  constructor(job: JobId, order: KaiOrder, victims: Victims, leastRuntimes: LeastRuntimes, work: WorkView, settings: Settings) {
    this.#order = order
    this.#settings = settings
    this.#path = order.path(job)
    for (const r of order.resources) this.#asked[r] = order.asked(job, r)
    const staysWithin = ({ allocated, quota }: Queue, r: number) => (allocated[r] as number) + (this.#asked[r] as number) <= (quota[r] as number)
    this.#isWithinQuota = this.#path.map((queue) => order.resources.every((r) => staysWithin(queue, r)))
    // queues only lose meanwhile, so one that may not give now never may
    for (const pool of order.inside(0)) if (order.queue(pool) === this.#path[0] || this.#mayGive(order.queue(pool), 0)) this.#outermost.add(pool)
    const own = order.leaf(job)
    this.#inTurn = new VictimsInTurn(order, work, this.#outermost, (leaf) => (leaf === own ? [] : leastRuntimes.reclaimable(victims.of(leaf), this.#path)))
  }

  /**
   * False: it never comes to a victim for which `counts` holds. An outermost queue that holds jobs gives its victims one after another until it has too
   * little, whatever others give; of queues in others it is not found out. To be asked before the first victim.
   */
  mayReach(counts: (victim: Victim) => boolean): boolean {
    const { resources } = this.#order
    for (const pool of this.#outermost) {
      if (!this.#order.isLeaf(pool)) return true
      const victims = this.#inTurn.list(pool)
      const given: number[] = []
      for (let i = victims.length - 1; i >= 0 && this.#mayGive(this.#order.queue(pool), 0, given); i--) {
        const victim = victims[i] as Victim
        if (counts(victim)) return true
        for (const r of resources) given[r] = (given[r] ?? 0) + this.#inTurn.amount(victim, r)
      }
    }
    return false
  }

  /** The next victim; `undefined` when no queue may give any more. */
  next(): Victim | undefined {
    return this.#inTurn.next((victim) => this.#mayTake(victim))
  }

  /**
   * Whether, as things stand now, taking is fair: every queue around the job is within its fair share, or exceeds it by a smaller factor, after
   * multiplication by `reclaimerSaturationMultiplier`, than the sibling that has given.
   */
  isFair(taken: readonly Victim[]): boolean {
    const { resources } = this.#order
    const { reclaimerSaturationMultiplier: multiplier } = this.#settings
    return taken.every((victim) => {
      const path = this.#order.path(victim.job)
      const depth = partingOf(this.#path, path)
      const [own, other] = [this.#path[depth] as Queue, path[depth] as Queue]
      return resources.every((r) => {
        const share = part(own, r)
        return share <= 1 || other.fairShare[r] === 0 || share * multiplier < part(other, r) || (this.#asked[r] === 0 && this.#inTurn.amount(victim, r) === 0)
      })
    })
  }

  #mayTake({ job }: Victim): boolean {
    const path = this.#order.path(job)
    const depth = partingOf(this.#path, path)
    return this.#mayGive(path[depth] as Queue, depth)
  }

  /**
   * Whether a sibling of the job's queue, or of one around it, may give: it has more than it is due; or, while the job's side stays within its own
   * quota, it has more than its quota, or with `queuePriorityInQuotaReclaim` a lower priority. `given`: what it has given besides, by resource.
   */
  #mayGive(other: Queue, depth: number, given: readonly number[] = NOTHING): boolean {
    const { resources } = this.#order
    const has = (r: number): number => (other.allocated[r] as number) - (given[r] ?? 0)
    if (resources.some((r) => has(r) > due(other, r))) return true
    if (this.#isWithinQuota[depth] !== true) return false
    if (this.#settings.queuePriorityInQuotaReclaim && (this.#path[depth] as Queue).priority > other.priority) return true
    return resources.some((r) => has(r) > (other.quota[r] as number))
  }
}

const NOTHING: readonly number[] = []

const part = ({ allocated, fairShare }: Queue, r: number): number => (allocated[r] === 0 ? 0 : (allocated[r] as number) / (fairShare[r] as number))
