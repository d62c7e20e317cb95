import type { NodeId, Round } from '@sched/core'
import type { Queue } from './queue.js'

/** A reason, besides the queue itself, why nothing could be done for a job; `holds` says whether it still holds, or things are even worse. */
export interface Hindrance {
  holds(round: Round): boolean
}

/** The state at which nothing could be done for any job of a queue. */
interface Found {
  readonly changes: number
  readonly inSight: readonly NodeId[]
  readonly hindrances: readonly Hindrance[]
}

/** Queues of which no job could start or take anything; that stays so until the queue changes, or one of its hindrances does not hold any more. */
export class Standstill {
  readonly #found = new Map<Queue, Found>()
  /** The same of all queues that wait, with a count of all changes. */
  #ofAll: Found | undefined

  note(queue: Queue, hindrances: readonly Hindrance[], { nodes }: Round): void {
    this.#found.set(queue, { changes: changesOf(queue), inSight: nodes, hindrances })
  }

  holds(queue: Queue, round: Round): boolean {
    const found = this.#found.get(queue)
    if (found === undefined || found.changes !== changesOf(queue) || found.inSight !== round.nodes) return false
    return found.hindrances.every((hindrance) => hindrance.holds(round))
  }

  /** Notes that nothing could be done for any queue at that count of all changes, if this holds for each of `queues`; no other one may be asked. */
  noteAll(queues: readonly Queue[], changes: number, round: Round): void {
    if (queues.every((queue) => this.holds(queue, round)))
      this.#ofAll = { changes, inSight: round.nodes, hindrances: queues.flatMap((queue) => this.#found.get(queue)?.hindrances ?? []) }
  }

  holdsForAll(changes: number, round: Round): boolean {
    const found = this.#ofAll
    return found !== undefined && found.changes === changes && found.inSight === round.nodes && found.hindrances.every((hindrance) => hindrance.holds(round))
  }
}

/** The sum of `changes` of the queue and of those around it, without the root. */
function changesOf(queue: Queue): number {
  let changes = 0
  for (let each: Queue | undefined = queue; each?.parent !== undefined; each = each.parent) changes += each.changes
  return changes
}
