import { SchedError, type JobSpec, type Workload } from '@sched/core'
import { jobsOf } from './workload.js'

/**
 * All jobs of a workload, for a change that needs them together. Throws `BAD_OPTION` with `field` for a workload that is too large for memory, and for
 * a closed loop.
 */
export function heldJobs(workload: Workload, field: string): JobSpec[] {
  const source = workload.open()
  if (source.ended !== undefined)
    throw new SchedError('BAD_OPTION', `workload "${workload.name}" is a closed loop, its submit times follow the run.`, { field }, 'Only open workloads can be changed so.')
  if (source.more !== undefined)
    throw new SchedError('BAD_OPTION', 'the log is too large to be held in memory, which this needs.', { field }, 'Cut the log into pieces.')
  return [...jobsOf(workload)]
}
