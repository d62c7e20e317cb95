import type { JobSpec, StageSpec } from '@sched/core'
import type { Placed } from '../placed.js'
import type { Bounds } from './resource-types.js'

/** What YARN makes of what tasks ask for, by resource of the cluster. */
export interface Allocation {
  /** They get that much at least. */
  readonly least: Readonly<Record<string, number>>
  /** What they get is a multiple of it; absent or 0: as they ask. */
  readonly steps: Readonly<Record<string, number>>
}

/**
 * A job whose tasks ask for as much as YARN gives them: no less than the least, rounded up to whole steps, but no more than the most. A job that
 * asks for more than that is refused, with the line that says so.
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
