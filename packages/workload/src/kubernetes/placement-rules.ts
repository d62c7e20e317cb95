import { ownValue, type NodeRequirement, type PlacementRule, type TaskSelector } from '@sched/core'
import type { Fields } from '../json/fields.js'
import { termOf, type PodLike } from './node-constraints.js'

/** A placement rule, possibly with requirements on the labels of the namespaces that it is about. */
export type PodRule = PlacementRule & { readonly namespaces?: readonly NodeRequirement[] }

/** The placement rules of a pod, and whether one of its terms could not be read. */
export interface PodRules {
  readonly rules: readonly PodRule[]
  readonly isUnread: boolean
}

const OPERATORS: readonly string[] = ['In', 'NotIn', 'Exists', 'DoesNotExist']
const WITHOUT_VALUES: readonly string[] = ['Exists', 'DoesNotExist']
/** Labels of nodes that have the names of other kinds of groups. */
const GROUPS: readonly string[] = ['node', 'rack']
const NOT_BY_DEFAULT = [['nodeAffinityPolicy', 'Ignore'], ['nodeTaintsPolicy', 'Honor']] as const

/**
 * The affinities of a pod to other pods, its topology spread constraints and, if `asksLabels`, the nodes that it prefers. A term without a selector
 * selects no pods and is left out; a term with an unknown operator is left out and reported (`isUnread`). Throws `BadLine`.
 *
 * Source: Kubernetes, PodAffinityTerm, TopologySpreadConstraint, PreferredSchedulingTerm.
 */
export function rulesOfPod(pod: PodLike, asksLabels: boolean): PodRules {
  const affinity = pod.spec.object('affinity')
  const [near, apart] = (['podAffinity', 'podAntiAffinity'] as const).map((key) => affinity?.object(key))
  const found = [...affinitiesOf(near, 'affinity', pod), ...affinitiesOf(apart, 'antiAffinity', pod), ...pod.spec.list('topologySpreadConstraints').map((each) => spreadOf(each, pod))]
  const terms = asksLabels ? (affinity?.object('nodeAffinity')?.list('preferredDuringSchedulingIgnoredDuringExecution') ?? []) : []
  return {
    rules: [...found.flatMap((each) => (typeof each === 'object' ? [each] : [])), ...terms.flatMap((each) => preferenceOf(each) ?? [])],
    isUnread: found.includes('unread'),
  }
}

/** Names of the labels of pods by which rules select them. */
export const tagsAsked = (rules: readonly PlacementRule[]): string[] =>
  rules.flatMap((rule) => (rule.kind === 'nodes' ? [] : [...Object.keys(rule.of?.tags ?? {}), ...(rule.of?.matchExpressions ?? []).map(({ key }) => key)]))

/** Names of the labels in a selector of labels. */
export function labelsSelected(fields: Fields | undefined, key = 'selector'): string[] {
  const selector = fields?.object(key)
  return [...(selector?.object('matchLabels')?.keys() ?? []), ...(selector?.list('matchExpressions') ?? []).flatMap((each) => each.text('key') ?? [])]
}

/** A rule, or why there is none. */
type Found = PodRule | 'unread' | 'of nobody'

function affinitiesOf(terms: Fields | undefined, kind: 'affinity' | 'antiAffinity', pod: PodLike): Found[] {
  const required = (terms?.list('requiredDuringSchedulingIgnoredDuringExecution') ?? []).map((term) => affinityOf(term, kind, undefined, pod))
  const preferred = (terms?.list('preferredDuringSchedulingIgnoredDuringExecution') ?? []).map((each) => {
    const term = each.object('podAffinityTerm')
    return term === undefined ? 'of nobody' : affinityOf(term, kind, each.whole('weight', 1) ?? 1, pod)
  })
  return [...required, ...preferred]
}

function affinityOf(term: Fields, kind: 'affinity' | 'antiAffinity', weight: number | undefined, pod: PodLike): Found {
  const of = selectorOf(term, pod, usersOf(term, pod))
  if (typeof of === 'string') return of
  const selector = term.object('namespaceSelector')
  const namespaces = selector === undefined || isOfAll(selector) ? undefined : requirementsOf(selector)
  if (namespaces?.includes('unread') === true) return 'unread'
  return { kind, of, over: overOf(term), ...(weight !== undefined && { weight }), ...(namespaces !== undefined && { namespaces: namespaces as NodeRequirement[] }) }
}

function spreadOf(constraint: Fields, pod: PodLike): Found {
  const of = selectorOf(constraint, pod, [pod.namespace])
  if (typeof of === 'string') return of
  const minDomains = constraint.whole('minDomains', 1)
  const policies = NOT_BY_DEFAULT.filter(([key, value]) => constraint.text(key) === value)
  const isSoft = constraint.text('whenUnsatisfiable') === 'ScheduleAnyway'
  return { kind: 'spread', of, over: overOf(constraint), maxSkew: constraint.whole('maxSkew', 1) ?? 1, ...(minDomains !== undefined && { minDomains }), ...Object.fromEntries(policies), ...(isSoft && { weight: 1 }) }
}

const overOf = (term: Fields): string => {
  const key = term.text('topologyKey')
  if (key === undefined) throw term.bad('topologyKey', 'is missing.')
  return GROUPS.includes(key) ? `label:${key}` : key
}

/** The pods that a term selects. With `matchLabelKeys` their values must equal those of the pod itself, with `mismatchLabelKeys` differ from them. */
function selectorOf(term: Fields, { labels }: PodLike, users: readonly string[] | 'all'): TaskSelector | 'unread' | 'of nobody' {
  const selector = term.object('labelSelector')
  if (selector === undefined) return 'of nobody'
  const tags = tagsOf(selector.object('matchLabels'))
  const own = tagsOf(labels)
  const alike = (key: 'matchLabelKeys' | 'mismatchLabelKeys', operator: 'In' | 'NotIn'): NodeRequirement[] =>
    term.texts(key).flatMap((name) => {
      const value = ownValue(own, name)
      return value === undefined ? [] : [{ key: name, operator, values: [value] }]
    })
  const expressions = [...selector.list('matchExpressions').map(expressionOf), ...alike('matchLabelKeys', 'In'), ...alike('mismatchLabelKeys', 'NotIn')]
  if (expressions.includes('unread')) return 'unread'
  return {
    ...(Object.keys(tags).length > 0 && { tags }), ...(expressions.length > 0 && { matchExpressions: expressions as NodeRequirement[] }),
    ...(users !== 'all' && { users }),
  }
}

function expressionOf(each: Fields): NodeRequirement | 'unread' {
  const [key, operator = ''] = [each.text('key'), each.text('operator')]
  const values = ((each.value('values') ?? []) as readonly unknown[]).map(String)
  if (key === undefined || !OPERATORS.includes(operator) || WITHOUT_VALUES.includes(operator) !== (values.length === 0)) return 'unread'
  return { key, operator: operator as NodeRequirement['operator'], ...(values.length > 0 && { values }) }
}

/** Namespaces of the pods that a term is about, apart from those that it selects by labels: those that it names, the pod's own, or all. */
function usersOf(term: Fields, { namespace }: PodLike): readonly string[] | 'all' {
  const named = term.texts('namespaces')
  const selector = term.object('namespaceSelector')
  if (selector === undefined) return named.length > 0 ? named : [namespace]
  return isOfAll(selector) ? 'all' : named
}

const isOfAll = (selector: Fields): boolean => selector.object('matchLabels')?.isEmpty !== false && selector.size('matchExpressions') === 0

/** The requirements of a selector of labels; `unread` for those with an unknown operator. */
export const requirementsOf = (selector: Fields): (NodeRequirement | 'unread')[] => [
  ...Object.entries(tagsOf(selector.object('matchLabels'))).map(([key, value]): NodeRequirement => ({ key, operator: 'In', values: [value] })),
  ...selector.list('matchExpressions').map(expressionOf),
]

/** Labels of a pod. */
export const tagsOf = (labels: Fields | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries((labels?.keys() ?? []).map((key) => [key, textOf(labels?.value(key))]))

const textOf = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '')

function preferenceOf(each: Fields): PlacementRule | undefined {
  const preference = each.object('preference')
  const term = preference && termOf(preference)
  return term && { kind: 'nodes', term, weight: each.whole('weight', 1) ?? 1 }
}
