import type { Outcome, Size } from './benchmark.js'

/** What the parent asks of a variant's process; each is answered before the next one is sent. */
export type Request =
  | { readonly kind: 'prepare'; readonly benchmark: string; readonly variant: string; readonly size: Size }
  | { readonly kind: 'run'; readonly how: RunOptions }

export interface RunOptions {
  /** Reports its decisions. */
  readonly hashed?: boolean
  /** File for a CPU profile of the run. */
  readonly profile?: string
}

export type Reply =
  | { readonly kind: 'prepared' }
  | { readonly kind: 'ran'; readonly run: Ran }
  | { readonly kind: 'failed'; readonly message: string }

/** One run as its process saw it. */
export interface Ran extends Outcome {
  /** CPU seconds of all threads of the process, user and system. */
  readonly cpu: number
  /** Most resident memory so far, bytes. */
  readonly peak: number
  /** Empty unless the run was hashed. */
  readonly hash: string
}
