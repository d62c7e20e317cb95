import type { Env, JobId, LaneId, NodeId, Seconds, TaskId } from '@sched/core'
import { Assignments } from './assignments.js'
import { GoodBadClassifier, type GoodBadOptions } from './good-bad.js'
import { isOverloaded, type OverloadRule } from './overload.js'
import { PairFeatures, type Drafted, type FeatureLimits } from './pair-features.js'

interface JudgeOptions {
  readonly classifier: GoodBadOptions
  readonly limits: FeatureLimits
  readonly overload: OverloadRule
  /** Seconds from an assignment to its judgement, 0: when its node reports. */
  readonly delay: Seconds
}

/**
 * How good a job on a node is, learnt from what became of earlier ones. A node is as it reported, and with what was drafted
 * on it in this round.
 */
export class PairJudge {
  readonly #env: Env
  readonly #overload: OverloadRule
  readonly #features: PairFeatures
  readonly #classifier: GoodBadClassifier
  readonly #assignments: Assignments
  /** P(good) by pair, and the records it was found from. */
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

  /** Another round: what the last one drafted is reported by now. */
  beginRound(): void {
    if (this.#drafted.size > 0) this.#drafted = new Map()
  }

  /** What is drafted on the nodes now, to come back to. */
  savepoint(): ReadonlyMap<NodeId, Drafted> {
    return new Map(this.#drafted)
  }

  rollback(to: ReadonlyMap<NodeId, Drafted>): void {
    this.#drafted = new Map(to)
  }

  /** What is known of a node now: to be asked once for many jobs. */
  nodePart(node: NodeId): number {
    return this.#features.nodePart(node, this.#drafted.get(node))
  }

  /** Number of states that a node may be in. */
  get nodeParts(): number {
    return this.#features.nodeParts
  }

  /** What is known of a job now. */
  jobPart(job: JobId, lane: LaneId): number {
    return this.#features.jobPart(job, lane)
  }

  /** A pair, for `good` and `assign`. */
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

  /** A task that uses so much was claimed. */
  assign(task: TaskId, node: NodeId, pair: number, use: Readonly<Record<string, number>> | undefined): void {
    this.#assignments.add(task, node, pair, this.#env.now())
    this.#drafted.set(node, this.#features.drafted(this.#drafted.get(node), use))
  }

  release(task: TaskId, hasEnded: boolean): void {
    this.#assignments.release(task, hasEnded)
  }

  /** The node reports: what was assigned to it turns out good or bad. */
  judge(node: NodeId, now: Seconds): boolean {
    const isGood = !isOverloaded(node, this.#env.cluster.hardware, this.#overload)
    return this.#assignments.judge(node, now, (pair) => this.#classifier.learn(this.#features.unpack(pair, this.#values), isGood))
  }

  /** Whether there are any due by time. */
  isDue(now: Seconds): boolean {
    return this.#assignments.isDue(now)
  }

  /** The same of all nodes whose assignments are due by time. */
  judgeDue(now: Seconds): void {
    for (const node of this.#assignments.due(now)) if (this.judge(node, now)) this.#assignments.again(node, now)
  }
}
