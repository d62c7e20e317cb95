import type { JobId, NodeId, ShapeId } from '@sched/core'
import { RankedIds, type KeyRows } from '../orders/ranked-ids.js'
import { exceeds, type Amounts } from './amounts.js'
import type { QueueSettings } from './options.js'

/** A Queue in one lane, with what its jobs have and ask; of a queue in which others lie, what these have together. */
export class Queue {
  readonly name: string
  readonly parent: Queue | undefined
  readonly children: Queue[] = []
  /** Those around it from the outermost inwards, and itself; without the root. */
  readonly way: readonly Queue[]
  readonly settings: QueueSettings
  /** As given; `Infinity`: no bound. */
  readonly capability: Amounts
  readonly ownDeserved: Amounts
  readonly guarantee: Amounts
  /** What jobs have; that and what enqueued jobs wait for is what it asks. */
  readonly allocated: Amounts
  readonly pending: Amounts
  /** What enqueued jobs lack of what they must have at once, and what others have beyond that. */
  readonly inqueue: Amounts
  readonly elastic: Amounts
  /** What plug-ins make of the settings: the most it may have, what it deserves, and what it has of that. */
  readonly realCapability: Amounts
  readonly deserved: Amounts
  /** By resource, of `deserved` and then of `realCapability`: the least that such a bound must be to allow something that was asked in vain, and to allow all else. */
  readonly #suffices: Amounts
  readonly #needed: Amounts
  share = NaN
  /** Those that wait to be enqueued, and those that are and have tasks to start. */
  readonly outside: RankedIds
  readonly waiting: RankedIds
  /** How many of its tasks run on a node, where any do. */
  readonly tasksOn = new Map<NodeId, number>()
  /** Grows whenever jobs of it, or of queues in it, have or ask something else, and when it may have more than before. */
  changes = 0
  /** Those that have anything or are enqueued. */
  readonly jobs = new Set<VolcanoJob>()

  constructor(name: string, settings: QueueSettings, given: Pick<Queue, 'capability' | 'ownDeserved' | 'guarantee'>, parent: Queue | undefined, ranks: KeyRows) {
    const column = (): Amounts => new Float64Array(given.capability.length)
    this.name = name
    this.settings = settings
    this.parent = parent
    parent?.children.push(this)
    this.way = parent === undefined ? [] : [...parent.way, this]
    this.capability = given.capability
    this.ownDeserved = given.ownDeserved
    this.guarantee = given.guarantee
    this.allocated = column()
    this.pending = column()
    this.inqueue = column()
    this.elastic = column()
    this.realCapability = column().fill(Infinity)
    this.deserved = column()
    this.#suffices = new Float64Array(2 * given.capability.length).fill(Infinity)
    this.#needed = new Float64Array(2 * given.capability.length)
    this.share = 0
    this.outside = new RankedIds(ranks)
    this.waiting = new RankedIds(ranks)
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

  /** Whether so much more leaves what its jobs have within `deserved` or `realCapability`, of the resources that are asked. */
  staysWithin(bound: 'deserved' | 'realCapability', more: Amounts): boolean {
    for (let r = 0; r < more.length; r++) if ((more[r] as number) > 0 && !this.isWithin(bound, r, more[r] as number)) return false
    return true
  }

  /** The same of one resource. */
  isWithin(bound: 'deserved' | 'realCapability', r: number, more: number): boolean {
    const would = (this.allocated[r] as number) + more
    const at = bound === 'deserved' ? r : this.allocated.length + r
    const isWithin = !exceeds(would, this[bound][r] as number)
    if (isWithin && would > (this.#needed[at] as number)) this.#needed[at] = would
    else if (!isWithin && would < (this.#suffices[at] as number)) this.#suffices[at] = would
    return isWithin
  }

  /** To be called when its bounds were computed: one that allows what it did not, or does not what it did, is a change. */
  noteBounds(): void {
    const { deserved, realCapability } = this
    const width = deserved.length
    for (let at = 0; at < 2 * width; at++) {
      const bound = (at < width ? deserved[at] : realCapability[at - width]) as number
      const suffices = this.#suffices[at] as number
      if ((suffices === Infinity || exceeds(suffices, bound)) && !exceeds(this.#needed[at] as number, bound)) continue
      this.#suffices.fill(Infinity)
      this.#needed.fill(0)
      return this.touch()
    }
  }

  /** Something of its jobs is another, which tells those around it, too. */
  touch(): void {
    this.changes++
    this.parent?.touch()
  }

  /** Itself, and those around it from the innermost; not the root. */
  *path(): Iterable<Queue> {
    for (let queue: Queue = this; queue.parent !== undefined; queue = queue.parent) yield queue // eslint-disable-line @typescript-eslint/no-this-alias
  }
}

/** The order of queues that are equal otherwise. */
export const byName = (a: Queue, b: Queue): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

/** Of all that ask the same in one queue. */
export interface Likeness {
  readonly key: string
  /** The same of all whose tasks ask the same, however many must start at once. */
  readonly taskKey: string
  /** How many of them are in the list that they are counted for. */
  count: number
}

/** A job (a PodGroup) in one lane. */
export interface VolcanoJob {
  readonly id: JobId
  readonly queue: Queue
  readonly priority: number
  /** Its submission, against others. */
  readonly rank: number
  /** When, in seconds; and whether it has waited to be enqueued for as long as `sla` lets it. */
  readonly submitted: number
  isDue: boolean
  /** What plug-ins order it by, in turn. */
  keys: Float64Array
  /** Whether it is one gang of several stages, of which tasks ask different amounts. */
  readonly isGangJob: boolean
  /** Whether it was enqueued: its tasks are there. */
  isIn: boolean
  /** Whether tasks of it may be started: otherwise somebody else decides about them, or there are none. */
  isOpen: boolean
  /** Which list of its queue it is in, and the one it is counted for there. */
  list: 'outside' | 'waiting' | undefined
  likeness: Likeness | undefined
  /** Tasks that run, and those to be started; of these so many at once. */
  running: number
  unplaced: number
  /** Tasks that have ended, by what they asked: those of another stage do not count for this one's minimum. */
  readonly ended: Map<ShapeId, number>
  /** What these asked. */
  readonly spent: Amounts
  together: number
  /** The fewest that run at once, and what they ask: `minAvailable`, `minResources`. */
  least: number
  readonly minimum: Amounts
  shape: ShapeId
  /** What its next task asks. */
  readonly demand: Amounts
  readonly allocated: Amounts
  /** What of the sums of its queue is its own. */
  readonly pending: Amounts
  readonly inqueue: Amounts
  readonly elastic: Amounts
}

/** Tasks that run or have ended: these, too, are of the minimum (Volcano, JobInfo.ReadyTaskNum). */
export const readyTasks = ({ running, ended, shape, isGangJob }: VolcanoJob): number =>
  running + (isGangJob ? [...ended.values()].reduce((sum, tasks) => sum + tasks, 0) : (ended.get(shape) ?? 0))

/** Whether it has as many tasks as it must have at once. */
export const isReady = (job: VolcanoJob): boolean => readyTasks(job) >= job.least
