import { SchedError } from '@sched/core'
import type { Benchmark } from '../harness/benchmark.js'

/** Loaded one at a time: the process of a variant holds no other benchmark's code. */
const loaders: Readonly<Record<string, () => Promise<Benchmark>>> = {
  'event-queue-1e3': async () => (await import('./event-queue.js')).eventQueue('1e3', 'exponential'),
  'event-queue-1e5': async () => (await import('./event-queue.js')).eventQueue('1e5', 'exponential'),
  'event-queue-1e6': async () => (await import('./event-queue.js')).eventQueue('1e6', 'exponential'),
  'event-queue-ties-1e5': async () => (await import('./event-queue.js')).eventQueue('1e5', 'ties'),
  'w1': async () => (await import('./w1.js')).w1,
  'w1-decisions': async () => (await import('./w1-decisions.js')).w1Decisions,
  'w1-plug-ins': async () => (await import('./w1-plug-ins.js')).w1PlugIns,
  'w1-memory': async () => (await import('./w1-memory.js')).w1Memory,
  'large': async () => (await import('./large.js')).large,
  'omega': async () => (await import('./omega.js')).omega,
  'omega-day': async () => (await import('./omega-day.js')).omegaDay,
  'sweep': async () => (await import('./sweep.js')).sweep,
  'backfilling': async () => (await import('./backfilling.js')).backfilling,
  'tenants': async () => (await import('./tenants.js')).tenants,
  'overload': async () => (await import('./overload.js')).overload,
  'bayes': async () => (await import('./bayes.js')).bayes,
  'swf-rows': async () => (await import('./swf-rows.js')).swfRows,
  'facebook-day': async () => (await import('./facebook-day.js')).facebookDay,
  'hpc2n': async () => (await import('./hpc2n.js')).hpc2n,
  'node-picks': async () => (await import('./node-picks.js')).nodePicks,
  'flows': async () => (await import('./flows.js')).flows,
  'openb': async () => (await import('./openb.js')).openb,
}

export const benchmarkNames: readonly string[] = Object.keys(loaders)

export async function loadBenchmark(name: string): Promise<Benchmark> {
  const load = loaders[name]
  if (load === undefined) throw new SchedError('UNKNOWN_NAME', `no benchmark is called "${name}"`)
  return load()
}
