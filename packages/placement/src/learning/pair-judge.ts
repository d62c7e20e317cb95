import type { Env, JobId, LaneId, NodeId, Seconds, TaskId } from '@sched/core'
import { Assignments } from './assignments.js'
import { GoodBadClassifier, type GoodBadOptions } from './good-bad.js'
import { isOverloaded, type OverloadRule } from './overload.js'
import { PairFeatures, type Drafted, type FeatureLimits } from './pair-features.js'

interface JudgeOptions {
  readonly classifier: GoodBadOptions
  readonly limits: FeatureLimits
  readonly overload: OverloadRule
  /** Seconds from an assignment to its judgement; 0: it is judged when its node reports. */
  readonly delay: Seconds
}

/**
 * Tells how good a pair of job and node is, learnt from earlier assignments. The state of a node is that of its last report, with the tasks drafted on it in
 * this round besides.
 */
export class PairJudge {
  readonly #env: Env
  readonly #overload: OverloadRule
  readonly #features: PairFeatures
  readonly #classifier: GoodBadClassifier
  readonly #assignments: Assignments
  /** P(good) by pair, and the version of the classifier by which it was computed. */
  readonly #known: Float64Array
  readonly #knownAt: Float64Array
  readonly #values: number[] = []
  #drafted = new Map<NodeId, Drafted>()

  constructor(env: Env, { classifier, limits, overload, delay }: JudgeOptions) {
    this.#env = env
    this.#overload = overload
    this.#features = new PairFeatures(env.cluster.hardware, env.cluster.nodes, env.work, limits)
    this.#classifier = new GoodBadClassifier(this.#features.values, classifier)
    this.#assignments = new Assignments(delay, (task) => !Number.isNaN(env.work.started(task)))
    this.#known = new Float64Array(this.#features.pairs)
    this.#knownAt = new Float64Array(this.#features.pairs).fill(-1)
  }

  /** A new round begins: tasks drafted in the last one are in the reports now. */
  beginRound(): void {
    if (this.#drafted.size > 0) this.#drafted = new Map()
  }

  /** The tasks drafted on the nodes now, for `rollback`. */
  savepoint(): ReadonlyMap<NodeId, Drafted> {
    return new Map(this.#drafted)
  }

  rollback(to: ReadonlyMap<NodeId, Drafted>): void {
    this.#drafted = new Map(to)
  }

  /** The node's part of a pair now, which is the same for all jobs. */
  nodePart(node: NodeId): number {
    return this.#features.nodePart(node, this.#drafted.get(node))
  }

  /** Number of different parts that nodes may have. */
  get nodeParts(): number {
    return this.#features.nodeParts
  }

  /** The job's part of a pair now. */
  jobPart(job: JobId, lane: LaneId): number {
    return this.#features.jobPart(job, lane)
  }

  /** The pair of a job and a node, for `good` and `assign`. */
  pair(job: JobId, nodePart: number, lane: LaneId): number {
    return this.pairOf(this.#features.jobPart(job, lane), nodePart)
  }

  pairOf(jobPart: number, nodePart: number): number {
    return jobPart * this.#features.nodeParts + nodePart
  }

  /** P(good) of a pair. */
  good(pair: number): number {
    if (this.#knownAt[pair] !== this.#classifier.version) {
      this.#knownAt[pair] = this.#classifier.version
      this.#known[pair] = this.#classifier.good(this.#features.unpack(pair, this.#values))
    }
    return this.#known[pair] as number
  }

  /** A task was claimed. `use`: its use by kind of hardware; undefined: one processor. */
  assign(task: TaskId, node: NodeId, pair: number, use: Readonly<Record<string, number>> | undefined): void {
    this.#assignments.add(task, node, pair, this.#env.now())
    this.#drafted.set(node, this.#features.drafted(this.#drafted.get(node), use))
  }

  release(task: TaskId, hasEnded: boolean): void {
    this.#assignments.release(task, hasEnded)
  }

  /** A node reports: the assignments to it that are due are recorded as good or bad. Returns whether some are due but have not started. */
  judge(node: NodeId, now: Seconds): boolean {
    const isGood = !isOverloaded(node, this.#env.cluster.hardware, this.#overload)
    return this.#assignments.judge(node, now, (pair) => this.#classifier.learn(this.#features.unpack(pair, this.#values), isGood))
  }

  /** Whether an assignment is due by time. */
  isDue(now: Seconds): boolean {
    return this.#assignments.isDue(now)
  }

  /** Judges the nodes of all assignments that are due by time. */
  judgeDue(now: Seconds): void {
    for (const node of this.#assignments.due(now)) if (this.judge(node, now)) this.#assignments.again(node, now)
  }
}
