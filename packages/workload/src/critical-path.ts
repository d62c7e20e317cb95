import type { Duration, Seconds, StageSpec } from '@sched/core'

/**
 * How long a job takes at least, on nodes of speed 1 with room for all: the longest way through stages of which one waits for all of another, each as long as
 * its longest task (a drawn one as its mean); and of how many stages the longest chain is.
 */
export function criticalPath(stages: readonly StageSpec[]): { readonly seconds: Seconds; readonly stages: number } {
  const ends = new Float64Array(stages.length)
  const places = new Int32Array(stages.length)
  let [seconds, most] = [0, 0]
  stages.forEach(({ duration, after = [] }, i) => {
    let [from, before] = [0, 0]
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

/** Seconds of the longest task; of a drawn one its mean. */
export function longestOf(duration: Duration): Seconds {
  if (typeof duration === 'number') return duration
  if ('kind' in duration) return meanOf(duration)
  let longest = 0
  for (let i = 0; i < duration.length; i++) longest = Math.max(longest, duration[i]!)
  return longest
}

export function meanOf(distribution: Exclude<Duration, number | readonly number[] | Float64Array>): Seconds {
  if (distribution.kind === 'uniform') return (distribution.min + distribution.max) / 2
  return distribution.mean + (distribution.shift ?? 0)
}
