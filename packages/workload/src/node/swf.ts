import { swfParseOptions, type SwfOptions } from '../swf/parse-swf.js'
import type { Trace } from '../trace/format.js'
import { openTrace, type OpenOptions } from './open-trace.js'

/** A log in the Standard Workload Format from a file, plain or gzip. Throws `IO`, `BAD_INPUT`, `BAD_OPTION`. */
export function swf(path: string, options: Omit<SwfOptions, 'file'> & Pick<OpenOptions, 'stream'> = {}): Trace {
  const { stream, ...rest } = options
  const { file: _file, ...parse } = swfParseOptions(rest)
  return openTrace(path, { ...parse, stream })
}
