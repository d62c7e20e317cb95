import type { JobSpec } from '@sched/core'

/** Largest number of maps in bins 1 to 8 of DS-T2 (Zaharia et al., EuroSys 2010, table 2); bin 9 has more. */
const mostMaps = [1, 2, 20, 60, 150, 300, 500, 1500] as const

/** Names of the bins, `bin 1` to `bin 9`, in the order of reports. */
export const sizeClasses: readonly string[] = Array.from({ length: 9 }, (_, i) => `bin ${i + 1}`)

/** Numbers of maps of the jobs in each bin, in the same order: `1`, `2`, `3-20`, ..., `>1500`. */
export const sizeRanges: readonly string[] = [...mostMaps.map((most, i) => (i < 2 ? `${most}` : `${mostMaps[i - 1]! + 1}-${most}`)), `>${mostMaps.at(-1)!}`]

/** Bin of DS-T2 for a number of maps. */
export function sizeClass(maps: number): string {
  let bin = 0
  while (bin < mostMaps.length && maps > mostMaps[bin]!) bin++
  return sizeClasses[bin]!
}

/** Size of a job: the number of its tasks that ask for a `map` slot, or of all its tasks if none does. */
export function jobSize({ stages }: JobSpec): number {
  let maps = 0
  let all = 0
  for (const { tasks, demand } of stages) {
    all += tasks
    if (demand['map'] !== undefined) maps += tasks
  }
  return maps > 0 ? maps : all
}

/** Most processors of the classes narrow to wide; very wide is more. Source: Kettimuthu et al., ICPP 2002. */
const mostProcs = [1, 8, 32] as const
/** Names of the classes by width, in ascending order. */
export const widthClasses: readonly string[] = ['1', '2-8', '9-32', '>32']

/**
 * Class of a job of one stage by the total amount of a resource that it asks for; `undefined` if it has several stages or does not ask for the
 * resource.
 */
export function widthClass({ stages: [stage, ...others] }: JobSpec, resource: string): string | undefined {
  const amount = (stage?.demand[resource] ?? 0) * (stage?.tasks ?? 0)
  if (amount === 0 || others.length > 0) return undefined
  const at = mostProcs.findIndex((most) => amount <= most)
  return widthClasses.at(at)
}
