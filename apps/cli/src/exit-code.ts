import { SchedError, type ErrorCode } from '@sched/core'

/** Done; failed on the way; bad usage or input; interrupted by Ctrl-C (128 + the number of SIGINT). */
export const Exit = { Done: 0, Failed: 1, Usage: 2, Interrupted: 130 } as const
export type Exit = (typeof Exit)[keyof typeof Exit]

/** What is said then. */
export const interrupted = 'Interrupted; nothing was written.\n'

const usage: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['BAD_INPUT', 'BAD_OPTION', 'UNKNOWN_NAME', 'TAKEN_NAME', 'INFEASIBLE', 'IO'])

/** What the user can mend is 2, a full disk too; a broken promise of the program or a plug-in is 1. */
export const exitCodeOf = (error: unknown): Exit => (error instanceof SchedError && usage.has(error.code) ? Exit.Usage : Exit.Failed)
