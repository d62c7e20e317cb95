import { LocalClock, type Seconds } from '@sched/core'

/** The earliest start that is taken as a date, the beginning of 1980; smaller numbers in logs do not count from 1970. */
const EARLIEST: Seconds = 315_532_800

/** Midnight of 1 January 1978, a Sunday, at which periods of all lengths begin: for runs that do not say when they began. */
export const NEW_YEARS_SUNDAY: Seconds = 252_460_800

/**
 * What clocks show during a run: those of the workload's time zone, or of UTC where none is known. A time that a clock shows is given as that at which a clock of
 * UTC shows the same, in seconds since 1970.
 */
export class RunClock {
  /** Whether the workload says when it began. */
  readonly isDated: boolean
  readonly #began: Seconds
  readonly #clock: LocalClock | undefined

  /** `undated`: what clocks show at time 0 of a run that does not say when it began. */
  constructor({ start = 0, timeZone }: { readonly start?: Seconds | undefined; readonly timeZone?: string | undefined }, undated: Seconds) {
    this.isDated = start >= EARLIEST
    this.#began = this.isDated ? start : undated
    this.#clock = this.isDated && timeZone !== undefined ? new LocalClock(timeZone) : undefined
  }

  /** What clocks show at a time of the run. */
  shown(time: Seconds): Seconds {
    const at = this.#began + time
    return this.#clock?.shown(at) ?? at
  }

  /** The first time of the run at which clocks show this, or, if they skip it, the time after the skip. */
  timeOf(shown: Seconds): Seconds {
    return (this.#clock?.first(shown) ?? shown) - this.#began
  }
}
