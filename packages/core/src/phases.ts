import type { Seconds } from './ids.js'
import type { Phase } from './job.js'

/**
 * Predicted time in seconds of phases run one after the other by `workers` workers. Each worker does one activity at a time; speed-up is linear up to
 * one worker per activity.
 *
 * Source: Schwarzkopf et al., EuroSys 2013, section 6.1, which gives the model in words; the formula is ours: the sum over the phases of activities x
 * time / min(workers, activities).
 */
export function phasesTime(phases: readonly Phase[], workers: number): Seconds {
  let time = 0
  for (let i = 0; i < phases.length; i++) {
    const phase = phases[i] as Phase
    time += (phase.activities * phase.time) / Math.min(workers, phase.activities)
  }
  return time
}
