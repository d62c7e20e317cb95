import type { Round, ShapeId } from '@sched/core'
import type { Places } from '../disciplines/places.js'
import type { VolcanoJob } from './queue.js'
import type { Hindrance } from './standstill.js'

/** The hindrance that there are fewer places than a job needs at once. */
export class NoRoom implements Hindrance {
  readonly #shape: ShapeId
  readonly #needed: number
  readonly #places: Places

  /** `isUnsure`: something else than room may have stood in the way; that is always so for tasks that ask for different amounts. */
  constructor({ shape, together, isGangJob }: VolcanoJob, isUnsure: boolean, places: Places) {
    this.#shape = shape
    this.#needed = isUnsure || isGangJob ? 0 : together
    this.#places = places
  }

  holds({ cluster }: Round): boolean {
    return this.#places.of(this.#shape, cluster) < this.#needed
  }
}
