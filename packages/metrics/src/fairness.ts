import type { ClusterView, JobId, JobSpec, LaneId, NodeId, Observer, ResourceId, Seconds, Sharing, TaskEnd, TaskId, WorkView } from '@sched/core'
import { grown, LiveJobs } from './columns.js'
import { LaneFairness, type LaneFairnessResult } from './lane-fairness.js'
import { maxMinShares } from './max-min-shares.js'
import { SampleClock } from './sample-clock.js'

export interface FairnessOptions {
  /** The fair shares of the policy under test, `() => simulation.policy.sharing`; default: weighted max-min shares of the queues. */
  readonly sharing?: (() => Sharing | undefined) | undefined
  /** Weights for the default shares; default 1. */
  readonly weight?: ((queue: string) => number) | undefined
  /** Seconds between two samples at first, > 0; doubled whenever `points` samples were taken. Default 1. */
  readonly step?: Seconds | undefined
  /** Most points of a series, even. Default 512. */
  readonly points?: number | undefined
  /** Queues whose shares over time are kept. Default none. */
  readonly series?: readonly string[] | undefined
  /** Whether the result has a row per queue. Default true. */
  readonly queues?: boolean | undefined
}

/**
 * Running against fair share of the queues, sampled at a fixed step, per lane. A queue's share is its dominant share:
 * the largest fraction it holds of any resource of the lane, until the master knows that a task has left. Its fair share
 * is the policy's own, or the max-min share of its demand; in a lane of several resources always the latter, of one whole.
 *
 * Shares held are exact at the sampling times; demands are those of the first event after it, one round later at most.
 */
export const fairness = (options: FairnessOptions = {}): Fairness => new Fairness(options)

export class Fairness implements Observer {
  readonly #options: FairnessOptions
  readonly #clock: SampleClock
  readonly #live = new LiveJobs()
  #cluster!: ClusterView
  #work!: WorkView
  #sharing: Sharing | undefined
  #resources: (readonly ResourceId[])[] = []
  #width = 0
  #lanes: LaneFairness[] = []
  /** Queue of a job: the policy's pool, or the queue it was submitted to. */
  #queueOf = new Int32Array(0)
  readonly #names: string[] = []
  readonly #weights: number[] = []
  /** Amounts held and, at a sample, wanted in all: `[queue * width + resource]`. */
  #held = new Float64Array(0)
  #wanted = new Float64Array(0)

  constructor(options: FairnessOptions) {
    this.#options = options
    this.#clock = new SampleClock(options.step ?? 1, options.points ?? 512, () => this.#lanes.forEach((lane) => lane.thin()))
  }

  onRunStart({ cluster, work }: { readonly cluster: ClusterView; readonly work: WorkView }): void {
    this.#cluster = cluster
    this.#work = work
    this.#width = cluster.resources.length
    this.#resources = cluster.lanes.map((lane) => lane.resources)
    this.#lanes = cluster.lanes.map(() => new LaneFairness(this.#options.series ?? []))
  }

  onSubmit(job: JobId, _spec: JobSpec, now: Seconds): void {
    if (this.#clock.next === Infinity) this.#clock.begin(now)
    if (now > this.#clock.next) this.#sampleUntil(now)
    this.#sharing ??= this.#options.sharing?.()
    const queue = this.#sharing?.poolOf(job) ?? this.#work.queue(job)
    this.#queueOf = grown(this.#queueOf, job + 1)
    this.#queueOf[job] = queue
    this.#live.add(job)
    if (this.#names[queue] === undefined) this.#addQueue(queue)
  }

  onTaskStart(task: TaskId, job: JobId, lane: LaneId, _node: NodeId, _level: number, now: Seconds): void {
    if (now > this.#clock.next) this.#sampleUntil(now)
    this.#hold(task, job, lane, 1)
  }

  onTaskEnd(task: TaskId, job: JobId, lane: LaneId, _node: NodeId, _how: TaskEnd, _started: Seconds, _stopped: Seconds, now: Seconds): void {
    if (now > this.#clock.next) this.#sampleUntil(now)
    this.#hold(task, job, lane, -1)
  }

  onJobEnd(job: JobId): void {
    this.#live.remove(job)
  }

  onRunEnd(now: Seconds): void {
    this.#sampleUntil(now)
  }

  result(): readonly LaneFairnessResult[] {
    return this.#cluster.lanes.map(({ name }, lane) => (this.#lanes[lane] as LaneFairness).result(name, this.#names, this.#options.queues ?? true))
  }

  #addQueue(queue: number): void {
    const name = this.#sharing?.name(queue) ?? this.#work.queueName(queue as ReturnType<WorkView['queue']>)
    // Ids are dense, but inner pools come before any job of theirs: no list may have holes.
    while (this.#names.length < queue) this.#weights[this.#names.push('') - 1] = 1
    this.#names[queue] = name
    this.#weights[queue] = this.#options.weight?.(name) ?? 1
    this.#held = grown(this.#held, (queue + 1) * this.#width)
    this.#wanted = grown(this.#wanted, this.#held.length)
  }

  #hold(task: TaskId, job: JobId, lane: LaneId, sign: 1 | -1): void {
    const work = this.#work
    const shape = work.shapeOf(task)
    const resources = this.#resources[lane] as readonly ResourceId[]
    const queue = (this.#queueOf[job] as number) * this.#width
    for (let i = 0; i < resources.length; i++) {
      const resource = resources[i] as ResourceId
      this.#held[queue + resource] = (this.#held[queue + resource] as number) + sign * work.demand(shape, resource)
    }
  }

  #sampleUntil(now: Seconds): void {
    this.#want()
    const lanes = this.#lanes.map((_, lane) => this.#sharesIn(lane as LaneId))
    while (now > this.#clock.next) {
      const { next, step } = this.#clock
      for (const [lane, { queues, share, fair }] of lanes.entries()) this.#lanes[lane]?.add(next, step, queues, share, fair, this.#names)
      this.#clock.advance()
    }
  }

  #want(): void {
    const [work, wanted, width] = [this.#work, this.#wanted, this.#width]
    wanted.set(this.#held)
    for (const job of this.#live.ids)
      for (let lane = 0 as LaneId; lane < this.#resources.length; lane++) {
        const unplaced = work.unplaced(job, lane)
        if (unplaced === 0) continue
        const shape = work.shape(job, lane)
        const queue = (this.#queueOf[job] as number) * width
        for (const resource of this.#resources[lane] ?? []) wanted[queue + resource] = (wanted[queue + resource] as number) + unplaced * work.demand(shape, resource)
      }
  }

  #sharesIn(lane: LaneId): { queues: number[]; share: number[]; fair: number[] } {
    const wanted = this.#names.map((_, queue) => this.#dominant(this.#wanted, queue, lane))
    const queues = [...wanted.keys()].filter((queue) => (wanted[queue] as number) > 0)
    const share = queues.map((queue) => this.#dominant(this.#held, queue, lane))
    const resources = this.#resources[lane] as readonly ResourceId[]
    const [only] = resources
    const given = only !== undefined && resources.length === 1 ? this.#sharing?.fairShares(lane) : undefined
    const fair =
      given === undefined || only === undefined
        ? maxMinShares(queues.map((queue) => wanted[queue] as number), queues.map((queue) => this.#weights[queue] as number), 1)
        : queues.map((queue) => (given[queue] ?? 0) / this.#cluster.capacity(only))
    return { queues, share, fair }
  }

  /** The largest fraction of a resource of the lane. */
  #dominant(amounts: Float64Array, queue: number, lane: LaneId): number {
    let most = 0
    for (const resource of this.#resources[lane] ?? []) {
      const capacity = this.#cluster.capacity(resource)
      if (capacity > 0) most = Math.max(most, (amounts[queue * this.#width + resource] as number) / capacity)
    }
    return most
  }
}
