import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Recorded traces are not part of the repository: they are looked for in the folder `SCHED_TRACES`. */
export const tracePath = (file: string): string => join(process.env['SCHED_TRACES'] ?? '', file)

/** Why a benchmark of a trace cannot run, `undefined` when it can. */
export const missingTrace = (file: string): string | undefined =>
  process.env['SCHED_TRACES'] !== undefined && existsSync(tracePath(file)) ? undefined : `the trace is absent; set SCHED_TRACES to the folder that has ${file}`
