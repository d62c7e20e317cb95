import type { JobId, ResourceId, WorkView } from '@sched/core'
import type { KaiOrder, Queue } from './kai.js'
import type { LeastRuntimes } from './least-runtimes.js'
import { partingOf } from './parting.js'
import { due, type Rank } from './queue-order.js'
import type { Victim } from './victim.js'

/** Who may be taken, by queue; as long as nobody else runs. */
export class Victims {
  readonly #work: WorkView
  readonly #byLeaf = new Map<number, Victim[]>()
  readonly #sorted = new Set<number>()

  constructor(work: WorkView) {
    this.#work = work
  }

  add(leaf: number, victim: Victim): void {
    const list = this.#byLeaf.get(leaf)
    if (list === undefined) this.#byLeaf.set(leaf, [victim])
    else list.push(victim)
  }

  /** Who goes last comes first: lower priorities go before higher ones, what jobs can do without before the rest (KAI's plug-in `elastic`), later jobs before earlier ones, then later tasks. */
  of(leaf: number): readonly Victim[] {
    const work = this.#work
    const list = this.#byLeaf.get(leaf) ?? []
    if (this.#sorted.has(leaf)) return list
    this.#sorted.add(leaf)
    return list.sort((a, b) => work.priority(b.job) - work.priority(a.job) || Number(b.isCore) - Number(a.isCore) || work.rank(a.job) - work.rank(b.job) || (a.tasks[0] as number) - (b.tasks[0] as number))
  }
}

/** Who is next of a queue, or of those inside it, and where it stands without. */
interface Giver {
  readonly leaf: number
  readonly victim: Victim
  readonly rank: Rank
}

/**
 * Whom a job may have of other queues, one after the other: the next of the queue that would be served last without it.
 * What is taken is to count as gone meanwhile, and nothing else is to change. The queues of both are compared where their paths part.
 *
 * Source: KAI Scheduler, reclaimable.go and strategies.go.
 */
export class Reclaiming {
  readonly #job: JobId
  readonly #order: KaiOrder
  readonly #work: WorkView
  /** What the job asks, by resource. */
  readonly #asked: number[] = []
  /** By queue around the job, from the outermost inwards: whether the job stays within its quota, whoever of it goes. */
  readonly #isWithinQuota: readonly boolean[]
  /** The queue of the job and those around it, outermost first. */
  readonly #path: readonly Queue[]
  /** Those of the outermost queues that may give; none has more meanwhile, so the others never may. */
  readonly #outermost = new Set<number>()
  readonly #victims: Victims
  readonly #leastRuntimes: LeastRuntimes
  /** By leaf: who of it may be taken. */
  readonly #lists = new Map<number, readonly Victim[]>()
  /** By leaf that gave somebody or gives no more: how many are left. */
  readonly #left = new Map<number, number>()
  /** By queue, as far as nobody inside it has gone since. */
  readonly #givers = new Map<number, Giver | undefined>()

  constructor(job: JobId, order: KaiOrder, victims: Victims, leastRuntimes: LeastRuntimes, work: WorkView) {
    this.#job = job
    this.#order = order
    this.#victims = victims
    this.#leastRuntimes = leastRuntimes
    this.#work = work
    this.#path = order.path(job)
    for (const r of order.resources) this.#asked[r] = order.asked(job, r)
    const staysWithin = ({ allocated, quota }: Queue, r: number) => (allocated[r] as number) + (this.#asked[r] as number) <= (quota[r] as number)
    this.#isWithinQuota = this.#path.map((queue) => order.resources.every((r) => staysWithin(queue, r)))
    for (const pool of order.inside(0)) if (order.queue(pool) === this.#path[0] || this.#mayGive(order.queue(pool), 0)) this.#outermost.add(pool)
  }

  /** The next victim; `undefined` when no queue may give any more. */
  next(): Victim | undefined {
    for (let giver = this.#last(0); giver !== undefined; giver = this.#last(0)) {
      for (let pool = giver.leaf; pool > 0; pool = this.#order.parent(pool)) this.#givers.delete(pool)
      const mayTake = this.#mayTake(giver.victim)
      this.#left.set(giver.leaf, mayTake ? this.#leftOf(giver.leaf) - 1 : 0)
      if (mayTake) return giver.victim
    }
    return undefined
  }

  /** Whether, as things stand, no queue around the job is further above its fair share than one beside it that has given something. */
  isFair(taken: readonly Victim[]): boolean {
    const { resources } = this.#order
    return taken.every((victim) => {
      const path = this.#order.path(victim.job)
      const depth = partingOf(this.#path, path)
      const [own, other] = [this.#path[depth] as Queue, path[depth] as Queue]
      return resources.every((r) => {
        const share = part(own, r)
        return share <= 1 || other.fairShare[r] === 0 || share < part(other, r) || (this.#asked[r] === 0 && this.#amount(victim, r) === 0)
      })
    })
  }

  /** Who is last of all inside a pool. */
  #last(pool: number): Giver | undefined {
    const order = this.#order
    let last: Giver | undefined
    let at = 0
    for (const child of pool === 0 ? this.#outermost : order.inside(pool)) {
      const giver = this.#giver(child)
      if (giver === undefined || (last !== undefined && order.compare(at, last.rank, child, giver.rank) >= 0)) continue
      last = giver
      at = child
    }
    return last
  }

  #giver(pool: number): Giver | undefined {
    if (this.#givers.has(pool)) return this.#givers.get(pool)
    const next = this.#order.isLeaf(pool) ? this.#lastIn(pool) : this.#last(pool)
    const giver = next && { leaf: next.leaf, victim: next.victim, rank: this.#order.rankWithout(pool, (r) => this.#amount(next.victim, r)) }
    this.#givers.set(pool, giver)
    return giver
  }

  #lastIn(leaf: number): Pick<Giver, 'leaf' | 'victim'> | undefined {
    if (leaf === this.#order.leaf(this.#job)) return undefined
    const victim = this.#listOf(leaf)[this.#leftOf(leaf) - 1]
    return victim && { leaf, victim }
  }

  #leftOf(leaf: number): number {
    return this.#left.get(leaf) ?? this.#listOf(leaf).length
  }

  #listOf(leaf: number): readonly Victim[] {
    const known = this.#lists.get(leaf)
    if (known !== undefined) return known
    const list = this.#leastRuntimes.reclaimable(this.#victims.of(leaf), this.#path)
    this.#lists.set(leaf, list)
    return list
  }

  #mayTake({ job }: Victim): boolean {
    const path = this.#order.path(job)
    const depth = partingOf(this.#path, path)
    return this.#mayGive(path[depth] as Queue, depth)
  }

  /** Whether a queue beside that of the job or beside one around it has more than it is due, or more than its quota while the job's stays within its own. */
  #mayGive(other: Queue, depth: number): boolean {
    const { resources } = this.#order
    if (resources.some((r) => (other.allocated[r] as number) > due(other, r))) return true
    return this.#isWithinQuota[depth] === true && resources.some((r) => (other.allocated[r] as number) > (other.quota[r] as number))
  }

  #amount({ tasks }: Victim, r: number): number {
    return tasks.reduce((sum, task) => sum + this.#work.demand(this.#work.shapeOf(task), r as ResourceId), 0)
  }
}

const part = ({ allocated, fairShare }: Queue, r: number): number => (allocated[r] === 0 ? 0 : (allocated[r] as number) / (fairShare[r] as number))
