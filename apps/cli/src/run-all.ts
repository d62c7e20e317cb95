import type { Experiment } from './experiment/experiment.js'
import type { NamedPolicy } from './experiment/policies.js'
import type { Io } from './io.js'
import { progressOf } from './progress.js'
import { runOnce, type RunResult, type RunWatch } from './run-once.js'

export interface RunAllOptions {
  readonly quiet?: boolean | undefined
  readonly onJob?: (policy: string, seed: number, row: Parameters<NonNullable<RunWatch['onJob']>>[0]) => void
}

/** Every policy on every seed, policies innermost so that what is compared runs together; warnings go to stderr, each once. */
export async function runAll(experiment: Experiment, policies: readonly NamedPolicy[], io: Io, { quiet = false, onJob }: RunAllOptions = {}): Promise<RunResult[]> {
  const plan = experiment.seeds.flatMap((seed) => policies.map((policy) => ({ policy, seed })))
  const progress = progressOf(io, quiet, plan.length)
  const results: RunResult[] = []
  try {
    for (const { policy, seed } of plan) {
      progress.begin(results.length + 1, `${policy.name}, seed ${seed}`)
      const watch: RunWatch = {
        signal: io.signal,
        onProgress: (ended, jobs, launches) => progress.update(ended, jobs, launches),
        ...(onJob !== undefined && { onJob: (row: Parameters<typeof onJob>[2]) => onJob(policy.name, seed, row) }),
      }
      results.push(await runOnce(experiment, policy, seed, watch))
    }
  } finally {
    progress.stop()
  }
  warn(results, experiment, io)
  return results
}

function warn(results: readonly RunResult[], { workload }: Experiment, io: Io): void {
  const skipped = workload.trace?.report
  if (skipped !== undefined && skipped.skipped > 0) {
    io.stderr.write(`warning: ${skipped.skipped} bad line${skipped.skipped === 1 ? '' : 's'} skipped, for example:\n`)
    for (const problem of skipped.problems) io.stderr.write(`  ${problem}\n`)
  }
  const rejected = results.find(({ summary }) => summary.counts.rejected > 0)
  if (rejected !== undefined) io.stderr.write(`warning: ${rejected.summary.counts.rejected} jobs rejected: a task of theirs is larger than every node.\n`)
  for (const policy of new Set(results.map((result) => result.policy))) {
    const abandoned = results.filter((result) => result.policy === policy).reduce((sum, { summary }) => sum + summary.counts.abandoned, 0)
    if (abandoned > 0) io.stderr.write(`warning: ${policy}: ${abandoned} jobs abandoned after too many attempts (\`abandonAfter\` of the architecture); they do not count in times.\n`)
  }
  for (const message of new Set(results.flatMap(({ policy, warnings }) => warnings.map((each) => `${policy}: ${each}`)))) io.stderr.write(`warning: ${message}\n`)
}
