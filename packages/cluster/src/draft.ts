import {
  None,
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
  type ShapeId,
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
  /** Whether anybody listens to `defer`. */
  readonly explained: boolean
  reserve(job: JobId, start: Seconds): void
  defer(job: JobId, lane: LaneId, reason: Reason): void
  wakeAt(time: Seconds): void
}

/**
 * The rounds of one scheduler: claims are applied to the state they are drafted on and taken back when the round is
 * rolled back. A suspended round has left the live state and remembers what it claimed, where, and which version of the
 * node it saw; so a private snapshot needs no copy. One object is used for all rounds of a scheduler.
 */
export class Draft implements OpenRound {
  now: Seconds = 0
  lane: LaneId = 0 as LaneId
  nodes: readonly NodeId[] = []
  /** What the draft counts against: the live state, or a stock. */
  cluster: CellState
  readonly work: Work
  taken: JobId | None = None
  claims = 0
  readonly #live: CellState
  readonly #owner: number
  readonly #sink: DraftSink
  /** Claims and evictions in order; an eviction is the complement of its task. */
  readonly #moves: number[] = []
  /** Version of the node before each claim of a suspended round. */
  readonly #seen: number[] = []
  readonly #commit: { now: Seconds; readonly accepted: TaskId[]; readonly conflicted: TaskId[] } = { now: 0, accepted: [], conflicted: [] }
  #state: 'closed' | 'open' | 'suspended' = 'closed'
  #only: NodeId | -1 = -1
  #jobs = 0
  #maxClaims = Infinity
  #maxJobs = Infinity
  #onlyJob: JobId | None = None

  constructor(cluster: CellState, work: Work, sink: DraftSink, owner = 0) {
    this.#live = cluster
    this.cluster = cluster
    this.work = work
    this.#sink = sink
    this.#owner = owner
  }

  /** Opens the round. Throws when the one before is not closed. */
  begin(now: Seconds, lane: LaneId, nodes: readonly NodeId[], limits?: RoundLimits, on: CellState = this.#live): this {
    if (this.#state !== 'closed') throw new SchedError('BROKEN_CONTRACT', 'a round was opened before the one before it was closed')
    this.#state = 'open'
    this.now = now
    this.lane = lane
    this.nodes = nodes
    this.cluster = on
    this.taken = None
    this.claims = 0
    this.#only = nodes.length === 1 ? (nodes[0] as NodeId) : -1
    this.#jobs = 0
    this.#maxClaims = limits?.claims ?? Infinity
    this.#maxJobs = limits?.jobs ?? Infinity
    this.#onlyJob = limits?.only ?? None
    return this
  }

  get pending(): number {
    return this.work.pendingTasks[this.#owner * this.work.lanes + this.lane] as number
  }

  get jobsLeft(): number {
    return this.#maxJobs - this.#jobs
  }

  get explained(): boolean {
    return this.#sink.explained
  }

  room(node: NodeId): boolean {
    return this.claims < this.#maxClaims && this.cluster.hasRoom(this.lane, node) && this.pending !== 0
  }

  fits(job: JobId, node: NodeId): boolean {
    return this.cluster.fits(this.work.shape(job, this.lane), node)
  }

  take(job: JobId): boolean {
    this.#mustBeOpen()
    return this.#takeUp(job)
  }

  #takeUp(job: JobId): boolean {
    if (job === this.taken) return true
    if (this.#jobs >= this.#maxJobs || (this.#onlyJob !== None && job !== this.#onlyJob)) return false
    this.#jobs++
    this.taken = job
    return true
  }

  claim(task: TaskId, node: NodeId): boolean {
    this.#mustBeOpen()
    if (this.work.taskRun[task] !== -1) throw new SchedError('BROKEN_CONTRACT', `task ${task} is claimed but not unplaced`)
    const shape = this.work.shapeOf(task)
    if (this.claims >= this.#maxClaims || !this.#inSight(node) || !this.cluster.fits(shape, node)) return false
    if (!this.#takeUp(this.work.jobOf(task))) return false
    this.cluster.take(shape, node)
    this.work.claim(task, node)
    this.#moves.push(task)
    this.claims++
    return true
  }

  evict(task: TaskId): void {
    this.#mustBeOpen()
    if (Number.isNaN(this.work.started(task)) || this.work.isReleased(task))
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
        this.claims--
      }
    }
  }

  wakeAt(time: Seconds): void {
    this.#mustBeOpen()
    this.#sink.wakeAt(time)
  }

  suspend(): void {
    this.#mustBeOpen()
    this.#state = 'suspended'
    const moves = this.#moves
    for (let i = 0; i < moves.length; i++) {
      const move = moves[i] as number
      if (move < 0) throw new SchedError('BROKEN_CONTRACT', 'a round with evictions cannot be suspended')
      const node = this.work.nodeOf(move as TaskId) as NodeId
      this.cluster.give(this.work.shapeOf(move as TaskId), node)
      this.#seen[i] = this.#live.versions[node] as number
    }
  }

  commit(mode: CommitMode): Commit {
    const suspended = this.#state === 'suspended'
    if (!suspended) this.#mustBeOpen()
    else if (mode.conflict === 'none') throw new SchedError('BROKEN_CONTRACT', 'a suspended round must be checked when it is committed')
    this.#state = 'closed'
    this.#forget()
    this.#commit.now = this.now
    if (suspended) this.#recheck(mode)
    for (let i = 0; i < this.#moves.length; i++) this.#apply(this.#moves[i] as number)
    while (this.#moves.length > 0) this.#moves.pop()
    return this.#commit
  }

  abandon(): void {
    if (this.#state === 'closed') return
    if (this.#state === 'suspended') for (const task of this.#moves.splice(0)) this.work.unclaim(task as TaskId, 'withdrawn')
    else this.rollback(0 as Savepoint)
    this.#state = 'closed'
  }

  /** Claims the suspended draft's moves again, in order, as far as they do not conflict; the others are pending again. */
  #recheck({ conflict, atomic }: CommitMode): void {
    const { conflicted } = this.#commit
    const moves = this.#moves.splice(0) as TaskId[]
    for (const [i, task] of moves.entries()) {
      const node = this.work.nodeOf(task) as NodeId
      const shape = this.work.shapeOf(task)
      if (this.#conflicts(conflict, i, shape, node)) conflicted.push(task)
      else {
        this.#live.take(shape, node)
        this.#moves.push(task)
      }
    }
    if (atomic && conflicted.length > 0)
      for (const task of this.#moves.splice(0) as TaskId[]) {
        this.#live.give(this.work.shapeOf(task), this.work.nodeOf(task) as NodeId)
        conflicted.push(task)
      }
    for (const task of conflicted) this.work.unclaim(task, 'withdrawn')
  }

  /** Own earlier claims raise no version before they are applied, so a round never conflicts with itself. */
  #conflicts(conflict: CommitMode['conflict'], index: number, shape: ShapeId, node: NodeId): boolean {
    return (conflict === 'version' && this.#live.versions[node] !== this.#seen[index]) || !this.#live.fits(shape, node)
  }

  #apply(move: number): void {
    if (move < 0) return this.#sink.kill(~move as TaskId)
    const node = this.work.nodeOf(move as TaskId) as NodeId
    this.#live.versions[node] = (this.#live.versions[node] as number) + 1
    this.#commit.accepted.push(move as TaskId)
    this.#sink.start(move as TaskId, node)
  }

  /** Empties the last commit. Setting the length of an array is a slow call, and there are few entries. */
  #forget(): void {
    const { accepted, conflicted } = this.#commit
    while (accepted.length > 0) accepted.pop()
    while (conflicted.length > 0) conflicted.pop()
  }

  #inSight(node: NodeId): boolean {
    return node === this.#only || this.nodes.length === this.#live.nodes || this.nodes.includes(node)
  }

  #mustBeOpen(): void {
    if (this.#state !== 'open') throw new SchedError('ROUND_CLOSED', 'the round is closed; a round is valid only inside schedule()')
  }
}
