import type { RuleCount } from '../trace/facts.js'
import { separatorIn, splitLine } from '../table/separators.js'
import { cutInColumns, underlined, type ColumnBytes } from '../table/underlined.js'
import { lineText } from '../trace/fields.js'
import { BadLine, type LinePlace, type TraceFormat } from '../trace/format.js'
import { askedLicenses, gresGpus, requestedMemory, tres, tresGpus, tresGpuType, tresLicenses, whole } from './amounts.js'
import { Clusters } from './clusters.js'
import { Columns } from './columns.js'
import { accountingFormat } from '../accounting/format.js'
import { dependencyIn } from './dependencies.js'
import { exclusiveIn } from './exclusive.js'
import { followsJobs, GPUS_IN_TRES, joinsParts, slurmOptions, stateOf } from './options.js'
import type { RecordReader, AccountingRecord, TakeRecord } from '../accounting/records.js'
import { askedHostsIn } from './asked-hosts.js'
import { layoutIn } from './layout.js'
import { niceIn } from './nice.js'
import { SacctRows } from './sacct-rows.js'
import { RecordIds } from './record-ids.js'
import { isContiguousIn, reservationIn } from './submit-line.js'
import { switchesIn } from './switches.js'
import { timeBoundsIn } from './time-bounds.js'
import { isWithoutZone } from './times.js'
import { HeldForSteps, USED_MEMORY, usedMemory } from './used-memory.js'
import { ArrayThrottles } from './array-throttles.js'
import { arrayOf, WaitingArrays } from './waiting-arrays.js'

const command = 'sacct --allusers --allocations --parsable2 --format=JobID,User,Group,Account,Partition,QOS,Priority,Submit,Eligible,Start,End,ElapsedRaw,TimelimitRaw,State,NNodes,ReqCPUS,NCPUS,ReqMem,AllocTRES,Reservation'

/**
 * Slurm's accounting records as text: the output of `sacct --parsable2` with any `--delimiter`, whose header line names the columns, or a table with
 * columns of fixed width and an underlined header. Lines of job steps (`123.batch`) are left out. Each task of an array (`123_4`) is a job of its
 * own; so are the tasks of an array that wait, which share one record (`123_[4-7]`), and the runs of a requeued job, which `--duplicates` lists under
 * one id with different submit times. The parts of a heterogeneous job (`123+1`) become one job that is a gang, unless `hetjobs` is `apart`. Several
 * exports may follow one another. Times are taken as they are.
 *
 * Source: the manual page of `sacct`, Slurm 20 to 24.
 */
export const sacctFormat: TraceFormat<typeof slurmOptions> = accountingFormat({
  options: slurmOptions,
  gpusIn: GPUS_IN_TRES,
  joins: joinsParts,
  follows: followsJobs,
  name: 'sacct',
  summary: 'Slurm accounting records (sacct --parsable2)',
  source: 'manual page of sacct',
  isOfFiles: true,
  detect: (head) => isHeader(head.split('\n').filter((line) => !line.startsWith('#'))),
  reader: (place, { cluster }, isHeld) => new SacctReader(place, cluster, isHeld),
})

function isHeader([line = '', below = '']: readonly string[]): boolean {
  const columns = underlined(below.trimEnd())
  const separator = delimiterIn(line.trim())
  const names = (columns === undefined ? splitLine(line.trim(), separator) : columns.map(([from, to]) => line.slice(from, to))).map((name) => name.trim().toLowerCase())
  const has = (...known: string[]) => known.some((name) => names.includes(name))
  return names.length > 1
    && has('jobid', 'jobidraw')
    && (separator === '|' || columns !== undefined || (has('submit') && has('start') && has('ncpus', 'alloccpus', 'reqcpus', 'alloctres', 'reqtres', 'nnodes', 'allocnodes', 'reqnodes')))
}

/** The delimiter of a header: what follows the first name, which may be several characters, unless it is a blank or a quote. */
function delimiterIn(header: string): string {
  const behind = /^[a-z]+([^\w\s"]+)(?=[a-z])/i.exec(header)?.[1]
  return behind !== undefined && behind !== ',' && behind !== ';' ? behind : separatorIn(header)
}

class SacctReader implements RecordReader {
  #columns: Columns | undefined
  /** The line with the column names; in a table with columns of fixed width the line below it shows their places. */
  #header: string | undefined
  #places: ColumnBytes | undefined
  #separator = '|'
  readonly #rows: SacctRows
  #file: string | undefined
  #cut = 0
  readonly #ids: RecordIds
  readonly #clusters: Clusters
  readonly #arrays = new WaitingArrays()
  readonly #throttles = new ArrayThrottles()
  readonly #held: HeldForSteps
  /** Whether there are columns for the memory that was used. */
  #hasUse = false

  constructor(private readonly place: LinePlace, cluster: string | undefined, isHeld: boolean) {
    this.#held = new HeldForSteps(place)
    this.#rows = new SacctRows(place)
    this.#clusters = new Clusters(cluster)
    this.#ids = new RecordIds(isHeld)
  }

  line(bytes: Uint8Array, from: number, to: number, take: TakeRecord): void {
    if (this.place.file !== this.#file) this.#startFile()
    const line = lineText(bytes, from, to)
    if (line.startsWith('#') || line === this.#header) return // a comment, or the repeated header of another export
    if (this.#columns === undefined) return this.#begin(line)
    if (this.#places !== undefined && line.startsWith('-')) return // the underlining of a repeated header
    const fields = this.#places === undefined ? this.#rows.take(line) : cutInColumns(bytes, from, to, this.#places)
    if (fields !== undefined) this.#row(this.#columns, fields, take)
    this.#rows.check()
  }

  #row(columns: Columns, fields: readonly string[], take: TakeRecord): void {
    this.#takeFields(columns, fields)
    const found = record(columns)
    if (!this.#clusters.take(columns.text('Cluster'))) return
    if (found === 'step') {
      if (this.#hasUse) this.#held.step(columns.text('JobID', 'JobIDRaw'), usedMemory(columns))
      return take(found)
    }
    if (this.#places !== undefined) this.#checkCut(columns)
    this.#throttles.note({ id: found.id, array: arrayOf(found.id), command: columns.text('SubmitLine') })
    const records: AccountingRecord[] = []
    for (const id of this.#arrays.idsOf(found)) {
      const called = this.#ids.of({ ...found, id, cluster: columns.text('Cluster') })
      if (called === undefined) continue
      const array = arrayOf(id)
      records.push({ ...found, array, arrayThrottle: this.throttles().get(array ?? ''), id: called })
    }
    this.#held.hold(found.id, this.#hasUse ? records : [], this.#hasUse ? usedMemory(columns) : NaN, take)
    if (!this.#hasUse) for (const record of records) take(record)
  }

  end(take: TakeRecord): void {
    this.#held.hold('', [], NaN, take)
    this.#rows.check(true)
  }

  throttles(): ReadonlyMap<string, number> {
    return this.#throttles.found
  }

  rules(): RuleCount[] {
    const cut = { rule: 'cut', jobs: this.#cut, text: 'whose user, group, account, partition or QOS is cut short (+), so that different ones may look the same: print wider columns (User%30) or a table (--parsable2)' }
    return [...this.#rows.rules(), ...this.#ids.rules(), ...this.#arrays.rules(), ...this.#clusters.rules(), ...(this.#cut > 0 ? [cut] : [])]
  }

  #startFile(): void {
    this.#file = this.place.file
    this.#columns = this.#header = this.#places = undefined
  }

  /** Reads the header. A line without separators is the header of a table with columns of fixed width, and the line below shows their places. */
  #begin(line: string): void {
    const places = this.#header === undefined ? undefined : underlined(line)
    const head = (this.#header ??= line)
    this.#separator = delimiterIn(head.trim())
    const names = places === undefined ? splitLine(head, this.#separator) : places.map(([from, to]) => head.slice(from, to).trim().replace(/^TimelimitR$/i, 'TimelimitRaw'))
    if (names.length === 1 && head === line) return
    this.#places = places
    this.#columns = this.#checked(new Columns(names))
    this.#rows.start(names, this.#separator)
    this.#hasUse = this.#columns.has(...USED_MEMORY)
  }

  #takeFields(columns: Columns, fields: readonly string[]): void {
    const separator = this.#separator
    const wayOut = separator === ',' ? ', and the TRES, or ask without --delimiter' : separator === '|' && columns.has('Constraints') ? ', and with Constraints such as a|b ask with --delimiter=";"' : ''
    columns.take(fields, `A name may hold a "${separator}": leave JobName, WorkDir and SubmitLine out of --format${wayOut}`)
  }

  /** Counts names that are cut short in a table with columns of fixed width. Throws `BadLine` for an id that is cut short. */
  #checkCut(columns: Columns): void {
    const id = columns.text('JobID', 'JobIDRaw')
    if (id.endsWith('+')) throw new BadLine('JobID', `found ${JSON.stringify(id)}, which is cut short.`, 'Print a wider column (JobID%30) or a table (--parsable2)')
    if (['User', 'Group', 'Account', 'Partition', 'QOS'].some((name) => columns.text(name).endsWith('+'))) this.#cut++
  }

  #checked(columns: Columns): Columns {
    const { file, line } = this.place
    const header = { file, line: this.#places === undefined ? line : line - 1 }
    const needs = (...names: string[]) => columns.require(header, `Ask for example: ${command}`, ...names)
    needs('JobID', 'JobIDRaw')
    needs('Submit')
    needs('Start')
    needs('End', 'ElapsedRaw', 'Elapsed')
    needs('NCPUS', 'AllocCPUS', 'ReqCPUS', 'AllocTRES', 'ReqTRES', 'NNodes', 'AllocNodes', 'ReqNodes')
    return columns
  }
}

/** States of jobs that have not ended. */
const going = /^(pending|running|suspended|resizing|requeued)$/

/** The record of a line. Without a column for it, the end of a job that has ended is its start plus the time that it ran. */
function record(columns: Columns): AccountingRecord | 'step' {
  const id = columns.text('JobID', 'JobIDRaw')
  if (id === '') throw new BadLine('JobID', 'is empty.')
  if (/^[^[]*\./.test(id)) return 'step' // a dot inside brackets belongs to a list of tasks that is cut short
  const requestedTres = columns.text('ReqTRES', 'AllocTRES')
  const allocatedTres = columns.text('AllocTRES', 'ReqTRES')
  const nodes = count(columns, ['NNodes', 'AllocNodes', 'ReqNodes'], tres(allocatedTres, 'node'))
  const requested = count(columns, ['ReqCPUS'], tres(columns.text('ReqTRES'), 'cpu'))
  const state = stateOf(columns.text('State'))
  const bounds = timeBoundsIn(columns.text('SubmitLine'), id, columns.instant('Submit'), isWithoutZone(columns.text('Submit')))
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
    limit: Math.max(limit(columns), bounds.limit ?? -1),
    minLimit: bounds.minLimit,
    deadline: bounds.deadline,
    requested,
    allocated,
    nodes,
    mem: memory(columns, nodes, requested > 0 ? requested : allocated),
    gpus: tresGpus(requestedTres) || tresGpus(allocatedTres) || gresGpus(columns.text('ReqGRES', 'AllocGRES')),
    cpuTime: columns.has('TotalCPU') ? columns.timeSpan('TotalCPU') : NaN,
    licenses: askedLicenses(columns.text('Licenses')) ?? tresLicenses(requestedTres),
    exclusive: exclusiveIn(columns.text('SubmitLine')),
    nice: niceIn(columns.text('SubmitLine'), id),
    contiguous: isContiguousIn(columns.text('SubmitLine'), id),
    hosts: askedHostsIn(columns.text('SubmitLine'), id),
    topology: switchesIn(columns.text('SubmitLine'), id),
    layout: layoutIn(columns.text('SubmitLine'), id, whole(tres(columns.text('ReqTRES'), 'node') ?? '')),
    name: columns.text('JobName'),
    dependency: dependencyIn(columns.text('SubmitLine')),
    features: columns.text('Constraints'),
    gpuType: tresGpuType(requestedTres) ?? tresGpuType(allocatedTres),
    reservation: reservationIn(columns.text('SubmitLine'), id) || columns.text('Reservation'),
    priority: columns.number('Priority'),
    state,
    user: columns.text('User'),
    group: columns.text('Group'),
    account: columns.text('Account'),
    partition: columns.text('Partition'),
    qos: columns.text('QOS'),
  }
}

/**
 * Whether a job has left without a start: cancelled while it waited, or failed since no nodes are as it asks. Some versions of Slurm print the processors
 * that such a job asked for as allocated, and for one that failed also as TRES.
 */
function hadNothing(columns: Columns, state: string): boolean {
  return !going.test(state) && (/^none assigned$/i.test(columns.text('NodeList')) || (state === 'cancelled' && columns.has('AllocTRES') && columns.text('AllocTRES') === ''))
}

/** The time limit in seconds: from the column in minutes if there is one, otherwise from the span of time. */
function limit(columns: Columns): number {
  const raw = columns.text('TimelimitRaw')
  return /^\d+$/.test(raw) ? Number(raw) * 60 : columns.timeSpan('Timelimit')
}

/** A number of processors or nodes; -1 if unknown. Up to Slurm 15, without `--noconvert`, sacct writes K for 1024 nodes. */
function count(columns: Columns, names: readonly string[], other: string | undefined): number {
  const text = columns.text(...names)
  const value = /^\d{1,6}K$/.test(text) ? Number(text.slice(0, -1)) * 1024 : whole(text === '' ? (other ?? '') : text)
  if (value === -1 && /^[\d.]+[KM]$/.test(text)) throw new BadLine(names[0], `found ${JSON.stringify(text)}, which is rounded.`, 'Ask sacct with --noconvert')
  if (value === -1 && text !== '') throw new BadLine(names[0], `found ${JSON.stringify(text)}, expected a whole number.`)
  return value
}

/**
 * Memory that a job asked for in MiB, or was given if that is more; -1 if unknown. Slurm up to 15 wrote into AllocTRES what a job had asked for on a node
 * or for a processor, so that it may be less than ReqMem.
 */
function memory(columns: Columns, nodes: number, procs: number): number {
  const amount = (text: string) => {
    const value = requestedMemory(text, nodes, procs)
    if (value === undefined) throw new BadLine('ReqMem', `found ${JSON.stringify(text)}, expected an amount of memory such as 64G, 4Gn or 2000Mc.`)
    return value
  }
  const asked = tres(columns.text('ReqTRES'), 'mem')
  return asked !== undefined ? amount(asked) : Math.max(amount(columns.text('ReqMem')), amount(tres(columns.text('AllocTRES'), 'mem') ?? ''))
}
