import { kubernetesObjects, type KubernetesObject } from '@sched/cluster'
import { SchedError } from '@sched/core'
import { byName, fieldsOf, textOf } from '../fields.js'
import { pathOfText } from '../held-text.js'
import { innerObject } from '../inner-object.js'
import { nestedQueues, type NestedQueue } from '../nested-queues.js'
import { priorityClasses, type PriorityClass } from '../priority-classes.js'
import type { SourceText } from '../source-text.js'
import { refuseTemplate } from '../template.js'

/** A Queue of Volcano; its path does not begin with the root. */
export type VolcanoQueue = NestedQueue

/** Queues of Volcano, and the configuration of its scheduler. */
export interface VolcanoFile {
  /** Tells the models of files apart. */
  readonly kind: 'volcano'
  /** Name of the file, for messages. */
  readonly file: string
  /** Parents before their children. */
  readonly queues: readonly VolcanoQueue[]
  /** The scheduler's configuration (actions, tiers), where there is one. */
  readonly conf: KubernetesObject | undefined
  /** PriorityClasses, highest value first. */
  readonly classes: readonly PriorityClass[]
  /** Objects of other kinds. */
  readonly others: readonly KubernetesObject[]
}

/** The key of the scheduler's configuration in its ConfigMap. */
const CONF = /^volcano-scheduler\.conf$/
/** Other keys under which it may stand: of another ConfigMap, and in the values of Volcano's Helm chart. */
const OTHER_CONF = /^volcano-scheduler.*\.conf$|^scheduler_config_override$/
/** The queue around all others. */
export const ROOT = 'root'
/** The queue of jobs that name none; Volcano makes it itself. */
export const DEFAULT = 'default'

/** Whether a text is the configuration itself, not inside an object. */
const isBareConf = (text: string): boolean => /^actions\s*:/m.test(text) && /^tiers\s*:/m.test(text)

/** Whether a text has Queues of Volcano or the configuration of its scheduler, as they are, as kubectl prints them, or in values of Helm. */
export const isVolcano = (text: string): boolean =>
  (/\bscheduling\.volcano\.sh\//.test(text) && /\bkind["']?\s*:\s*["']?Queue(List)?\b/.test(text))
    || (/\bkind["']?\s*:\s*["']?ConfigMap\b/.test(text) && /\bvolcano-scheduler[^\s"':]*\.conf["']?\s*:/.test(text))
    || /\bscheduler_config_override["']?\s*:\s*[|>"']/.test(text)
    || isBareConf(text)

/** Reads Queues of Volcano and the configuration of its scheduler, from one file or several. Throws `BAD_INPUT` with the line. */
export function readVolcano(...sources: readonly SourceText[]): VolcanoFile {
  for (const source of sources) refuseTemplate(source)
  const all = sources.flatMap((source) => [...kubernetesObjects(source.text, source.file)].map((found) => ({ found, conf: confOf(found, source) })))
  const [conf, second] = all.flatMap((each) => each.conf ?? [])
  if (second !== undefined) throw new SchedError('BAD_INPUT', 'is a second configuration of the scheduler.', second.place(), 'Give one.')
  const queues = nestedQueues(byName(all.map(({ found }) => found).filter(isQueue), 'queue'), 'parent', ROOT)
  const rest = all.flatMap((each) => (isQueue(each.found) || each.conf !== undefined ? [] : [each.found]))
  const others = rest.filter(({ kind }) => kind !== 'PriorityClass')
  return { kind: 'volcano', file: sources.map(({ file }) => file).join('+'), queues, conf, classes: priorityClasses(rest), others }
}

/** Whether an object is a Queue of Volcano. */
export const isQueue = ({ kind, object }: KubernetesObject): boolean => kind === 'Queue' && textOf(object['apiVersion'] ?? '').startsWith('scheduling.volcano.sh/')

/** The scheduler's configuration if the object is one or holds one as a text. */
function confOf(found: KubernetesObject, source: SourceText): KubernetesObject | undefined {
  if (found.object['actions'] !== undefined || found.object['tiers'] !== undefined) return found
  const path = pathOfText(found.object, (_, key) => CONF.test(key)) ?? pathOfText(found.object, (_, key) => OTHER_CONF.test(key))
  return path === undefined ? undefined : innerObject(found, path, source)
}

/** The fields of a queue that are amounts by resource. */
export const amountKinds = ['deserved', 'guarantee', 'capability'] as const

/** The amounts of one kind that a queue's object gives, by resource, and their path in it. */
export const amountsOf = (found: KubernetesObject, kind: (typeof amountKinds)[number]): {
  readonly path: readonly string[]
  readonly amounts: Readonly<Record<string, unknown>>
} => {
  const given = fieldsOf(fieldsOf(found.object['spec'])[kind])
  return kind === 'guarantee' ? { path: ['spec', kind, 'resource'], amounts: fieldsOf(given['resource']) } : { path: ['spec', kind], amounts: given }
}

/** Settings of a queue as written, one text for each; amounts as `cpu=4 memory=8Gi`. */
export function volcanoSettings({ found }: VolcanoQueue): Record<string, string> {
  const spec = fieldsOf(found.object['spec'])
  const state = stateOf(found)
  const settings: Record<string, string> = {}
  for (const [name, value] of Object.entries(spec)) if (value !== null && value !== undefined && !['parent', 'state', ...amountKinds].includes(name)) settings[name] = textOf(value)
  for (const [name, value] of Object.entries(fieldsOf(fieldsOf(found.object['metadata'])['annotations'])))
    if (name.startsWith('volcano.sh/hierarchy')) settings[name.slice('volcano.sh/'.length)] = textOf(value)
  for (const kind of amountKinds) {
    const parts = Object.entries(amountsOf(found, kind).amounts).map(([name, value]) => `${name}=${textOf(value)}`)
    if (parts.length > 0) settings[kind] = parts.join(' ')
  }
  return { ...settings, ...(state !== undefined && { state: textOf(state.value) }) }
}

/** The state of a queue (Open, Closed, ...) and its path in the object; undefined if it has none. kubectl prints it in the status, which is preferred. */
export function stateOf({ object }: KubernetesObject): { readonly path: readonly string[]; readonly value: unknown } | undefined {
  for (const around of ['status', 'spec']) {
    const value = fieldsOf(object[around])['state']
    if (value !== undefined && value !== null && value !== '') return { path: [around, 'state'], value }
  }
  return undefined
}
