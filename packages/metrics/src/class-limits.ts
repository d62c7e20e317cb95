import type { Seconds } from '@sched/core'

/** Names of classes of whole numbers by ascending upper limits: `[1, 8, 32]` gives `1`, `2-8`, `9-32` and `>32`. */
export function sizeNames(limits: readonly number[]): string[] {
  const between = limits.map((limit, i) => {
    const from = i === 0 ? 1 : (limits[i - 1] as number) + 1
    return from === limit ? `${limit}` : `${from}-${limit}`
  })
  return [...between, `>${limits.at(-1) ?? 0}`]
}

/** Names of classes of times: `0-600 s`, `600-3600 s`, `>3600 s`; a limit belongs to the class that ends at it. */
export function lengthNames(limits: readonly Seconds[]): string[] {
  return [...limits.map((limit, i) => `${limits[i - 1] ?? 0}-${limit} s`), `>${limits.at(-1) ?? 0} s`]
}

/** Index of a value's class: that of the first limit that is not below the value. */
export function classAt(limits: readonly number[], value: number): number {
  let at = 0
  while (at < limits.length && value > (limits[at] as number)) at++
  return at
}
