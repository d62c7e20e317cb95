import { kubernetesObjects, type KubernetesObject } from '@sched/cluster'
import { SchedError } from '@sched/core'
import { byName, fieldsOf, textOf } from '../fields.js'
import { nestedQueues, type NestedQueue } from '../nested-queues.js'
import type { SourceText } from '../source-text.js'
import { refuseTemplate } from '../template.js'

/** A queue of KAI Scheduler. */
export type KaiQueue = NestedQueue

/** Objects of KAI Scheduler in a file. */
export interface KaiFile {
  /** Tells the models of files apart. */
  readonly kind: 'kai'
  /** Name of the file, for messages. */
  readonly file: string
  /** Queues, parents before their children. */
  readonly queues: readonly KaiQueue[]
  /** Objects of the kind SchedulingShard. */
  readonly shards: readonly KubernetesObject[]
  /** Objects of other kinds. */
  readonly others: readonly KubernetesObject[]
}

/** Whether a text has queues of KAI Scheduler, as manifests or as kubectl prints them. */
export const isKai = (text: string): boolean => /\bscheduling\.run\.ai\//.test(text) && /\bkind["']?\s*:\s*["']?Queue(List)?\b/.test(text)

/** Whether an object is a queue of KAI Scheduler. */
export const isQueue = ({ kind, object }: KubernetesObject): boolean => kind === 'Queue' && textOf(object['apiVersion'] ?? '').startsWith('scheduling.run.ai/')

/** Reads manifests of KAI Scheduler's queues, from one file or several. Throws `BAD_INPUT` with the line. */
export function readKai(...sources: readonly SourceText[]): KaiFile {
  for (const source of sources) refuseTemplate(source)
  const file = sources.map((each) => each.file).join('+')
  const all = sources.flatMap((source) => [...kubernetesObjects(source.text, source.file)])
  const named = byName(all.filter(isQueue), 'queue')
  for (const [name, { place }] of named)
    if (name.includes('.'))
      throw new SchedError(
        'BAD_INPUT',
        `the name of queue "${name}" has a period, which stands between a queue and the one around it here.`,
        place('metadata', 'name'),
        'Give it another name.',
      )
  if (named.size === 0) throw new SchedError('BAD_INPUT', 'has no Queue of scheduling.run.ai.', { file }, 'Give the queues: kubectl get queues.scheduling.run.ai -o yaml')
  const shards = all.filter(({ kind, object }) => kind === 'SchedulingShard' && textOf(object['apiVersion'] ?? '').startsWith('kai.scheduler/'))
  return { kind: 'kai', file, queues: nestedQueues(named, 'parentQueue'), shards, others: all.filter((each) => !isQueue(each) && !shards.includes(each)) }
}

/** Settings of a queue as written, one text for each; amounts as `gpu=4 cpu=-1`. */
export function kaiSettings({ found }: KaiQueue): Record<string, string> {
  const { resources, parentQueue: _, displayName: __, ...others } = fieldsOf(found.object['spec'])
  const settings = Object.fromEntries(Object.entries(others).flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, textOf(value)]])))
  for (const kind of ['quota', 'limit', 'overQuotaWeight']) {
    const parts = Object.entries(fieldsOf(resources)).flatMap(([name, given]) => (fieldsOf(given)[kind] === undefined ? [] : [`${name}=${textOf(fieldsOf(given)[kind])}`]))
    if (parts.length > 0) settings[kind] = parts.join(' ')
  }
  return settings
}
