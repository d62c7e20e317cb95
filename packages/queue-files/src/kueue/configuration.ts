import { quantityAt, type KubernetesObject } from '@sched/cluster'
import { secondsOfGo } from '@sched/core'
import type { KueueOptions } from '@sched/policies'
import { secondsAbove0 } from '../durations.js'
import { at, fieldsOf, listAt, textOf, unexpected, where, type Path } from '../fields.js'
import type { Findings } from '../finding.js'
import { NOT_OF_NODES, RESOURCES, resourceOf } from '../kubernetes-resources.js'
import { checkConfiguration } from './check-configuration.js'
import { STRATEGY_GATE, type Counting } from './counting.js'
import { GATES, OTHER_GATES, schedulerSettings, shareGates } from './gates.js'
import { COPIED } from './preemption-configs.js'
import { PODS } from './pods.js'
import { PROFILE_GATES } from './topologies.js'
import { TRANSFORMATIONS_GATE } from './transformations.js'

type PastUsage = NonNullable<KueueOptions['admissionFairSharing']>
/** The options of the policy `kueue` that Kueue's own Configuration gives. */
export type Configured = Pick<KueueOptions, 'fairSharing' | 'admissionFairSharing' | 'preemptionProtection' | 'failedNodeReplacementFailFast' | 'preserveScanProgress' | 'crossClusterQueueOrdering' | 'timestampPreemptionBuffer' | 'partialAdmission'>

const HALF_LIFE = ['admissionFairSharing', 'usageHalfLifeTime']
const SAMPLING = ['admissionFairSharing', 'usageSamplingInterval']
const WEIGHTS = ['admissionFairSharing', 'resourceWeights']
const read = ['apiVersion', 'kind', 'metadata', 'fairSharing', 'admissionFairSharing', 'preemptionProtection', 'resources', 'scheduler']
const PROTECTION = 'PreemptionProtection'
/** The gate by which further workloads come into a running cycle with fair sharing, closed by default, and how many (`defaultRefillBudget`). */
const REFILL = 'FairSharingRefill'
const REFILLS = 8
/** The gate by which gangs give up for which a lost pod finds no node, open by default. */
const FAIL_FAST = 'TASFailedNodeReplacementFailFast'
const PRESERVE = 'FlavorFungibilityPreserveScanProgress'
const known: readonly string[] = [PROTECTION, REFILL, FAIL_FAST, PRESERVE, STRATEGY_GATE, TRANSFORMATIONS_GATE, 'TopologyAwareScheduling', ...PROFILE_GATES, ...OTHER_GATES]
/** Kueue counts usage in cores, bytes and devices: how many of these one unit of a node's capacity (millicore, MiB, thousandth of a GPU) is. */
const perUnit: Readonly<Record<string, number>> = { cpu: 1 / 1000, mem: 2 ** 20, gpu: 1 / 1000 }

/**
 * Reads Kueue's own Configuration and adds a finding for each setting. What counts nowhere does not count as past usage either. Throws
 * `BAD_INPUT` with the line for a value that Kueue does not take.
 */
export function configured(found: KubernetesObject, resources: readonly string[], { excluded, made }: Counting, findings: Findings): Configured {
  checkConfiguration(found)
  const sharing = fairSharing(found, findings)
  const admission = at(found.object, ['admissionFairSharing']) ?? undefined
  const protection = preemptionProtection(found, sharing !== undefined, findings)
  const others = Object.keys(found.object).filter((each) => !read.includes(each) && !(each === GATES && Object.keys(fieldsOf(found.object[GATES])).every((gate) => known.includes(gate))) && !(each === COPIED[0] && Object.keys(fieldsOf(found.object[each])).join() === COPIED[1]))
  for (const field of others) findings.add('ignored', where(found, [field]), field, '', 'not simulated')
  const usage = admission === undefined ? undefined : pastUsage(found, resources, made, findings)
  const none = Object.fromEntries(excluded.map((name) => [name, 0]))
  return {
    ...(sharing !== undefined && { fairSharing: sharing }),
    ...(usage !== undefined && { admissionFairSharing: { ...usage, resourceWeights: { ...usage.resourceWeights, ...none } } }),
    ...(protection !== undefined && { preemptionProtection: protection }),
    ...schedulerSettings(found, findings),
    ...(isClosed(found, FAIL_FAST, findings) && { failedNodeReplacementFailFast: false }),
    ...(isClosed(found, PRESERVE, findings) && { preserveScanProgress: false }),
  }
}

/** Whether a gate is closed that is open by default, with a finding for it. */
function isClosed(found: KubernetesObject, gate: string, findings: Findings): boolean {
  const given = at(found.object, [GATES, gate]) ?? undefined
  if (given !== undefined) findings.add('honoured', where(found, [GATES, gate]), `${GATES}.${gate}`, textOf(given))
  return given === false
}

/**
 * For how many seconds after its admission a workload may not be preempted by other queues; undefined: for none. It counts only with the feature gate
 * `PreemptionProtection`, which is closed by default.
 *
 * Source: Kueue, KEP-9876.
 */
function preemptionProtection(found: KubernetesObject, isFair: boolean, findings: Findings): KueueOptions['preemptionProtection'] {
  const rules: Record<string, { minAdmitDuration: number }> = {}
  const isOpen = at(found.object, [GATES, PROTECTION]) === true
  for (const rule of ['fairSharing', 'reclaimWithinCohort']) {
    const path = ['preemptionProtection', rule, 'minAdmitDuration']
    const given = at(found.object, path) ?? undefined
    if (given === undefined) continue
    const seconds = typeof given === 'string' ? secondsAbove0(given) : undefined
    if (seconds === undefined) throw unexpected(found, path, 'a duration above 0 such as 1h or 5m30s')
    const why = isOpen ? 'fair sharing is off' : `off: \`${GATES}: { ${PROTECTION}: true }\` turns it on`
    const counts = isOpen && (isFair || rule !== 'fairSharing')
    findings.add(counts ? 'honoured' : 'ignored', where(found, path), path.join('.'), textOf(given), counts ? '' : why)
    if (counts) rules[rule] = { minAdmitDuration: seconds }
  }
  return Object.keys(rules).length > 0 ? rules : undefined
}

function fairSharing(found: KubernetesObject, findings: Findings): KueueOptions['fairSharing'] {
  const given = found.object['fairSharing'] ?? undefined
  if (given === undefined) {
    shareGates(found, false, findings)
    return undefined
  }
  const { enable } = fieldsOf(given)
  const strategies = strategiesAt(found)
  const isSilent = enable === undefined && textOf(found.object['apiVersion'] ?? '').endsWith('/v1beta1')
  findings.add('honoured', where(found, ['fairSharing']), 'fairSharing', '', isSilent ? 'off: v1beta1 wants `enable: true`' : '')
  const isOff = isSilent || enable === false
  const refills = at(found.object, [GATES, REFILL]) === true
  if (refills) findings.add(isOff ? 'ignored' : 'honoured', where(found, [GATES, REFILL]), `${GATES}.${REFILL}`, 'true', isOff ? 'fair sharing is off' : '')
  const gates = shareGates(found, !isOff, findings)
  if (isOff) return undefined
  const options = { ...(strategies.length > 0 && { preemptionStrategies: strategies }), ...gates, ...(refills && { refill: REFILLS }) }
  return Object.keys(options).length > 0 ? options : true
}

type Strategies = ('LessThanOrEqualToFinalShare' | 'LessThanInitialShare')[]
const sets: readonly Strategies[] = [['LessThanOrEqualToFinalShare'], ['LessThanInitialShare'], ['LessThanOrEqualToFinalShare', 'LessThanInitialShare']]

/**
 * The preemption strategies that are given; empty: Kueue uses both. Throws `BAD_INPUT` with the line for other names and for another order.
 *
 * Source: Kueue, pkg/config/validation.go (validateFairSharing).
 */
function strategiesAt(found: KubernetesObject): Strategies {
  const path = ['fairSharing', 'preemptionStrategies']
  const given = listAt(found, path).map(textOf)
  if (given.length === 0) return []
  const set = sets.find((each) => each.join() === given.join())
  if (set === undefined) throw unexpected(found, path, sets.map((each) => `[${each.join(', ')}]`).join(' or '), 'Write one of these lists, or leave it out.')
  return set
}

/**
 * How past usage counts. Without `usageHalfLifeTime` only present usage counts. `usageSamplingInterval` is 5 minutes if it is not given or 0.
 *
 * Source: Kueue, configuration_types.go (AdmissionFairSharing).
 */
function pastUsage(found: KubernetesObject, resources: readonly string[], made: readonly string[], findings: Findings): PastUsage {
  const given = at(found.object, ['admissionFairSharing'])
  if (typeof given !== 'object' || Array.isArray(given)) throw unexpected(found, ['admissionFairSharing'], 'fields', `Write ${[HALF_LIFE, SAMPLING, WEIGHTS].map(([, name]) => name).join(', ')} in it, or leave it out.`)
  for (const field of Object.keys(fieldsOf(given)).filter((each) => ![HALF_LIFE, SAMPLING, WEIGHTS].some(([, name]) => name === each)))
    findings.add('ignored', where(found, ['admissionFairSharing', field]), `admissionFairSharing.${field}`, '', 'not simulated')
  return {
    usageHalfLifeTime: durationAt(found, HALF_LIFE, findings) ?? 0,
    usageSamplingInterval: durationAt(found, SAMPLING, findings) || 300,
    resourceWeights: weightsAt(found, resources, made, findings),
  }
}

function durationAt(found: KubernetesObject, path: Path, findings: Findings): number | undefined {
  const given = at(found.object, path) ?? undefined
  if (given === undefined) return undefined
  const seconds = typeof given === 'string' ? secondsOfGo(given) : undefined
  if (seconds === undefined) throw unexpected(found, path, 'a duration such as 168h or 5m30s')
  findings.add('honoured', where(found, path), path.join('.'), textOf(given))
  return seconds
}

/** The weight of one unit of a node's capacity, by resource. Where the file gives no weights one core, one byte and one device weigh the same. */
function weightsAt(found: KubernetesObject, resources: readonly string[], made: readonly string[], findings: Findings): Record<string, number> {
  const weights = Object.fromEntries(RESOURCES.filter((name) => resources.includes(name)).map((name) => [name, perUnit[name] as number]))
  const seen = new Set<string>()
  for (const [name, weight] of Object.entries(fieldsOf(at(found.object, WEIGHTS)))) {
    const path = [...WEIGHTS, name]
    const setting = `admissionFairSharing weight of ${name}`
    if (typeof weight !== 'number' || !(weight >= 0)) throw unexpected(found, path, 'a weight of at least 0')
    const isKnown = name === PODS || made.includes(name)
    const resource = isKnown ? name : resourceOf(name)
    if (resource === undefined || (!isKnown && !Object.hasOwn(weights, resource))) {
      findings.add('ignored', where(found, path), setting, textOf(weight), resource === undefined ? NOT_OF_NODES : `the cluster has no ${resource}`)
      continue
    }
    const isAgain = seen.has(resource)
    if (!isAgain) weights[resource] = (perUnit[resource] ?? 1) * weight
    seen.add(resource)
    findings.add(isAgain ? 'ignored' : 'honoured', where(found, path), setting, textOf(weight), isAgain ? 'other GPUs have one: nodes have them as one resource' : '')
  }
  return weights
}

/**
 * The weights of users in the comparison of past usage. The user is the namespace, and its weight that of its LocalQueues if all of these have the same.
 * `isOn`: whether past usage counts at all. Adds a finding for each weight.
 *
 * Source: Kueue, localqueue_types.go (FairSharing). Deviation: Kueue counts usage by LocalQueue, this policy by user.
 */
export function userWeights(localQueues: readonly KubernetesObject[], isOn: boolean, findings: Findings): NonNullable<PastUsage['users']> {
  const users: Record<string, { weight: number }> = {}
  for (const each of localQueues) {
    const path = ['spec', 'fairSharing', 'weight']
    const given = at(each.object, path) ?? undefined
    if (given === undefined) continue
    const namespace = namespaceOf(each)
    const weights = localQueues.filter((other) => namespaceOf(other) === namespace).map((other) => weightAt(other))
    const own = weightAt(each)
    const tell = (verdict: 'honoured' | 'approximated' | 'ignored', note = '') =>
      findings.add(verdict, where(each, path), `LocalQueue ${textOf(at(each.object, ['metadata', 'name']))} fairSharing.weight`, textOf(given), note)
    if (!isOn) tell('ignored', OFF)
    else if (namespace === undefined) tell('ignored', 'it has no namespace, which is the user of its jobs')
    else if (weights.some((weight) => weight !== own)) tell('ignored', 'usage is counted by user, its namespace, whose LocalQueues have different weights')
    else {
      users[namespace] = { weight: own }
      if (weights.length === 1) tell('honoured')
      else tell('approximated', 'usage is counted by user, its namespace, of all its LocalQueues together')
    }
  }
  return users
}

/** The note for a setting of admission fair sharing (past usage) while that is off. */
export const OFF = 'admission fair sharing is off: a Configuration with `admissionFairSharing` turns it on'

function namespaceOf({ object }: KubernetesObject): string | undefined {
  const namespace = at(object, ['metadata', 'namespace'])
  return typeof namespace === 'string' && namespace !== '' ? namespace : undefined
}

function weightAt(found: KubernetesObject): number {
  const given = at(found.object, ['spec', 'fairSharing', 'weight']) ?? undefined
  return given === undefined ? 1 : quantityAt(found, 'spec', 'fairSharing', 'weight')
}
