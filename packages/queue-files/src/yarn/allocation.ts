import type { JobSpec, StageSpec } from '@sched/core'
import type { Placed } from '../placed.js'
import type { Bounds } from './resource-types.js'

/** How YARN rounds what tasks ask for, by resource of the cluster. */
export interface Allocation {
  /** A task gets at least this amount. */
  readonly least: Readonly<Record<string, number>>
  /** A task gets a multiple of this amount; absent or 0: its amount is not rounded. */
  readonly steps: Readonly<Record<string, number>>
}

/**
 * The stages of a job with what YARN gives their tasks: at least `least`, rounded up to a multiple of `steps`, but at most `most`. A job with a task that
 * asks for more than `most` is refused, and the refusal names the setting and its line.
 *
 * Source: Hadoop 3.4, SchedulerUtils.normalizeAndValidateRequest and DominantResourceCalculator.normalize.
 */
export function allocated({ stages }: JobSpec, { least, steps }: Allocation, most: Bounds): Placed {
  for (const { demand, master } of stages)
    for (const [name, { value, from }] of most) {
      const asked = demand[name] ?? 0
      if (asked > value) return { refused: `${master === true ? 'its master' : 'a task'} asks ${asked} ${name}, more than the ${value} of ${from.name} (${from.file} line ${from.line})` }
    }
  const names = [...new Set([...Object.keys(least), ...Object.keys(steps)])]
  const given = (name: string, asked: number) => {
    const [atLeast, step] = [Math.max(asked, least[name] ?? 0), steps[name] ?? 0]
    return Math.min(step > 0 ? Math.ceil(atLeast / step) * step : atLeast, most.get(name)?.value ?? Infinity)
  }
  const rounded = (stage: StageSpec): StageSpec => ({ ...stage, demand: { ...stage.demand, ...Object.fromEntries(names.map((name) => [name, given(name, stage.demand[name] ?? 0)])) } })
  return names.length === 0 ? {} : { stages: stages.map(rounded) }
}
