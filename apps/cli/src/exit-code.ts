import { SchedError, type ErrorCode } from '@sched/core'

/** Done; failed on the way; bad usage or input; interrupted by Ctrl-C (128 + the number of SIGINT). */
export const Exit = { Done: 0, Failed: 1, Usage: 2, Interrupted: 130 } as const
export type Exit = (typeof Exit)[keyof typeof Exit]

const usage: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['BAD_INPUT', 'BAD_OPTION', 'UNKNOWN_NAME', 'TAKEN_NAME', 'INFEASIBLE'])

/** What the user can mend is 2; a failed write and a broken promise of the program or a plug-in are 1. */
export function exitCodeOf(error: unknown): Exit {
  if (!(error instanceof SchedError)) return Exit.Failed
  if (error.code === 'IO') return error.fact.startsWith('cannot write') ? Exit.Failed : Exit.Usage
  return usage.has(error.code) ? Exit.Usage : Exit.Failed
}
