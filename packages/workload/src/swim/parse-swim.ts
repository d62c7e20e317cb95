import type * as z from '@sched/bundled/zod'
import type { ReadOptions, Trace } from '../trace/format.js'
import { parseTrace } from '../trace/parse-trace.js'
import { swimFormat } from './format.js'
import type { rateModel } from './rate-model.js'

/** The rate model's options and those of every reader. */
export interface SwimOptions extends z.input<typeof rateModel>, ReadOptions {}

/** A SWIM workload from its bytes (unpacked). Throws `BAD_INPUT` with the line, `BAD_OPTION`. */
export function parseSwim(bytes: Uint8Array, options: SwimOptions = {}): Trace {
  return parseTrace(bytes, swimParseOptions(options))
}

/** Tells the options of the reader from those of the rate model. */
export function swimParseOptions({ file, onBadLine, maxTasks, ...options }: SwimOptions) {
  return { format: swimFormat, file, onBadLine, maxTasks, options }
}
