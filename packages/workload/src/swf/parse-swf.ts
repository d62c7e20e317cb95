import type * as z from '@sched/bundled/zod'
import type { ReadOptions, Trace } from '../trace/format.js'
import { parseTrace } from '../trace/parse-trace.js'
import { swfFormat } from './format.js'
import type { swfOptions } from './options.js'

/** The rules of the format and the options of every reader. */
export interface SwfOptions extends z.input<typeof swfOptions>, Omit<ReadOptions, 'maxTasks'> {}

/** A log from its bytes (unpacked), with its machine and its header. Throws `BAD_INPUT` with the line, `BAD_OPTION`. */
export function parseSwf(bytes: Uint8Array, options: SwfOptions = {}): Trace {
  return parseTrace(bytes, swfParseOptions(options))
}

/** Tells the options of the reader from the rules. */
export function swfParseOptions({ file, onBadLine, ...options }: SwfOptions) {
  return { format: swfFormat, file, onBadLine, options }
}
