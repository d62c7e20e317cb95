import type { Seconds } from './ids.js'
import type { Observer } from './observer.js'

/** What a metric is built with, once per run. */
export interface MetricEnv {
  /**
   * The part of the run that counts, without warm-up and cool-down: jobs submitted in [from, to), and what happens between the two. Seconds;
   * -Infinity and Infinity where all counts.
   */
  readonly period: { readonly from: Seconds; readonly to: Seconds }
}

/** A number that a metric has measured of a run. */
export interface MetricFigure {
  /** Unique among the figures of the metric, and the same in every run. */
  readonly name: string
  /** What it is, in tables. Default: the names of the metric and of the figure. */
  readonly title?: string
  /** Seconds, a fraction that is shown in percent, watts or kilowatt-hours. Default: none of these. */
  readonly unit?: 's' | '%' | 'W' | 'kWh' | ''
  /** NaN where a run has no such number. */
  readonly value: number
}

/** A listener to a run that says in the end what it has measured. */
export interface Metric extends Observer {
  /** Called once, after the run. A figure that other runs have and this one lacks may be left out. */
  figures(): readonly MetricFigure[]
}
