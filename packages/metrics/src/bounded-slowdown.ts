import type { Seconds } from '@sched/core'

/** Shorter run times count as this many seconds. */
export const TAU: Seconds = 10

/**
 * max(1, response / max(run time, tau)), a pure number.
 *
 * Source: Feitelson, Rudolph, Schwiegelshohn, Sevcik, Wong, "Theory and Practice in Parallel Job Scheduling", JSSPP 1997.
 */
export const boundedSlowdown = (submit: Seconds, start: Seconds, end: Seconds, tau = TAU): number => Math.max(1, (end - submit) / Math.max(end - start, tau))
