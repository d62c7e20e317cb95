import type { Fields } from '../json/fields.js'

/**
 * State of a job, from OAR's state, its exit code and its events. A job of which OAR knows no exit code has been killed if an event says so, and
 * otherwise has ended well. `isAtLimit`: it ran for its walltime.
 */
export function stateOf(job: Fields, isAtLimit: boolean): string {
  const state = job.text('state') ?? ''
  if (/^(Running|Finishing|Resuming|Suspended|Launching|toLaunch)$/.test(state)) return 'running'
  if (/^(Waiting|toAckReservation)$/.test(state)) return 'pending'
  if (state === 'Hold') return 'held'
  if (!/^(Terminated|Error|toError)$/.test(state)) return 'unknown'
  const events = new Set(job.list('events').map((event) => event.text('type')))
  const isKilled = events.has('FRAG_JOB_REQUEST')
  const exit = job.number('exit_code', -Infinity) ?? (isKilled ? NaN : 0)
  if (state === 'Terminated' && exit === 0) return 'completed'
  if (isAtLimit) return 'timeout'
  if (events.has('BESTEFFORT_KILL')) return 'preempted'
  return isKilled ? 'cancelled' : 'failed'
}

/** Seconds until `end` for which a job was suspended, between the requests that its events tell (`oarhold -r`, `oarresume`). */
export function suspendedOf(job: Fields, end: number): number {
  let since = NaN
  let sum = 0
  const events = job.list('events').map((event) => ({ type: event.text('type'), date: event.number('date') ?? NaN }))
  for (const { type, date } of events.sort((a, b) => a.date - b.date)) {
    if (type === 'HOLD_RUNNING_JOB' && Number.isNaN(since)) since = date
    if (type !== 'RESUME_JOB' || Number.isNaN(since)) continue
    sum += date - since
    since = NaN
  }
  return since < end ? sum + end - since : sum
}
