import type { NodeRequirement } from '@sched/core'
import { at, fieldsOf, listAt, textOf, where } from '../fields.js'
import type { Findings } from '../finding.js'
import { DEFAULT, ROOT, type VolcanoQueue } from './volcano-file.js'

/** The label of nodes that names their group. */
const LABEL = 'volcano.sh/nodegroup-name'
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'

/** How the plug-in `nodegroup` binds queues to groups of nodes. */
export interface NodeGroups {
  /** Whether jobs of queues without `affinity` may run nowhere. */
  readonly isStrict: boolean
  /** Whether queues without `affinity` have that of the nearest queue around them. */
  readonly isTree: boolean
}

/** On which nodes jobs of a queue may run: those of which a label is so, or none at all. */
export type Nodes = NodeRequirement | 'none'

/**
 * On which nodes the jobs of each queue may run by the plug-in `nodegroup`, with findings for the `affinity` of queues. `rules` is undefined if the plug-in is
 * off: anywhere then.
 *
 * Source: Volcano, nodegroup.go. What is preferred, also by an anti-affinity, is allowed although nothing requires it. Deviation: preferred groups are no better.
 */
export function nodesOfQueues(queues: readonly VolcanoQueue[], rules: NodeGroups | undefined, findings: Findings): ReadonlyMap<string, Nodes> {
  const affinities = new Map(queues.map((queue) => [queue.name, affinityOf(queue)]))
  for (const queue of queues) tell(queue, rules !== undefined, findings)
  if (rules === undefined) return new Map()
  const own = (name: string, passed: readonly string[] = []): ReadonlySet<string> | undefined => {
    const found = affinities.get(name)
    if (found !== undefined || !rules.isTree || name === ROOT || passed.includes(name)) return found
    return own(parentOf(queues, name), [...passed, name])
  }
  const names = new Set([...affinities.keys(), DEFAULT])
  return new Map([...names].map((name) => [name, nodesFor(own(name), rules)]))
}

function nodesFor(groups: ReadonlySet<string> | undefined, { isStrict }: NodeGroups): Nodes {
  if (groups === undefined) return isStrict ? 'none' : { key: LABEL, operator: 'DoesNotExist' }
  return groups.size === 0 ? 'none' : { key: LABEL, operator: 'In', values: [...groups].sort() }
}

/** The groups that a queue allows; undefined: it has no affinity. */
function affinityOf({ found }: VolcanoQueue): ReadonlySet<string> | undefined {
  const given = at(found.object, ['spec', 'affinity']) ?? undefined
  if (given === undefined) return undefined
  const groups = (kind: string, strength: string): readonly string[] => listAt(found, ['spec', 'affinity', kind, strength]).map(textOf)
  const allowed = new Set([...groups('nodeGroupAffinity', REQUIRED), ...groups('nodeGroupAffinity', PREFERRED)])
  for (const group of groups('nodeGroupAntiAffinity', REQUIRED)) allowed.delete(group)
  for (const group of groups('nodeGroupAntiAffinity', PREFERRED)) allowed.add(group)
  return allowed
}

function tell({ name, found }: VolcanoQueue, isOn: boolean, findings: Findings): void {
  const path = ['spec', 'affinity']
  const given = at(found.object, path) ?? undefined
  if (given === undefined) return
  if (!isOn) return findings.add('ignored', where(found, path), `${name} affinity`, '', 'it counts with the plug-in nodegroup')
  for (const kind of Object.keys(fieldsOf(given)))
    for (const strength of Object.keys(fieldsOf(fieldsOf(given)[kind]))) {
      const here = [...path, kind, strength]
      const isPreferred = strength === PREFERRED
      findings.add(isPreferred ? 'approximated' : 'honoured', where(found, here), `${name} ${kind}`, listAt(found, here).map(textOf).join(', '), isPreferred ? 'these groups are allowed, and neither better nor worse than others' : '')
    }
}

/** The queue around a queue, the root by default. */
function parentOf(queues: readonly VolcanoQueue[], name: string): string {
  const given = fieldsOf(queues.find((each) => each.name === name)?.found.object['spec'])['parent']
  return typeof given === 'string' && given !== '' ? given : ROOT
}
