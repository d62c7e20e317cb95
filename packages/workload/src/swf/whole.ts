import type { JobSource, JobSpec } from '@sched/core'
import { inferSize, machineOf, resourcesOfMachine, type Sizes } from '../rigid/machine.js'
import { RigidStages } from '../rigid/stages.js'
import { ruleLine, type Machine, type RuleCount } from '../trace/facts.js'
import type { PartsReading, ReadOptions, Trace } from '../trace/format.js'
import { Cell, lostRule, SwfJobs } from './cells.js'
import { startOf } from './header.js'
import { resourcesOf, type SwfRules } from './options.js'
import { headerNotes, isGuess, swfSizes } from './sizes.js'
import { SwfTable } from './table.js'

/**
 * Reads a log whose content is in memory. The cells of its jobs are kept, about 60 bytes each, or 120 if any number in the log is large or has a
 * fraction; the bytes are not kept, and jobs are made when they are asked for. Jobs are sorted by submit time; equal times keep the order of the log.
 * Throws `BAD_INPUT` with file, line and field.
 */
export function readSwf(bytes: Uint8Array, options: SwfRules, reading: ReadOptions): PartsReading {
  const table = new SwfTable(options, reading, bytes)
  return { add: (piece) => table.add(piece), trace: (name) => traceOf(table, options, name) }
}

function traceOf(table: SwfTable, options: SwfRules, name: string | undefined): Trace {
  table.checkSize()
  const stages = new RigidStages(resourcesOf(options), options.tasks)
  const sorted = table.sort()
  const { size } = table
  const { machine, notes } = machineAndNotes(table, options)
  const rules = [...table.reading.rules(), ...lostRule(options.dependencies === 'keep' ? lost(table) : 0), ...sortedRule(sorted)]
  return {
    name: name ?? 'swf',
    format: 'swf',
    jobs: size,
    chained: options.dependencies === 'keep',
    machine,
    header: table.reading.header.fields,
    ...startOf(table.reading.header.fields),
    report: { lines: table.lines, jobs: size, skipped: table.bad.skipped, problems: table.bad.problems, rules, notes: [...notes, ...rules.map(ruleLine)] },
    open(): JobSource {
      return new TableJobs(new SwfJobs(options, stages), table)
    },
  }
}

/** The jobs of a table in order. */
class TableJobs implements JobSource {
  #next = 0

  constructor(private readonly jobs: SwfJobs, private readonly table: SwfTable) {}

  next(): JobSpec | undefined {
    const { cells, size, width } = this.table
    return this.#next < size ? this.jobs.job(cells, width * this.#next++) : undefined
  }
}

/** Number of jobs that follow a job that is not above them in order of submission. */
function lost({ cells, size, width }: SwfTable): number {
  const before = new Set<number>()
  let found = 0
  for (let at = 0; at < size * width; at += width) {
    const preceding = cells[at + Cell.preceding]!
    if (preceding > 0 && !before.has(preceding)) found++
    before.add(cells[at + Cell.job]!)
  }
  return found
}

const sortedRule = (jobs: number): RuleCount[] => (jobs === 0 ? [] : [{ rule: 'sorted', jobs, text: 'submitted before one above: sorted' }])

/** The machine, and notes about it. Sizes that neither the options nor the header give are inferred from the jobs. */
function machineAndNotes(table: SwfTable, options: SwfRules): { readonly machine: Machine; readonly notes: string[] } {
  const header = table.reading.header.fields
  const sizes = swfSizes(options, header)
  const known: Record<string, Sizes[keyof Sizes]> = { ...sizes }
  const notes = headerNotes(header, sizes, table.reading.rows, table.reading.late)
  const lost = table.onlyInPieces()
  if (lost > 0) notes.push(`${lost} ${lost === 1 ? 'job has' : 'jobs have'} lines about pieces only (status 2, 3 or 4), and none about the whole that is read: not among the jobs`)
  const all = resourcesOf(options)
  const resources = resourcesOfMachine(all, sizes, (_, r) => recordedUse(table, r))
  for (const resource of resources) {
    const r = all.indexOf(resource)
    if (sizes[resource] !== undefined && !(resource === 'procs' && isGuess(sizes))) continue
    const inferred = inferSize(resource, recordedUse(table, r))
    const guess = sizes[resource]
    if (guess !== undefined && guess.amount >= widest(table, r)) continue
    known[resource] = inferred
    notes.push(`${resource} of the machine: ${inferred.amount}, ${inferred.origin}`)
  }
  return { machine: machineOf(resources, known, options.tasks)!, notes }
}

function widest({ cells, size, width }: SwfTable, resource: number): number {
  let most = 0
  for (let i = 0; i < size; i++) most = Math.max(most, cells[i * width + Cell.amounts + resource]!)
  return most
}

function recordedUse({ cells, size, width }: SwfTable, resource: number) {
  const column = (value: (at: number) => number) => new Float64Array(size).map((_, i) => value(i * width))
  const wait = (at: number) => (cells[at + Cell.wait]! >= 0 ? cells[at + Cell.wait]! : NaN)
  const ran = (at: number) => (cells[at + Cell.recorded]! >= 0 ? cells[at + Cell.recorded]! : cells[at + Cell.runtime]!)
  return {
    amounts: column((at) => cells[at + Cell.amounts + resource]!),
    starts: column((at) => cells[at + Cell.submit]! + wait(at)),
    ends: column((at) => cells[at + Cell.submit]! + wait(at) + ran(at)),
  }
}
