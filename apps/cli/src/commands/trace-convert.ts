import type { Workload } from '@sched/core'
import { mapJobs, swfLog, writeWorkloadStream, type Trace } from '@sched/workload'
import { saveLines, saveWorkload } from '@sched/workload/node'
import type { Command } from 'commander'
import { resolve } from 'node:path'
import { heed } from '../interruption.js'
import { counted } from '../output/number.js'
import { outputFile } from '../output/output-file.js'
import { spareInputs } from '../output/spare-inputs.js'
import { version } from '../version.js'
import type { Io } from '../io.js'
import { changedTraceOptions, openedTrace, tellNotes, type TraceOptions } from './trace-options.js'

interface ConvertOptions extends TraceOptions {
  readonly force?: boolean
}

export function addConvert(trace: Command, io: Io): void {
  const command = trace
    .command('convert')
    .summary('write a trace in the native format, as a log in SWF or as a table in Parquet')
    .description('Writes a trace of any known format in the native one: JSON Lines, one job per line, packed when the name ends in .gz; when it ends in .swf or .swf.gz as a log in the Standard Workload Format, and in .parquet as a table with a row per job, where these can hold them.')
    .argument('<in>', 'the trace, plain or packed (gzip, zstd), or a directory of histories or of parts in Parquet; - for standard input')
    .argument('<out>', 'the file to write, for example jobs.jsonl, jobs.jsonl.gz, jobs.swf or jobs.parquet; - for standard output')
  changedTraceOptions(command)
    .option('--force', 'replace an existing file')
    .action((from: string, to: string, options: ConvertOptions) => convert(from, to, options, io))
}

async function convert(from: string, to: string, options: ConvertOptions, io: Io): Promise<void> {
  spareInputs([to], [from, options.mapping], io.cwd)
  const trace = await openedTrace(from, options, io)
  await saved(trace, to, options.force, io)
  tellNotes(trace, io)
}

/** Writes a workload whose jobs do not depend on a run, and says so; ends cleanly when the user interrupts. */
export async function saved(workload: Workload, to: string, force: boolean | undefined, io: Io): Promise<void> {
  let jobs = 0
  const watched = mapJobs(workload, (job) => {
    heed(io.signal)
    jobs++
    return job
  })
  if (to === '-') {
    for await (const line of writeWorkloadStream(watched)) {
      if (!io.stdout.writable) return
      if (!io.stdout.write(line)) await drained(io)
    }
    return
  }
  if (to.endsWith('.parquet')) return savedTable(watched, to, force === true, io)
  if (/\.swf(\.gz)?$/.test(to)) return savedLog(workload, watched, to, force, io)
  await saveWorkload(watched, resolve(io.cwd, to), { force })
  const format = /\.jsonl?(\.gz)?$/.test(to) ? '' : ', in the native format whatever its name'
  io.stderr.write(`${to}: ${counted(jobs, 'job')}${format}\n`)
}

async function savedTable(workload: Workload, to: string, force: boolean, io: Io): Promise<void> {
  const file = outputFile(to, io, force)
  const { jobTable } = await import('../output/job-table.js')
  const { bytes, jobs } = await jobTable(workload, { version, source: workload.name ?? '' })
  file.write(bytes)
  io.stderr.write(`${to}: ${counted(jobs, 'job')}, a row each\n`)
}

/** What its reader did to the jobs of a trace stands in the notes of the log. */
async function savedLog(workload: Workload & Partial<Pick<Trace, 'format' | 'report'>>, watched: Workload, to: string, force: boolean | undefined, io: Io): Promise<void> {
  const log = await swfLog(watched)
  const { format, report } = workload
  const origin = `written by sched ${version}: ${format === undefined ? workload.name : `from a trace in the format ${format}`}`
  await saveLines(log.lines([origin, ...(report?.notes ?? []), ...log.notes]), resolve(io.cwd, to), { force })
  io.stderr.write(`${to}: ${counted(log.jobs, 'job')}, in the Standard Workload Format\n`)
  for (const note of log.notes) io.stderr.write(`note: ${note}\n`)
}

/** Waits until standard output takes more, or has no reader left. */
async function drained({ stdout }: Io): Promise<void> {
  const ends = ['drain', 'close', 'error']
  await new Promise<void>((resolve) => {
    const go = () => {
      for (const event of ends) stdout.off(event, go)
      resolve()
    }
    for (const event of ends) stdout.once(event, go)
  })
}
