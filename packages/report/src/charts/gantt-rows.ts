/** Something that held some rows from `start` to `end`, seconds. */
export interface GanttBar {
  readonly label: string
  readonly start: number
  readonly end: number
  /** First and last row of each range that it held, numbered from 0. */
  readonly rows: readonly (readonly [first: number, last: number])[]
  /** What its colour stands for, named in a legend; by its label where none has a kind. */
  readonly kind?: string
  /** Drawn pale: what was evicted or failed. */
  readonly isPale?: boolean
  /** More about it, beside the times, for who points at it. */
  readonly note?: string | undefined
}

/** A part of a bar that is drawn as one: between two heights, counted from the top in the height of the thinnest row. */
export interface Stripe {
  readonly bar: GanttBar
  readonly from: number
  readonly to: number
}

/** Where the rows of a Gantt chart lie: a row in which bars overlap in time is as many times higher. */
export interface GanttRows {
  readonly height: number
  /** Rows that are drawn, from the first on. */
  readonly shown: number
  /** Where a row begins. */
  top(row: number): number
  readonly stripes: readonly Stripe[]
}

/** Lays out rows until they are `most` high in all; at least one is shown. Rows without a limit hold one bar at a time: units. */
export function ganttRows(rows: number, bars: readonly GanttBar[], most: number): GanttRows {
  const ordered = [...bars.keys()].sort((a, b) => at(bars, a).start - at(bars, b).start || at(bars, a).end - at(bars, b).end || a - b)
  if (most === Infinity) {
    const stripes = ordered.flatMap((i) => at(bars, i).rows.map(([first, last]) => ({ bar: at(bars, i), from: first, to: last + 1 })))
    return { height: rows, shown: rows, top: (row) => row, stripes }
  }
  const slots = Array.from({ length: rows }, () => [] as number[])
  const places = ordered.map((i) => ({ bar: at(bars, i), slots: placesOf(at(bars, i), slots) }))
  const tops = [0]
  for (const ends of slots) {
    const next = (tops.at(-1) ?? 0) + Math.max(1, ends.length)
    if (next > most && tops.length > 1) break
    tops.push(next)
  }
  const shown = tops.length - 1
  const stripes = places.flatMap(({ bar, slots }) =>
    joined(slots.filter(({ row }) => row < shown).map(({ row, slot }) => (tops[row] ?? 0) + slot)).map(([from, to]) => ({ bar, from, to })))
  return { height: tops.at(-1) ?? 0, shown, top: (row) => tops[row] ?? 0, stripes }
}

/** In each row the first slot that is free by then. */
function placesOf(bar: GanttBar, slots: readonly number[][]): { row: number; slot: number }[] {
  return bar.rows.flatMap(([first, last]) =>
    slots.slice(first, last + 1).map((ends, i) => {
      const free = ends.findIndex((end) => end <= bar.start)
      const slot = free < 0 ? ends.length : free
      ends[slot] = bar.end
      return { row: first + i, slot }
    }),
  )
}

/** Neighbouring heights as one stripe. */
function joined(heights: readonly number[]): [number, number][] {
  const stripes: [number, number][] = []
  for (const height of heights) {
    const last = stripes.at(-1)
    if (last?.[1] === height) last[1] = height + 1
    else stripes.push([height, height + 1])
  }
  return stripes
}

const at = (bars: readonly GanttBar[], i: number): GanttBar => bars[i] as GanttBar
