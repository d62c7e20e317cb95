import { SchedError } from './error.js'
import type { JobId } from './ids.js'
import type { WorkView } from './views.js'

/** Of an order that gives a job which has left, or has no task to place: the fault of a plug-in, which otherwise goes on for ever, or fails where nobody can tell why. */
export function nothingToPlace(job: JobId, work: WorkView): SchedError {
  const isThere = [...work.jobs()].includes(job)
  const fact = `job ${isThere ? work.name(job) : `with the number ${job}`} was to be started and ${isThere ? 'has no task to place' : 'is not in the system'}.`
  return new SchedError('BROKEN_CONTRACT', fact, {}, 'An order gives jobs that have tasks to place: from `onReady` until `onDrained`, in each lane.')
}
