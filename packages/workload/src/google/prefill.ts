import { randomStream, SchedError } from '@sched/core'
import type { RunningGroup, RunningTask } from '../omega/prefill.js'
import { EmptyCell, type CellGroups } from '../omega/random-first-fit.js'

/** Options of `placeGoogle`. */
export interface PlaceGoogleOptions {
  /** Seed of the draws. Default 1. */
  readonly seed?: number
  /** Fraction of each resource of the cell that may be in use, in (0, 1]. Default 1. */
  readonly utilisation?: number
}

/**
 * Places the tasks that run at time 0 in the order of the trace, by seeded randomised first fit. Tasks that fit nowhere, or would raise the use of a
 * resource above `utilisation`, are counted in `left` and not placed: Borg over-commits (at time 0 the tasks ask for 113 % of the CPUs), and cells
 * here do not. Throws `BAD_OPTION`.
 */
export function placeGoogle(
  cell: CellGroups, running: readonly RunningGroup[], { seed = 1, utilisation = 1 }: PlaceGoogleOptions = {},
): { readonly tasks: readonly RunningTask[]; readonly left: number } {
  if (!(utilisation > 0 && utilisation <= 1))
    throw new SchedError('BAD_OPTION', `the utilisation is ${utilisation}.`, { field: 'utilisation' }, 'Use a fraction above 0, at most 1.')
  const empty = new EmptyCell(cell, randomStream(seed, 'google/prefill'))
  const left = new Map(empty.resources.map((name) => [name, (empty.totals[name] ?? 0) * utilisation]))
  const tasks: RunningTask[] = []
  let count = 0
  for (const { tasks: copies, demand, end } of running) {
    const asked = Object.entries(demand)
    count += copies
    for (let i = 0; i < copies && asked.every(([name, amount]) => amount <= (left.get(name) ?? 0)); i++) {
      const node = empty.place(demand)
      if (node === undefined) break
      for (const [name, amount] of asked) left.set(name, (left.get(name) as number) - amount)
      tasks.push({ node, demand, end })
    }
  }
  return { tasks, left: count - tasks.length }
}
