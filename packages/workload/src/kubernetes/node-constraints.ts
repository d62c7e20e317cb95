import type { Constraints, NodeRequirement, NodeSelectorTerm, TaintEffect, Toleration } from '@sched/core'
import type { Fields } from '../json/fields.js'

/** A pod, or a template of pods. */
export interface PodLike {
  readonly spec: Fields
  readonly labels: Fields | undefined
  readonly namespace: string
}

/**
 * Where a pod may run: the labels of nodes that it requires by `nodeSelector` and required node affinity, unless `asksLabels` is false; the taints
 * that it tolerates, without those that Kubernetes adds itself; and, if `isApart`, that pods of its job are on different nodes. Throws `BadLine`.
 *
 * Source: Kubernetes, component-helpers, nodeaffinity.go (GetRequiredNodeAffinity).
 */
export function constraintsOfPod(spec: Fields, asksLabels: boolean, isApart: boolean): Constraints | undefined {
  const tolerations = tolerationsOf(spec)
  const selector = asksLabels ? spec.object('nodeSelector') : undefined
  const asked = (selector?.keys() ?? []).map((key) => [key, selector?.text(key) ?? ''] as const)
  const terms = asksLabels ? termsOf(spec) : undefined
  const plain = terms?.length === 1 ? labelsOf(terms[0] as NodeSelectorTerm) : undefined
  const isPlain = plain !== undefined && !plain.some(([key]) => selector?.has(key) === true)
  const require: (readonly [string, string | readonly string[]])[] = [...(isPlain ? plain : []), ...asked]
  const constraints: Constraints = {
    ...(require.length > 0 && { require: Object.fromEntries(require) }),
    ...(terms !== undefined && !isPlain && { nodeSelectorTerms: terms }),
    ...(tolerations.length > 0 && { tolerations }), ...(isApart && { distinctNodes: true }),
  }
  return Object.keys(constraints).length === 0 ? undefined : constraints
}

/** The terms of a required node affinity that can hold: not those without requirements, nor those with one that Kubernetes cannot parse. */
function termsOf(spec: Fields): NodeSelectorTerm[] | undefined {
  const required = spec.object('affinity')?.object('nodeAffinity')?.object('requiredDuringSchedulingIgnoredDuringExecution')
  return required?.list('nodeSelectorTerms').flatMap((term) => termOf(term) ?? [])
}

/** A term that can hold; `undefined` if it never does. */
export function termOf(term: Fields): NodeSelectorTerm | undefined {
  const [labels, fields] = [term.list('matchExpressions').map(requirementOf), term.list('matchFields').map(requirementOf)]
  const isRead = labels.length + fields.length > 0 && labels.every(isOfLabel) && fields.every(isOfName)
  return isRead ? { ...(labels.length > 0 && { matchExpressions: labels }), ...(fields.length > 0 && { matchFields: fields }) } : undefined
}

function requirementOf(fields: Fields): NodeRequirement {
  const values = fields.value('values') ?? []
  if (!Array.isArray(values)) throw fields.bad('values', `found ${JSON.stringify(values)}, expected a list.`)
  const [key, operator] = [fields.text('key') ?? '', (fields.text('operator') ?? '') as NodeRequirement['operator']]
  return { key, operator, ...(values.length > 0 && { values: values.map(String) }) }
}

const isNumber = (text: string): boolean => /^\d+$/.test(text) && BigInt(text) < 2n ** 63n

/** Whether an operator has the right number and kind of values. */
const hasValues: Readonly<Record<NodeRequirement['operator'], (values: readonly string[]) => boolean>> = {
  In: (values) => values.length > 0,
  NotIn: (values) => values.length > 0,
  Exists: (values) => values.length === 0,
  DoesNotExist: (values) => values.length === 0,
  Gt: (values) => values.length === 1 && values.every(isNumber),
  Lt: (values) => values.length === 1 && values.every(isNumber),
}

const NAME = /^([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$/
const PREFIX = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

function isOfLabel({ key, operator, values = [] }: NodeRequirement): boolean {
  const [name = '', prefix, ...more] = key.split('/').reverse()
  const isKey = NAME.test(name) && (prefix === undefined || PREFIX.test(prefix)) && more.length === 0
  return isKey && Object.hasOwn(hasValues, operator) && hasValues[operator](values) && values.every((value) => value === '' || NAME.test(value))
}

const isOfName = ({ key, operator, values = [] }: NodeRequirement): boolean =>
  key === 'metadata.name' && (operator === 'In' || operator === 'NotIn') && values.length === 1

/** The labels of a term that only asks for values of different labels; `undefined` for any other term. */
function labelsOf({ matchExpressions = [], matchFields }: NodeSelectorTerm): (readonly [string, readonly string[]])[] | undefined {
  const isPlain = matchFields === undefined && matchExpressions.every(({ operator }) => operator === 'In')
  const labels = matchExpressions.map(({ key, values = [] }) => [key, values] as const)
  return isPlain && new Set(labels.map(([key]) => key)).size === labels.length ? labels : undefined
}

/** Tolerations that Kubernetes gives to pods on admission; the corresponding taints of nodes are left out too. */
const GIVEN = /^node\.kubernetes\.io\/(not-ready|unreachable|memory-pressure)$/
const OPERATORS: readonly string[] = ['', 'Equal', 'Exists', 'Gt', 'Lt']
const EFFECTS: readonly string[] = ['', 'NoSchedule', 'NoExecute', 'PreferNoSchedule']

/** The tolerations that can match a taint. */
function tolerationsOf(spec: Fields): Toleration[] {
  return spec.list('tolerations').flatMap((each) => {
    const [key = '', operator = '', value = '', effect = ''] = ['key', 'operator', 'value', 'effect'].map((field) => each.text(field))
    if (GIVEN.test(key) || !OPERATORS.includes(operator) || !EFFECTS.includes(effect)) return []
    return [{
      ...(key !== '' && { key }), ...(operator !== '' && { operator: operator as NonNullable<Toleration['operator']> }),
      ...(value !== '' && { value }), ...(effect !== '' && { effect: effect as TaintEffect }),
    }]
  })
}
