import type { RunResult } from '../run-once.js'

/** Jobs per class, in the mean over the runs. */
export function classCounts(runs: readonly RunResult[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { summary } of runs) for (const { label, times } of summary.classes) counts.set(label, (counts.get(label) ?? 0) + times.jobs / runs.length)
  return counts
}
