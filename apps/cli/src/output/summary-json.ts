import { json } from '@sched/report'
import type { Experiment } from '../experiment/experiment.js'
import type { Row } from '../figures/figures.js'
import type { RunResult } from '../run-once.js'
import { version } from '../version.js'
import { clusterText } from './headline.js'

/** All results as JSON: the version that ran, the table with its intervals, and what every run measured. A figure that does not exist is null. */
export function summaryJson({ workload, cluster, seeds, description, policies }: Experiment, runs: readonly RunResult[], rows: readonly Row[]): string {
  const { name, jobs } = workload.of(seeds[0] ?? 1)
  const summary = {
    sched: version,
    name: description.spec.name ?? name,
    workload: { name, jobs: jobs ?? null, skippedLines: workload.trace?.report.skipped ?? 0 },
    cluster: { nodes: cluster.nodes, description: clusterText(cluster) },
    seeds,
    policies: policies.map((policy) => policy.name),
    table: rows,
    runs: runs.map(({ drawn: _, ...run }) => run),
  }
  return json(summary)
}
