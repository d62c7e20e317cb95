import {
  None, runningTasks, type Cell, type JobId, type LaneId, type NodeId, type ResourceId, type RoundLimits, type Scheduler, type Seconds,
  type StageSpec, type Stock, type TaskId, type WorkListener,
} from '@sched/core'
import { holds } from './holds.js'
import type { Size } from './on-demand-size.js'
import { SERIAL } from './serial-path.js'

const NOBODY: readonly NodeId[] = []
const NOTHING = { claims: 0 } as const

/** Events that a virtual cluster reports to its architecture. */
export interface VirtualClusterEvents {
  /** A job has come. */
  onJob(cluster: VirtualCluster, job: JobId): void
  /** A job has ended that was the last one running. */
  onQuiet(cluster: VirtualCluster): void
}

/**
 * A scheduler that has its own nodes while it is up. What is free on them is in its stock, so that it sees only these nodes and nobody else does. It
 * is reused when it has no more jobs.
 */
export class VirtualCluster implements WorkListener {
  scheduler!: Scheduler
  /** Key of the jobs that it takes; '' if it is not shared. */
  key = ''
  /** Size that its next job asks for; set before the job is submitted. */
  next: Size | undefined
  /** Its request, waiting or served; `None` without one. */
  request: JobId | None = None
  /** Its nodes, ascending; empty while it is down. */
  nodes: readonly NodeId[] = NOBODY
  /** Whether its jobs may run. */
  isOpen = false
  /** When it was last built, when it became idle, and when its walltime ends. */
  built: Seconds = -1
  idleSince: Seconds = -1
  end: Seconds = Infinity
  /** Its jobs that have not ended, in order of submission. */
  readonly jobs: JobId[] = []
  readonly #cell: Cell
  readonly #stock: Stock
  readonly #limits: RoundLimits | undefined
  readonly #events: VirtualClusterEvents
  readonly #sizes = new Map<JobId, Size>()
  /** Jobs that were killed but have not ended: the master knows, but their slots are not free yet. */
  readonly #killed = new Set<JobId>()
  /** Nodes on which something was freed since the last pass. */
  readonly #freed: NodeId[] = []
  /** Number of tasks that hold resources, as far as its policy knows. */
  #running = 0

  constructor(cell: Cell, limits: RoundLimits | undefined, events: VirtualClusterEvents) {
    this.#cell = cell
    this.#stock = cell.stock()
    this.#limits = limits
    this.#events = events
  }

  /** Gives it its nodes; jobs wait until it is opened. */
  build(nodes: readonly NodeId[], walltime: Seconds): void {
    this.nodes = nodes
    this.built = this.#cell.now()
    this.end = this.built + walltime
    for (const node of nodes) this.#stock.takeNode(node)
  }

  open(): void {
    this.isOpen = true
    for (const job of this.jobs) this.#cell.letGo(job)
  }

  /** Stops the scheduling of its jobs. */
  close(): void {
    this.isOpen = false
    for (const job of this.jobs) this.#cell.holdBack(job)
  }

  /** Gives its nodes back; nothing may run on them. */
  release(): void {
    this.close()
    this.#stock.giveBack()
    this.nodes = NOBODY
    this.#freed.length = 0
    this.idleSince = -1
    this.end = Infinity
  }

  /** Kills the running tasks of a job and gives the job up. */
  kill(job: JobId): void {
    this.#eachLane((lane) => {
      const running = runningTasks(job, lane, this.#cell.work)
      if (running.length === 0) return
      const round = this.#cell.draft(this.scheduler, lane, NOBODY, NOTHING, this.#stock)
      for (const task of running) round.evict(task)
      round.commit(SERIAL)
    })
    this.#killed.add(job)
    this.#cell.abandon(job)
  }

  /** Whether that many tasks of a stage could start on its nodes: on what is in its stock, or on what it has not taken back into its stock yet. */
  holds(stage: StageSpec, tasks: number): boolean {
    return holds(this.#stock.cluster, this.nodes, stage, tasks) || holds(this.#cell.cluster, this.nodes, stage, tasks)
  }

  /** Whether tasks of the job hold resources. */
  hasStarted(job: JobId): boolean {
    let running = this.#killed.has(job) ? 1 : 0
    this.#eachLane((lane) => void (running += this.#cell.work.running(job, lane)))
    return running > 0
  }

  // ---- rounds ----

  /** Runs a pass over all its nodes; false if nothing runs afterwards although it has jobs. */
  pass(): boolean {
    for (const node of this.#freed) this.#stock.takeNode(node)
    this.#freed.length = 0
    this.#eachLane((lane) => {
      if (this.scheduler.pending(lane) > 0) this.#round(lane, this.nodes)
      else if (this.scheduler.policy.wantsRound?.(this.#cell.now()) === true) this.#round(lane, NOBODY)
    })
    return this.#running > 0 || !this.isOpen || this.jobs.length === 0
  }

  heartbeat(beating: readonly NodeId[]): void {
    const node = beating[0] as NodeId
    if (this.#hasFree(node)) this.#stock.takeNode(node)
    this.#eachLane((lane) => {
      const { policy } = this.scheduler
      if (this.scheduler.pending(lane) === 0) return
      if (this.#stock.cluster.hasRoom(lane, node) || policy.wantsNode?.(lane, node) === true) this.#round(lane, beating)
      else if (policy.wantsLook?.(lane) === true) this.#round(lane, NOBODY)
    })
  }

  /** Runs a round at a time that its policy may have asked for; nothing can start in it, but the policy may evict. */
  timer(): void {
    this.#eachLane((lane) => this.#round(lane, NOBODY))
  }

  #round(lane: LaneId, nodes: readonly NodeId[]): void {
    const { policy } = this.scheduler
    const round = this.#cell.draft(this.scheduler, lane, nodes, { ...this.#limits, reach: this.nodes }, this.#stock)
    policy.schedule(round)
    const commit = round.commit(SERIAL)
    policy.onCommit?.(commit)
  }

  #hasFree(node: NodeId): boolean {
    const { cluster } = this.#cell
    for (let r = 0 as ResourceId; r < cluster.resources.length; r++) if (cluster.free(node, r) > 0) return true
    return false
  }

  #eachLane(visit: (lane: LaneId) => void): void {
    for (let lane = 0 as LaneId; lane < this.#cell.cluster.lanes.length; lane++) visit(lane)
  }

  // ---- its jobs ----

  sizeOf(job: JobId): Size {
    return this.#sizes.get(job) as Size
  }

  onSubmit(job: JobId): void {
    this.jobs.push(job)
    this.#sizes.set(job, this.next as Size)
    if (!this.isOpen) this.#cell.holdBack(job)
    this.#events.onJob(this, job)
  }

  onClaim(): void {
    this.#running++
  }

  /** A node is up again: resources freed there meanwhile can be taken now. */
  onNodeBack(node: NodeId): void {
    this.#freed.push(node)
  }

  onRelease(_job: JobId, _lane: LaneId, _task: TaskId, node: NodeId): void {
    this.#running--
    this.#freed.push(node)
  }

  onFinish(job: JobId): void {
    this.jobs.splice(this.jobs.indexOf(job), 1)
    this.#sizes.delete(job)
    this.#killed.delete(job)
    this.#events.onQuiet(this)
  }
}
