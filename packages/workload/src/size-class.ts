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

/** Kettimuthu et al., ICPP 2002: narrow to very wide. */
const mostProcs = [1, 8, 32] as const
export const widthClasses: readonly string[] = ['1', '2-8', '9-32', '>32']

/** The class of a rigid job by what it asks of a resource in all; `undefined` for a job that does not ask for it. */
export function widthClass({ stages: [stage, ...others] }: JobSpec, resource: string): string | undefined {
  const amount = (stage?.demand[resource] ?? 0) * (stage?.tasks ?? 0)
  if (amount === 0 || others.length > 0) return undefined
  const at = mostProcs.findIndex((most) => amount <= most)
  return widthClasses.at(at)
}
