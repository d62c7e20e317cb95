import { SchedError, type Seconds } from '@sched/core'

/** Seconds without a running task or a start after which pending work counts as forgotten by the policy. */
export const STALL = 7 * 86_400

/** The error of a policy that has forgotten pending work. */
export const stalled = (policy: string, unplaced: number, now: Seconds): SchedError =>
  new SchedError(
    'BROKEN_CONTRACT',
    `at ${now} s policy "${policy}" leaves ${unplaced} job${unplaced === 1 ? '' : 's'} unplaced although nothing runs.`,
    {},
    'A policy must place pending work when the cluster is idle, or ask for a round with wakeAt.',
  )
