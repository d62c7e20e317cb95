import type { RunResult } from '../run-once.js'

/** The fewest and the most jobs that a policy counts, in the mean over its runs. */
export type JobCount = readonly [fewest: number, most: number]

/** Jobs per class, and all jobs, with a class or without, under `undefined`; nothing where no job has a class. Policies count other jobs where one rejects some, or has not ended them. */
export function classCounts(runs: readonly RunResult[]): Map<string | undefined, JobCount> {
  if (runs.every(({ summary }) => summary.classes.length === 0)) return new Map()
  const byPolicy = [...new Set(runs.map(({ policy }) => policy))].map((policy) => countsOf(runs.filter((run) => run.policy === policy)))
  const labels = new Set(byPolicy.flatMap((counts) => [...counts.keys()]))
  return new Map(
    [...labels].map((label) => {
      const counts = byPolicy.map((each) => each.get(label) ?? 0)
      return [label, [Math.min(...counts), Math.max(...counts)]]
    }),
  )
}

function countsOf(runs: readonly RunResult[]): Map<string | undefined, number> {
  const counts = new Map<string | undefined, number>()
  const add = (label: string | undefined, jobs: number) => counts.set(label, (counts.get(label) ?? 0) + jobs / runs.length)
  for (const { summary } of runs) {
    for (const { label, times } of summary.classes) add(label, times.jobs)
    add(undefined, summary.times.jobs)
  }
  return counts
}
