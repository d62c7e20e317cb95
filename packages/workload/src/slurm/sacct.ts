import type { RuleCount } from '../trace/facts.js'
import { separatorIn, splitLine } from '../table/separators.js'
import { lineText } from '../trace/fields.js'
import { BadLine, type LinePlace, type TraceFormat } from '../trace/format.js'
import { askedLicenses, gresGpus, requestedMemory, tres, tresGpus, tresGpuType, tresLicenses, whole } from './amounts.js'
import { Columns } from './columns.js'
import { accountingFormat } from '../accounting/format.js'
import { dependencyIn } from './dependencies.js'
import { exclusiveIn } from './exclusive.js'
import { followsJobs, GPUS_IN_TRES, joinsParts, slurmOptions } from './options.js'
import type { RecordReader, AccountingRecord, TakeRecord } from '../accounting/records.js'
import { RecordIds } from '../accounting/repeated-ids.js'
import { switchesIn } from './switches.js'
import { ArrayThrottles } from './array-throttles.js'
import { arrayOf, WaitingArrays } from './waiting-arrays.js'

const command = 'sacct --allusers --allocations --parsable2 --format=JobID,User,Group,Account,Partition,QOS,Priority,Submit,Eligible,Start,End,ElapsedRaw,TimelimitRaw,State,NNodes,ReqCPUS,NCPUS,ReqMem,AllocTRES,Reservation'

/**
 * Slurm's accounting records: the output of `sacct --parsable2`, with any `--delimiter`, whose header line names the columns. Lines of job steps
 * (`123.batch`) are left out; tasks of an array (`123_4`) are jobs of their own, and so is every run of a requeued job, which `--duplicates` lists
 * under one id with a submit time each. Tasks of an array that wait, which have one record (`123_[4-7]`), are jobs of their own, too. The parts
 * of a heterogeneous job (`123+1`) are one job that is one gang, unless they are to be apart. Times are taken as they stand.
 *
 * Source: the manual page of `sacct`, Slurm 20 to 24.
 */
export const sacctFormat: TraceFormat<typeof slurmOptions> = accountingFormat({
  options: slurmOptions,
  gpusIn: GPUS_IN_TRES,
  joins: joinsParts,
  follows: followsJobs,
  name: 'sacct',
  title: 'Slurm accounting records (sacct --parsable2)',
  source: 'manual page of sacct',
  detect: (head) => isHeader(head.split('\n').find((line) => !line.startsWith('#')) ?? ''),
  reader: (place) => new SacctReader(place),
})

function isHeader(line: string): boolean {
  const separator = separatorIn(line.trim())
  const names = splitLine(line.trim().toLowerCase(), separator).map((name) => name.trim())
  const has = (...known: string[]) => known.some((name) => names.includes(name))
  return names.length > 1
    && has('jobid', 'jobidraw')
    && (separator === '|' || (has('submit') && has('start') && has('ncpus', 'alloccpus', 'reqcpus', 'alloctres', 'reqtres', 'nnodes', 'allocnodes', 'reqnodes')))
}

class SacctReader implements RecordReader {
  #columns: Columns | undefined
  #separator = '|'
  readonly #ids = new RecordIds()
  readonly #arrays = new WaitingArrays()
  readonly #throttles = new ArrayThrottles()

  constructor(private readonly place: LinePlace) {}

  line(bytes: Uint8Array, from: number, to: number, take: TakeRecord): void {
    const line = lineText(bytes, from, to)
    if (this.#columns === undefined && line.startsWith('#')) return // a comment of who made the file
    if (this.#columns === undefined) this.#separator = separatorIn(line.trim())
    const fields = splitLine(line, this.#separator)
    if (this.#columns === undefined) {
      this.#columns = this.#header(new Columns(fields))
      return
    }
    this.#columns.take(
      fields,
      `A name may hold a "${this.#separator}": leave JobName, WorkDir and SubmitLine out of --format${this.#separator === ',' ? ', and the TRES, or ask without --delimiter' : this.#separator === '|' && this.#columns.has('Constraints') ? ', and with Constraints such as a|b ask with --delimiter=";"' : ''}`,
    )
    const found = record(this.#columns)
    if (found === 'step') return take(found)
    this.#throttles.note({ id: found.id, array: arrayOf(found.id), command: this.#columns.text('SubmitLine') })
    for (const id of this.#arrays.idsOf(found)) {
      const array = arrayOf(id)
      take({ ...found, array, arrayThrottle: this.throttles().get(array ?? ''), id: this.#ids.of({ id, submit: found.submit }, 'JobID') })
    }
  }

  throttles(): ReadonlyMap<string, number> {
    return this.#throttles.found
  }

  rules(): RuleCount[] {
    return [...this.#ids.rules(), ...this.#arrays.rules()]
  }

  #header(columns: Columns): Columns {
    const wayOut = `Ask for example: ${command}`
    columns.require(this.place, wayOut, 'JobID', 'JobIDRaw')
    columns.require(this.place, wayOut, 'Submit')
    columns.require(this.place, wayOut, 'Start')
    columns.require(this.place, wayOut, 'End', 'ElapsedRaw', 'Elapsed')
    columns.require(this.place, wayOut, 'NCPUS', 'AllocCPUS', 'ReqCPUS', 'AllocTRES', 'ReqTRES', 'NNodes', 'AllocNodes', 'ReqNodes')
    return columns
  }
}

/** States of jobs that have not ended. */
const going = /^(pending|running|suspended|resizing|requeued)$/

/** Without a column for it, the end of a job that has one is its start and the time that it ran. */
function record(columns: Columns): AccountingRecord | 'step' {
  const id = columns.text('JobID', 'JobIDRaw')
  if (id === '') throw new BadLine('JobID', 'is empty.')
  if (/^[^[]*\./.test(id)) return 'step' // not the dots of a list of tasks that is cut short
  const requestedTres = columns.text('ReqTRES', 'AllocTRES')
  const allocatedTres = columns.text('AllocTRES', 'ReqTRES')
  const nodes = count(columns, ['NNodes', 'AllocNodes', 'ReqNodes'], tres(allocatedTres, 'node'))
  const requested = count(columns, ['ReqCPUS'], tres(columns.text('ReqTRES'), 'cpu'))
  const state = columns.text('State').toLowerCase().split(/[ +]/, 1)[0]! // "CANCELLED by 1234"
  const start = columns.instant('Start')
  const elapsed = columns.has('ElapsedRaw') ? columns.number('ElapsedRaw') : columns.timeSpan('Elapsed')
  const allocated = elapsed === 0 && hadNothing(columns, state) ? 0 : count(columns, ['NCPUS', 'AllocCPUS'], tres(columns.text('AllocTRES'), 'cpu'))
  return {
    id,
    submit: columns.instant('Submit'),
    eligible: columns.instant('Eligible'),
    start,
    end: columns.has('End') ? columns.instant('End') : going.test(state) ? NaN : start + elapsed,
    elapsed,
    limit: limit(columns),
    requested,
    allocated,
    nodes,
    mem: memory(columns, tres(requestedTres, 'mem'), nodes, requested > 0 ? requested : allocated),
    gpus: tresGpus(requestedTres) || gresGpus(columns.text('ReqGRES', 'AllocGRES')),
    licenses: askedLicenses(columns.text('Licenses')) ?? tresLicenses(requestedTres),
    exclusive: exclusiveIn(columns.text('SubmitLine')),
    topology: switchesIn(columns.text('SubmitLine'), id),
    name: columns.text('JobName'),
    dependency: dependencyIn(columns.text('SubmitLine')),
    features: columns.text('Constraints'),
    gpuType: tresGpuType(requestedTres) ?? tresGpuType(allocatedTres),
    reservation: columns.text('Reservation'),
    priority: columns.number('Priority'),
    state,
    user: columns.text('User'),
    group: columns.text('Group'),
    account: columns.text('Account'),
    partition: columns.text('Partition'),
    qos: columns.text('QOS'),
  }
}

/** Whether it was cancelled while it waited: some versions of Slurm print the processors that such a job asked for as those that it was given. */
function hadNothing(columns: Columns, state: string): boolean {
  return state === 'cancelled' && (/^none assigned$/i.test(columns.text('NodeList')) || (columns.has('AllocTRES') && columns.text('AllocTRES') === ''))
}

/** The limit in minutes where it is given so, otherwise as a span. */
function limit(columns: Columns): number {
  const raw = columns.text('TimelimitRaw')
  return /^\d+$/.test(raw) ? Number(raw) * 60 : columns.timeSpan('Timelimit')
}

/** Up to Slurm 15 numbers of nodes have a K for 1024, where they are not asked for without (--noconvert). */
function count(columns: Columns, names: readonly string[], other: string | undefined): number {
  const text = columns.text(...names)
  const value = /^\d{1,6}K$/.test(text) ? Number(text.slice(0, -1)) * 1024 : whole(text === '' ? (other ?? '') : text)
  if (value === -1 && /^[\d.]+[KM]$/.test(text)) throw new BadLine(names[0], `found ${JSON.stringify(text)}, which is rounded.`, 'Ask sacct with --noconvert')
  if (value === -1 && text !== '') throw new BadLine(names[0], `found ${JSON.stringify(text)}, expected a whole number.`)
  return value
}

function memory(columns: Columns, total: string | undefined, nodes: number, procs: number): number {
  const text = total ?? columns.text('ReqMem')
  const value = requestedMemory(text, nodes, procs)
  if (value === undefined) throw new BadLine('ReqMem', `found ${JSON.stringify(text)}, expected an amount of memory such as 64G, 4Gn or 2000Mc.`)
  return value
}
