import { SchedError, type ErrorCode, type Place } from '@sched/core'
import { Interruption } from '../interruption.js'
import type { RunResult } from '../run-once.js'

/** What became of one run, as plain data that can go from thread to thread. */
export interface Outcome {
  readonly run: number
  readonly result?: RunResult
  readonly failure?: Failure
}

interface Failure {
  readonly message: string
  readonly stack?: string | undefined
  /** Parts of a `SchedError`. */
  readonly sched?: { readonly code: ErrorCode; readonly fact: string; readonly place: Place; readonly wayOut: string }
}

/** An error in transit; `undefined` for a run that was told to stop. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof Interruption) return undefined
  if (error instanceof SchedError) {
    const { message, code, fact, place, wayOut } = error
    return { message, sched: { code, fact, place, wayOut } }
  }
  return error instanceof Error ? { message: error.message, stack: error.stack } : { message: String(error) }
}

/** The error that was in transit. */
export function errorOf({ message, stack, sched }: Failure): Error {
  if (sched !== undefined) return new SchedError(sched.code, sched.fact, sched.place, sched.wayOut)
  const error = new Error(message)
  if (stack !== undefined) error.stack = stack
  return error
}
