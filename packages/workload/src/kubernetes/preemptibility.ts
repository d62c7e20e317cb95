import type { Fields } from '../json/fields.js'
import { marksOf } from './objects.js'

/** Whether a job may be preempted: yes, no, or only beyond its minimum. */
export type Preemptible = boolean | 'semi'

const KAI: Readonly<Record<string, Preemptible>> = { preemptible: true, 'semi-preemptible': 'semi', 'non-preemptible': false }

/**
 * Whether labels or annotations say that a pod may be preempted; `undefined` if they do not say.
 *
 * Source: KAI Scheduler, `ParsePreemptibility`; Volcano, GetPodPreemptable; YuniKorn, allow-preemption.
 */
export function preemptibleBy(metadata: Fields | undefined): Preemptible | undefined {
  const mark = marksOf(metadata)
  const ofKai = wordOfKai(mark('kai.scheduler/preemptibility'))
  if (ofKai !== undefined) return ofKai
  const ofVolcano = mark('volcano.sh/preemptable')
  const isRefused = (ofVolcano !== undefined && !TRUE.includes(ofVolcano)) || mark('yunikorn.apache.org/allow-preemption') === 'false'
  return isRefused ? false : undefined // pods that do not refuse may be preempted anyway
}

/** Words that Go parses as true. */
const TRUE = ['1', 't', 'T', 'TRUE', 'true', 'True']

/** The same for a pod group of KAI. */
export const preemptibleGroup = (kind: string, object: Fields): Preemptible | undefined =>
  kind === 'PodGroup' ? wordOfKai(object.object('spec')?.value('preemptibility')) : undefined

const wordOfKai = (word: unknown): Preemptible | undefined => (typeof word === 'string' && Object.hasOwn(KAI, word) ? KAI[word] : undefined)

/** Whether pods together may be preempted, from what each says: true if one says so, or else semi if one does, false if all refuse, otherwise `undefined`. */
export function togetherPreemptible(pods: readonly (Preemptible | undefined)[]): Preemptible | undefined {
  if (pods.includes(true)) return true
  if (pods.includes('semi')) return 'semi'
  return pods.length > 0 && pods.every((each) => each === false) ? false : undefined
}
