import { checkKeys, checkPlug, SchedError, type Plug, type Seconds } from '@sched/core'
import type { ClusterDescription } from './description.js'

/** What a dispatcher is made of. */
export interface DispatcherOptions {
  /** The nodes; they are those for good. */
  readonly cluster: ClusterDescription
  /** What decides, `greedy(drf())` for example. */
  readonly policy: Plug<'policy'>
  /** For policies that draw random numbers. Default 1. */
  readonly seed?: number
  /** Told when a policy promises a start, as backfilling does to the jobs that it protects; a later promise replaces an earlier one. */
  readonly promised?: (job: string, start: Seconds) => void
  /** Called once for each thing the user should know. */
  readonly warn?: (message: string) => void
}

/** How a job is submitted. */
export interface SubmitOptions {
  /** It was in the system of another dispatcher already: how many jobs there may be, and a queue that takes no more of them, do not keep it out. Default false. */
  readonly again?: boolean
}

/** What a node says of itself at its heartbeat. */
export interface HeartbeatOptions {
  /** At most so many starts in each lane; default: all that fit. 0 is a node without a free slot. */
  readonly free?: number
}

const known: Readonly<Record<keyof DispatcherOptions, true>> = { cluster: true, policy: true, seed: true, promised: true, warn: true }

/** Throws `BAD_OPTION` for what a program without types may give. */
export function checkOptions(options: DispatcherOptions | undefined): void {
  const given: { readonly [K in keyof DispatcherOptions]?: unknown } = options ?? {}
  if (typeof given.cluster !== 'object' || given.cluster === null)
    throw new SchedError('BAD_OPTION', 'is missing.', { field: 'cluster' }, 'Describe one, for example { nodes: [{ count: 10, resources: { cpu: 8 } }] }.')
  checkPlug('policy', given.policy, 'policy')
  if (given.seed !== undefined && !Number.isSafeInteger(given.seed)) throw new SchedError('BAD_OPTION', `seed is ${JSON.stringify(given.seed)}.`, { field: 'seed' }, 'Use a whole number.')
  for (const field of ['promised', 'warn'] as const)
    if (given[field] !== undefined && typeof given[field] !== 'function') throw new SchedError('BAD_OPTION', 'is no function.', { field }, 'Give one, or leave it out.')
  checkKeys('', given, known)
}
