/** Disjoint ranges of whole numbers, ascending: `[first, last, first, last, ...]`. */
export type Ranges = readonly number[]

/** Text of ranges: `0-3 7` for `[0, 3, 7, 7]`. */
export function rangesText(ranges: Ranges): string {
  const parts: string[] = []
  for (let i = 0; i < ranges.length; i += 2) parts.push(ranges[i] === ranges[i + 1] ? `${ranges[i] ?? ''}` : `${ranges[i] ?? ''}-${ranges[i + 1] ?? ''}`)
  return parts.join(' ')
}

/** The ranges that contain these numbers, which may be in any order and repeated. */
export function rangesOf(numbers: readonly number[]): Ranges {
  const ranges: number[] = []
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last !== undefined && number <= last + 1) ranges[ranges.length - 1] = number
    else ranges.push(number, number)
  }
  return ranges
}

/** Numbers from 0 that are free or taken; the lowest free numbers are taken first. */
export class Units {
  #free: number[]

  constructor(count: number) {
    this.#free = count > 0 ? [0, count - 1] : []
  }

  /** Takes `count` numbers, or all that are free if there are fewer. */
  take(count: number): Ranges {
    const taken: number[] = []
    const left: number[] = []
    for (let i = 0, wanted = count; i < this.#free.length; i += 2) {
      const [from, to] = [this.#free[i] as number, this.#free[i + 1] as number]
      const here = Math.min(wanted, to - from + 1)
      if (here > 0) taken.push(from, from + here - 1)
      if (from + here <= to) left.push(from + here, to)
      wanted -= here
    }
    this.#free = left
    return taken
  }

  giveBack(ranges: Ranges): void {
    this.#free = merged(this.#free, ranges)
  }
}

/** The union of two disjoint lists of ranges. */
export function merged(a: Ranges, b: Ranges): number[] {
  if (a.length === 0) return [...b]
  const result: number[] = []
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const takesA = j >= b.length || (i < a.length && (a[i] as number) < (b[j] as number))
    const [from, to] = takesA ? [a[i] as number, a[i + 1] as number] : [b[j] as number, b[j + 1] as number]
    if (takesA) i += 2
    else j += 2
    if (result.at(-1) === from - 1) result[result.length - 1] = to
    else result.push(from, to)
  }
  return result
}
