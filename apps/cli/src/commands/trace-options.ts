import { formatsIn, type Trace } from '@sched/workload'
import { openTraceFile } from '@sched/workload/node'
import { Option, type Command } from 'commander'
import { resolve } from 'node:path'
import { checked } from '../experiment/from-options.js'
import type { ChangeOptions } from '../experiment/given-options.js'
import type { WorkloadSpec } from '../experiment/schema.js'
import { readMapping } from '../experiment/mapping.js'
import { changesGiven } from '../experiment/workload-from-options.js'
import { changedJobs } from '../experiment/workload.js'
import { breathe } from '../interruption.js'
import type { Io } from '../io.js'
import { logNotes } from '../output/log-notes.js'
import { skippedText } from '../output/skipped-text.js'
import { withPlugIns } from '../registry.js'
import { changeOptions } from './change-options.js'
import { assignment, collected, whole } from './option-values.js'

export interface TraceOptions extends ChangeOptions {
  readonly format?: string
  /** File of a mapping of columns. */
  readonly mapping?: string
  readonly option?: Readonly<Record<string, unknown>>
  readonly onBadLine?: 'fail' | 'skip'
  /** Modules of plug-ins, whose formats are known, too. */
  readonly plugin?: readonly string[]
  /** Of what is drawn. */
  readonly seed?: number
}

/** The options of every command that reads a trace. */
export function traceOptions(command: Command): Command {
  return command
    .option('--format <name>', 'format of the trace (default: found out from its content)')
    .option('--mapping <file>', 'the trace is a table of jobs (CSV, JSON Lines or Parquet), and this YAML, a file or { ... }, says what its columns mean')
    .option('--option <key=value>', 'an option of the format, for example blockSize=67108864; may be repeated (`sched trace formats NAME` lists them)', assignment)
    .addOption(new Option('--on-bad-line <what>', 'a line that cannot be used (default: fail)').choices(['fail', 'skip']))
    .option('--plugin <module>', 'a plug-in of yours that reads the trace, a path or a package; may be repeated', collected)
}

/** The options of every command that reads a trace and changes its jobs. */
export const changedTraceOptions = (command: Command): Command =>
  changeOptions(traceOptions(command)).option('--seed <n>', 'seed of what is drawn: --resample, --queue-mix, estimates (default: 1)', whole)

/** The trace of a command line, its jobs changed as the options say. */
export async function openedTrace(file: string, options: TraceOptions, io: Io): Promise<Trace> {
  const { format, mapping, option, onBadLine, plugin, seed = 1 } = options
  const mapped = mapping === undefined ? undefined : readMapping(mapping, io.cwd, format)
  const { workload } = checked({ workload: { trace: file, ...changesGiven(options) }, policy: 'fifo' }) // before a long file is read
  const formats = formatsIn(await withPlugIns(plugin, io.cwd))
  const trace = await openTraceFile(
    file === '-' ? '/dev/stdin' : resolve(io.cwd, file),
    { formats, format: mapped?.format ?? format, options: mapped === undefined ? option : { ...mapped.options, ...option }, onBadLine },
  )
  await breathe(() => !io.signal.aborted)
  const jobs = changedJobs(trace, workload, seed)
  return jobs === trace ? trace : { ...jobs, format: trace.format, get report() { return reportOf(trace, workload) } }
}

/** As the trace has it, with what its notes are of. */
const reportOf = ({ report }: Trace, workload: WorkloadSpec): Trace['report'] =>
  report.notes === undefined ? report : { ...report, notes: logNotes(report.notes, report.jobs, workload) }

/** Tells what a reading did to the jobs and what it has left out. */
export function tellNotes({ report }: Trace, io: Io): void {
  for (const note of report.notes ?? []) io.stderr.write(`note: ${note}\n`)
  warnOfSkipped(report, io)
}

/** Tells what bad lines were left out. */
export function warnOfSkipped(report: Trace['report'], io: Io): void {
  if (report.skipped > 0) io.stderr.write(`warning: ${skippedText(report)}\n`)
}
