import { None, type JobId, type LaneId, type NodeId, type Round, type TaskId } from '@sched/core'
import { Gang, hasRoomFor, type MostRoom } from '../disciplines/gangs.js'
import type { KillableTasks } from './killable-tasks.js'
import type { NodeReservations } from './node-reservations.js'

/** Starts gangs as a whole, or not at all, on the nodes in sight that are not reserved, in the place of killable tasks where there are such. */
export class GangsBesideReservations {
  readonly #reservations: NodeReservations
  readonly #levels: number
  /** What was found of the room on nodes that are not reserved. Room only shrinks while nothing is given up or killed. */
  readonly #most: MostRoom = new Map()

  constructor(reservations: NodeReservations, levels: number) {
    this.#reservations = reservations
    this.#levels = levels
  }

  /** To be called when there may be more room than before. */
  forget(): void {
    this.#most.clear()
  }

  start(job: JobId, round: Round, killable: KillableTasks | undefined): Gang {
    const { work, lane, nodes } = round
    const before = round.savepoint()
    const shape = work.shape(job, lane)
    let left = work.together(job, lane)
    if (!this.#mayHaveRoom(job, left, round, killable)) return Gang.NoRoom
    let last = None
    for (let i = 0; i < nodes.length && left > 0; i++) {
      const node = nodes[i] as NodeId
      if (this.#isReserved(node, lane)) continue
      for (; left > 0 && (round.fits(job, node) || killable?.makeRoom(job, node, round) === true); left--) {
        if (!round.claim(work.taskFor(job, lane, node, this.#levels) as TaskId, node)) break
        last = node
      }
    }
    if (left === 0 && killable?.exceeds(job, lane, last as NodeId, shape, 0) !== true) return Gang.Started
    round.rollback(before)
    return Gang.TakenBack
  }

  /** Whether so many tasks may find room, so that nothing is claimed in vain. With killable tasks there it may say yes wrongly. */
  #mayHaveRoom(job: JobId, tasks: number, round: Round, killable: KillableTasks | undefined): boolean {
    const { work, lane, nodes } = round
    if (killable !== undefined && nodes.some((node) => !this.#isReserved(node, lane) && killable.isAnyOn(node, lane))) return true
    return hasRoomFor(tasks, work.shape(job, lane), job, round, this.#most, (node) => this.#isReserved(node, lane))
  }

  #isReserved(node: NodeId, lane: LaneId): boolean {
    return this.#reservations.on(node, lane) !== undefined
  }
}
