import type * as z from '@sched/bundled/zod'
import type { ReadOptions, Trace } from '../trace/format.js'
import { parseTrace } from '../trace/parse-trace.js'
import { swfFormat } from './format.js'
import type { swfOptions } from './options.js'

/** Rules of the format and options of all readers. */
export interface SwfOptions extends z.input<typeof swfOptions>, Omit<ReadOptions, 'maxTasks'> {}

/** A log with its machine and header, from its unpacked bytes. Throws `BAD_INPUT` with the line, and `BAD_OPTION`. */
export function parseSwf(bytes: Uint8Array, options: SwfOptions = {}): Trace {
  return parseTrace(bytes, swfParseOptions(options))
}

/** Separates the options of the reader from the rules. */
export function swfParseOptions({ file, onBadLine, ...options }: SwfOptions) {
  return { format: swfFormat, file, onBadLine, options }
}
