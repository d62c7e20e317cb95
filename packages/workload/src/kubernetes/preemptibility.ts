import { secondsOfGo, type DisruptionBudget, type Seconds } from '@sched/core'
import type { Fields } from '../json/fields.js'
import { marksOf } from './objects.js'

/** Whether a job may be preempted: yes, no, or only beyond its minimum. */
export type Preemptible = boolean | 'semi'

const KAI: Readonly<Record<string, Preemptible>> = { preemptible: true, 'semi-preemptible': 'semi', 'non-preemptible': false }

/**
 * Whether labels or annotations say that a pod may be preempted; `undefined` if they do not say. Who may use the revocable zones of Volcano may be.
 *
 * Source: KAI Scheduler, `ParsePreemptibility`; Volcano, GetPodPreemptable, GetPodRevocableZone; YuniKorn, allow-preemption. Deviations: a pod that may use
 * revocable zones but may not be preempted is not told apart from others that may not be, nor one that may be preempted but may not use them from others
 * that may be.
 */
export function preemptibleBy(metadata: Fields | undefined): Preemptible | undefined {
  const mark = marksOf(metadata)
  const ofKai = wordOfKai(mark('kai.scheduler/preemptibility'))
  if (ofKai !== undefined) return ofKai
  const ofVolcano = mark('volcano.sh/preemptable')
  if ((ofVolcano !== undefined && TRUE.includes(ofVolcano)) || (ofVolcano === undefined && mark('volcano.sh/revocable-zone') === '*')) return true
  const isRefused = (ofVolcano !== undefined && !TRUE.includes(ofVolcano)) || mark('yunikorn.apache.org/allow-preemption') === 'false'
  return isRefused ? false : undefined // pods of YuniKorn that do not refuse may be preempted anyway
}

/** Words that Go parses as true. */
const TRUE = ['1', 't', 'T', 'TRUE', 'true', 'True']

/** The same for a pod group of KAI. */
export const preemptibleGroup = (kind: string, object: Fields): Preemptible | undefined =>
  kind === 'PodGroup' ? wordOfKai(object.object('spec')?.value('preemptibility')) : undefined

const wordOfKai = (word: unknown): Preemptible | undefined => (typeof word === 'string' && Object.hasOwn(KAI, word) ? KAI[word] : undefined)

/**
 * Whether pods together may be preempted, from what each says: true if one says so and none refuses, or else semi if one does, false if all refuse, otherwise
 * `undefined`.
 */
export function togetherPreemptible(pods: readonly (Preemptible | undefined)[]): Preemptible | undefined {
  if (pods.includes(true)) return pods.includes(false) ? undefined : true
  if (pods.includes('semi')) return 'semi'
  return pods.length > 0 && pods.every((each) => each === false) ? false : undefined
}

/**
 * Whether running pods may be moved elsewhere to make room, as a pod group of KAI says, or labels or annotations of a workload or pod; `undefined` if they
 * do not say.
 *
 * Source: KAI Scheduler, `safeToConsolidate`.
 */
export function movableBy(metadata: Fields | undefined, group?: Fields): boolean | undefined {
  const own = group?.object('spec')?.value('safeToConsolidate')
  if (typeof own === 'boolean') return own
  const mark = marksOf(metadata)('kai.scheduler/safe-to-consolidate')
  return mark === 'true' ? true : mark === 'false' ? false : undefined
}

/**
 * Whether a node may be removed on which a pod runs; `undefined` if its annotations do not say.
 *
 * Source: Cluster Autoscaler, rule notsafetoevict.
 */
export function drainableBy(metadata: Fields | undefined): boolean | undefined {
  const mark = metadata?.object('annotations')?.text('cluster-autoscaler.kubernetes.io/safe-to-evict')
  return mark === 'true' ? true : mark === 'false' ? false : undefined
}

/**
 * How many tasks of a job may be taken at a time, by annotations of the job or its pod group; `undefined` if they do not say.
 *
 * Source: Volcano, extractBudget.
 */
export function budgetOf(metadata: Fields | undefined): DisruptionBudget | undefined {
  const mark = marksOf(metadata)
  const [minAvailable, maxUnavailable] = [amountOf(mark('volcano.sh/jdb-min-available')), amountOf(mark('volcano.sh/jdb-max-unavailable'))]
  if (minAvailable !== undefined) return { minAvailable }
  return maxUnavailable === undefined ? undefined : { maxUnavailable }
}

/**
 * The longest time in seconds that a job should wait to be let in, by annotations of the job or its pod group; `undefined` if they do not say, or nothing that
 * Volcano understands.
 *
 * Source: Volcano, SetPodGroup, extractWaitingTime.
 */
export function longestWaitOf(metadata: Fields | undefined): Seconds | undefined {
  const annotations = metadata?.object('annotations')
  for (const key of ['volcano.sh/sla-waiting-time', 'sla-waiting-time']) {
    const seconds = secondsOfGo(annotations?.text(key) ?? '')
    if (seconds !== undefined && seconds > 0) return seconds
  }
  return undefined
}

/** A whole number, or a percentage as it is written; `undefined` for anything else, which Volcano does not admit. */
const amountOf = (text: string | undefined): number | string | undefined => (text === undefined || !/^\d+%?$/.test(text) ? undefined : text.endsWith('%') ? text : Number(text))
