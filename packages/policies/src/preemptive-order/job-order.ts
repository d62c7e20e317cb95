import type { JobId, Round, Seconds, WorkListener } from '@sched/core'

/** How a preemptive policy sorts jobs, those that run and those that wait; kept current by the hooks. */
export interface JobOrder extends WorkListener {
  /** A look at these jobs begins: what follows is about its time. */
  begin(jobs: readonly JobId[], round: Round): void
  /** Below 0: `a` comes first. Jobs that run come before those that wait where all else is equal, and no two jobs are equal. */
  compare(a: JobId, b: JobId): number
  /** Whether the job is so far behind the other one that it may be preempted for it. */
  isBehind(job: JobId, other: JobId): boolean
  /** When the order of these jobs changes although nothing happens; `Infinity`: never. */
  nextChange(jobs: readonly JobId[]): Seconds
  /** The look is over: tasks that go from here on are not preempted by it. */
  end?(): void
}
