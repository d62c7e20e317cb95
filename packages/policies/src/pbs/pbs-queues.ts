import { defineOrder, forwarding, grown, listOf, ownValue, Reason, rememberedJobs, type Env, type JobBlock, type JobId, type LaneId, type NodeId, type Order, type Plug, type Release, type Round, type Seconds, type TaskId } from '@sched/core'
import * as z from '@sched/bundled/zod'

const pbsQueuesOptions = z.strictObject({
  take: z.enum(['all', 'by_queue', 'round_robin']).default('all').describe('all: jobs of all queues as those of one; by_queue: all of the first queue, then of the next; round_robin: one of each queue of the highest Priority, again and again, then of the next lower'),
  queues: z
    .record(z.string(), z.strictObject({
      Priority: z.int().min(-1024).max(1023).default(0).describe('queues with more come first, of equals the one named first here'),
      started: z.boolean().default(true).describe('false: its jobs wait'),
    }))
    .default({})
    .describe('queues; those that are not named have Priority 0 and come behind those named, by name'),
})
/** Options of `pbs-queues`; all may be left out. */
export type PbsQueuesOptions = z.input<typeof pbsQueuesOptions>
type Settings = z.output<typeof pbsQueuesOptions>

/**
 * Another order, queue by queue: all jobs of the queue with the highest Priority first, or a job of each queue in turn among those of one Priority. The turns begin anew in every
 * instant with the first queue; who is looked at has had his turn, whether he starts or not. Jobs of queues that are not started are left out.
 *
 * Source: OpenPBS, `next_job` of fifo.cpp and `is_ok_to_run_queue` of check.cpp.
 */
export const pbsQueuesOrder = defineOrder({
  name: 'pbs-queues',
  summary: 'another order, queue by queue or a job of each in turn (OpenPBS)',
  source: 'OpenPBS, by_queue and round_robin',
  options: pbsQueuesOptions,
  inner: { order: 'order' },
  defaults: { order: 'fifo' },
  create: (options, env, { order }) => new PbsQueues(options, env, order.create(env)),
})

/** Another order, queue by queue or a job of each in turn. */
export const pbsQueues = (order: Plug<'order'>, options: PbsQueuesOptions = {}): Plug<'order'> => pbsQueuesOrder.plug({ order }, options)

interface Queue {
  readonly priority: number
  /** Among those that are named; the others come behind them, by name. */
  readonly place: number
  readonly isStarted: boolean
  readonly name: string
}

/** The instant; by queue how many of its jobs have had a turn in it; and how many tasks of which of them have been claimed. */
type Memory = readonly [now: Seconds, started: Readonly<Record<string, number>>, claims: readonly (readonly [job: string, tasks: number])[]]

class PbsQueues implements Order {
  readonly readsAll: boolean
  readonly priority?: (job: JobId, lane: LaneId) => number
  readonly #env: Env
  readonly #options: Settings
  readonly #order: Order
  readonly #queues = new Map<string, Queue>()
  /** By job: its queue, and its turn in the listing that is being made. */
  readonly #queueOf: Queue[] = listOf()
  readonly #turns: number[] = []
  #now: Seconds = -1
  #started = new Map<string, number>()
  #claims = new Map<JobId, number>()
  #ids = new Int32Array(64)
  #unread: JobBlock | undefined

  constructor(options: Settings, env: Env, order: Order) {
    this.#env = env
    this.#options = options
    this.#order = order
    const areStarted = Object.values(options.queues).every(({ started }) => started)
    this.readsAll = order.readsAll === true && areStarted
    if (order.priority !== undefined) this.priority = (job, lane) => (order as Required<Order>).priority(job, lane)
    const own = {
      onSubmit: (job: JobId) => {
        this.#queueOf[job] = this.#queue(env.work.queueName(env.work.queue(job)))
      },
      onClaim: (job: JobId, _lane: LaneId, task: TaskId) => {
        if (Number.isNaN(env.work.started(task))) this.#count(job, 1)
      },
      onRelease: (job: JobId, _lane: LaneId, _task: TaskId, _node: NodeId, why: Release) => {
        if (why === 'withdrawn') this.#count(job, -1)
      },
      memory: (): Memory => [this.#now, Object.fromEntries(this.#started), [...this.#claims].map(([job, tasks]) => [env.work.name(job), tasks])],
      recall: (memory: unknown) => {
        const [now, started, claims] = memory as Memory
        this.#now = now
        this.#started = new Map(Object.entries(started))
        this.#claims = new Map(rememberedJobs(claims, env.work))
      },
      onFinish: (job: JobId) => {
        this.#claims.delete(job)
      },
    }
    Object.assign(this, forwarding(order, own))
  }

  begin(round: Round): void {
    this.#order.begin(round)
    this.#goTo(round.now)
    const given: JobId[] = []
    for (let block = this.#order.next(); block !== undefined; block = this.#order.next())
      for (let i = block.from; i < block.to; i++) {
        const job = block.ids[i] as JobId
        if ((this.#queueOf[job] as Queue).isStarted) given.push(job)
        else if (round.explained) round.defer(job, Reason.Limit, `started of ${(this.#queueOf[job] as Queue).name}`)
      }
    const jobs = this.#options.take === 'all' ? given : this.#inTurn(given)
    this.#ids = grown(this.#ids, jobs.length)
    this.#ids.set(jobs)
    this.#unread = { ids: this.#ids, from: 0, to: jobs.length }
  }

  next(): JobBlock | undefined {
    const block = this.#unread
    this.#unread = undefined
    return block
  }

  /** By queue, or by Priority, turn and queue. */
  #inTurn(jobs: JobId[]): JobId[] {
    const turns = new Map(this.#started)
    for (const job of jobs) {
      const { name } = this.#queueOf[job] as Queue
      const turn = turns.get(name) ?? 0
      turns.set(name, turn + 1)
      this.#turns[job] = this.#options.take === 'round_robin' ? turn : 0
    }
    // a stable sort: of one queue the other order decides
    return jobs.sort((a, b) => {
      const [first, second] = [this.#queueOf[a] as Queue, this.#queueOf[b] as Queue]
      return second.priority - first.priority || (this.#turns[a] as number) - (this.#turns[b] as number) || first.place - second.place || (first.name < second.name ? -1 : Number(first.name > second.name))
    })
  }

  /** A job whose first task is claimed in this instant has had a turn; one whose last one is withdrawn has not. */
  #count(job: JobId, by: 1 | -1): void {
    this.#goTo(this.#env.now())
    const before = this.#claims.get(job) ?? 0
    if (before + by < 0) return // claimed at another time
    this.#claims.set(job, before + by)
    if (before !== 0 && before + by !== 0) return
    const { name } = this.#queueOf[job] as Queue
    this.#started.set(name, (this.#started.get(name) ?? 0) + by)
  }

  #goTo(now: Seconds): void {
    if (now === this.#now) return
    this.#now = now
    this.#started.clear()
    this.#claims.clear()
  }

  #queue(name: string): Queue {
    const known = this.#queues.get(name)
    if (known !== undefined) return known
    const { Priority: priority = 0, started: isStarted = true } = ownValue(this.#options.queues, name) ?? {}
    const named = Object.keys(this.#options.queues)
    const made = { priority, place: named.includes(name) ? named.indexOf(name) : named.length, isStarted, name }
    this.#queues.set(name, made)
    return made
  }
}
