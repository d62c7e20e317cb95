import type { KubernetesObject } from '@sched/cluster'
import type { KueueOptions } from '@sched/policies'
import { at, fieldsOf, textOf, unexpected, where } from '../fields.js'
import type { Findings } from '../finding.js'

export const GATES = 'featureGates'
/** The gate by which the rules of PreemptionConfigs count, closed by default. */
export const CONFIGS_GATE = 'ConfigurablePreemptions'
/** The gate by which annotations change priorities, closed by default. */
export const BOOST_GATE = 'PriorityBoost'

type Shares = Exclude<NonNullable<KueueOptions['fairSharing']>, boolean>
/** Gates of fair sharing, with the options that they set. */
const ofShares = {
  FairSharingPreemptWithinNominal: 'preemptWithinNominal', FairSharingPrioritizeNonBorrowing: 'prioritizeNonBorrowing',
  FairSharingReevaluatePreemptionCandidates: 'reevaluate', FairSharingVerifyFinalTargets: 'verifyFinalTargets',
} as const satisfies Readonly<Record<string, keyof Shares>>
const BY_PRIORITY = 'PrioritySortingWithinCohort'
const PARTIAL = 'PartialAdmission'
const BUFFER = 'SchedulerTimestampPreemptionBuffer'
/** Seconds by which one of equal priority must be newer with that gate. */
const BUFFER_SECONDS = 300
/** Gates for preemptors that wait for others to go; here nobody waits for that. */
const PREEMPTORS = 'PrioritizePreemptorWorkloads'

/** Gates that are read here. */
export const OTHER_GATES: readonly string[] = [...Object.keys(ofShares), BY_PRIORITY, PARTIAL, BUFFER, PREEMPTORS, CONFIGS_GATE, BOOST_GATE]

/** Whether a gate is open; undefined: as by default. */
export const gate = (found: KubernetesObject | undefined, name: string): boolean | undefined => {
  const given = at(found?.object, [GATES, name])
  return typeof given === 'boolean' ? given : undefined
}

/** Adds a finding for a gate if it is given; returns whether it is open, undefined: as by default. */
export function readGate(found: KubernetesObject, name: string, findings: Findings, why = ''): boolean | undefined {
  const given = at(found.object, [GATES, name]) ?? undefined
  if (given !== undefined) findings.add(why === '' ? 'honoured' : 'ignored', where(found, [GATES, name]), `${GATES}.${name}`, textOf(given), why)
  return typeof given === 'boolean' ? given : undefined
}

/** The options of fair sharing that gates set. */
export function shareGates(found: KubernetesObject, isOn: boolean, findings: Findings): Shares {
  const given = Object.entries(ofShares).map(([name, option]) => [option, readGate(found, name, findings, isOn ? '' : 'fair sharing is off')] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== undefined))
}

const ORDERINGS = ['Priority', 'Timestamp'] as const
const ORDERING = 'crossClusterQueueOrdering'

/**
 * The options that other gates, and the settings of the scheduler, give.
 *
 * Source: Kueue, kube_features.go; KEP-14190 (crossClusterQueueOrdering).
 */
export function schedulerSettings(found: KubernetesObject, findings: Findings): Pick<KueueOptions, 'crossClusterQueueOrdering' | 'timestampPreemptionBuffer' | 'partialAdmission'> {
  for (const field of Object.keys(fieldsOf(found.object['scheduler'])).filter((each) => each !== ORDERING)) findings.add('ignored', where(found, ['scheduler', field]), `scheduler.${field}`, '', 'not simulated')
  const path = ['scheduler', ORDERING]
  const given = at(found.object, path) ?? undefined
  if (given !== undefined && !ORDERINGS.some((each) => each === given)) throw unexpected(found, path, ORDERINGS)
  if (given !== undefined) findings.add('honoured', where(found, path), path.join('.'), textOf(given))
  const byAge = readGate(found, BY_PRIORITY, findings) === false || given === 'Timestamp'
  const hasBuffer = readGate(found, BUFFER, findings) === true
  const isWhole = readGate(found, PARTIAL, findings) === false
  const waits = gate(found, PREEMPTORS)
  if (waits !== undefined) findings.add('honoured', where(found, [GATES, PREEMPTORS]), `${GATES}.${PREEMPTORS}`, String(waits), 'it changes nothing: who is preempted is gone at once')
  return { ...(byAge && { crossClusterQueueOrdering: 'Timestamp' }), ...(hasBuffer && { timestampPreemptionBuffer: BUFFER_SECONDS }), ...(isWhole && { partialAdmission: false }) }
}
