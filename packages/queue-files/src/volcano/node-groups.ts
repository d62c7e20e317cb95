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
  /** Whether groups keep jobs off nodes (`enablePredicate`). */
  readonly filters: boolean
  /** Whether groups score nodes (`enableNodeOrder`). */
  readonly scores: boolean
  /** Whether of preferred groups the first is the best (`enablePreferredOrder`). */
  readonly isOrdered: boolean
}

/** On which nodes jobs of a queue may run: those of which a label is so, or none at all. */
export type Nodes = NodeRequirement | 'none'

/** Percent for nodes by queue, label and value, as `queueLabels` of the placement `weighted`. */
export type QueueLabels = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number>>>>>>

/** The groups that a queue names. */
interface Affinity {
  readonly required: readonly string[]
  readonly preferred: readonly string[]
  readonly avoided: readonly string[]
  readonly disliked: readonly string[]
}

/** Percent for a group that is required, for one that is preferred, and for one that is rather avoided, which takes the place of all others. */
const REQUIRED_PERCENT = 100
const PREFERRED_PERCENT = 50
const DISLIKED_PERCENT = -1

/**
 * On which nodes the jobs of each queue may run by the plug-in `nodegroup`, and which of these are better, with findings for the `affinity` of queues. `rules`
 * is undefined if the plug-in is off: anywhere then.
 *
 * Source: Volcano, nodegroup.go. What is preferred, also by an anti-affinity, is allowed although nothing requires it.
 */
export function nodesOfQueues(
  queues: readonly VolcanoQueue[], rules: NodeGroups | undefined, findings: Findings,
): { readonly nodes: ReadonlyMap<string, Nodes>; readonly queueLabels: QueueLabels } {
  const affinities = new Map(queues.map((queue) => [queue.name, affinityOf(queue)]))
  for (const queue of queues) tell(queue, rules, findings)
  if (rules === undefined) return { nodes: new Map(), queueLabels: {} }
  const own = (name: string, passed: readonly string[] = []): Affinity | undefined => {
    const found = affinities.get(name)
    if (found !== undefined || !rules.isTree || name === ROOT || passed.includes(name)) return found
    return own(parentOf(queues, name), [...passed, name])
  }
  const names = [...new Set([...affinities.keys(), DEFAULT])]
  const scores = (rules.scores ? names : []).map((name) => [name, percentsOf(own(name), rules)] as const).filter(([, percents]) => Object.keys(percents).length > 0)
  return {
    nodes: new Map((rules.filters ? names : []).map((name) => [name, nodesFor(own(name), rules)])),
    queueLabels: Object.fromEntries(scores.map(([name, percents]) => [name, { [LABEL]: percents }])),
  }
}

function nodesFor(affinity: Affinity | undefined, { isStrict }: NodeGroups): Nodes {
  if (affinity === undefined || Object.values(affinity).flat().length === 0) return isStrict ? 'none' : { key: LABEL, operator: 'DoesNotExist' }
  const { required, preferred, avoided, disliked } = affinity
  const allowed = new Set([...[...required, ...preferred].filter((group) => !avoided.includes(group)), ...disliked])
  return allowed.size === 0 ? 'none' : { key: LABEL, operator: 'In', values: [...allowed].sort() }
}

/** Percent by group. A group that is preferred twice has its last place in the order, of as many as there are different ones, as in Volcano. */
function percentsOf(affinity: Affinity | undefined, { isOrdered }: NodeGroups): Record<string, number> {
  const { required = [], preferred = [], disliked = [] } = affinity ?? {}
  const percents = new Map<string, number>(required.map((group) => [group, REQUIRED_PERCENT]))
  const places = new Map(preferred.map((group, i) => [group, i]))
  for (const [group, i] of places) percents.set(group, (percents.get(group) ?? 0) + (isOrdered ? (PREFERRED_PERCENT * (places.size - i)) / places.size : PREFERRED_PERCENT))
  for (const group of disliked) percents.set(group, DISLIKED_PERCENT)
  return Object.fromEntries(percents)
}

/** The groups that a queue names; undefined: it has no affinity. */
function affinityOf({ found }: VolcanoQueue): Affinity | undefined {
  const given = at(found.object, ['spec', 'affinity']) ?? undefined
  if (given === undefined) return undefined
  const groups = (kind: string, strength: string): readonly string[] => listAt(found, ['spec', 'affinity', kind, strength]).map(textOf)
  return {
    required: [...new Set(groups('nodeGroupAffinity', REQUIRED))], preferred: groups('nodeGroupAffinity', PREFERRED),
    avoided: groups('nodeGroupAntiAffinity', REQUIRED), disliked: groups('nodeGroupAntiAffinity', PREFERRED),
  }
}

function tell({ name, found }: VolcanoQueue, rules: NodeGroups | undefined, findings: Findings): void {
  const path = ['spec', 'affinity']
  const given = at(found.object, path) ?? undefined
  if (given === undefined) return
  if (rules === undefined || !(rules.filters || rules.scores)) return findings.add('ignored', where(found, path), `${name} affinity`, '', 'it counts with the plug-in nodegroup')
  const note = !rules.scores ? 'these groups are allowed, and neither better nor worse than others' : rules.filters ? '' : 'these groups are better or worse, and others are allowed, too'
  for (const kind of Object.keys(fieldsOf(given)))
    for (const strength of Object.keys(fieldsOf(fieldsOf(given)[kind]))) {
      const here = [...path, kind, strength]
      findings.add('honoured', where(found, here), `${name} ${kind}`, listAt(found, here).map(textOf).join(', '), strength === PREFERRED || !rules.filters ? note : '')
    }
}

/** The queue around a queue, the root by default. */
function parentOf(queues: readonly VolcanoQueue[], name: string): string {
  const given = fieldsOf(queues.find((each) => each.name === name)?.found.object['spec'])['parent']
  return typeof given === 'string' && given !== '' ? given : ROOT
}
