import type * as z from '@sched/bundled/zod'
import type { ReadOptions, Trace } from '../trace/format.js'
import { parseTrace } from '../trace/parse-trace.js'
import { swimFormat } from './format.js'
import type { rateModel } from './rate-model.js'

/** Options of the rate model and of all readers. */
export interface SwimOptions extends z.input<typeof rateModel>, ReadOptions {}

/** A SWIM workload from its unpacked bytes. Throws `BAD_INPUT` with the line, and `BAD_OPTION`. */
export function parseSwim(bytes: Uint8Array, options: SwimOptions = {}): Trace {
  return parseTrace(bytes, swimParseOptions(options))
}

/** Separates the options of the reader from those of the rate model. */
export function swimParseOptions({ file, onBadLine, maxTasks, ...options }: SwimOptions) {
  return { format: swimFormat, file, onBadLine, maxTasks, options }
}
