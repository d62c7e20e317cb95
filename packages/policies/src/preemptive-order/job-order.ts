import type { JobId, Round, Seconds, WorkListener } from '@sched/core'

/** How a preemptive policy sorts jobs, those that run and those that wait; kept current by the hooks. */
export interface JobOrder extends WorkListener {
  /** How many numbers its keys have. */
  readonly width: number
  /** A look begins: what follows is about its time. Returns those whose keys may be others than at the look before although no hook told of them. */
  begin(round: Round): Iterable<JobId>
  /**
   * Writes the key of a job with tasks in the lane of the round: numbers that are compared in turn, smallest first, ties by submission. Jobs that run come before those that wait where all
   * before is equal. A job may be preempted for those with a smaller first number.
   */
  keyOf(job: JobId, round: Round, key: Float64Array): void
  /** When the order of these jobs changes although nothing happens; `Infinity`: never. */
  nextChange(isMeant: (job: JobId) => boolean): Seconds
  /** The look is over: tasks that go from here on are not preempted by it. */
  end?(): void
}
