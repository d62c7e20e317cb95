import { grown, listOf, type ClusterView, type JobId, type LaneId, type ResourceId, type ShapeId, type Sharing, type TaskId, type WorkView } from '@sched/core'
import { fillMaxMinShares } from './max-min-shares.js'

/** Shares of the `count` active queues at an instant, as fractions of the lane. Entry i of every column belongs to `queues[i]`. */
export interface LaneShares {
  readonly count: number
  readonly queues: Int32Array
  readonly share: Float64Array
  readonly fair: Float64Array
}

/** What every queue holds and, after each call of `find`, its share and fair share of every lane. */
export class QueueShares {
  readonly #cluster: ClusterView
  readonly #work: WorkView
  readonly #width: number
  readonly #lanes: readonly (readonly ResourceId[])[]
  readonly #shares: readonly Shares[]
  #queues = 0
  #weights = new Float64Array(0)
  /** Amounts held, and amounts wanted (held ones included), `[queue * width + resource]`. */
  #held = new Float64Array(0)
  #wanted = new Float64Array(0)
  /** By shape: what a task asks for of every resource of its lane. */
  readonly #asked = listOf<Float64Array>()
  /** Net number of tasks that one queue has come to hold and that are not in `#held` yet: tasks of a job start and end in a row. */
  #row = 0
  #rowQueue = 0
  #rowShape = 0 as ShapeId
  #rowLane = 0 as LaneId

  constructor(cluster: ClusterView, work: WorkView) {
    this.#cluster = cluster
    this.#work = work
    this.#width = cluster.resources.length
    this.#lanes = cluster.lanes.map(({ resources }) => resources)
    this.#shares = cluster.lanes.map(() => new Shares())
  }

  addQueue(queue: number, weight: number): void {
    const known = this.#queues
    this.#queues = Math.max(known, queue + 1)
    this.#weights = grown(this.#weights, this.#queues)
    this.#weights[queue] = weight
    this.#held = grown(this.#held, this.#queues * this.#width)
    this.#wanted = grown(this.#wanted, this.#held.length)
  }

  /** Tasks of the queue with the same demand as `task` take it, or give it back if `tasks` is negative. */
  hold(queue: number, lane: LaneId, task: TaskId, tasks: number): void {
    const shape = this.#work.shapeOf(task)
    if (shape !== this.#rowShape || queue !== this.#rowQueue) {
      this.#endRow()
      this.#rowQueue = queue
      this.#rowShape = shape
      this.#rowLane = lane
    }
    this.#row += tasks
  }

  #endRow(): void {
    const tasks = this.#row
    if (tasks === 0) return
    this.#row = 0
    const asked = this.#asked[this.#rowShape] ?? this.#ask(this.#rowShape, this.#rowLane)
    const held = this.#held
    const first = this.#rowQueue * this.#width
    for (let r = 0; r < asked.length; r++) held[first + r] = (held[first + r] as number) + tasks * (asked[r] as number)
  }

  #ask(shape: ShapeId, lane: LaneId): Float64Array {
    const asked = new Float64Array(this.#width)
    for (const resource of this.#lanes[lane] as readonly ResourceId[]) asked[resource] = this.#work.demand(shape, resource)
    this.#asked[shape] = asked
    return asked
  }

  /** Shares of a lane, valid until the next `find`. */
  of(lane: LaneId): LaneShares {
    return this.#shares[lane] as Shares
  }

  find(jobs: readonly JobId[], queueOf: Int32Array, sharing: Sharing | undefined): void {
    this.#endRow()
    this.#want(jobs, queueOf)
    for (let lane = 0 as LaneId; lane < this.#lanes.length; lane++) this.#findIn(lane, this.#shares[lane] as Shares, sharing)
  }

  #want(jobs: readonly JobId[], queueOf: Int32Array): void {
    const [work, wanted] = [this.#work, this.#wanted]
    wanted.set(this.#held)
    for (let i = 0; i < jobs.length; i++)
      for (let lane = 0 as LaneId; lane < this.#lanes.length; lane++) {
        const job = jobs[i] as JobId
        const unplaced = work.unplaced(job, lane)
        if (unplaced === 0) continue
        const shape = work.shape(job, lane)
        const first = (queueOf[job] as number) * this.#width
        for (const resource of this.#lanes[lane] as readonly ResourceId[])
          wanted[first + resource] = (wanted[first + resource] as number) + unplaced * work.demand(shape, resource)
      }
  }

  #findIn(lane: LaneId, shares: Shares, sharing: Sharing | undefined): void {
    const resources = this.#lanes[lane] as readonly ResourceId[]
    shares.clear(this.#queues)
    for (const resource of resources) this.#raise(shares, resource)
    shares.keepActive(this.#weights)
    const [only] = resources
    const given = only !== undefined && resources.length === 1 ? sharing?.fairShares(lane) : undefined
    if (given === undefined || only === undefined) fillMaxMinShares(shares.wanted, shares.weight, shares.count, 1, shares.fair)
    else for (let i = 0; i < shares.count; i++) shares.fair[i] = (given[shares.queues[i] as number] ?? 0) / this.#cluster.capacity(only)
  }

  /** Raises the dominant shares to those of one more resource: they are the largest over the resources. */
  #raise({ share, wanted }: Shares, resource: ResourceId): void {
    const capacity = this.#cluster.capacity(resource)
    if (capacity === 0) return
    for (let queue = 0, at: number = resource; queue < this.#queues; queue++, at += this.#width) {
      share[queue] = Math.max(share[queue] as number, (this.#held[at] as number) / capacity)
      wanted[queue] = Math.max(wanted[queue] as number, (this.#wanted[at] as number) / capacity)
    }
  }
}

/** Columns by queue and, after `keepActive`, by active queue. */
class Shares implements LaneShares {
  count = 0
  queues = new Int32Array(0)
  share = new Float64Array(0)
  wanted = new Float64Array(0)
  weight = new Float64Array(0)
  fair = new Float64Array(0)

  clear(queues: number): void {
    this.queues = grown(this.queues, queues)
    this.share = grown(this.share, queues)
    this.wanted = grown(this.wanted, queues)
    this.weight = grown(this.weight, queues)
    this.fair = grown(this.fair, queues)
    this.share.fill(0, 0, queues)
    this.wanted.fill(0, 0, queues)
    this.count = queues
  }

  keepActive(weights: Float64Array): void {
    let kept = 0
    for (let queue = 0; queue < this.count; queue++) {
      const wanted = this.wanted[queue] as number
      if (wanted === 0) continue
      this.queues[kept] = queue
      this.share[kept] = this.share[queue] as number
      this.wanted[kept] = wanted
      this.weight[kept++] = weights[queue] as number
    }
    this.count = kept
  }
}
