import type { DisruptionBudget, JobId, NodeId, ShapeId } from '@sched/core'
import { RankedIds, type KeyRows } from '../orders/ranked-ids.js'
import { exceeds, type Amounts } from './amounts.js'
import type { QueueSettings } from './options.js'

/** A queue in one lane, with sums of what its jobs have and ask for; a queue around others has the sums of these. */
export class Queue {
  readonly name: string
  readonly parent: Queue | undefined
  readonly children: Queue[] = []
  /** The queues around it from the outermost inwards, and itself; without the root. */
  readonly way: readonly Queue[]
  readonly settings: QueueSettings
  readonly weight: number
  /** Capability and deserved amounts as given; `Infinity`: no bound. */
  readonly capability: Amounts
  readonly ownDeserved: Amounts
  readonly guarantee: Amounts
  /** What jobs have, and what enqueued jobs wait for; both together are what the queue asks for. */
  readonly allocated: Amounts
  readonly pending: Amounts
  /** What enqueued jobs lack of their minimum, and what other jobs have beyond theirs. */
  readonly inqueue: Amounts
  readonly elastic: Amounts
  /** Figures of plug-ins: the most that it may have, what it deserves, and (`share`) what part of that it has. */
  readonly realCapability: Amounts
  readonly deserved: Amounts
  /**
   * By resource, first for `deserved`, then for `realCapability`: the least value of the bound that would allow something that was refused, and the
   * least that still allows all that was allowed.
   */
  readonly #suffices: Amounts
  readonly #needed: Amounts
  share = NaN
  /** Jobs that wait to be enqueued, and enqueued jobs with tasks to start. */
  readonly outside: RankedIds
  readonly waiting: RankedIds
  /** Of the jobs that wait to be enqueued, the first of each likeness. */
  readonly firstOutside: RankedIds
  /** By node with running tasks of the queue: their number. */
  readonly tasksOn = new Map<NodeId, number>()
  /** Grows whenever its jobs, or those of queues in it, have or ask for something else, and when its bounds allow something else than before. */
  changes = 0
  /** Jobs that have anything or are enqueued. */
  readonly jobs = new Set<VolcanoJob>()
  /** By resource: a lower bound on the minimum of each job that waits to be enqueued; and whether one has left since it was the least of them. */
  readonly leastOutside: Amounts
  isLoose = false
  /** The likenesses of these jobs. */
  readonly kindsOutside = new Set<Likeness>()
  /** Whether it is among the live queues. */
  isLive = false
  /** Whether `deserved` or `realCapability` may be others than at the last `noteBounds`. */
  areBoundsOther = true
  readonly #onTouch: (queue: Queue) => void

  /** `onTouch` is called whenever anything changes in the queue. */
  constructor(name: string, settings: QueueSettings, given: Pick<Queue, 'capability' | 'ownDeserved' | 'guarantee'>, parent: Queue | undefined, ranks: KeyRows, onTouch: (queue: Queue) => void) {
    const column = (): Amounts => new Float64Array(given.capability.length)
    this.name = name
    this.settings = settings
    this.weight = settings.weight ?? 1
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
    this.leastOutside = column()
    this.#onTouch = onTouch
    this.outside = new RankedIds(ranks)
    this.firstOutside = new RankedIds(ranks)
    this.waiting = new RankedIds(ranks)
  }

  get isOpen(): boolean {
    return (this.settings.state ?? 'Open') === 'Open'
  }

  get priority(): number {
    return this.settings.priority ?? 0
  }

  /** Adds to a sum of this queue and of all queues around it. */
  add(column: 'allocated' | 'pending' | 'inqueue' | 'elastic', r: number, amount: number): void {
    const own = this[column]
    own[r] = (own[r] as number) + amount
    this.parent?.add(column, r, amount)
  }

  /** Whether with so much more its jobs stay within `deserved` or `realCapability`, for the resources that are asked for. */
  staysWithin(bound: 'deserved' | 'realCapability', more: Amounts): boolean {
    for (let r = 0; r < more.length; r++) if ((more[r] as number) > 0 && !this.isWithin(bound, r, more[r] as number)) return false
    return true
  }

  /** The same for one resource; notes the answer for `noteBounds`. */
  isWithin(bound: 'deserved' | 'realCapability', r: number, more: number): boolean {
    const would = (this.allocated[r] as number) + more
    const at = bound === 'deserved' ? r : this.allocated.length + r
    const isWithin = !exceeds(would, this[bound][r] as number)
    if (isWithin && would > (this.#needed[at] as number)) this.#needed[at] = would
    else if (!isWithin && would < (this.#suffices[at] as number)) this.#suffices[at] = would
    return isWithin
  }

  /** To be called after its bounds were computed: counts as a change if a bound now allows something that it refused, or the other way round. */
  noteBounds(): void {
    if (!this.areBoundsOther) return // then all answers so far still hold
    this.areBoundsOther = false
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

  /** Counts a change of its jobs, for itself and for the queues around it. */
  touch(): void {
    this.changes++
    this.#onTouch(this)
    this.parent?.touch()
  }

  /** Whether none of its jobs, nor of those of queues in it, has anything, and none of its own waits. */
  get isIdle(): boolean {
    return this.jobs.size === 0 && this.outside.isEmpty && this.waiting.isEmpty && this.allocated.every((amount) => amount === 0)
  }

  /** Itself and the queues around it, from the innermost; without the root. */
  *path(): Iterable<Queue> {
    for (let queue: Queue = this; queue.parent !== undefined; queue = queue.parent) yield queue // eslint-disable-line @typescript-eslint/no-this-alias
  }
}

/** Breaks ties between queues, by name. */
export const byName = (a: Queue, b: Queue): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

/** Shared by all jobs of one queue that ask for the same. */
export interface Likeness {
  readonly key: string
  /** The same for all jobs whose tasks ask for the same, however many must start at once. */
  readonly taskKey: string
  /** What each must have at once, by resource. */
  readonly minimum: Amounts
  /** How many of these jobs are in the list for which they are counted. */
  count: number
  /** These jobs in order, if they wait to be enqueued. */
  readonly outside: RankedIds | undefined
}

/** A job (a PodGroup) in one lane. */
export interface VolcanoJob {
  readonly id: JobId
  readonly queue: Queue
  readonly priority: number
  /** Whether it may be preempted, and how many of its tasks at a time, if it says so. */
  readonly preemptible: boolean | 'semi' | undefined
  readonly budget: DisruptionBudget | undefined
  /** Rank by submission. */
  readonly rank: number
  /** Time of submission, seconds; and whether it has waited to be enqueued for as long as `sla` lets it. */
  readonly submitted: number
  isDue: boolean
  /** The longest time that it should wait to be enqueued, seconds, if it says so. */
  readonly longestWait: number | undefined
  /** The keys by which plug-ins order it, compared in turn. */
  keys: Float64Array
  /** Whether it is one gang of several stages, of which tasks ask different amounts. */
  readonly isGangJob: boolean
  /** Whether it was enqueued, so that its tasks exist. */
  isIn: boolean
  /** Whether tasks of it may be started here; if not, somebody else decides about them, or there are none. */
  isOpen: boolean
  /** The list of its queue that it is in, and the likeness for which it is counted there. */
  list: 'outside' | 'waiting' | undefined
  likeness: Likeness | undefined
  /** Numbers of tasks that run, and of tasks to be started; `together` of these start at once. */
  running: number
  unplaced: number
  /** By shape: the number of tasks that have ended; those of another stage do not count for the minimum of this one. */
  readonly ended: Map<ShapeId, number>
  /** What the ended tasks asked for. */
  readonly spent: Amounts
  together: number
  /** The fewest tasks that must run at once, and what they ask for: `minAvailable`, `minResources`. */
  least: number
  readonly minimum: Amounts
  shape: ShapeId
  /** What its next task asks for. */
  readonly demand: Amounts
  readonly allocated: Amounts
  /** Its own part of the sums of its queue. */
  readonly pending: Amounts
  readonly inqueue: Amounts
  readonly elastic: Amounts
  /** What counts as taken when others are to be enqueued: what it has, and what it lacks of its minimum. */
  readonly held: Amounts
}

/** The number of tasks that run or have ended; ended ones count for the minimum, too (Volcano, JobInfo.ReadyTaskNum). */
export const readyTasks = ({ running, ended, shape, isGangJob }: VolcanoJob): number =>
  running + (isGangJob ? [...ended.values()].reduce((sum, tasks) => sum + tasks, 0) : (ended.get(shape) ?? 0))

/** Whether it has as many tasks as it must have at once. */
export const isReady = (job: VolcanoJob): boolean => readyTasks(job) >= job.least
