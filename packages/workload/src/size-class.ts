import type { JobSpec } from '@sched/core'

/** Largest number of maps in bins 1 to 8 of DS-T2 (Zaharia et al., EuroSys 2010, table 2); bin 9 has more. */
const mostMaps = [1, 2, 20, 60, 150, 300, 500, 1500] as const

/** `bin 1` to `bin 9`, the order in which reports list them. */
export const sizeClasses: readonly string[] = Array.from({ length: 9 }, (_, i) => `bin ${i + 1}`)

/** The bin of the Facebook job sizes that a number of maps falls into. */
export function sizeClass(maps: number): string {
  let bin = 0
  while (bin < mostMaps.length && maps > mostMaps[bin]!) bin++
  return sizeClasses[bin]!
}

/** A job's size: its tasks that ask for a `map` slot; where there is none, all its tasks. */
export function jobSize({ stages }: JobSpec): number {
  let maps = 0
  let all = 0
  for (const { tasks, demand } of stages) {
    all += tasks
    if (demand['map'] !== undefined) maps += tasks
  }
  return maps > 0 ? maps : all
}
