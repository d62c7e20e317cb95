import type { JobId, Round, Seconds, WorkListener } from '@sched/core'

/** How a preemptive policy sorts jobs, those that run and those that wait; kept current by the hooks. */
export interface JobOrder extends WorkListener {
  /** How many numbers its keys have. */
  readonly width: number
  /** A look at the queue begins. Returns the jobs whose keys may have changed since the last look although no hook told of them. */
  begin(round: Round): Iterable<JobId>
  /**
   * Writes the key of a job with tasks in the lane of the round: numbers that are compared in turn, smallest first, ties by submission. One of them puts
   * jobs that run before those that wait. A job may be preempted for a job with a smaller first number.
   */
  keyOf(job: JobId, round: Round, key: Float64Array): void
  /** When the order of the jobs for which `isMeant` holds changes although nothing happens; `Infinity`: never. */
  nextChange(isMeant: (job: JobId) => boolean): Seconds
  /** The look is over: it preempts no task that stops from here on. */
  end?(): void
}
