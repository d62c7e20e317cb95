import {
  None, runningTasks, type Cell, type JobId, type LaneId, type NodeId, type OpenRound, type RoundLimits, type Savepoint, type Scheduler, type TaskId,
  type WorkListener,
} from '@sched/core'
import { SERIAL } from './serial-path.js'

/**
 * Preemption between schedulers. If a transaction leaves tasks unplaced, for lack of room or by conflict, its scheduler may kill tasks of schedulers
 * with lower precedence: the lowest precedence first, then the newest task, and no more on a node than needed. A gang is killed as a whole, including
 * its tasks on other nodes. Killed tasks are pending again with their own schedulers.
 *
 * Source: Schwarzkopf et al., EuroSys 2013, section 3.4; off in all published simulations. Deviation: tasks of lower precedence do not count as free
 * in the snapshot, they are killed only if nothing free was left.
 */
export class Precedence {
  readonly #cell: Cell
  /** By scheduler id. */
  readonly #precedence: number[] = []
  /** By node: its running tasks, with the precedence of their scheduler. */
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

  /** A listener that removes tasks of schedulers with that precedence when they leave their nodes. */
  listener(precedence: number): WorkListener {
    return {
      onRelease: (_job, _lane, task, node) => void this.#on[node]?.delete(task),
      onClaim: (_job, _lane, task, node) => {
        if (!Number.isNaN(this.#cell.work.started(task))) this.#on[node]?.set(task, precedence) // an eviction was taken back
      },
    }
  }

  /** Records the tasks that a scheduler has started. */
  note(scheduler: Scheduler, started: readonly TaskId[]): void {
    const precedence = this.#precedence[scheduler.id] as number
    for (const task of started) this.#on[this.#cell.work.nodeOf(task) as NodeId]?.set(task, precedence)
  }

  /**
   * Places as many of the job's unplaced tasks as it can, returning their number. A gang is placed whole or not at all, and so is any job if
   * `atomic`.
   */
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

  /** Places the job's next task on the first node that can be cleared for it, in turn from where the last search ended. */
  #placeOne(job: JobId, lane: LaneId, precedence: number, round: OpenRound): boolean {
    const { nodes, work, cluster } = this.#cell
    const shape = work.shape(job, lane)
    for (let tried = 0; tried < nodes.length; tried++) {
      const node = nodes[(this.#cursor + tried) % nodes.length] as NodeId
      if (!cluster.up(node) || !work.mayRunOn(shape, node)) continue
      const before = round.savepoint()
      if (this.#clear(node, job, lane, precedence, round)) {
        const task = work.taskFor(job, lane, node, cluster.levels)
        if (task !== None && round.claim(task, node)) {
          this.#cursor = node
          return true
        }
      }
      round.rollback(before)
    }
    return false
  }

  /**
   * Evicts tasks from the node until the job's next task fits. It adds victims in order, then spares those whose eviction turns out to be
   * unnecessary.
   */
  #clear(node: NodeId, job: JobId, lane: LaneId, precedence: number, round: OpenRound): boolean {
    const before = round.savepoint()
    const evict = (units: readonly (readonly TaskId[])[]) => {
      for (const unit of units) for (const task of unit) round.evict(task)
    }
    if (round.fits(job, node)) return true
    let gone: TaskId[][] = []
    for (const unit of this.#victims(node, lane, precedence)) {
      evict([unit])
      gone.push(unit)
      if (round.fits(job, node)) break
    }
    if (!round.fits(job, node)) return false
    for (let i = gone.length - 2; i >= 0; i--) {
      const fewer = gone.filter((_, at) => at !== i)
      round.rollback(before)
      evict(fewer)
      if (round.fits(job, node)) gone = fewer
    }
    round.rollback(before)
    evict(gone)
    return true
  }

  /** Running tasks with lower precedence on the node, in order of eviction: single tasks, and gangs with all their running tasks. */
  #victims(node: NodeId, lane: LaneId, precedence: number): TaskId[][] {
    const { work } = this.#cell
    const on = this.#on[node] as Map<TaskId, number>
    const lower = [...on.keys()].filter((task) => (on.get(task) as number) < precedence && work.laneOf(task) === lane)
    const units: TaskId[][] = []
    const seen = new Set<TaskId>()
    // of tasks that started together, those of the earlier job go first; task ids would not do, since they are reused
    const rank = (task: TaskId) => work.rank(work.jobOf(task))
    for (const task of lower.sort((a, b) => (on.get(a) as number) - (on.get(b) as number) || work.started(b) - work.started(a) || rank(a) - rank(b) || a - b)) {
      if (seen.has(task)) continue
      const unit = this.#withGang(task, lane)
      for (const each of unit) seen.add(each)
      units.push(unit)
    }
    return units
  }

  #withGang(task: TaskId, lane: LaneId): TaskId[] {
    const { work } = this.#cell
    const job = work.jobOf(task)
    const gang = work.gangOf(task)
    if (!work.inGang(task)) return [task]
    return runningTasks(job, lane, work).filter((each) => work.gangOf(each) === gang && work.inGang(each) && !Number.isNaN(work.started(each)))
  }
}
