import { SchedError, suggest, type ClusterView, type NodeId } from '@sched/core'
import type { Amounts } from './amounts.js'
import type { VolcanoJob } from './job.js'
import { RankedJobs, type Ranks } from './ranked-jobs.js'
import type { QueueSettings, VolcanoSettings } from './options.js'

/** A Queue in one lane, with what its jobs have and ask; of a queue in which others lie, what these have together. */
export class Queue {
  readonly name: string
  readonly parent: Queue | undefined
  readonly children: Queue[] = []
  readonly settings: QueueSettings
  /** As given; `Infinity`: no bound. */
  readonly capability: Amounts
  readonly ownDeserved: Amounts
  readonly guarantee: Amounts
  /** By resource: whether `deserved` names it. */
  readonly namesDeserved: readonly boolean[]
  /** What jobs have; that and what enqueued jobs wait for is what it asks. */
  readonly allocated: Amounts
  readonly pending: Amounts
  /** What enqueued jobs lack of what they must have at once, and what others have beyond that. */
  readonly inqueue: Amounts
  readonly elastic: Amounts
  /** What plug-ins make of the settings: the most it may have, what it deserves, and what it has of that. */
  readonly realCapability: Amounts
  readonly deserved: Amounts
  share = NaN
  /** Those that wait to be enqueued, and those that are and have tasks to start. */
  readonly outside: RankedJobs
  readonly waiting: RankedJobs
  /** How many of its tasks run on a node, where any do. */
  readonly tasksOn = new Map<NodeId, number>()
  /** Those that have anything or are enqueued. */
  readonly jobs = new Set<VolcanoJob>()

  constructor(name: string, settings: QueueSettings, given: Pick<Queue, 'capability' | 'ownDeserved' | 'guarantee' | 'namesDeserved'>, parent: Queue | undefined, ranks: Ranks) {
    const column = (): Amounts => new Float64Array(given.capability.length)
    this.name = name
    this.settings = settings
    this.parent = parent
    parent?.children.push(this)
    this.capability = given.capability
    this.ownDeserved = given.ownDeserved
    this.guarantee = given.guarantee
    this.namesDeserved = given.namesDeserved
    this.allocated = column()
    this.pending = column()
    this.inqueue = column()
    this.elastic = column()
    this.realCapability = column().fill(Infinity)
    this.deserved = column()
    this.share = 0
    this.outside = new RankedJobs(ranks)
    this.waiting = new RankedJobs(ranks)
  }

  get isOpen(): boolean {
    return (this.settings.state ?? 'Open') === 'Open'
  }

  get priority(): number {
    return this.settings.priority ?? 0
  }

  /** Of itself and the queues around it. */
  add(column: 'allocated' | 'pending' | 'inqueue' | 'elastic', r: number, amount: number): void {
    const own = this[column]
    own[r] = (own[r] as number) + amount
    this.parent?.add(column, r, amount)
  }

  /** Itself, and those around it from the innermost; not the root. */
  *path(): Iterable<Queue> {
    for (let queue: Queue = this; queue.parent !== undefined; queue = queue.parent) yield queue // eslint-disable-line @typescript-eslint/no-this-alias
  }
}

/** The root of all queues: their sum. */
export const ROOT = 'root'

/** The queues of one lane; those that are not named are made when they are first asked for. */
export class Queues {
  /** Without the root, by name. */
  readonly all: Queue[] = []
  readonly root: Queue
  readonly #settings: VolcanoSettings
  readonly #resources: readonly string[]
  readonly #ranks: Ranks
  readonly #byName = new Map<string, Queue>()

  /** Throws `BAD_OPTION` for queues that lie in themselves or in one that is not there, and for unknown resources. */
  constructor(settings: VolcanoSettings, { resources }: ClusterView, ranks: Ranks) {
    this.#settings = settings
    this.#resources = resources
    this.#ranks = ranks
    this.root = new Queue(ROOT, { ...settings.defaults, ...settings.queues[ROOT] }, this.#given(settings.queues[ROOT] ?? {}, ROOT), undefined, ranks)
    this.#byName.set(ROOT, this.root)
    for (const name of Object.keys(settings.queues)) this.#made(name, [])
    this.#given(settings.defaults, 'defaults')
  }

  of(name: string): Queue {
    return this.#byName.get(name) ?? this.#made(name, [])
  }

  #made(name: string, inside: readonly string[]): Queue {
    const known = this.#byName.get(name)
    if (known !== undefined) return known
    const own = this.#settings.queues[name]
    const field = `queues.${name}`
    const around = own?.parent ?? ROOT
    if (inside.includes(name)) throw new SchedError('BAD_OPTION', `queue "${name}" lies in itself: ${[...inside, name].join(' in ')}.`, { field: `${field}.parent` }, 'Take a parent away.')
    const names = Object.keys(this.#settings.queues)
    if (around !== ROOT && !names.includes(around)) throw new SchedError('BAD_OPTION', `there is no queue "${around}".`, { field: `${field}.parent` }, suggest(around, names))
    const parent = this.#made(around, [...inside, name])
    const settings: QueueSettings = { ...this.#settings.defaults, ...own }
    const queue = new Queue(name, settings, this.#given(settings, field), parent, this.#ranks)
    this.#byName.set(name, queue)
    const place = this.all.findIndex((other) => other.name > name)
    this.all.splice(place < 0 ? this.all.length : place, 0, queue)
    return queue
  }

  #given({ capability, deserved, guarantee }: QueueSettings, field: string): ConstructorParameters<typeof Queue>[2] {
    const column = (given: Readonly<Record<string, number>> = {}, what: string, absent: number): Amounts => {
      for (const name of Object.keys(given))
        if (!this.#resources.includes(name)) throw new SchedError('BAD_OPTION', `the cluster has no resource "${name}".`, { field: `${field}.${what}.${name}` }, suggest(name, this.#resources))
      return Float64Array.from(this.#resources, (name) => given[name] ?? absent)
    }
    return {
      capability: column(capability, 'capability', Infinity),
      ownDeserved: column(deserved, 'deserved', 0),
      guarantee: column(guarantee, 'guarantee', 0),
      namesDeserved: this.#resources.map((name) => deserved?.[name] !== undefined),
    }
  }
}
