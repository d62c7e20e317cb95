import type { JobId, Seconds } from './ids.js'

/** Fair-share factors of jobs as of the end of the last period of an order, for limits that depend on them. */
export interface FairShareView {
  /** What fair share adds to the priority of a job in the system, at least 0: its factor times its weight. Where that is 0: 2^(-usage / shares), in [0, 1]. */
  of(job: JobId): number
  /** Ends the periods that are over. Returns the version of the factors: a new number whenever they may have changed. */
  version(now: Seconds): number
  /** When they may change next, unless somebody comes or tasks start; `Infinity`: never. */
  readonly next: Seconds
}
