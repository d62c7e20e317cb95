import { defineOrder, to40Bits, ownValue, type Env, type JobBlock, type JobId, type LaneId, type Order, type Plug, type Round, type Seconds } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { Keys, SortedIds } from './sorted-ids.js'
import { spend, type SpendingChange } from './spending.js'

const amount = z.number().nonnegative()
const change = z.strictObject({
  at: amount.describe('seconds from the start of the run'),
  rate: amount.optional().describe('spending rate from then on'),
  deposit: amount.optional().describe('added to the budget then'),
})
const spender = {
  budget: amount.optional().describe('what it may spend, in the unit of `rate`; default without end'),
  rate: amount.default(1).describe('spending rate: what it pays per slot and interval'),
}
const dynamicPriorityOptions = z.strictObject({
  interval: z.number().min(0.001).default(20).describe('seconds between two payments'),
  queues: z
    .record(z.string(), z.strictObject({ ...spender, changes: z.array(change).default([]).describe('changes of rate and deposits as time passes') }))
    .default({})
    .describe('budgets and spending rates by queue; jobs without one are in that of their user'),
  defaults: z.strictObject(spender).prefault({}).describe('budget and rate of queues that are not named'),
})
/** Options of `dynamic-priority`; all may be left out. */
export type DynamicPriorityOptions = z.input<typeof dynamicPriorityOptions>

/**
 * Users buy priority: at the end of every interval each queue pays its rate for every slot that it uses, and its share of the cluster
 * in the next interval is its rate over the price (see `spend`). Queues go by running tasks over share, smallest first;
 * those without a share come after all others, by running tasks. Ties by name; inside a queue by priority and submission. A queue that
 * has just come has no share before the next interval.
 *
 * Source: Sandholm and Lai, JSSPP 2010; Hadoop's dynamic-priority scheduler; Lin et al., survey, section 7.
 */
export const dynamicPriorityOrder = defineOrder({
  name: 'dynamic-priority',
  summary: 'queues by running tasks over the share that they pay for from a budget',
  source: 'Sandholm and Lai, JSSPP 2010; Lin et al., survey, section 7',
  options: dynamicPriorityOptions,
  create: (options, env) => new DynamicPriority(options, env),
})

/** Queues by the share that they pay for. */
export const dynamicPriority = (options: DynamicPriorityOptions = {}): Plug<'order'> => dynamicPriorityOrder.plug({}, options)

/** The state of `DynamicPriority` that jobs do not tell: the intervals that have been paid for, and by queue what is left and what it has bought. */
interface SpendingMemory {
  readonly intervals: number
  readonly queues: Readonly<Record<string, { readonly budget: number | null; readonly share: number; readonly rate: number; readonly changes: number }>>
}

interface Queue {
  readonly name: string
  /** What is left to spend, and what it pays per running task and interval; both >= 0. */
  budget: number
  rate: number
  /** The part of the cluster that it pays for in this interval, in [0, 1]. */
  share: number
  readonly changes: SpendingChange[]
  /** By lane: jobs with unplaced tasks, and number of running tasks. */
  readonly jobs: readonly SortedIds[]
  readonly running: number[]
  /** Number of running tasks in all lanes. */
  usage: number
}

class DynamicPriority implements Order {
  readonly #options: z.output<typeof dynamicPriorityOptions>
  readonly #env: Env
  readonly #keys: readonly Keys[]
  readonly #queues: Queue[] = []
  readonly #byName = new Map<string, Queue>()
  readonly #ofJob: Queue[] = []
  #intervals = 0
  /** The next time at which a queue's rate changes or its budget gets a deposit; `Infinity`: never. */
  #nextChange: Seconds = Infinity
  /** Whether the last payments changed no share and no budget, and no queue has come, gone to work or changed its use since: the next ones are the same. */
  #isSettled = false
  /** By lane: the queues with waiting jobs. */
  readonly #waiting: readonly Set<Queue>[]
  /** The queues of a lane in order, and the place of the next to be read. */
  readonly #sorted: (Queue[] | undefined)[]
  #reading: readonly Queue[] = []
  #at = 0
  #lane = 0 as LaneId

  constructor(options: z.output<typeof dynamicPriorityOptions>, env: Env) {
    this.#options = options
    this.#env = env
    this.#keys = env.cluster.lanes.map(() => new Keys())
    this.#waiting = this.#keys.map(() => new Set())
    this.#sorted = this.#keys.map(() => undefined)
    for (const name of Object.keys(options.queues)) this.#queue(name)
  }

  begin(round: Round): void {
    this.#advance(round.now)
    if (round.cluster.heartbeat === 0 && round.pending > 0) round.wakeAt(this.#next)
    this.#lane = round.lane
    this.#at = 0
    this.#reading = this.#sorted[round.lane] ??= this.#sort(round.lane)
  }

  next(): JobBlock | undefined {
    return this.#reading[this.#at++]?.jobs[this.#lane]
  }

  #sort(lane: LaneId): Queue[] {
    const worth = ({ share, running }: Queue) => (share > 0 ? to40Bits((running[lane] as number) / share) : Infinity)
    return [...(this.#waiting[lane] as Set<Queue>)].sort((a, b) => {
      const [first, second] = [worth(a), worth(b)]
      if (first !== second) return first < second ? -1 : 1
      return (first === Infinity ? (a.running[lane] as number) - (b.running[lane] as number) : 0) || (a.name < b.name ? -1 : 1)
    })
  }

  // ---- money ----

  get #next(): Seconds {
    return (this.#intervals + 1) * this.#options.interval
  }

  /** Ends the intervals that are over: payments come before all else that happens in their instant. */
  #advance(now: Seconds): void {
    for (let end = this.#next; end <= now; end = this.#next) {
      this.#intervals++
      if (!this.#pay(end)) this.#intervals = Math.max(this.#intervals, Math.floor(Math.min(now, this.#nextChange) / this.#options.interval) - 2)
    }
  }

  /**
   * Makes the payments of an interval. Returns whether a share or a budget has changed: if none has, the next intervals are the same until the next
   * change.
   */
  #pay(now: Seconds): boolean {
    if (this.#isSettled && now < this.#nextChange) return false
    const queues = this.#queues
    if (now >= this.#nextChange) {
      for (const queue of queues) makeChanges(queue, now)
      this.#lookAhead()
    }
    const { shares, budgets } = spend(queues.map(({ budget, rate, usage, jobs }) => ({ budget, rate, usage, pending: jobs.some(({ size }) => size > 0) ? 1 : 0 })))
    const isOther = queues.some(({ share, budget }, i) => share !== shares[i] || budget !== budgets[i])
    for (const [i, queue] of queues.entries()) {
      queue.share = shares[i] as number
      queue.budget = budgets[i] as number
    }
    this.#sorted.fill(undefined)
    this.#isSettled = !isOther
    return isOther
  }

  #lookAhead(): void {
    this.#nextChange = this.#queues.reduce((least, { changes }) => Math.min(least, changes[0]?.at ?? Infinity), Infinity)
  }

  #queue(name: string): Queue {
    const known = this.#byName.get(name)
    if (known !== undefined) return known
    const { budget = Infinity, rate } = ownValue(this.#options.queues, name) ?? this.#options.defaults
    const changes = [...(ownValue(this.#options.queues, name)?.changes ?? [])].sort((a, b) => a.at - b.at)
    const queue: Queue = { name, budget, rate, share: 0, changes, jobs: this.#keys.map((keys) => new SortedIds(keys)), running: this.#keys.map(() => 0), usage: 0 }
    this.#byName.set(name, queue)
    const at = this.#queues.findIndex((other) => other.name > name) // by name, so that sums do not depend on who came first
    this.#queues.splice(at < 0 ? this.#queues.length : at, 0, queue)
    this.#nextChange = Math.min(this.#nextChange, changes[0]?.at ?? Infinity)
    this.#isSettled = false
    return queue
  }

  memory(): SpendingMemory {
    const queues = this.#queues.map(({ name, budget, share, rate, changes }) => [name, { budget: budget < Infinity ? budget : null, share, rate, changes: changes.length }] as const)
    return { intervals: this.#intervals, queues: Object.fromEntries(queues) }
  }

  recall(memory: unknown): void {
    const { intervals, queues } = memory as SpendingMemory
    this.#intervals = intervals
    for (const [name, { budget, share, rate, changes }] of Object.entries(queues)) {
      const queue = this.#queue(name)
      queue.changes.splice(0, queue.changes.length - changes)
      Object.assign(queue, { budget: budget ?? Infinity, share, rate })
    }
    this.#lookAhead()
    this.#isSettled = false
    this.#sorted.fill(undefined)
  }

  // ---- keeping current ----

  onSubmit(job: JobId): void {
    const { work } = this.#env
    this.#advance(this.#env.now())
    this.#ofJob[job] = this.#queue(work.queueName(work.queue(job)))
  }

  onReady(job: JobId, lane: LaneId): void {
    const { work } = this.#env
    this.#advance(this.#env.now())
    this.#keys[lane]?.set(job, -work.priority(job), work.rank(job))
    const queue = this.#ofJob[job] as Queue
    const list = queue.jobs[lane] as SortedIds
    list.add(job)
    if (list.size > 1) return
    this.#waiting[lane]?.add(queue)
    this.#isSettled = false
    this.#sorted[lane] = undefined
  }

  onDrained(job: JobId, lane: LaneId): void {
    this.#advance(this.#env.now())
    const queue = this.#ofJob[job] as Queue
    const list = queue.jobs[lane] as SortedIds
    list.remove(job)
    if (list.size > 0) return
    this.#waiting[lane]?.delete(queue)
    this.#isSettled = false
    this.#sorted[lane] = undefined
  }

  onClaim(job: JobId, lane: LaneId): void {
    this.#count(job, lane, 1)
  }

  onRelease(job: JobId, lane: LaneId): void {
    this.#count(job, lane, -1)
  }

  #count(job: JobId, lane: LaneId, by: 1 | -1): void {
    this.#advance(this.#env.now())
    const queue = this.#ofJob[job] as Queue
    queue.running[lane] = (queue.running[lane] as number) + by
    queue.usage += by
    this.#isSettled = false
    this.#sorted[lane] = undefined
  }
}

/** Makes the changes of the queue's rate and budget up to and including `now`; those of an instant come before its payment. */
function makeChanges(queue: Queue, now: Seconds): void {
  for (let change = queue.changes[0]; change !== undefined && change.at <= now; change = queue.changes[0]) {
    queue.changes.shift()
    queue.rate = change.rate ?? queue.rate
    queue.budget += change.deposit ?? 0
  }
}
