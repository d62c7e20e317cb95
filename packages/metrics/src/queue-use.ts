import { grown, type ClusterView, type LaneId, type QueueId, type Seconds, type TaskId, type WorkView } from '@sched/core'
import { naturalOrder } from './natural-order.js'

/** What the jobs of one queue held over the span of the run. */
export interface QueueUse {
  /** Its full name. */
  readonly queue: string
  /** Amount x seconds by resource, in the order of `UtilisationResult.resources`, from the starts of tasks until the master knows that they have left. */
  readonly busy: readonly number[]
  /** The same as fractions of capacity x span, in [0, 1]; NaN for an empty span. */
  readonly utilisation: readonly number[]
}

/**
 * Adds up amount x seconds by queue and resource. Nothing is added up while all jobs are of one queue: what that queue held is then what is left of all
 * when that of the others is known.
 */
export class QueueUses {
  readonly #cluster: ClusterView
  readonly #work: WorkView
  #first = -1 as QueueId | -1
  /** Whether jobs of a second queue have been submitted. */
  areSeveral = false
  #areNamed = false
  readonly #queues = new Set<QueueId>()
  /** Of all queues but the first, `[queue * resources + resource]`. */
  #busy = new Float64Array(0)

  constructor(cluster: ClusterView, work: WorkView) {
    this.#cluster = cluster
    this.#work = work
  }

  /** A job of this queue has been submitted; `isNamed`: it names a queue, and is not just in that of its user. */
  submitted(queue: QueueId, isNamed: boolean): void {
    if (isNamed) this.#areNamed = true
    if (queue === this.#first || (this.areSeveral && this.#queues.has(queue))) return
    this.#queues.add(queue)
    if (this.#first === -1) this.#first = queue
    else {
      this.areSeveral = true
      this.#busy = grown(this.#busy, (queue + 1) * this.#cluster.resources.length)
    }
  }

  /** So many tasks like this one have held what they ask for so long. Called only where there are several queues. */
  held(queue: QueueId, lane: LaneId, task: TaskId, seconds: Seconds, tasks: number): void {
    if (queue === this.#first) return
    const shape = this.#work.shapeOf(task)
    const from = queue * this.#cluster.resources.length
    for (const resource of this.#cluster.lanes[lane]?.resources ?? []) {
      const each = seconds * this.#work.demand(shape, resource)
      let sum = this.#busy[from + resource] as number
      for (let i = 0; i < tasks; i++) sum += each // not times `tasks`: rows may be told task by task, and the sum is the same to the last bit
      this.#busy[from + resource] = sum
    }
  }

  /** By queue in natural order of names, for resources of which all hold `busy` out of `whole`; `undefined` for one queue, and where jobs have users only. */
  result(resources: readonly { readonly resource: string; readonly busy: number; readonly whole: number }[]): QueueUse[] | undefined {
    if (!this.areSeveral || !this.#areNamed) return undefined
    const { resources: names } = this.#cluster
    const at = resources.map(({ resource }) => names.indexOf(resource))
    const of = (queue: QueueId) => at.map((r) => this.#busy[queue * names.length + r] as number)
    const others = [...this.#queues].filter((queue) => queue !== this.#first).map((queue): [QueueId, readonly number[]] => [queue, of(queue)])
    const left = resources.map(({ busy }, i) => rest(busy, others.reduce((sum, [, own]) => sum + (own[i] as number), 0)))
    return [[this.#first as QueueId, left] as const, ...others]
      .map(([queue, busy]) => ({
        queue: this.#work.queueName(queue),
        busy,
        utilisation: busy.map((amount, i) => ((resources[i]?.whole ?? 0) > 0 ? amount / (resources[i]?.whole ?? NaN) : NaN)),
      }))
      .sort((a, b) => naturalOrder(a.queue, b.queue))
  }
}

/** What is left of a sum, without what adding up in another order makes of nothing. */
const rest = (all: number, others: number) => (all - others > 1e-9 * all ? all - others : 0)
