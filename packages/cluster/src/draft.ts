import {
  None, nothingToPlace, SchedError, type Commit, type CommitMode, type JobId, type LaneId, type Moulding, type NodeId, type OpenRound, type Reason,
  type ResourceId, type RoundLimits, type Savepoint, type Seconds, type ShapeId, type TaskId,
} from '@sched/core'
import { Allowance } from './allowance.js'
import type { CellState } from './cell-state.js'
import { brokenGang, shortGangs } from './gang-moves.js'
import { Interruptions } from './interruptions.js'
import { includes } from './sorted-nodes.js'
import type { DraftSink } from './draft-sink.js'
import { takeLostClaims } from './lost-claims.js'
import { Moves } from './moves.js'
import { Outcome } from './outcome.js'
import { giveBack, takeAgain } from './places.js'
import { SuspendedMoves } from './suspended-moves.js'
import type { Work } from './work.js'

/**
 * Seconds until the next look at jobs that were passed over, after tasks have started next to which rules may allow them. In Kubernetes an event
 * triggers this.
 */
const MOMENT = 0.001

/**
 * The rounds of one scheduler. Claims are applied to the state they are drafted on, and a rollback takes them back. A suspended round is off the live
 * state and remembers its claims, their nodes, and the node versions it saw, so a private snapshot needs no copy. One object is reused for all rounds
 * of a scheduler.
 */
export class Draft implements OpenRound {
  serial = 0
  now: Seconds = NaN
  lane: LaneId = 0 as LaneId
  nodes: readonly NodeId[] = []
  reach: readonly NodeId[] | undefined
  /** The state that the draft is applied to: the live one, or a stock. */
  cluster: CellState
  readonly work: Work
  taken: JobId | None = None
  claims = 0
  evictions = 0
  readonly #live: CellState
  readonly #owner: number
  readonly #sink: DraftSink
  readonly #moves = new Moves()
  readonly #suspended: SuspendedMoves
  readonly #interruptions: Interruptions
  readonly #outcome: Outcome
  #state: 'closed' | 'open' | 'suspended' = 'closed'
  /** The node in sight, if it is one alone. */
  #only: NodeId | None = None
  /** `work.stops` when the round was opened. */
  #stops = 0
  #jobs = 0
  #maxClaims = Infinity
  #maxJobs = Infinity
  #onlyJob: JobId | None = None
  #isPeek = false
  #allowance: Allowance | undefined

  constructor(cluster: CellState, work: Work, sink: DraftSink, owner = 0) {
    this.#live = cluster
    this.cluster = cluster
    this.work = work
    this.#sink = sink
    this.#owner = owner
    this.#suspended = new SuspendedMoves(this.#moves, work, cluster)
    this.#interruptions = new Interruptions(work)
    this.#outcome = new Outcome(work, sink, this.#interruptions)
  }

  /** Opens a round. Throws `BROKEN_CONTRACT` if the previous one is not closed. */
  begin(now: Seconds, lane: LaneId, nodes: readonly NodeId[], limits?: RoundLimits, on: CellState = this.#live): this {
    if (this.#state !== 'closed')
      throw new SchedError(
        'BROKEN_CONTRACT',
        'a round was opened before the one before it was closed',
        {},
        'Commit or abandon each before the next one of its scheduler is opened, also one without claims.',
      )
    this.#state = 'open'
    this.serial++
    this.now = now
    this.lane = lane
    this.#see(nodes)
    this.reach = limits?.reach
    this.cluster = on
    this.taken = None
    this.claims = 0
    this.evictions = 0
    this.#stops = this.work.stops
    this.#jobs = 0
    this.#isPeek = limits?.peek ?? false
    this.#maxClaims = this.#isPeek ? 0 : (limits?.claims ?? Infinity)
    this.#maxJobs = limits?.jobs ?? Infinity
    this.#onlyJob = limits?.only ?? None
    this.#allowance = limits?.amounts === undefined ? undefined : new Allowance(this.work.shapes, limits.amounts)
    return this
  }

  goOn(now: Seconds, jobs: number, nodes = this.nodes): void {
    this.#mustBeOpen()
    this.#see(nodes)
    this.serial++
    this.now = now
    this.#maxJobs = this.#jobs + jobs
    if (jobs > 0) this.taken = None
  }

  #see(nodes: readonly NodeId[]): void {
    this.nodes = nodes
    this.#only = nodes.length === 1 ? (nodes[0] as NodeId) : None
  }

  get pending(): number {
    return this.work.pendingTasks[this.#owner * this.work.lanes + this.lane] as number
  }

  get jobsLeft(): number {
    return this.#maxJobs - this.#jobs
  }

  get claimsLeft(): number {
    return this.#maxClaims - this.claims
  }

  get explained(): boolean {
    return this.#sink.explained
  }

  room(node: NodeId): boolean {
    return (this.claims < this.#maxClaims || this.#isPeek) && this.cluster.hasRoom(this.lane, node) && this.pending !== 0 && !this.#isSettled()
  }

  /**
   * Whether no claim is possible any more because all jobs that may be taken up have been: in a peek, once they are taken; otherwise, once the last
   * one has no unplaced task.
   */
  #isSettled(): boolean {
    if (this.#jobs < this.#maxJobs) return false
    return this.#isPeek || this.taken === None || this.work.unplaced(this.taken, this.lane) === 0
  }

  fits(job: JobId, node: NodeId): boolean {
    const shape = this.work.shape(job, this.lane)
    return this.cluster.hasFitted(shape, node) || this.#fits(shape, job, node)
  }

  /** Whether the node has room for the job's next task, its constraints allow the node, and the job is not given up. */
  #fits(shape: ShapeId | undefined, job: JobId, node: NodeId): boolean {
    if (shape === undefined) throw nothingToPlace(job, this.work)
    if (!this.cluster.fits(shape, node) || (this.#interruptions.areAny && this.#interruptions.isCancelled(job))) return false
    if (this.work.shapes.of(shape).special !== 0) return this.work.isApart(shape, job, node)
    if (!this.#interruptions.areAny) this.cluster.noteFit(shape, node)
    return true
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

  moulding(job: JobId): Moulding | undefined {
    return this.work.moulding(job)
  }

  mould(job: JobId, tasks: number): void {
    this.#mustBeOpen()
    this.work.mould(job, tasks)
  }

  /** `devices`: those that the task has there already, as `CellState.take` returned them, which must have room; 0: any. */
  claim(task: TaskId, node: NodeId, devices = 0): boolean {
    this.#mustBeOpen()
    if (this.work.suspended.count > 0 && this.work.suspended.has(task)) return this.#interruptions.resume(task, node, this)
    if (this.work.taskRun[task] !== -1) throw new SchedError('BROKEN_CONTRACT', `task ${task} is claimed but not unplaced.`, {}, 'Claim what `work.taskFor` of the round gives, as long as the job has unplaced tasks.')
    const stage = this.work.taskStage[task] as number
    const shape = this.work.stageAsks[stage] as ShapeId
    const job = this.work.stageJob[stage] as JobId
    if ((this.claims >= this.#maxClaims && !this.#isPeek) || !this.#inSight(node)) return this.#refused(task, node)
    if ((!this.cluster.hasFitted(shape, node) && !this.#fits(shape, job, node)) || !this.work.suits(task, node)) return this.#refused(task, node)
    if (!this.#takeUp(job) || this.#isPeek || this.#allowance?.spend(shape) === false) return false
    this.work.claim(task, node, this.cluster.take(shape, node, devices))
    this.#moves.push(task)
    this.claims++
    return true
  }

  evict(task: TaskId): void {
    this.#mustBeOpen()
    if (this.work.hasMasters) {
      if (this.work.isReleased(task) && this.work.masters.get(this.work.jobOf(task)) === 'lost') return // evicted already with its master
      if (this.work.isMaster(task)) for (const other of [...this.work.startedOf(this.work.jobOf(task))].reverse()) if (other !== task) this.#evict(other)
    }
    this.#evict(task)
  }

  #evict(task: TaskId, cluster = this.cluster): void {
    if (Number.isNaN(this.work.started(task)) || this.work.isReleased(task))
      throw new SchedError('BROKEN_CONTRACT', `task ${task} is evicted but not running.`, {}, 'Only what has started can be evicted, once; what this round has claimed is taken back by `rollback`.')
    giveBack(task, this.work, cluster)
    this.work.release(task, 'evicted')
    this.#moves.push(~task)
    this.evictions++
  }

  suspendTask(task: TaskId, frees: readonly ResourceId[]): void {
    if (this.work.isMaster(task))
      throw new SchedError(
        'BAD_INPUT',
        `job ${this.work.name(this.work.jobOf(task))} has a master, which cannot be suspended.`,
        { field: 'policy' },
        'Let preempted jobs start anew, or give jobs no `masters`.',
      )
    this.evict(task)
    this.#interruptions.suspend(task, frees, this.cluster)
  }

  cancelJob(job: JobId): void {
    const running: TaskId[] = []
    for (let lane = 0 as LaneId; lane < this.work.lanes; lane++) this.work.runningTasks(job, lane, running)
    if (running.length === 0) throw new SchedError('BROKEN_CONTRACT', `job ${this.work.name(job)} is cancelled of which nothing runs.`, {}, 'Cancel only what runs; a job that waits stays until it starts.')
    for (const task of running) this.evict(task)
    this.#interruptions.cancel(job, this.#moves.count)
  }

  reserve(job: JobId, start: Seconds): void {
    this.#mustBeOpen()
    mustBeTime('reserve', start)
    this.#sink.reserve(job, start)
  }

  defer(job: JobId, reason: Reason, limit?: string, isPart?: boolean): void {
    this.#sink.defer(job, this.lane, reason, limit, isPart)
  }

  savepoint(): Savepoint {
    this.#mustBeOpen()
    return this.#moves.count as Savepoint
  }

  brokenGang(job: JobId): Savepoint | undefined {
    return brokenGang(this.#moves, this.work, job)
  }

  rollback(to: Savepoint): void {
    this.#mustBeOpen()
    if (!(to >= 0 && to <= this.#moves.count))
      throw new SchedError('BROKEN_CONTRACT', `a rollback to ${to}, which is no savepoint of this round or was taken back.`, {}, 'Roll back to what `savepoint` returned in the same round.')
    const hasInterruptions = this.#interruptions.areAny
    while (this.#moves.count > to) {
      const move = this.#moves.pop()
      const task = (move < 0 ? ~move : move) as TaskId
      if (move < 0) {
        if (hasInterruptions) this.#interruptions.beforeKeep(task, this.cluster)
        takeAgain(task, this.work, this.cluster)
        this.work.keep(task)
        this.evictions--
      } else {
        const shape = this.work.shapeOf(task)
        giveBack(task, this.work, this.cluster)
        this.work.unclaim(task, 'withdrawn')
        this.claims--
        this.#allowance?.giveBack(shape)
        if (hasInterruptions) this.#interruptions.afterUnclaim(task, this.cluster)
      }
    }
    if (hasInterruptions) this.#interruptions.takenBackTo(to)
  }

  rehearse(attempt: (see: (nodes: readonly NodeId[]) => void) => void): void {
    const before = this.savepoint()
    const { nodes, taken } = this
    const [jobs, most] = [this.#jobs, this.#maxClaims]
    const see = (others: readonly NodeId[]) => {
      this.#see(others)
      this.#maxClaims = this.claims + most
      this.serial++
    }
    attempt(see)
    this.rollback(before)
    see(nodes)
    this.taken = taken
    this.#jobs = jobs
    this.#maxClaims = most
  }

  ignoreLocality(job: JobId): void {
    this.#mustBeOpen()
    this.work.nearAnywhere.add(job)
  }

  limitTo(job: JobId, seconds: Seconds): void {
    this.#mustBeOpen()
    this.work.limitTo(job, seconds)
  }

  wakeAt(time: Seconds): void {
    this.#mustBeOpen()
    mustBeTime('wakeAt', time)
    this.#sink.wakeAt(time)
  }

  suspend(): void {
    this.#mustBeOpen()
    this.#interruptions.mustBeNone()
    this.#state = 'suspended'
    this.#suspended.leave(this.cluster)
  }

  commit(mode: CommitMode): Commit {
    const suspended = this.#state === 'suspended'
    if (!suspended) this.#mustBeOpen()
    else if (mode.conflict === 'none') throw new SchedError('BROKEN_CONTRACT', 'a suspended round must be checked when it is committed.', {}, "Commit it with `conflict` 'fit' or 'version': what it claims may be gone.")
    const outcome = this.#outcome
    this.#state = 'closed'
    outcome.begin(this.now)
    if (this.#moves.count === 0 && !suspended) return outcome
    if (suspended) this.#suspended.makeAgain(mode, outcome.conflicted)
    else if (this.#live.hasDown || this.work.bars !== undefined || this.work.hasMasters || this.work.failed.size > 0 || (this.work.areGangs && this.work.stops !== this.#stops)) this.#withdrawLost()
    if (this.evictions > 0 && this.work.areGangs) this.#stopShortGangs(suspended ? this.#live : this.cluster)
    outcome.apply(this.#moves, this.#live.versions)
    this.#moves.count = 0
    if (this.work.areRules && outcome.accepted.length > 0 && this.pending > 0 && this.#live.heartbeat === 0) this.#sink.wakeAt(this.now + MOMENT)
    return outcome
  }

  /** If evictions leave too few tasks of a gang, evicts the rest of it and withdraws its claims. */
  #stopShortGangs(cluster: CellState): void {
    const { work } = this
    const short = shortGangs(this.#moves, work)
    if (short.size === 0) return
    const isShort = (move: number) => move >= 0 && work.stopsWith(short, work.taskStage[move] as number)
    this.#outcome.withdraw(this.#moves.takeClaims(isShort), cluster)
    for (const gang of short) for (const task of [...work.startedInGang(gang)]) this.#evict(task, cluster)
  }

  abandon(): void {
    if (this.#state === 'closed') return
    if (this.#state === 'suspended') {
      const { tasks, count } = this.#moves
      this.#moves.count = 0
      for (let i = 0; i < count; i++) if ((tasks[i] as number) >= 0) this.work.unclaim(tasks[i] as TaskId, 'withdrawn')
    } else this.rollback(0 as Savepoint)
    this.#state = 'closed'
  }

  /**
   * Withdraws claims that cannot start any more: on nodes that have gone down since or that their tasks are kept off now, of jobs that have failed or
   * lost their master, and of gangs of which other tasks have stopped.
   */
  #withdrawLost(): void {
    if (this.claims > 0) this.#outcome.withdraw(takeLostClaims(this.#moves, this.work, this.#live), this.cluster)
  }

  /** Takes back the claim of a task that is not needed any more, from a round that is open or suspended. It is unplaced again. */
  takeBack(task: TaskId): void {
    const shape = this.work.shapeOf(task)
    if (this.#state === 'open') giveBack(task, this.work, this.cluster)
    this.#moves.takeClaim(task)
    this.work.unclaim(task, 'withdrawn')
    this.claims--
    this.#allowance?.giveBack(shape)
  }

  #inSight(node: NodeId): boolean {
    return node === this.#only || this.nodes.length === this.#live.nodes || includes(this.nodes, node)
  }

  /**
   * Returns false for a claim that is not possible. Throws if the node does not exist, because that bug of a placement would look like a full
   * cluster.
   */
  #refused(task: TaskId, node: NodeId): false {
    if (node === None || (Number.isInteger(node) && node >= 0 && node < this.cluster.nodes)) return false
    throw new SchedError(
      'BROKEN_CONTRACT',
      `task ${task} is claimed on node ${node}, and the cluster has nodes 0 to ${this.cluster.nodes - 1}.`,
      {},
      `Claim on nodes of the round; a placement that finds none picks None (${None}).`,
    )
  }

  #mustBeOpen(): void {
    if (this.#state !== 'open') throw new SchedError('ROUND_CLOSED', 'the round is closed.', {}, 'A round is valid only inside schedule(); ask for another with wakeAt().')
  }
}

/** A time that is no number would never come, and keep every later one from coming. */
function mustBeTime(call: string, time: Seconds): void {
  if (typeof time !== 'number' || Number.isNaN(time)) throw new SchedError('BROKEN_CONTRACT', `${call} was given the time ${time}.`, {}, 'Give seconds from the start of the run.')
}
