import type { Observer, Seconds } from '@sched/core'
import { boundedSlowdown, TAU } from './bounded-slowdown.js'
import { EXACT_VALUES, Values } from './distribution.js'
import { jobRows } from './job-rows.js'
import { counts, wholeRun, type Period } from './period.js'

/** Quantiles of the finished jobs at `fractions` of them, ascending from 0 to 1: what a cumulative distribution is drawn from. */
export interface JobQuantiles {
  /** Jobs that the values are of. */
  readonly jobs: number
  /** Parts of the jobs, ascending from 0 to 1, of which the values below are. */
  readonly fractions: readonly number[]
  /** Seconds. */
  readonly wait: readonly number[]
  /** Seconds from submission to the end. */
  readonly response: readonly number[]
  /** Bounded slowdown, a pure number. */
  readonly slowdown: readonly number[]
}

/** Options of `jobQuantiles`; all may be left out, and are those of `jobTimes`. */
interface JobQuantilesOptions {
  /** Equal parts that the jobs are divided into. Default 200. */
  readonly parts?: number
  readonly exact?: number | undefined
  readonly tau?: Seconds | undefined
  readonly period?: Period | undefined
}

/** Distributions of wait, response and bounded slowdown in so many points, however many jobs there are. */
export function jobQuantiles({ parts = 200, exact = EXACT_VALUES, tau = TAU, period = wholeRun }: JobQuantilesOptions = {}): {
  readonly observer: Observer
  result(): JobQuantiles
} {
  const [wait, response, slowdown] = [new Values(exact), new Values(exact), new Values(exact)]
  const observer = jobRows((row) => {
    if (row.abandoned || !counts(period, row.submit)) return
    wait.add(row.wait)
    response.add(row.response)
    slowdown.add(boundedSlowdown(row.submit, row.start, row.end, tau))
  })
  const fractions = Array.from({ length: parts + 1 }, (_, i) => i / parts)
  const of = (values: Values) => (values.count === 0 ? [] : values.quantiles(fractions))
  return { observer, result: () => ({ jobs: wait.count, fractions, wait: of(wait), response: of(response), slowdown: of(slowdown) }) }
}
