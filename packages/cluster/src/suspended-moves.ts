import type { CommitMode, NodeId, ShapeId, TaskId } from '@sched/core'
import type { CellState } from './cell-state.js'
import type { Moves } from './moves.js'
import { giveBack, takeAgain } from './places.js'
import type { Work } from './work.js'
import { OPEN } from './work-columns.js'

/**
 * The moves of a suspended round. They are taken off the live state while decision time passes, together with what each has seen; then they are
 * checked and applied again.
 *
 * Source: optimistic transactions, Schwarzkopf et al., EuroSys 2013, sections 3.4 and 5.2.
 */
export class SuspendedMoves {
  readonly #moves: Moves
  readonly #work: Work
  readonly #live: CellState

  constructor(moves: Moves, work: Work, live: CellState) {
    this.#moves = moves
    this.#work = work
    this.#live = live
  }

  /** Takes the moves off the state that they were drafted on. */
  leave(cluster: CellState): void {
    const moves = this.#moves
    const work = this.#work
    const { versions } = this.#live
    const hasDevices = cluster.model.devices !== undefined
    for (let i = moves.count - 1; i >= 0; i--) {
      const move = moves.tasks[i] as number
      if (move < 0) this.#leaveEviction(i, ~move as TaskId, cluster)
      else {
        const run = work.taskRun[move] as number
        const node = work.runNode(run)
        const shape = work.stageShape[work.taskStage[move] as number] as ShapeId
        cluster.give(shape, node, hasDevices ? work.runDevices(run) : 0)
        moves.nodes[i] = node
        moves.shapes[i] = shape
        moves.seen[i] = versions[node] as number
      }
    }
  }

  #leaveEviction(index: number, task: TaskId, cluster: CellState): void {
    const work = this.#work
    takeAgain(task, work, cluster)
    work.keep(task)
    this.#moves.seen[index] = work.started(task)
    this.#moves.ranks[index] = work.rank(work.jobOf(task))
  }

  /**
   * Applies the moves again to the live state, in order, unless they conflict. Conflicting claims are pending again and are appended to `conflicted`,
   * and so are all claims of a gang that lacks tasks without them. Evictions of tasks that are gone are dropped.
   */
  makeAgain({ conflict, atomic }: CommitMode, conflicted: TaskId[]): void {
    const work = this.#work
    const moves = this.#moves
    const { count, tasks } = moves
    let kept = 0
    let last = -1
    let gang = -1
    let gangFrom = 0
    let broken: Set<number> | undefined
    const spares = work.areGangJobs ? new Map<number, number>() : undefined
    let spare = 0
    let isBroken = false
    for (let i = 0; i < count; i++) {
      const move = tasks[i] as number
      if (move < 0) {
        if (this.#evictAgain(i, ~move as TaskId)) tasks[kept++] = move
        continue
      }
      const stage = work.taskStage[move] as number
      if (stage !== last) {
        spares?.set(last, spare)
        const own = work.isGang(stage) ? work.gangWith(stage) : -1
        spare = spares?.get(stage) ?? work.spareIn(stage)
        if (own === -1 || own !== gang) {
          gang = own
          gangFrom = kept
          isBroken = work.stopsWith(broken, stage) || (work.isElastic(stage) && work.lacksTasks(stage)) // other tasks of it have stopped meanwhile
        }
        last = stage
      }
      const node = moves.nodes[i] as NodeId
      const shape = moves.shapes[i] as ShapeId
      if (isBroken || this.#conflicts(conflict, i, shape, node)) {
        conflicted.push(move as TaskId)
        if (gang === -1 || isBroken || spare-- > 0) continue
        isBroken = true
        broken = (broken ?? new Set()).add(gang)
        moves.count = kept
        this.#takeBack(gangFrom, conflicted)
        kept = gangFrom
      } else {
        const devices = this.#live.take(shape, node)
        if (devices !== 0) work.setRunDevices(work.taskRun[move] as number, devices)
        tasks[kept++] = move
      }
    }
    moves.count = kept
    if (atomic && conflicted.length > 0) this.#takeBack(0, conflicted)
    for (let i = 0; i < conflicted.length; i++) work.unclaim(conflicted[i] as TaskId, 'withdrawn')
  }

  #evictAgain(index: number, task: TaskId): boolean {
    const work = this.#work
    const isSame = (work.taskRun[task] as number) >= 0 && work.started(task) === this.#moves.seen[index] && work.rank(work.jobOf(task)) === this.#moves.ranks[index]
    if (!isSame || work.isReleased(task)) return false
    work.release(task, 'evicted')
    giveBack(task, work, this.#live)
    return true
  }

  /** Takes back, newest first, the moves applied again since `from`: one conflict rejects all claims, or all of a gang. */
  #takeBack(from: number, conflicted: TaskId[]): void {
    const work = this.#work
    while (this.#moves.count > from) {
      const move = this.#moves.pop()
      const task = (move < 0 ? ~move : move) as TaskId
      if (move < 0) {
        takeAgain(task, work, this.#live)
        work.keep(task)
      } else {
        giveBack(task, work, this.#live)
        conflicted.push(task)
      }
    }
  }

  /**
   * Whether a claim conflicts. The round's own earlier claims do not raise versions before the commit applies them, so a round never conflicts with
   * itself.
   */
  #conflicts(conflict: CommitMode['conflict'], index: number, shape: ShapeId, node: NodeId): boolean {
    const stage = this.#work.taskStage[this.#moves.tasks[index] as number] as number
    if (this.#work.stageOpen[stage] !== OPEN) return true // the job has lost its master or has failed
    if (!this.#work.suits(this.#moves.tasks[index] as TaskId, node)) return true // it is kept off the node since
    return (conflict === 'version' && this.#live.versions[node] !== this.#moves.seen[index]) || !this.#live.fits(shape, node)
  }
}
