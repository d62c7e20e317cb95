import { swimParseOptions, type SwimOptions } from '../swim/parse-swim.js'
import type { Trace } from '../trace/format.js'
import { openTrace, type OpenOptions } from './open-trace.js'

/** A SWIM workload from a file, plain or gzip. Throws `IO`, `BAD_INPUT`, `BAD_OPTION`. */
export function swim(path: string, options: Omit<SwimOptions, 'file'> & Pick<OpenOptions, 'stream'> = {}): Trace {
  const { stream, ...rest } = options
  const { file: _file, ...parse } = swimParseOptions(rest)
  return openTrace(path, { ...parse, stream })
}
