import { kubernetesObjects, type KubernetesObject } from '@sched/cluster'
import { SchedError, suggest } from '@sched/core'
import { fieldsOf, textOf } from '../fields.js'
import type { SourceText } from '../source-text.js'
import { refuseTemplate } from '../template.js'

/** A queue of KAI Scheduler. */
export interface KaiQueue {
  /** As its object has it. */
  readonly name: string
  /** With the names of those around it, from the outside: `team.project`. */
  readonly path: string
  /** Whether other queues are inside it. */
  readonly isParent: boolean
  /** The object, with the places of its fields. */
  readonly found: KubernetesObject
}

/** Queues of KAI Scheduler in a file, parents before their children. */
export interface KaiFile {
  /** Tells the models of files apart. */
  readonly kind: 'kai'
  /** Name of the file, for messages. */
  readonly file: string
  /** Parents before their children. */
  readonly queues: readonly KaiQueue[]
  /** Objects of other kinds. */
  readonly others: readonly KubernetesObject[]
}

/** Whether a text has queues of KAI Scheduler, as manifests or as kubectl prints them. */
export const isKai = (text: string): boolean => /\bscheduling\.run\.ai\//.test(text) && /\bkind["']?\s*:\s*["']?Queue(List)?\b/.test(text)

/** Reads manifests of KAI Scheduler's queues. Throws `BAD_INPUT` with the line. */
export function readKai({ text, file }: SourceText): KaiFile {
  refuseTemplate({ text, file })
  const all = [...kubernetesObjects(text, file)]
  const isQueue = ({ kind, object }: KubernetesObject) => kind === 'Queue' && textOf(object['apiVersion'] ?? '').startsWith('scheduling.run.ai/')
  const byName = new Map<string, KubernetesObject>()
  for (const found of all.filter(isQueue)) {
    const name = fieldsOf(found.object['metadata'])['name']
    if (typeof name !== 'string' || name === '') throw new SchedError('BAD_INPUT', 'is missing.', found.place('metadata', 'name'))
    if (name.includes('.'))
      throw new SchedError(
        'BAD_INPUT',
        `the name of queue "${name}" has a period, which stands between a queue and the one around it here.`,
        found.place('metadata', 'name'),
        'Give it another name.',
      )
    if (byName.has(name)) throw new SchedError('BAD_INPUT', `queue "${name}" was declared before.`, found.place('metadata', 'name'), 'Give every one once.')
    byName.set(name, found)
  }
  if (byName.size === 0) throw new SchedError('BAD_INPUT', 'has no Queue of scheduling.run.ai.', { file })
  return { kind: 'kai', file, queues: inTrees(byName), others: all.filter((each) => !isQueue(each)) }
}

function inTrees(byName: ReadonlyMap<string, KubernetesObject>): KaiQueue[] {
  const parentOf = (name: string): string | undefined => {
    const found = byName.get(name) as KubernetesObject
    const parent = fieldsOf(found.object['spec'])['parentQueue']
    if (parent === undefined || parent === null || parent === '') return undefined
    if (typeof parent === 'string' && byName.has(parent)) return parent
    throw new SchedError(
      'BAD_INPUT',
      `names the queue ${JSON.stringify(parent)}, which is not there.`,
      found.place('spec', 'parentQueue'),
      suggest(textOf(parent), [...byName.keys()]),
    )
  }
  const parents = new Map([...byName.keys()].map((name) => [name, parentOf(name)]))
  const pathOf = (name: string): string => {
    const path = [name]
    for (let around = parents.get(name); around !== undefined; around = parents.get(around)) {
      if (path.includes(around))
        throw new SchedError(
          'BAD_INPUT',
          `queue "${name}" lies in itself: ${[...path].reverse().join(' around ')}.`,
          (byName.get(name) as KubernetesObject).place('spec', 'parentQueue'),
          'Change one of them.',
        )
      path.unshift(around)
    }
    return path.join('.')
  }
  return [...byName].map(([name, found]) => ({ name, path: pathOf(name), isParent: [...parents.values()].includes(name), found })).sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Settings of a queue as written, one text each: amounts as `gpu=4 cpu=-1`. */
export function kaiSettings({ found }: KaiQueue): Record<string, string> {
  const { resources, parentQueue: _, displayName: __, ...others } = fieldsOf(found.object['spec'])
  const settings = Object.fromEntries(Object.entries(others).flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, textOf(value)]])))
  for (const kind of ['quota', 'limit', 'overQuotaWeight']) {
    const parts = Object.entries(fieldsOf(resources)).flatMap(([name, given]) => (fieldsOf(given)[kind] === undefined ? [] : [`${name}=${textOf(fieldsOf(given)[kind])}`]))
    if (parts.length > 0) settings[kind] = parts.join(' ')
  }
  return settings
}
