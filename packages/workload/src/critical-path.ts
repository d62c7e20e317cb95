import type { Duration, Seconds, StageSpec } from '@sched/core'

/**
 * The least time that a job takes on nodes of speed 1 with room for all its tasks, and the number of stages of its longest chain. A chain is made of
 * stages that each wait for all tasks of the one before; a stage takes as long as its longest task, or the mean if durations are drawn. A master is
 * no part of a chain, but the other stages open only when it has run for its duration.
 */
export function criticalPath(stages: readonly StageSpec[]): { readonly seconds: Seconds; readonly stages: number } {
  const ends = new Float64Array(stages.length)
  const places = new Int32Array(stages.length)
  const opening = stages[0]?.master === true ? longestOf(stages[0].duration) : 0
  let [seconds, most] = [0, 0]
  stages.forEach(({ duration, master, after = [] }, i) => {
    let [from, before] = [master === true ? 0 : opening, 0]
    for (const { stage, fraction } of after) {
      if (fraction < 1) continue
      from = Math.max(from, ends[stage]!)
      before = Math.max(before, places[stage]!)
    }
    ends[i] = from + longestOf(duration)
    places[i] = before + 1
    seconds = Math.max(seconds, ends[i])
    most = Math.max(most, places[i])
  })
  return { seconds, stages: most }
}

/** Seconds that the longest task of a stage takes; the mean if durations are drawn. */
export function longestOf(duration: Duration): Seconds {
  if (typeof duration === 'number') return duration
  if ('kind' in duration) return meanOf(duration)
  let longest = 0
  for (let i = 0; i < duration.length; i++) longest = Math.max(longest, duration[i]!)
  return longest
}

/** Mean of a distribution in seconds. */
export function meanOf(distribution: Exclude<Duration, number | readonly number[] | Float64Array>): Seconds {
  if (distribution.kind === 'uniform') return (distribution.min + distribution.max) / 2
  return distribution.mean + (distribution.shift ?? 0)
}
