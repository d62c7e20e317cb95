import type { Experiment } from './experiment/experiment.js'
import type { RunResult } from './run-once.js'

/** Settings of an experiment that changed nothing in these runs, each with the reason. */
export function withoutEffect(results: readonly RunResult[], { cluster, description: { spec } }: Pick<Experiment, 'cluster' | 'description'>): string[] {
  const { passPerEvent, commitPendingBug = false, runtime, metrics } = spec
  const none = (part: 'shuffle' | 'hardware') => results.length > 0 && results.every(({ summary }) => summary[part] === undefined)
  return [
    ...(passPerEvent !== undefined && cluster.heartbeat !== undefined ? ['passPerEvent is of no use with heartbeats: rounds are opened at these, not after events.'] : []),
    ...(commitPendingBug && cluster.heartbeat === undefined ? ['commitPendingBug has no effect: it delays what heartbeats tell, and this cluster has none.'] : []),
    ...(runtime?.network !== undefined && none('shuffle') ? ['runtime.network has no effect: no task fetched anything, for want of a `shuffle` of its stage.'] : []),
    ...(cluster.heartbeat !== undefined && [undefined, 'monolithic'].includes(spec.architecture as string | undefined) ? withoutChoice(results, spec) : []),
    ...(metrics?.samples !== undefined && none('hardware') ? ['metrics.samples has no effect: the nodes describe no `hardware` that could be sampled.'] : []),
  ]
}

/** Policies that differ by their placements, and did the same on every seed, at whose rounds there is one node. */
function withoutChoice(results: readonly RunResult[], { policies }: Experiment['description']['spec']): string[] {
  if (!JSON.stringify(policies ?? []).includes('"placement":')) return []
  const outcomes = new Map<string, string>()
  for (const { policy, summary } of results) outcomes.set(policy, `${outcomes.get(policy) ?? ''}${JSON.stringify(summary)}`)
  const alike = [...outcomes.keys()].filter((policy) => [...outcomes].some(([other, outcome]) => other !== policy && outcome === outcomes.get(policy)))
  return alike.length === 0 ? [] : [`${alike.join(', ')} gave the same: at a heartbeat one node is in sight, and a placement has nothing to choose. Without heartbeats it has (\`--heartbeat 0\`).`]
}
