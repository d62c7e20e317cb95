import type { CellState, Draft, Work } from '@sched/cluster'
import {
  SchedError,
  type Cell,
  type Decision,
  type JobId,
  type LaneId,
  type NodeId,
  type OpenRound,
  type RoundLimits,
  type Scheduler,
  type Seconds,
  type Stock,
} from '@sched/core'
import { EventKind, type EventQueue } from './event-queue.js'
import type { Observers } from './observers.js'

/** The engine's side of a cell. */
export interface CellHost {
  readonly now: Seconds
  /** Something has changed that a pass must see. */
  askForPass(): void
  abandon(job: JobId): void
  forgetFailures(job: JobId): void
}

/** What an architecture may do with the cluster, the jobs and the clock of a run. */
export class EngineCell implements Cell {
  readonly cluster: CellState
  readonly work: Work
  readonly nodes: readonly NodeId[]
  /** Rounds of the schedulers, by scheduler id. */
  readonly #drafts: readonly Draft[]
  readonly #queue: EventQueue
  readonly #observers: Observers
  readonly #host: CellHost

  constructor(cluster: CellState, work: Work, drafts: readonly Draft[], queue: EventQueue, observers: Observers, host: CellHost) {
    this.cluster = cluster
    this.work = work
    this.nodes = Array.from({ length: cluster.nodes }, (_, node) => node as NodeId)
    this.#drafts = drafts
    this.#queue = queue
    this.#observers = observers
    this.#host = host
  }

  now(): Seconds {
    return this.#host.now
  }

  draft({ id }: Scheduler, lane: LaneId, nodes: readonly NodeId[], limits?: RoundLimits, on?: Stock): OpenRound {
    return (this.#drafts[id] as Draft).begin(this.#host.now, lane, nodes, limits, on === undefined ? this.cluster : (on.cluster as CellState))
  }

  stock(): Stock {
    return new EngineStock(this.cluster)
  }

  after(delay: Seconds, token: number): void {
    if (!(delay >= 0)) throw new SchedError('BROKEN_CONTRACT', `an architecture asked to be woken after ${delay} s.`, {}, 'Give seconds from now, at least 0.')
    this.#queue.push(this.#host.now + delay, delay === 0 ? EventKind.AtOnce : EventKind.Timer, token)
  }

  schedulerOf(job: JobId): number {
    return this.work.jobOwner[job] as number
  }

  isThere(job: JobId, rank: number): boolean {
    return this.work.jobSpec[job] !== undefined && this.work.rank(job) === rank
  }

  unplaced(job: JobId): number {
    let count = 0
    for (let lane = 0 as LaneId; lane < this.work.lanes; lane++) count += this.work.unplaced(job, lane)
    return count
  }

  holdBack(job: JobId): void {
    this.work.holdBack(job)
  }

  letGo(job: JobId): void {
    this.work.letGo(job)
    this.#host.askForPass()
  }

  abandon(job: JobId): void {
    this.#host.abandon(job)
  }

  forgetFailures(job: JobId): void {
    this.#host.forgetFailures(job)
  }

  decided(decision: Decision): void {
    this.#observers.onDecision(decision, this.#host.now)
  }
}

class EngineStock implements Stock {
  readonly cluster: CellState
  readonly #live: CellState

  constructor(live: CellState) {
    this.cluster = live.stock()
    this.#live = live
  }

  takeAll(): void {
    this.#live.moveAllTo(this.cluster)
  }

  takeNode(node: NodeId, most?: ArrayLike<number>): void {
    this.#live.moveNodeTo(this.cluster, node, most)
  }

  giveBack(): void {
    this.cluster.moveAllTo(this.#live)
  }

  nodes(): NodeId[] | undefined {
    return this.cluster.filled()
  }
}
