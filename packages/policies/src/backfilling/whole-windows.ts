import type { Seconds } from '@sched/core'
import type { Window } from './options.js'
import { refuseAmounts } from './windows.js'

/**
 * Windows of everything for a plan that names nodes. They are apart from what it reserves, since a job may end in the second in which a window begins,
 * and since they are no multiples of `bf_resolution`: both as of Slurm's reservations.
 */
export class WholeWindows {
  readonly #windows: readonly Window[]

  /** Throws `BAD_OPTION` for a window of amounts. */
  constructor(windows: readonly Window[]) {
    refuseAmounts(windows)
    this.#windows = windows
  }

  /** The earliest time from `from` on at which a run of `length` seconds meets no window. */
  clear(from: Seconds, length: Seconds): Seconds {
    let start = from
    for (let before = NaN; before !== start; ) {
      before = start
      for (const { from: begin, to } of this.#windows) if (begin < start + length && start < to) start = to
    }
    return start
  }
}
