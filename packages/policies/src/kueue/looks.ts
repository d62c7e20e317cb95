import type { SortedIds } from '../orders/sorted-ids.js'
import { empty } from './empty.js'
import type { ClusterQueue } from './queues.js'
import type { WaitingJobs } from './waiting-jobs.js'

/** How far a queue has been looked through in this call; jobs before `past` need not be looked at again. */
interface Look {
  /** The jobs in order, for a queue that orders by usage; `undefined`: they are those of its list. */
  readonly copy: Int32Array | undefined
  past: number
}

/** How far the queues have been looked through in this call. */
export class Looks {
  readonly #waiting: WaitingJobs
  readonly #byQueue = new Map<ClusterQueue, Look>()

  constructor(waiting: WaitingJobs) {
    this.#waiting = waiting
  }

  of(queue: ClusterQueue, list: SortedIds): Look {
    const known = this.#byQueue.get(queue)
    if (known !== undefined) return known
    const look: Look = { copy: this.#waiting.inOrder(queue, list), past: 0 }
    this.#byQueue.set(queue, look)
    return look
  }

  /** All queues are looked through anew. */
  forget(): void {
    empty(this.#byQueue)
  }
}
