import type { JobId, ResourceId, TaskId, WorkView } from '@sched/core'
import type { KaiOrder, Queue } from './kai.js'
import { due, type Standing } from './queue-order.js'

/** What is taken as one: a gang, or one task of another job. */
export interface Victim {
  readonly job: JobId
  readonly tasks: readonly TaskId[]
}

/** Who goes last comes first: lower priorities go before higher ones, then later jobs before earlier ones, then later tasks. */
export function victimsInQueue(victims: readonly Victim[], work: WorkView): Victim[] {
  return [...victims].sort((a, b) => work.priority(b.job) - work.priority(a.job) || work.rank(a.job) - work.rank(b.job) || (a.tasks[0] as number) - (b.tasks[0] as number))
}

/** A queue with somebody to take. */
interface Giver {
  readonly leaf: number
  readonly victim: Victim
}

/**
 * Whom a job may have of other queues, one after the other: the next of the queue that would be served last without it.
 * What is taken is to count as gone meanwhile. The queues of both are compared where their paths part.
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
  /** By leaf: who may be taken, the next one last. */
  readonly #left = new Map<number, Victim[]>()

  constructor(job: JobId, order: KaiOrder, victims: readonly Victim[], work: WorkView) {
    this.#job = job
    this.#order = order
    this.#work = work
    for (const r of order.resources) this.#asked[r] = order.asked(job, r)
    const staysWithin = ({ allocated, quota }: Queue, r: number) => (allocated[r] as number) + (this.#asked[r] as number) <= (quota[r] as number)
    this.#isWithinQuota = order.path(job).map((queue) => order.resources.every((r) => staysWithin(queue, r)))
    for (const victim of victimsInQueue(victims, work)) {
      const list = this.#left.get(order.leaf(victim.job))
      if (list === undefined) this.#left.set(order.leaf(victim.job), [victim])
      else list.push(victim)
    }
  }

  /** The next victim; `undefined` when no queue may give any more. */
  next(): Victim | undefined {
    for (let giver = this.#last(0); giver !== undefined; giver = this.#last(0)) {
      if (this.#mayGive(giver.victim)) return this.#left.get(giver.leaf)?.pop()
      this.#left.delete(giver.leaf)
    }
    return undefined
  }

  /** Whether, as things stand, no queue around the job is further above its fair share than one beside it that has given something. */
  isFair(taken: readonly Victim[]): boolean {
    const { resources } = this.#order
    const mine = this.#order.path(this.#job)
    return taken.every((victim) => {
      const path = this.#order.path(victim.job)
      const depth = partingOf(mine, path)
      const [own, other] = [mine[depth] as Queue, path[depth] as Queue]
      return resources.every((r) => {
        const share = part(own, r)
        return share <= 1 || other.fairShare[r] === 0 || share < part(other, r) || (this.#asked[r] === 0 && this.#amount(victim, r) === 0)
      })
    })
  }

  /** Who is last of all inside a pool. */
  #last(pool: number): Giver | undefined {
    const inside = this.#order.inside(pool)
    const own = this.#left.get(pool)?.at(-1)
    if (inside === undefined) return own && { leaf: pool, victim: own }
    const givers = new Map<number, Giver>()
    for (const child of inside) {
      const giver = this.#last(child)
      if (giver !== undefined) givers.set(child, giver)
    }
    const without = (child: number): Standing => {
      const queue = this.#order.queue(child)
      const { victim } = givers.get(child) as Giver
      return { ...queue, allocated: queue.allocated.map((amount, r) => amount - this.#amount(victim, r)), asked: new Float64Array(queue.allocated.length) }
    }
    const [first, ...others] = givers.keys()
    if (first === undefined) return undefined
    return givers.get(others.reduce((last, child) => (this.#order.compare(last, child, without) < 0 ? child : last), first))
  }

  /** Whether the victim's queue has more than it is due, or more than its quota while the job's stays within its own. */
  #mayGive({ job }: Victim): boolean {
    const { resources } = this.#order
    const [mine, path] = [this.#order.path(this.#job), this.#order.path(job)]
    const depth = partingOf(mine, path)
    const other = path[depth] as Queue
    if (resources.some((r) => (other.allocated[r] as number) > due(other, r))) return true
    return this.#isWithinQuota[depth] === true && resources.some((r) => (other.allocated[r] as number) > (other.quota[r] as number))
  }

  #amount({ tasks }: Victim, r: number): number {
    return tasks.reduce((sum, task) => sum + this.#work.demand(this.#work.shapeOf(task), r as ResourceId), 0)
  }
}

const part = ({ allocated, fairShare }: Queue, r: number): number => (allocated[r] === 0 ? 0 : (allocated[r] as number) / (fairShare[r] as number))

/** Where two paths from the outermost queue inwards part. */
function partingOf(a: readonly Queue[], b: readonly Queue[]): number {
  let depth = 0
  while (a[depth] === b[depth]) depth++
  return depth
}
