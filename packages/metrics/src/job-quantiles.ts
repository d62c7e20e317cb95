import type { Observer, Seconds } from '@sched/core'
import { boundedSlowdown, TAU } from './bounded-slowdown.js'
import { EXACT_VALUES, Values } from './distribution.js'
import { jobRows } from './job-rows.js'
import { counts, wholeRun, type Period } from './period.js'

/** Quantiles over the finished jobs at ascending fractions from 0 to 1, from which to draw a cumulative distribution. */
export interface JobQuantiles {
  /** Number of jobs. */
  readonly jobs: number
  /** Fractions of the jobs, ascending from 0 to 1, one for each of the values below. */
  readonly fractions: readonly number[]
  /** Wait for the first task, seconds. */
  readonly wait: readonly number[]
  /** Seconds from submission to the end. */
  readonly response: readonly number[]
  /** Bounded slowdown, a pure number. */
  readonly slowdown: readonly number[]
}

/** Options of `jobQuantiles`, all optional; those not described here are as in `jobTimes`. */
interface JobQuantilesOptions {
  /** Number of equal parts that the jobs are divided into. Default 200. */
  readonly parts?: number
  readonly exact?: number | undefined
  readonly tau?: Seconds | undefined
  readonly period?: Period | undefined
}

/** Distributions of wait, response and bounded slowdown at a fixed number of points, however many jobs there are. */
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
