import { None, type Cell, type JobId, type LaneId, type NodeId, type OpenRound, type ResourceId, type RoundLimits, type Savepoint, type Scheduler, type ShapeId, type TaskId, type WorkListener } from '@sched/core'
import { SERIAL } from './serial-path.js'

/**
 * Preemption between schedulers: when a transaction has left tasks unplaced, for want of room or by conflict, its
 * scheduler may kill tasks of schedulers of lower precedence for them: the lowest first, then the newest, and no more on
 * a node than it takes. Killed tasks are pending again with their own schedulers.
 *
 * Source: Schwarzkopf et al., EuroSys 2013, section 3.4; off in all published simulations. Deviation: lower tasks do not
 * count as free in the snapshot, they go only when nothing free was left.
 */
export class Precedence {
  readonly #cell: Cell
  /** By scheduler id. */
  readonly #precedence: number[] = []
  /** Running tasks by node, with the precedence of their scheduler. */
  readonly #on: Map<TaskId, number>[]
  /** The node at which the last search ended. */
  #cursor = 0

  constructor(cell: Cell) {
    this.#cell = cell
    this.#on = cell.nodes.map(() => new Map<TaskId, number>())
  }

  rank(scheduler: Scheduler, precedence: number): void {
    this.#precedence[scheduler.id] = precedence
  }

  /** What follows the tasks of schedulers of one precedence off their nodes. */
  listener(precedence: number): WorkListener {
    return {
      onRelease: (_job, _lane, task, node) => void this.#on[node]?.delete(task),
      onClaim: (_job, _lane, task, node) => {
        if (!Number.isNaN(this.#cell.work.started(task))) this.#on[node]?.set(task, precedence) // an eviction was taken back
      },
    }
  }

  /** Remembers what a scheduler has started. */
  note(scheduler: Scheduler, started: readonly TaskId[]): void {
    const precedence = this.#precedence[scheduler.id] as number
    for (const task of started) this.#on[this.#cell.work.nodeOf(task) as NodeId]?.set(task, precedence)
  }

  /** Places what it can of the job's unplaced tasks, all or none of a gang, and all or none if `atomic`; returns how many. */
  takeFromLower(job: JobId, lane: LaneId, scheduler: Scheduler, atomic: boolean, limits: RoundLimits): number {
    const precedence = this.#precedence[scheduler.id] as number
    const { work, nodes } = this.#cell
    if (work.unplaced(job, lane) === 0 || this.#precedence.every((each) => each >= precedence)) return 0
    const round = this.#cell.draft(scheduler, lane, nodes, { ...limits, only: job })
    while (work.unplaced(job, lane) > 0 && this.#placeOne(job, lane, precedence, round)) {
      // the next task
    }
    const broken = atomic && work.unplaced(job, lane) > 0 ? (0 as Savepoint) : round.brokenGang(job)
    if (broken !== undefined) round.rollback(broken)
    const { accepted } = round.commit(SERIAL)
    this.note(scheduler, accepted)
    return accepted.length
  }

  #placeOne(job: JobId, lane: LaneId, precedence: number, round: OpenRound): boolean {
    const { work, cluster } = this.#cell
    const before = round.savepoint()
    const node = this.#clear(work.shape(job, lane), lane, precedence, round)
    const task = node === None ? None : work.taskFor(job, lane, node, cluster.levels)
    if (node !== None && task !== None && round.claim(task, node)) return true
    round.rollback(before)
    return false
  }

  /** Evicts what must go so that a task of the shape fits somewhere; returns where. */
  #clear(shape: ShapeId, lane: LaneId, precedence: number, round: OpenRound): NodeId | None {
    const { nodes, work, cluster } = this.#cell
    for (let tried = 0; tried < nodes.length; tried++) {
      const node = nodes[(this.#cursor + tried) % nodes.length] as NodeId
      if (!cluster.up(node)) continue
      const missing = cluster.resources.map((_, r) => work.demand(shape, r as ResourceId) - cluster.free(node, r as ResourceId))
      const victims = this.#victims(node, lane, precedence)
      let needed = 0
      for (; needed < victims.length && missing.some((amount) => amount > 0); needed++)
        for (let r = 0; r < missing.length; r++) missing[r] = (missing[r] as number) - work.demand(work.shapeOf(victims[needed] as TaskId), r as ResourceId)
      if (missing.some((amount) => amount > 0)) continue
      for (const task of victims.slice(0, needed)) round.evict(task)
      this.#cursor = node
      return node
    }
    return None
  }

  /** Running tasks of lower precedence on the node, in the order in which they would go. */
  #victims(node: NodeId, lane: LaneId, precedence: number): TaskId[] {
    const { work } = this.#cell
    const on = this.#on[node] as Map<TaskId, number>
    const lower = [...on.keys()].filter((task) => (on.get(task) as number) < precedence && work.laneOf(task) === lane)
    return lower.sort((a, b) => (on.get(a) as number) - (on.get(b) as number) || work.started(b) - work.started(a) || a - b)
  }
}
