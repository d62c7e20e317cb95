import {
  grown,
  SchedError,
  type ClusterView,
  type EndRow,
  type JobId,
  type JobSpec,
  type LaneId,
  type Observer,
  type Seconds,
  type Sharing,
  type StartRow,
  type TaskId,
  type WorkView,
} from '@sched/core'
import { LaneFairness, type LaneFairnessResult } from './lane-fairness.js'
import { QueueShares } from './queue-shares.js'
import { SampleClock } from './sample-clock.js'

/** Options of `fairness`; all may be left out. */
export interface FairnessOptions {
  /** The fair shares of the policy under test, `() => simulation.policy.sharing`. Default: weighted max-min shares of the queues. */
  readonly sharing?: (() => Sharing | undefined) | undefined
  /** Weights of queues for the default shares; default 1. */
  readonly weight?: ((queue: string) => number) | undefined
  /** Seconds between samples at first, > 0; doubled whenever `points` samples have been taken. Default 1. */
  readonly step?: Seconds | undefined
  /** Most points of a series, an even number. Default 256. */
  readonly points?: number | undefined
  /** Queues whose shares over time are kept. Default: none. */
  readonly series?: readonly string[] | undefined
  /** Whether the result has a row per queue. Default true. */
  readonly queues?: boolean | undefined
}

/**
 * Compares what queues hold with their fair shares, in samples at a fixed step, per lane. A queue's share is its dominant share: the largest fraction
 * it holds of any resource of the lane, counted until the master knows that a task has left. Its fair share is that of the policy, or the max-min
 * share of its demand; in a lane with several resources always the latter, of one whole.
 *
 * Held shares are exact at the sampling times. Demands are those at the first event after a sampling time, at most one round later. Throws
 * `BAD_OPTION` for a step or a number of points out of range.
 */
export const fairness = (options: FairnessOptions = {}): Fairness => new Fairness(options)

export class Fairness implements Observer {
  readonly #options: FairnessOptions
  readonly #clock: SampleClock
  #work!: WorkView
  #sharing: Sharing | undefined
  #laneNames: readonly string[] = []
  #lanes: readonly LaneFairness[] = []
  #shares!: QueueShares
  /** By job: the pool of the policy, or the queue it was submitted to. */
  #queueOf = new Int32Array(0)
  readonly #names: string[] = []

  constructor(options: FairnessOptions) {
    const { step = 1, points = 256 } = options
    if (!(step > 0))
      throw new SchedError('BAD_OPTION', `the sampling step is ${step} s.`, { field: 'fairness.step' }, 'Use a number above 0.')
    if (!(points >= 2 && points % 2 === 0))
      throw new SchedError('BAD_OPTION', `a series of ${points} points is asked for.`, { field: 'fairness.points' }, 'Use an even number, 2 or more.')
    this.#options = options
    this.#clock = new SampleClock(step, points)
  }

  onRunStart({ cluster, work }: { readonly cluster: ClusterView; readonly work: WorkView }): void {
    this.#work = work
    this.#laneNames = cluster.lanes.map(({ name }) => name)
    this.#lanes = cluster.lanes.map(() => new LaneFairness(this.#options.series ?? []))
    this.#shares = new QueueShares(cluster, work)
  }

  onSubmit(job: JobId, _spec: JobSpec, now: Seconds): void {
    if (this.#clock.next === Infinity) this.#clock.begin(now)
    if (now > this.#clock.next) this.#sampleUntil(now)
    this.#sharing ??= this.#options.sharing?.()
    const queue = this.#sharing?.poolOf(job) ?? this.#work.queue(job)
    if (job >= this.#queueOf.length) this.#queueOf = grown(this.#queueOf, job + 1)
    this.#queueOf[job] = queue
    if ((this.#names[queue] ?? '') === '') this.#addQueue(queue)
  }

  onTasksStart({ job, lane, count, tasks }: StartRow, now: Seconds): void {
    if (now > this.#clock.next) this.#sampleUntil(now)
    this.#shares.hold(this.#queueOf[job] as number, lane, tasks[0] as TaskId, count)
  }

  onTasksEnd({ job, lane, count, tasks }: EndRow, now: Seconds): void {
    if (now > this.#clock.next) this.#sampleUntil(now)
    this.#shares.hold(this.#queueOf[job] as number, lane, tasks[0] as TaskId, -count)
  }

  onRunEnd(now: Seconds): void {
    if (now > this.#clock.next) this.#sampleUntil(now)
    // the last sample was added as if it lasted until the next one
    if (this.#clock.next < Infinity) this.#lanes.forEach((lane, i) => lane.add(now - this.#clock.next, this.#shares.of(i as LaneId)))
  }

  result(): readonly LaneFairnessResult[] {
    return this.#lanes.map((lane, i) => lane.result(this.#laneNames[i] as string, this.#names, this.#options.queues ?? true))
  }

  #addQueue(queue: number): void {
    const name = this.#sharing?.name(queue) ?? this.#work.queueName(queue as ReturnType<WorkView['queue']>)
    // ids are dense, but a pool without jobs of its own may come before one with jobs
    while (this.#names.length < queue) this.#names.push('')
    this.#names[queue] = name
    this.#shares.addQueue(queue, this.#options.weight?.(name) ?? 1)
  }

  #sampleUntil(now: Seconds): void {
    // shares of a single queue matter only for a series, since it is compared with no other
    if (this.#names.length > 1 || (this.#options.series ?? []).length > 0) this.#shares.find(this.#work.jobs(), this.#queueOf, this.#sharing)
    while (now > this.#clock.next) {
      const { next, step } = this.#clock
      for (let i = 0; i < this.#lanes.length; i++) {
        const [lane, shares] = [this.#lanes[i] as LaneFairness, this.#shares.of(i as LaneId)]
        lane.record(next, shares, this.#names)
        lane.add(step, shares)
      }
      if (this.#clock.advance()) for (const lane of this.#lanes) lane.thin()
    }
  }
}
