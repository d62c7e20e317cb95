import type { ChangeLog, ClusterView, JobId, LaneId, NodeId, WorkView } from '@sched/core'
import type { PairJudge } from './pair-judge.js'

/** Stands for the part of a job that does not wait in a lane. */
const NONE = -1

/**
 * Tells of most nodes without further search that no waiting job is good enough for their state, so that a pass over a busy cluster takes one array access for
 * each such node. States are those of the last `refresh`, which computes them anew only for nodes in the cluster's log of changes. A node that is let through
 * must be looked at as it is.
 */
export class Sieve {
  readonly #cluster: ClusterView
  readonly #work: WorkView
  readonly #judge: PairJudge
  readonly #threshold: number
  readonly #lanes: number
  /** State of each node as of the last `refresh`. */
  readonly #stateOf: Int32Array
  #seen = -Infinity
  /** By job and lane: the job's part of pairs. */
  readonly #partOf: number[] = []
  /** Jobs and lanes whose part may have changed. */
  readonly #changed = new Set<number>()
  /** By lane: number of waiting jobs of each part. */
  readonly #waiting: Map<number, number>[]
  /** By state: 1 if a waiting job is good enough, 2 if none is, 0 if that was not found yet since the last `refresh`. */
  readonly #verdicts: Uint8Array

  constructor(cluster: ClusterView, work: WorkView, judge: PairJudge, threshold: number) {
    this.#cluster = cluster
    this.#work = work
    this.#judge = judge
    this.#threshold = threshold
    this.#lanes = cluster.lanes.length
    this.#stateOf = new Int32Array(cluster.nodes)
    this.#waiting = cluster.lanes.map(() => new Map<number, number>())
    this.#verdicts = new Uint8Array(judge.nodeParts)
  }

  /** A job begins to wait in a lane. */
  add(job: JobId, lane: LaneId): void {
    this.#partOf[job * this.#lanes + lane] = NONE
    this.#changed.add(job * this.#lanes + lane)
  }

  remove(job: JobId, lane: LaneId): void {
    this.#changed.delete(job * this.#lanes + lane)
    this.#count(job * this.#lanes + lane, NONE)
  }

  /** The part of a job may have changed, since another stage of it may be next. */
  change(job: JobId, lane: LaneId): void {
    this.#changed.add(job * this.#lanes + lane)
  }

  /** Takes in all changes, for a pass over the cluster in one lane. */
  refresh(): void {
    this.#takeJobsIn()
    this.#verdicts.fill(0)
    const log = this.#cluster.changeLog
    if (log === undefined || log.count - this.#seen > log.kept) for (let node = 0 as NodeId; node < this.#cluster.nodes; node++) this.#look(node)
    else this.#lookAtChanged(log)
    this.#seen = log?.count ?? -Infinity
  }

  /** Whether a waiting job may be good enough for the node. Jobs of which tasks started in this pass may have another part now. */
  lets(node: NodeId, lane: LaneId): boolean {
    if (this.#changed.size > 0 && this.#takeJobsIn()) this.#verdicts.fill(0)
    const state = this.#stateOf[node] as number
    if (this.#verdicts[state] === 0) this.#verdicts[state] = this.#isGood(state, lane) ? 1 : 2
    return this.#verdicts[state] === 1
  }

  /** Counts the changed jobs by their parts. Returns whether one has a part that no other job had. */
  #takeJobsIn(): boolean {
    let isNew = false
    for (const at of this.#changed) {
      const [job, lane] = [Math.floor(at / this.#lanes) as JobId, (at % this.#lanes) as LaneId]
      if (this.#work.unplaced(job, lane) > 0 && this.#count(at, this.#judge.jobPart(job, lane))) isNew = true
    }
    this.#changed.clear()
    return isNew
  }

  #isGood(state: number, lane: LaneId): boolean {
    for (const part of (this.#waiting[lane] as Map<number, number>).keys()) if (this.#judge.good(this.#judge.pairOf(part, state)) > this.#threshold) return true
    return false
  }

  #lookAtChanged(log: ChangeLog): void {
    for (let change = this.#seen; change < log.count; change++) this.#look(log.node(change))
  }

  #look(node: NodeId): void {
    this.#stateOf[node] = this.#judge.nodePart(node)
  }

  /** Counts a job by its part, `NONE` to remove it. Returns whether no other job had the part. */
  #count(at: number, part: number): boolean {
    const before = this.#partOf[at] ?? NONE
    if (before === part) return false
    const waiting = this.#waiting[at % this.#lanes] as Map<number, number>
    const left = (waiting.get(before) ?? 0) - 1
    if (before !== NONE && left === 0) waiting.delete(before)
    else if (before !== NONE) waiting.set(before, left)
    const others = waiting.get(part) ?? 0
    if (part !== NONE) waiting.set(part, others + 1)
    this.#partOf[at] = part
    return part !== NONE && others === 0
  }
}
