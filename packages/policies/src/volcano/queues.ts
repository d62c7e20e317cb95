import { amountsByName, partitionPoint, SchedError, suggest, ownValue, type ClusterView } from '@sched/core'
import type { KeyRows } from '../orders/ranked-ids.js'
import type { Amounts } from './amounts.js'
import type { QueueSettings, VolcanoSettings } from './options.js'
import { Queue } from './queue.js'

/** Name of the root, which has the sums of all queues. */
const ROOT = 'root'

/** The queues of one lane; those that are not named are made when they are first asked for. */
export class Queues {
  /** All queues without the root, sorted by name. */
  readonly all: Queue[] = []
  /** Those of them that are not idle, and some that have become so since `prune`, sorted by name. */
  readonly live: Queue[] = []
  /** Those in which anything has changed since. */
  readonly #touched = new Set<Queue>()
  /** Those that are guaranteed anything, sorted by name; and those that were made lately, until somebody takes them out. */
  readonly guaranteed: Queue[] = []
  readonly made: Queue[] = []
  readonly root: Queue
  readonly #settings: VolcanoSettings
  readonly #resources: readonly string[]
  readonly #ranks: KeyRows
  readonly #byName = new Map<string, Queue>()

  /** Throws `BAD_OPTION` for queues that lie in themselves or in one that does not exist, and for unknown resources. */
  constructor(settings: VolcanoSettings, { resources }: ClusterView, ranks: KeyRows) {
    this.#settings = settings
    this.#resources = resources
    this.#ranks = ranks
    this.root = new Queue(ROOT, { ...settings.defaults, ...settings.queues[ROOT] }, this.#given(settings.queues[ROOT] ?? {}, ROOT), undefined, ranks, this.#touch)
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
    const own = ownValue(this.#settings.queues, name)
    const field = `queues.${name}`
    const around = own?.parent ?? ROOT
    if (inside.includes(name)) throw new SchedError('BAD_OPTION', `queue "${name}" lies in itself: ${[...inside, name].join(' in ')}.`, { field: `${field}.parent` }, 'Take a parent away.')
    const names = Object.keys(this.#settings.queues)
    if (around !== ROOT && !names.includes(around)) throw new SchedError('BAD_OPTION', `there is no queue "${around}".`, { field: `${field}.parent` }, suggest(around, names))
    const parent = this.#made(around, [...inside, name])
    const settings: QueueSettings = { ...this.#settings.defaults, ...own }
    const queue = new Queue(name, settings, this.#given(settings, field), parent, this.#ranks, this.#touch)
    this.#byName.set(name, queue)
    insert(queue, this.all)
    if (isGuaranteed(queue)) insert(queue, this.guaranteed)
    this.made.push(queue)
    return queue
  }

  readonly #touch = (queue: Queue): void => {
    if (queue === this.root) return
    this.#touched.add(queue)
    if (queue.isLive) return
    queue.isLive = true
    insert(queue, this.live)
  }

  /** Takes idle queues out of the live ones. */
  prune(): void {
    for (const queue of this.#touched) {
      if (!queue.isIdle) continue
      queue.isLive = false
      this.live.splice(placeAmong(queue, this.live), 1)
    }
    this.#touched.clear()
  }

  #given({ capability, deserved, guarantee }: QueueSettings, field: string): ConstructorParameters<typeof Queue>[2] {
    const column = (given: Readonly<Record<string, number>> = {}, what: string, absent: number): Amounts => amountsByName(given, this.#resources, `${field}.${what}`, absent)
    return {
      capability: column(capability, 'capability', Infinity),
      ownDeserved: column(deserved, 'deserved', 0),
      guarantee: column(guarantee, 'guarantee', 0),
    }
  }
}

/** Whether the queue is guaranteed anything, which others may not have. */
export const isGuaranteed = ({ guarantee }: Queue): boolean => guarantee.some((amount) => amount > 0)

/** Puts a queue among others that are sorted by name. */
function insert(queue: Queue, queues: Queue[]): void {
  queues.splice(placeAmong(queue, queues), 0, queue)
}

const placeAmong = ({ name }: Queue, queues: readonly Queue[]): number => partitionPoint(0, queues.length, (i) => (queues[i] as Queue).name < name)
