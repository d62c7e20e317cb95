import type { Workload } from '@sched/core'
import { Census } from './census.js'
import type { Capacity, WorkloadSummary } from './workload-summary.js'
import { jobsOf, streamJobs } from './workload.js'

/** Counts what a workload holds. Throws `BROKEN_CONTRACT` for a source that reads on (use `describeStream`). */
export function describe(workload: Workload, capacity: Capacity = {}): WorkloadSummary {
  const census = new Census(workload)
  for (const job of jobsOf(workload)) census.add(job)
  return census.summary(capacity)
}

/** The same for any workload, also one that reads on. */
export async function describeStream(workload: Workload, capacity: Capacity = {}): Promise<WorkloadSummary> {
  const census = new Census(workload)
  for await (const job of streamJobs(workload)) census.add(job)
  return census.summary(capacity)
}
