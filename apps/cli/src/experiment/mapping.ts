import { YamlSource } from '@sched/cluster'
import { SchedError } from '@sched/core'
import { traceFormat } from '@sched/workload'
import { resolve } from 'node:path'
import { readText } from '../read-text.js'
import { isWrittenOut } from './given-options.js'

const FORMAT = 'job-table'

/** How a trace is to be read, where the command line gives a mapping of columns: as a table of jobs. */
interface Mapped {
  readonly format: string
  readonly options: Readonly<Record<string, unknown>>
}

/** The mapping in a file, or written out in braces: the options of the format `job-table`. Throws `BAD_INPUT` with file and line, `BAD_OPTION` beside another format. */
export function readMapping(file: string, cwd: string, format: string | undefined): Mapped {
  if (format !== undefined && format !== FORMAT)
    throw new SchedError(
      'BAD_OPTION',
      `is for tables of jobs, not for the format ${format}.`,
      { field: '--mapping' },
      `Leave out --format, or give it as ${FORMAT}.`,
    )
  const source = isWrittenOut(file) ? new YamlSource(file, '--mapping') : new YamlSource(readText(resolve(cwd, file)), file)
  return { format: FORMAT, options: source.read(traceFormat(FORMAT).options) as Mapped['options'] }
}
