import {
  SchedError,
  type Commit,
  type CommitMode,
  type JobId,
  type LaneId,
  type NodeId,
  type OpenRound,
  type Reason,
  type RoundLimits,
  type Savepoint,
  type Seconds,
  type TaskId,
} from '@sched/core'
import type { CellState } from './cell-state.js'
import type { Work } from './work.js'

/** What happens to a draft outside the draft: the engine's side of a round. */
export interface DraftSink {
  /** An accepted claim: the task starts now. */
  start(task: TaskId, node: NodeId): void
  /** An accepted eviction: its resources are free already; the task is to be killed. */
  kill(task: TaskId): void
  reserve(job: JobId, start: Seconds): void
  defer(job: JobId, lane: LaneId, reason: Reason): void
  wakeAt(time: Seconds): void
}

/**
 * The round that built-in architectures hand out: claims are applied to the live state as they are drafted and taken
 * back when the round is rolled back. One object is used for all rounds of a run.
 */
export class Draft implements OpenRound {
  now: Seconds = 0
  lane: LaneId = 0 as LaneId
  nodes: readonly NodeId[] = []
  readonly cluster: CellState
  readonly work: Work
  readonly #sink: DraftSink
  /** Claims and evictions in order; an eviction is the complement of its task. */
  readonly #moves: number[] = []
  readonly #accepted: TaskId[] = []
  readonly #commit: { now: Seconds; readonly accepted: TaskId[]; readonly conflicted: TaskId[] }
  #open = false
  #only: NodeId | -1 = -1
  #claims = 0
  #jobs = 0
  #lastJob = -1
  #maxClaims = Infinity
  #maxJobs = Infinity

  constructor(cluster: CellState, work: Work, sink: DraftSink) {
    this.cluster = cluster
    this.work = work
    this.#sink = sink
    this.#commit = { now: 0, accepted: this.#accepted, conflicted: [] }
  }

  /** Opens the round. Throws when the one before is still open. */
  begin(now: Seconds, lane: LaneId, nodes: readonly NodeId[], limits?: RoundLimits): this {
    if (this.#open) throw new SchedError('BROKEN_CONTRACT', 'a round was opened before the one before it was closed')
    this.#open = true
    this.now = now
    this.lane = lane
    this.nodes = nodes
    this.#only = nodes.length === 1 ? (nodes[0] as NodeId) : -1
    this.#claims = 0
    this.#jobs = 0
    this.#lastJob = -1
    this.#maxClaims = limits?.claims ?? Infinity
    this.#maxJobs = limits?.jobs ?? Infinity
    return this
  }

  room(node: NodeId): boolean {
    return this.#claims < this.#maxClaims && this.work.pendingTasks[this.lane] !== 0 && this.cluster.hasRoom(this.lane, node)
  }

  fits(job: JobId, node: NodeId): boolean {
    return this.cluster.fits(this.work.shape(job, this.lane), node)
  }

  take(job: JobId): boolean {
    this.#mustBeOpen()
    if (job === this.#lastJob) return true
    if (this.#jobs >= this.#maxJobs) return false
    this.#jobs++
    this.#lastJob = job
    return true
  }

  claim(task: TaskId, node: NodeId): boolean {
    this.#mustBeOpen()
    if (this.work.taskRun[task] !== -1) throw new SchedError('BROKEN_CONTRACT', `task ${task} is claimed but not unplaced`)
    const shape = this.work.shapeOf(task)
    if (this.#claims >= this.#maxClaims || !this.#inSight(node) || !this.cluster.fits(shape, node)) return false
    this.cluster.take(shape, node)
    this.work.claim(task, node)
    this.#moves.push(task)
    this.#claims++
    return true
  }

  evict(task: TaskId): void {
    this.#mustBeOpen()
    if (Number.isNaN(this.work.started(task)) || this.work.isEvicted(task))
      throw new SchedError('BROKEN_CONTRACT', `task ${task} is evicted but not running`)
    this.cluster.give(this.work.shapeOf(task), this.work.nodeOf(task) as NodeId)
    this.work.release(task, 'evicted')
    this.#moves.push(~task)
  }

  reserve(job: JobId, start: Seconds): void {
    this.#mustBeOpen()
    this.#sink.reserve(job, start)
  }

  defer(job: JobId, reason: Reason): void {
    this.#sink.defer(job, this.lane, reason)
  }

  savepoint(): Savepoint {
    this.#mustBeOpen()
    return this.#moves.length as Savepoint
  }

  rollback(to: Savepoint): void {
    this.#mustBeOpen()
    while (this.#moves.length > to) {
      const move = this.#moves.pop() as number
      const task = (move < 0 ? ~move : move) as TaskId
      const node = this.work.nodeOf(task) as NodeId
      if (move < 0) {
        this.cluster.take(this.work.shapeOf(task), node)
        this.work.keep(task)
      } else {
        this.cluster.give(this.work.shapeOf(task), node)
        this.work.unclaim(task, 'withdrawn')
        this.#claims--
      }
    }
  }

  wakeAt(time: Seconds): void {
    this.#mustBeOpen()
    this.#sink.wakeAt(time)
  }

  /** Closes the round: evicted tasks are killed, claimed ones start, in draft order. */
  commit(mode: CommitMode): Commit {
    this.#mustBeOpen()
    if (mode.conflict !== 'none') throw new SchedError('BROKEN_CONTRACT', `a live round cannot be committed with conflict detection "${mode.conflict}"`)
    this.#open = false
    const accepted = this.#accepted
    while (accepted.length > 0) accepted.pop() // setting the length is a slow call, and there are few
    for (let i = 0; i < this.#moves.length; i++) {
      const move = this.#moves[i] as number
      if (move < 0) this.#sink.kill(~move as TaskId)
      else {
        const node = this.work.nodeOf(move as TaskId) as NodeId
        this.cluster.versions[node] = (this.cluster.versions[node] as number) + 1
        accepted.push(move as TaskId)
        this.#sink.start(move as TaskId, node)
      }
    }
    while (this.#moves.length > 0) this.#moves.pop()
    this.#commit.now = this.now
    return this.#commit
  }

  /** Gives everything up, for a policy that threw. */
  abandon(): void {
    if (!this.#open) return
    this.rollback(0 as Savepoint)
    this.#open = false
  }

  #inSight(node: NodeId): boolean {
    return node === this.#only || this.nodes.length === this.cluster.nodes || this.nodes.includes(node)
  }

  #mustBeOpen(): void {
    if (!this.#open) throw new SchedError('ROUND_CLOSED', 'the round is closed; a round is valid only inside schedule()')
  }
}
