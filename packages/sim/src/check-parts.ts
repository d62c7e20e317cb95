import { adviseWord, checkKeys, checkPlug, SchedError } from '@sched/core'
import type { SimulationOptions } from './options.js'
import type { RuntimeOptions } from './runtime.js'

const options: Readonly<Record<keyof SimulationOptions, true>> = {
  cluster: true, workload: true, policy: true, policies: true, architecture: true, seed: true, runtime: true, observers: true, validate: true, infeasible: true,
  commitPendingBug: true, passPerEvent: true, prefill: true, outages: true, checkpoint: true, failures: true, avoid: true, autoscaler: true, speculation: true, slotsAdjuster: true, warn: true,
}
const ofRuntime: Readonly<Record<keyof RuntimeOptions, true>> = { localityFactors: true, jitter: true, stragglers: true, contention: true, network: true }

/** Throws `BAD_OPTION` for a missing or wrong part of a run, and for a mistyped option name. Programs without types may pass such options. */
export function checkParts(options: SimulationOptions): void {
  const given = options as { readonly [K in keyof SimulationOptions]?: unknown } | undefined
  if (typeof given?.cluster !== 'object' || given.cluster === null)
    throw bad('cluster', 'is missing.', 'Describe one, for example { nodes: [{ count: 10, resources: { cpu: 8 } }] }.')
  if (typeof (given.workload as { readonly open?: unknown } | undefined)?.open !== 'function')
    throw bad('workload', given.workload === undefined ? 'is missing.' : 'is no workload: it has no open().', "Make one, for example workloadOf('mine', jobs) of @sched/workload.")
  checkPlug('policy', given.policy, 'policy')
  for (const [name, policy] of Object.entries(options.policies ?? {})) checkPlug('policy', policy, `policies.${name}`)
  checkPlug('architecture', given.architecture, 'architecture')
  checkOthers(given)
}

function checkOthers(given: { readonly [K in keyof SimulationOptions]?: unknown }): void {
  const { observers = [], infeasible = 'fail', passPerEvent = 'submits-first', runtime = {} } = given
  if (!Array.isArray(observers)) throw bad('observers', 'is no list.', 'Write [standardMetrics()], for example.')
  for (const [i, observer] of (observers as unknown[]).entries())
    if (typeof observer !== 'object' || observer === null)
      throw bad(`observers[${i}]`, typeof observer === 'function' ? `is the function ${observer.name}.` : `is ${JSON.stringify(observer) ?? 'nothing'}.`, 'Write [standardMetrics()], for example.')
  checkChoice('infeasible', infeasible, ['fail', 'reject'])
  checkChoice('passPerEvent', passPerEvent, ['submits-first', 'ends-first'])
  checkKeys('', given, options)
  if (typeof runtime === 'object' && runtime !== null && !('runtime' in runtime)) checkKeys('runtime.', runtime, ofRuntime)
}

function checkChoice(field: string, value: unknown, choices: readonly string[]): void {
  if (!choices.includes(value as string)) throw bad(field, `found ${JSON.stringify(value) ?? 'nothing'}, expected ${choices.map((each) => `"${each}"`).join(' or ')}.`, adviseWord(value, choices))
}

const bad = (field: string, fact: string, wayOut?: string) => new SchedError('BAD_OPTION', fact, { field }, wayOut)
