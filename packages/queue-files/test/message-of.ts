import { SchedError } from '@sched/core'

/** The message of the error that something throws, which must be one of ours; `no error` where it throws none. */
export function messageOf(doing: () => unknown): string {
  try {
    doing()
  } catch (error) {
    if (error instanceof SchedError) return error.message
    throw error
  }
  return 'no error'
}
