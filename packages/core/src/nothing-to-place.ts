import { SchedError } from './error.js'
import type { JobId } from './ids.js'
import type { WorkView } from './views.js'

/**
 * The error for an order that lists a job which has left or has no task to place, and for a discipline that goes on after the last one. It is a
 * plug-in's bug, which would otherwise loop for ever or fail at an unrelated place.
 */
export function nothingToPlace(job: JobId, work: WorkView): SchedError {
  const isThere = [...work.jobs()].includes(job)
  const fact = `job ${isThere ? work.name(job) : `with the number ${job}`} was to be started and ${isThere ? 'has no task to place' : 'is not in the system'}.`
  return new SchedError('BROKEN_CONTRACT', fact, {}, 'An order gives jobs that have tasks to place: from `onReady` until `onDrained`, in each lane. A discipline asks for room as long as `work.unplaced` of the job is above 0.')
}
