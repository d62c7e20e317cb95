import { kubernetesObjects, type KubernetesObject } from '@sched/cluster'
import { SchedError, suggest } from '@sched/core'
import { fieldsOf, textOf } from '../fields.js'
import type { SourceText } from '../source-text.js'
import { refuseTemplate } from '../template.js'

/** A Queue of Volcano. */
export interface VolcanoQueue {
  /** As its object has it. */
  readonly name: string
  /** With the names of those around it, from the outside: `team.project`. The root is left out. */
  readonly path: string
  /** Whether other queues are inside it. */
  readonly isParent: boolean
  /** The object, with the places of its fields. */
  readonly found: KubernetesObject
}

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
  /** Objects of other kinds. */
  readonly others: readonly KubernetesObject[]
}

/** The key of the scheduler's configuration in its ConfigMap. */
const CONF = 'volcano-scheduler.conf'
/** The queue around all others. */
export const ROOT = 'root'
/** The queue of jobs that name none, which Volcano makes itself. */
export const DEFAULT = 'default'

const isBareConf = (text: string): boolean => /^actions\s*:/m.test(text) && /^tiers\s*:/m.test(text)

/** Whether a text has Queues of Volcano or the configuration of its scheduler, as they are or as kubectl prints them. */
export const isVolcano = (text: string): boolean =>
  (/\bscheduling\.volcano\.sh\//.test(text) && /\bkind["']?\s*:\s*["']?Queue(List)?\b/.test(text))
    || (/\bkind["']?\s*:\s*["']?ConfigMap\b/.test(text) && /\bvolcano-scheduler[^\s"':]*\.conf["']?\s*:/.test(text))
    || isBareConf(text)

/** Reads Queues of Volcano and the configuration of its scheduler, from one file or several. Throws `BAD_INPUT` with the line. */
export function readVolcano(...sources: readonly SourceText[]): VolcanoFile {
  for (const source of sources) refuseTemplate(source)
  const all = sources.flatMap(({ text, file }) => [...kubernetesObjects(text, file)])
  const confs = all.flatMap(confOf)
  if (confs.length > 1) throw new SchedError('BAD_INPUT', 'is a second configuration of the scheduler.', confs[1]?.place() ?? {}, 'Give one.')
  const byName = new Map<string, KubernetesObject>()
  for (const found of all.filter(isQueue)) {
    const name = fieldsOf(found.object['metadata'])['name']
    if (typeof name !== 'string' || name === '') throw new SchedError('BAD_INPUT', 'is missing.', found.place('metadata', 'name'))
    if (byName.has(name)) throw new SchedError('BAD_INPUT', `queue "${name}" was declared before.`, found.place('metadata', 'name'), 'Give every one once.')
    byName.set(name, found)
  }
  const others = all.filter((each) => !isQueue(each) && confOf(each).length === 0)
  return { kind: 'volcano', file: sources.map(({ file }) => file).join('+'), queues: inTrees(byName), conf: confs[0], others }
}

const isQueue = ({ kind, object }: KubernetesObject): boolean => kind === 'Queue' && textOf(object['apiVersion'] ?? '').startsWith('scheduling.volcano.sh/')

/** The configuration that an object is, or holds as a text. */
function confOf(found: KubernetesObject): KubernetesObject[] {
  if (found.object['actions'] !== undefined || found.object['tiers'] !== undefined) return [found]
  if (found.kind !== 'ConfigMap') return []
  const [key, text] = Object.entries(fieldsOf(found.object['data'])).find(([name]) => name === CONF || /^volcano-scheduler.*\.conf$/.test(name)) ?? []
  if (key === undefined || typeof text !== 'string') return []
  const { file, line } = found.place('data', key)
  const within = (inner: number | undefined): { file?: string | undefined; line?: number | undefined } => ({
    file,
    line: line === undefined || !text.includes('\n') ? line : line + (inner ?? 0),
  })
  try {
    const [conf] = [...kubernetesObjects(text, file)]
    return conf === undefined ? [] : [{ ...conf, place: (...path) => ({ ...within(conf.place(...path).line), field: conf.place(...path).field }) }]
  } catch (error) {
    if (!(error instanceof SchedError)) throw error
    throw new SchedError('BAD_INPUT', error.fact, within(error.place.line), error.wayOut)
  }
}

function inTrees(byName: ReadonlyMap<string, KubernetesObject>): VolcanoQueue[] {
  const parentOf = (name: string): string => {
    const found = byName.get(name)
    const parent = fieldsOf(found?.object['spec'])['parent']
    if (name === ROOT || found === undefined || parent === undefined || parent === null || parent === '' || parent === ROOT) return ROOT
    if (typeof parent === 'string' && byName.has(parent)) return parent
    throw new SchedError('BAD_INPUT', `names the queue ${JSON.stringify(parent)}, which is not there.`, found.place('spec', 'parent'), suggest(textOf(parent), [...byName.keys()]))
  }
  const parents = new Map([...byName.keys()].map((name) => [name, parentOf(name)]))
  const pathOf = (name: string): string => {
    const path = [name]
    for (let around = parents.get(name) as string; around !== ROOT; around = parents.get(around) as string) {
      if (path.includes(around))
        throw new SchedError(
          'BAD_INPUT',
          `queue "${name}" lies in itself: ${[...path].reverse().join(' around ')}.`,
          (byName.get(name) as KubernetesObject).place('spec', 'parent'),
          'Change one of them.',
        )
      path.unshift(around)
    }
    return path.join('.')
  }
  const around = new Set(parents.values())
  return [...byName].map(([name, found]) => ({ name, path: pathOf(name), isParent: name === ROOT || around.has(name), found })).sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Fields of a queue that are amounts by resource. */
export const amountKinds = ['deserved', 'guarantee', 'capability'] as const

/** What an object says of a queue's amounts, by kind. */
export const amountsOf = (found: KubernetesObject, kind: (typeof amountKinds)[number]): {
  readonly path: readonly string[]
  readonly amounts: Readonly<Record<string, unknown>>
} => {
  const given = fieldsOf(fieldsOf(found.object['spec'])[kind])
  return kind === 'guarantee' ? { path: ['spec', kind, 'resource'], amounts: fieldsOf(given['resource']) } : { path: ['spec', kind], amounts: given }
}

/** Settings of a queue as written, one text each: amounts as `cpu=4 memory=8Gi`. */
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

/** Whether the queue is open: kubectl prints it as its status. */
export function stateOf({ object }: KubernetesObject): { readonly path: readonly string[]; readonly value: unknown } | undefined {
  for (const around of ['status', 'spec']) {
    const value = fieldsOf(object[around])['state']
    if (value !== undefined && value !== null && value !== '') return { path: [around, 'state'], value }
  }
  return undefined
}
