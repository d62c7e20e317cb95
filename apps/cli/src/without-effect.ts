import type { Experiment } from './experiment/experiment.js'
import type { NamedPolicy } from './experiment/policies.js'
import type { RunResult } from './run-once.js'

/** Settings of an experiment that changed nothing in these runs, each with the reason. */
export function withoutEffect(results: readonly RunResult[], { cluster, policies, description: { spec } }: Pick<Experiment, 'cluster' | 'policies' | 'description'>): string[] {
  const { passPerEvent, commitPendingBug = false, runtime, metrics } = spec
  const none = (part: 'shuffle' | 'hardware') => results.length > 0 && results.every(({ summary }) => summary[part] === undefined)
  return [
    ...(passPerEvent !== undefined && cluster.heartbeat !== undefined ? ['passPerEvent is of no use with heartbeats: rounds are opened at these, not after events.'] : []),
    ...(commitPendingBug && cluster.heartbeat === undefined ? ['commitPendingBug has no effect: it delays what heartbeats tell, and this cluster has none.'] : []),
    ...(runtime?.network !== undefined && none('shuffle') ? ['runtime.network has no effect: no task fetched anything, for want of a `shuffle` of its stage.'] : []),
    ...(cluster.heartbeat !== undefined && [undefined, 'monolithic'].includes(spec.architecture as string | undefined) ? withoutChoice(results, policies.filter(({ path }) => hasPlacement(path, spec)).map(({ name }) => name)) : []),
    ...(metrics?.samples !== undefined && none('hardware') ? ['metrics.samples has no effect: the nodes describe no `hardware` that could be sampled.'] : []),
  ]
}

/** Whether the configuration of a policy, at this path of the experiment, names a placement. */
function hasPlacement(path: NamedPolicy['path'], spec: unknown): boolean {
  const config = path.reduce((part: unknown, key) => (part as Readonly<Record<string | number, unknown>> | undefined)?.[key], spec)
  return JSON.stringify(config ?? null).includes('"placement":')
}

/** Policies with a placement that gave the same as another policy on every seed: a round has one node, so that the placement had nothing to choose. */
function withoutChoice(results: readonly RunResult[], placing: readonly string[]): string[] {
  if (placing.length === 0) return []
  const outcomes = new Map<string, string>()
  for (const { policy, summary } of results) outcomes.set(policy, `${outcomes.get(policy) ?? ''}${JSON.stringify(summary)}`)
  const alike = new Map<string, string[]>()
  for (const [policy, outcome] of outcomes) alike.set(outcome, [...(alike.get(outcome) ?? []), policy])
  return [...alike.values()]
    .filter((policies) => policies.length > 1 && policies.some((policy) => placing.includes(policy)))
    .map((policies) => `${policies.join(', ')} gave the same: at a heartbeat one node is in sight, and a placement has nothing to choose. Without heartbeats it has (\`--heartbeat 0\`).`)
}
