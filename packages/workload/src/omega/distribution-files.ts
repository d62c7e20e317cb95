import { SchedError } from '@sched/core'
import { jobClasses, type JobClass } from './class-loads.js'

/** The quantities in distribution files of the authors' simulator, one per file. */
export const quantities = ['interarrival', 'csizes', 'runtimes'] as const
/** Quantity in a distribution file. */
export type Quantity = (typeof quantities)[number]

/** Values of one quantity by class, in ascending order. */
export type Samples = Readonly<Record<JobClass, readonly number[]>>

/**
 * Reads a distribution file with lines `cluster policy scheduler value`, separated by blanks. Scheduler 0 is batch, 1 is service; the value is the
 * seconds since the previous job, the number of tasks of a job, or its run time in seconds. Throws `BAD_INPUT` with the line.
 *
 * Source: README of the job distribution traces of the simulator published with Schwarzkopf et al., EuroSys 2013.
 */
export function readDistribution(text: string, quantity: Quantity, file?: string): Samples {
  const samples: Record<JobClass, number[]> = { batch: [], service: [] }
  text.split('\n').forEach((line, index) => {
    const fields = line.trim().split(/\s+/)
    if (fields[0] === '') return
    const fail = (fact: string, field?: string, wayOut = 'Correct the line, or remove it.') => new SchedError('BAD_INPUT', fact, { file, line: index + 1, field }, wayOut)
    if (fields.length !== 4) throw fail(`found ${fields.length} columns, expected 4 (cluster, policy, scheduler, value).`)
    const kind = schedulers.get(fields[2]!)
    if (kind === undefined) throw fail(`found "${fields[2]}", expected 0 (batch) or 1 (service).`, 'scheduler')
    const value = Number(fields[3])
    if (!isValue(quantity, value)) throw fail(`found "${fields[3]}", expected ${expected[quantity]}.`, quantity)
    samples[kind].push(value)
  })
  for (const kind of jobClasses)
    if (samples[kind].length === 0) throw new SchedError('BAD_INPUT', `no ${kind} rows (scheduler ${jobClasses.indexOf(kind)}).`, { file, field: quantity }, 'Is the file whole? It needs rows of both schedulers, 0 and 1.')
  return { batch: samples.batch.sort((a, b) => a - b), service: samples.service.sort((a, b) => a - b) }
}

const schedulers: ReadonlyMap<string, JobClass> = new Map([['0', 'batch'], ['1', 'service']])

/** Most tasks of a job, as in traces. */
const MOST_TASKS = 10_000_000

const expected: Readonly<Record<Quantity, string>> = {
  interarrival: 'seconds of at least 0',
  csizes: `a whole number of tasks from 1 to ${MOST_TASKS}`,
  runtimes: 'seconds above 0',
}

function isValue(quantity: Quantity, value: number): boolean {
  if (!Number.isFinite(value)) return false
  if (quantity === 'csizes') return Number.isInteger(value) && value >= 1 && value <= MOST_TASKS
  return quantity === 'runtimes' ? value > 0 : value >= 0
}

/**
 * The `u` quantile of ascending values for `u` in [0, 1]: linear between the two order statistics around (n - 1) u, so it stays within the range of
 * the values.
 *
 * Deviation: the authors' code adds the lower value where it should subtract it, which gives values above the largest.
 */
export function quantileOf(ascending: readonly number[], u: number): number {
  const at = u * (ascending.length - 1)
  const below = Math.floor(at)
  const low = ascending[below]!
  const high = ascending[Math.min(below + 1, ascending.length - 1)]!
  return low + (high - low) * (at - below)
}
