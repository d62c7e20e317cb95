import { SchedError, type Seconds } from '@sched/core'
import type { HeaderFields, Machine } from '../trace/facts.js'
import { fieldNames } from './fields.js'

/** The fields of a line in the units of the format (seconds, KiB per processor). Absent fields are written as -1, unknown. */
export interface SwfRow {
  /** Job number, from 1. */
  readonly job: number
  /** Seconds since the start of the log. */
  readonly submit: number
  /** Seconds from submission to start. */
  readonly wait?: number | undefined
  /** Seconds that it ran. */
  readonly runtime?: number | undefined
  /** Number of processors that it had. */
  readonly allocated?: number | undefined
  /** Mean CPU time per processor, seconds. */
  readonly cpuTime?: number | undefined
  /** Memory used, KiB per processor. */
  readonly usedMemory?: number | undefined
  /** Number of processors that it asked for. */
  readonly requested?: number | undefined
  /** Estimate of the run time, seconds. */
  readonly requestedTime?: number | undefined
  /** Memory that it asked for, KiB per processor. */
  readonly requestedMemory?: number | undefined
  /** 1 completed, 0 failed, 5 cancelled. */
  readonly status?: number | undefined
  /** Number of the user. */
  readonly user?: number | undefined
  /** Number of the group. */
  readonly group?: number | undefined
  /** Number of the executable. */
  readonly application?: number | undefined
  /** Number of the queue. */
  readonly queue?: number | undefined
  /** Number of the partition. */
  readonly partition?: number | undefined
  /** Number of the job that it followed. */
  readonly preceding?: number | undefined
  /** Seconds from the end of that job to this submission. */
  readonly think?: number | undefined
}
const keys: readonly (keyof SwfRow)[] = [
  'job', 'submit', 'wait', 'runtime', 'allocated', 'cpuTime', 'usedMemory', 'requested', 'requestedTime', 'requestedMemory', 'status', 'user',
  'group', 'application', 'queue', 'partition', 'preceding', 'think',
]

/** How to write a log. */
export interface SwfWriteOptions {
  /** Header fields at the start, for example those of the log that was read. `Version: 2.2` is always written first. */
  readonly header?: HeaderFields | undefined
  /** Whether to keep fractions of seconds. Default: times are rounded, because many readers of the format accept whole numbers only. */
  readonly fractions?: boolean | undefined
}

/**
 * Rows as lines of the Standard Workload Format 2.2, each with a line feed. Throws `BAD_INPUT` for a value that is not a finite number up to 2^53 -
 * 1, and for a header field whose name does not consist of letters with a capital first.
 */
export function* writeSwf(rows: Iterable<SwfRow>, options: SwfWriteOptions = {}): Generator<string, void, undefined> {
  yield* headerLines(options.header ?? [])
  for (const row of rows) yield line(row, options.fractions ?? false)
}

/** As `writeSwf`, for rows that arrive while a run goes on. */
export async function* writeSwfStream(rows: AsyncIterable<SwfRow>, options: SwfWriteOptions = {}): AsyncGenerator<string, void, undefined> {
  yield* headerLines(options.header ?? [])
  for await (const row of rows) yield line(row, options.fractions ?? false)
}

/** What the header of a log of results is made from. */
export interface SwfResultOf {
  /** Header of the log whose jobs were run. */
  readonly header?: HeaderFields | undefined
  /** Machine on which they were run. */
  readonly machine?: Machine | undefined
  /** Number of jobs, if known. */
  readonly jobs?: number | undefined
  /** What time 0 is, in seconds since 1970. Default: as the given header says, otherwise 0, which means unknown. */
  readonly start?: Seconds | undefined
  /** Names that were replaced by numbers: `SwfNumbers.names`. */
  readonly names?: HeaderFields | undefined
  /** What was done, for example the policy. Each text becomes a note of its own. */
  readonly note: string | readonly string[]
}

/** The header of a log of results: the given header with the counts of records and the machine replaced by those of the results. */
export function swfResultHeader({ header = [], machine, jobs, start, names = [], note }: SwfResultOf): HeaderFields {
  const amounts: [string, number | undefined][] = [
    ['MaxJobs', jobs], ['MaxRecords', jobs], ['UnixStartTime', start],
    ['MaxNodes', machine?.nodes], ['MaxProcs', machine?.procs ?? machine?.resources['procs'] ?? machine?.resources['nodes']],
  ]
  const own = [...amounts.flatMap(([name, amount]) => (amount === undefined ? [] : [[name, String(amount)] as const])), ...names]
  const replaced = new Set(['version', 'maxjobs', 'maxrecords', 'conversion', ...own.map(([name]) => name.toLowerCase())])
  const kept = header.filter(([name]) => !replaced.has(name.toLowerCase()))
  const unknown = [...kept, ...own].some(([name]) => name.toLowerCase() === 'unixstarttime') ? [] : [['UnixStartTime', '0'] as const]
  return [['Version', '2.2'], ...kept, ...unknown, ...own, ...[note].flat().map((text) => ['Note', text] as const)]
}

/** Lines of the header. A value of several lines continues in comments without a name. */
function* headerLines(header: HeaderFields): Generator<string, void, undefined> {
  yield '; Version: 2.2\n'
  for (const [name, value] of header) {
    if (name.toLowerCase() === 'version') continue
    if (!/^[A-Z][A-Za-z]*$/.test(name)) throw new SchedError('BAD_INPUT', `header field "${name}" is no name of letters that starts with a capital.`, { field: 'header' }, 'Rename it, for example to MaxProcs.')
    yield `; ${`${name}: ${value}`.trimEnd().replaceAll(/\r?\n/g, `\n;${' '.repeat(name.length + 3)}`)}\n`
  }
  yield ';\n'
}

function line(row: SwfRow, fractions: boolean): string {
  let text = ''
  for (let field = 0; field < keys.length; field++) text += (field === 0 ? '' : ' ') + number(row, field, fractions)
  return `${text}\n`
}

function number(row: SwfRow, field: number, fractions: boolean): string {
  const value = row[keys[field]!] ?? -1
  if (Number.isSafeInteger(value)) return String(value)
  if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) throw new SchedError('BAD_INPUT', `found ${value}, expected a number.`, { field: `job ${row.job} ${fieldNames[field]}` }, 'Give a finite one, or -1 for what is not known.')
  if (!fractions) return String(Math.round(value))
  const text = String(value)
  return text.includes('e') ? value.toFixed(20).replace(/0+$/, '') : text // numbers below 1e-6
}
