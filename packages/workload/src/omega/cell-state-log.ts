import { SchedError, type Demand } from '@sched/core'
import type { JobClass } from './class-loads.js'
import type { RunningGroup } from './prefill.js'

/** A job that runs when the window of a cell state log begins. */
export interface RunningJob extends RunningGroup {
  /** Id in the log, as text: it has 18 digits and more, too many for a number. */
  readonly id: string
  /** Batch or service. */
  readonly class: JobClass
}

interface Fields {
  readonly text: readonly string[]
  readonly fail: (fact: string, field?: string, wayOut?: string) => SchedError
}

/**
 * Reads what runs at the start of a window. A line `11 time id production class tasks cpus bytes` is a job that was running, with its CPUs and bytes
 * of memory over all tasks; `12 time id production class unused` says when it ended. A job without a line 12 runs beyond the window. CPUs become
 * millicores and bytes MiB, rounded up per task. Throws `BAD_INPUT` with file and line.
 *
 * Source: README of the traces of the simulator published with Schwarzkopf et al., EuroSys 2013.
 */
export function readCellState(text: string, file?: string): RunningJob[] {
  const jobs = new Map<string, RunningJob>()
  text.split('\n').forEach((line, index) => {
    const fields = line.trim().split(/\s+/)
    if (fields[0] === '') return
    const fail = (fact: string, field?: string, wayOut = 'Correct the line.') => new SchedError('BAD_INPUT', fact, { file, line: index + 1, field }, wayOut)
    readLine({ text: fields, fail }, jobs, index + 1)
  })
  return [...jobs.values()]
}

function readLine(fields: Fields, jobs: Map<string, RunningJob>, line: number): void {
  const { text, fail } = fields
  if (text[0] !== '11' && text[0] !== '12') throw fail(`found "${text[0]}", expected 11 (was there) or 12 (was there and ended).`, 'event', 'Is it a log of the state of a cell?')
  const columns = text[0] === '11' ? 8 : 6
  if (text.length !== columns) throw fail(`found ${text.length} columns, expected ${columns} after ${text[0]}.`)
  const id = text[2]!
  if (text[0] === '11') {
    if (jobs.has(id)) throw fail(`job ${id} was there before.`, 'id', 'Give every job one line 11.')
    jobs.set(id, startOf(fields, id, line))
    return
  }
  const job = jobs.get(id)
  if (job === undefined) throw fail(`job ${id} ends, but no line above says that it was there.`, 'id', 'Put its line 11 before this one, or remove this one.')
  jobs.set(id, { ...job, end: amount(fields, 1, 'time') })
}

function startOf(fields: Fields, id: string, line: number): RunningJob {
  const tasks = amount(fields, 5, 'tasks')
  if (!Number.isInteger(tasks) || tasks < 1) throw fields.fail(`found "${fields.text[5]}", expected a whole number of tasks of at least 1.`, 'tasks')
  // the log has single precision: 0.17000000178813934 cores are 170 millicores
  const cpu = Math.ceil(((amount(fields, 6, 'cpus') * 1000) / tasks) * (1 - 1e-6))
  const demand: Demand = { cpu, mem: Math.ceil(amount(fields, 7, 'bytes') / tasks / 1_048_576) }
  return { id, class: omegaClass(amount(fields, 3, 'production') !== 0, amount(fields, 4, 'class')), tasks, demand, end: Infinity, line }
}

function amount({ text, fail }: Fields, column: number, name: string): number {
  const value = Number(text[column])
  if (Number.isFinite(value) && value >= 0) return value
  throw fail(`found "${text[column]}", expected a number of at least 0.`, name)
}

/**
 * Class of a job by the rule of the paper's evaluation ("CMB_PBB"): jobs of production priority with a scheduling class above 1 are service jobs, all
 * others batch jobs.
 */
export const omegaClass = (production: boolean, schedulingClass: number): JobClass => (production && schedulingClass > 1 ? 'service' : 'batch')
