import type { Workload } from '@sched/core'
import { Census } from './census.js'
import type { Capacity, WorkloadSummary } from './workload-summary.js'
import { jobsOf, streamJobs } from './workload.js'

/**
 * Counts the jobs, stages, tasks and resources of a workload. `capacity` gives the offered load. Throws `BROKEN_CONTRACT` for a source that reads on
 * (use `describeStream`).
 */
export function describe(workload: Workload, capacity: Capacity = {}): WorkloadSummary {
  const census = new Census(workload)
  for (const job of jobsOf(workload)) census.add(job)
  return census.summary(capacity)
}

/** As `describe`, for any workload, including one that reads on. */
export async function describeStream(workload: Workload, capacity: Capacity = {}): Promise<WorkloadSummary> {
  const census = new Census(workload)
  for await (const job of streamJobs(workload)) census.add(job)
  return census.summary(capacity)
}
