import { SchedError, type Seconds, type Workload } from '@sched/core'
import type { Period } from '@sched/metrics'
import { streamJobs } from '@sched/workload'
import type { ExperimentSpec, TrimSpec } from './schema.js'

/**
 * The part of a run that counts, when jobs at its start or end are to be left out; `undefined` when all count. Reads the
 * workload once. A fraction is of the jobs: with 0.1 of 50 jobs, the period begins when the sixth is submitted. Throws
 * `BAD_OPTION` when nothing is left.
 */
export async function periodOf(workload: Workload, metrics: ExperimentSpec['metrics']): Promise<Period | undefined> {
  const { warmUp = 0, coolDown = 0 } = metrics ?? {}
  if (isNone(warmUp) && isNone(coolDown)) return undefined
  const submits: Seconds[] = []
  for await (const { submit } of streamJobs(workload)) submits.push(submit)
  const from = isNone(warmUp) ? -Infinity : start(submits, warmUp)
  const to = isNone(coolDown) ? Infinity : end(submits, coolDown)
  if (submits.some((submit) => submit >= from && submit < to)) return { from, to }
  throw new SchedError('BAD_OPTION', 'no job is left between warm-up and cool-down.', { field: 'metrics' }, 'Make them shorter.')
}

const isNone = (trim: TrimSpec) => trim === 0

function start(submits: readonly Seconds[], trim: TrimSpec): Seconds {
  if (typeof trim !== 'number') return (submits[0] ?? 0) + trim.seconds
  return submits[Math.floor(trim * submits.length)] ?? Infinity
}

function end(submits: readonly Seconds[], trim: TrimSpec): Seconds {
  if (typeof trim !== 'number') return (submits.at(-1) ?? 0) - trim.seconds
  const left = submits.length - Math.floor(trim * submits.length)
  return left === submits.length ? Infinity : (submits[left] ?? Infinity)
}
