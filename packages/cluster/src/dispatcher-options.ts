import { checkKeys, checkPlug, SchedError, type Plug, type Seconds } from '@sched/core'
import type { ClusterDescription, ClusterInput } from './description.js'

/** What a dispatcher is created with. */
export interface DispatcherOptions {
  /** The nodes, as a file or a program writes them; the set of nodes cannot change later. */
  readonly cluster: ClusterDescription | ClusterInput
  /** The policy that decides, for example `greedy(drf())`. */
  readonly policy: Plug<'policy'>
  /** For policies that draw random numbers. Default 1. */
  readonly seed?: number
  /** Called when the policy promises a start, as backfilling does for the jobs that it protects. A later promise replaces an earlier one. */
  readonly promised?: (job: string, start: Seconds) => void
  /**
   * Called when the promise that `promised` told last of a job no longer holds and none has taken its place: a more urgent job has come before it, a limit holds it
   * back, or its time has passed. Not called for a job that starts or leaves, nor under a policy without `promisedStart`. Told
   * at the end of a round, as of all of it.
   */
  readonly withdrawn?: (job: string) => void
  /** True: note why jobs wait, for `explain`. A policy then looks at every waiting job, which takes longer, and decides the same. Default false. */
  readonly explained?: boolean
  /** Called once for each message that the user should see. */
  readonly warn?: (message: string) => void
}

/** How a job is submitted. */
export interface SubmitOptions {
  /**
   * True: the job was in the system of another dispatcher before, so limits on the number of jobs, and queues that take no new jobs, do not keep it
   * out. Default false.
   */
  readonly again?: boolean
}

/** What a node reports at its heartbeat. */
export interface HeartbeatOptions {
  /** Most starts in each lane; default: all that fit. 0: the node has no free slot. */
  readonly free?: number
}

const known: Readonly<Record<keyof DispatcherOptions, true>> = { cluster: true, policy: true, seed: true, promised: true, withdrawn: true, explained: true, warn: true }

/** Throws `BAD_OPTION` for wrong options, which a program without types may pass. */
export function checkOptions(options: DispatcherOptions | undefined): void {
  const given: { readonly [K in keyof DispatcherOptions]?: unknown } = options ?? {}
  if (typeof given.cluster !== 'object' || given.cluster === null)
    throw new SchedError('BAD_OPTION', 'is missing.', { field: 'cluster' }, 'Describe one, for example { nodes: [{ count: 10, resources: { cpu: 8 } }] }.')
  checkPlug('policy', given.policy, 'policy')
  if (given.seed !== undefined && !Number.isSafeInteger(given.seed)) throw new SchedError('BAD_OPTION', `seed is ${JSON.stringify(given.seed)}.`, { field: 'seed' }, 'Use a whole number.')
  for (const field of ['promised', 'withdrawn', 'warn'] as const)
    if (given[field] !== undefined && typeof given[field] !== 'function') throw new SchedError('BAD_OPTION', 'is no function.', { field }, 'Give one, or leave it out.')
  if (given.explained !== undefined && typeof given.explained !== 'boolean') throw new SchedError('BAD_OPTION', `is ${JSON.stringify(given.explained)}.`, { field: 'explained' }, 'Use true or false.')
  checkKeys('', given, known)
}
