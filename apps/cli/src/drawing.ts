import type { Observer } from '@sched/core'
import { jobQuantiles, runSeries, scheduleWindow, type JobQuantiles, type Period, type RunSeries, type ScheduleWindow } from '@sched/metrics'

/** What is to be kept of runs for charts: distributions of all, and of those on one seed what happened over time. */
export interface Draw {
  readonly seed: number
  /** Whether the user wants a Gantt chart even of a long schedule. */
  readonly schedule: boolean
}

/** What charts of a run are drawn from, as plain data of bounded size. */
export interface Drawn {
  readonly quantiles: JobQuantiles
  /** Of the run on `Draw.seed`. */
  readonly series?: RunSeries
  /** The same; absent for a schedule that is too long to be drawn unasked. */
  readonly schedule?: ScheduleWindow
}

/** Rectangles of a Gantt chart that is drawn unasked, and at most. Each takes 150 bytes of the page. */
export const GANTT = { unasked: 1000, most: 4000 }

/** Observers of one run that keep what charts need. */
export function drawing(
  { seed: of, schedule }: Draw,
  seed: number,
  { exact, tau, period }: { readonly exact?: number | undefined; readonly tau?: number | undefined; readonly period?: Period | undefined },
): { readonly observers: readonly Observer[]; result(): Drawn } {
  const quantiles = jobQuantiles({ exact, tau, period })
  if (seed !== of) return { observers: [quantiles.observer], result: () => ({ quantiles: quantiles.result() }) }
  const series = runSeries()
  const window = scheduleWindow({ most: schedule ? GANTT.most : GANTT.unasked, cut: schedule })
  return {
    observers: [quantiles.observer, series, window],
    result() {
      const kept = window.result()
      return { quantiles: quantiles.result(), series: series.result(), ...(kept !== undefined && { schedule: kept }) }
    },
  }
}
