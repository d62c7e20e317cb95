import type { Amounts } from './amounts.js'
import { byName, type Queue, type VolcanoJob } from './queue.js'
import type { Outside, Plugin, Victim } from './plugin.js'

/**
 * Combines the answers of the plug-ins in tiers, one rule for each question.
 *
 * Source: Volcano, session_plugins.go.
 */
export class Tiers {
  readonly #tiers: readonly (readonly Plugin[])[]
  readonly #all: readonly Plugin[]
  /** Whether the order of two queues may change with what a third one has. */
  readonly ordersTogether: boolean
  /** Whether a plug-in orders queues by what they have. */
  readonly areQueuesOrdered: boolean
  readonly #jobKeys: readonly NonNullable<Plugin['jobKey']>[]

  constructor(tiers: readonly (readonly Plugin[])[]) {
    this.#tiers = tiers
    this.#all = tiers.flat()
    this.areQueuesOrdered = this.#all.some(({ queueOrder }) => queueOrder !== undefined)
    this.ordersTogether = this.#all.some(({ queueOrder, ordersTogether }) => queueOrder !== undefined && ordersTogether === true)
    this.#jobKeys = this.#all.flatMap(({ jobKey }) => jobKey ?? [])
  }

  bound(queues: readonly Queue[]): void {
    for (const { bound } of this.#all) bound?.(queues)
  }

  open(): void {
    for (const { open } of this.#all) open?.()
  }

  changed(queue: Queue): void {
    for (const { changed } of this.#all) changed?.(queue)
  }

  /** The most that the queue may ever have of a resource. */
  most(queue: Queue, r: number): number {
    return Math.min(Infinity, ...this.#all.flatMap(({ most }) => (most === undefined ? [] : [most(queue, r)])))
  }

  /** The keys of a job, in the order of the plug-ins: the first plug-in that distinguishes two jobs decides, whatever its tier. */
  jobKeys(job: VolcanoJob): Float64Array {
    const keys = new Float64Array(this.#jobKeys.length)
    for (let i = 0; i < keys.length; i++) keys[i] = (this.#jobKeys[i] as (job: VolcanoJob) => number)(job)
    return keys
  }

  /** The first plug-in that distinguishes two queues decides; ties go by name. */
  compareQueues(a: Queue, b: Queue): number {
    for (const { queueOrder } of this.#all) {
      const order = queueOrder?.(a, b) ?? 0
      if (order !== 0) return order
    }
    return byName(a, b)
  }

  /** Which of two queues gives first: the first plug-in that distinguishes them decides, otherwise the queue that would be served last gives first. */
  compareVictims(a: Queue, b: Queue, taker: Queue): number {
    for (const { victimQueueOrder } of this.#all) {
      const order = victimQueueOrder?.(a, b, taker) ?? 0
      if (order !== 0) return order
    }
    return this.compareQueues(b, a)
  }

  /** False if any plug-in of a tier says no; if one says yes and none no, later tiers are not asked. */
  mayEnqueue(job: Outside): boolean {
    for (const tier of this.#tiers) {
      let isAllowed = false
      for (const { mayEnqueue } of tier) {
        const answer = mayEnqueue?.(job)
        if (answer === false) return false
        isAllowed ||= answer === true
      }
      if (isAllowed) return true
    }
    return true
  }

  /** Whether any job of the queue may be enqueued: false if not even one of the least minimum might that has waited for as long as `sla` lets it. */
  mayEnqueueAny(queue: Queue): boolean {
    return this.mayEnqueue({ queue, minimum: queue.leastOutside, isDue: true })
  }

  /** Whether what queues may have is given in amounts, and not as parts of the cluster. */
  get areAmounts(): boolean {
    return this.#all.some(({ name }) => name === 'capacity')
  }

  /** True if any plug-in says so. */
  isOverused(queue: Queue): boolean {
    return this.#all.some(({ isOverused }) => isOverused?.(queue) === true)
  }

  /** True if no plug-in forbids it. */
  mayAllocate(queue: Queue, more: Amounts): boolean {
    return this.#all.every(({ mayAllocate }) => mayAllocate?.(queue, more) !== false)
  }

  /** The plug-in, in words, that lets the queue start nothing, or not so much more; `undefined` if none forbids it. */
  refusingMore(queue: Queue, more: Amounts): string | undefined {
    return limitOf(this.#all.find(({ isOverused, mayAllocate }) => isOverused?.(queue) === true || mayAllocate?.(queue, more) === false), queue)
  }

  /** The plug-in, in words, that does not enqueue the job; `undefined` if none forbids it. */
  refusingJob(job: VolcanoJob): string | undefined {
    return this.mayEnqueue(job) ? undefined : limitOf(this.#all.find(({ mayEnqueue }) => mayEnqueue?.(job) === false), job.queue)
  }

  /** The same, even if anybody of other queues goes. */
  couldAllocate(queue: Queue, more: Amounts): boolean {
    return this.#all.every(({ couldAllocate }) => couldAllocate?.(queue, more) !== false)
  }

  /** True if no plug-in forbids it. */
  mayReclaim(queue: Queue, more: Amounts): boolean {
    return this.#all.every(({ mayReclaim }) => mayReclaim?.(queue, more) !== false)
  }

  /** True if all plug-ins with an opinion say so, in the first tier that has any; false if none has. */
  isStarving(job: VolcanoJob): boolean {
    for (const tier of this.#tiers) {
      const asked = tier.filter(({ isStarving }) => isStarving !== undefined)
      if (asked.length > 0) return asked.every(({ isStarving }) => isStarving?.(job))
    }
    return false
  }

  preemptable(taker: VolcanoJob, candidates: readonly Victim[]): readonly Victim[] {
    return this.#victims('preemptable', taker, candidates)
  }

  reclaimable(taker: VolcanoJob, candidates: readonly Victim[]): readonly Victim[] {
    return this.#victims('reclaimable', taker, candidates)
  }

  /** The same for the actions gangpreempt and gangreclaim; candidates come in the order in which they would go. */
  evictable(kind: 'preempt' | 'reclaim', taker: VolcanoJob, candidates: readonly Victim[]): readonly Victim[] {
    return this.#named(({ evictable }) => evictable?.(kind, taker, candidates))
  }

  /**
   * The victims that all plug-ins of a tier name, in the first tier that names any. A plug-in that names nobody ends its tier without victims. As in
   * Volcano, if plug-ins agree on nobody, the next one of their tier counts as if it were the first.
   */
  #victims(of: 'preemptable' | 'reclaimable', taker: VolcanoJob, candidates: readonly Victim[]): readonly Victim[] {
    return this.#named((plugin) => plugin[of]?.(taker, candidates))
  }

  #named(nameBy: (plugin: Plugin) => readonly Victim[] | undefined): readonly Victim[] {
    for (const tier of this.#tiers) {
      let victims: readonly Victim[] = []
      for (const plugin of tier) {
        const named = nameBy(plugin)
        if (named === undefined) continue
        victims = victims.length === 0 ? named : victims.filter((victim) => named.includes(victim))
        if (named.length === 0) {
          victims = []
          break
        }
      }
      if (victims.length > 0) return victims
    }
    return []
  }
}

/** The plug-in, with the queue if it is one that divides the cluster among queues: `overcommit` looks at the whole. */
const limitOf = (plugin: Plugin | undefined, queue: Queue): string | undefined =>
  plugin?.name === 'proportion' || plugin?.name === 'capacity' ? `${plugin.name} in ${queue.name}` : plugin?.name
