import type { Seconds } from '@sched/core'

/** Names of classes of whole numbers between ascending limits: `[1, 8, 32]` gives `1`, `2-8`, `9-32` and `>32`. */
export function sizeNames(limits: readonly number[]): string[] {
  const between = limits.map((limit, i) => {
    const from = i === 0 ? 1 : (limits[i - 1] as number) + 1
    return from === limit ? `${limit}` : `${from}-${limit}`
  })
  return [...between, `>${limits.at(-1) ?? 0}`]
}

/** `0-600 s`, `600-3600 s`, `>3600 s`; a limit belongs to the class below it. */
export function lengthNames(limits: readonly Seconds[]): string[] {
  return [...limits.map((limit, i) => `${limits[i - 1] ?? 0}-${limit} s`), `>${limits.at(-1) ?? 0} s`]
}

/** The class of a value: that of the first limit which is not below it. */
export function classAt(limits: readonly number[], value: number): number {
  let at = 0
  while (at < limits.length && value > (limits[at] as number)) at++
  return at
}
