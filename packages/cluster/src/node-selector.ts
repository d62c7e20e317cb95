import type { Constraints, NodeRequirement, NodeSelectorTerm } from '@sched/core'

/** A label that every node has: the node's name, unless the node is given another value. */
export const HOSTNAME = 'kubernetes.io/hostname'

/** Label names with their accepted values, as constraints write them. */
type Required = Readonly<Record<string, string | readonly string[]>>

/** The part of constraints about labels and names of nodes. */
export type Selector = Pick<Constraints, 'require' | 'nodeSelectorTerms'>

/** The value of a node's label, `undefined` if the node has no label of that name. */
type LabelOf = (key: string) => string | undefined

/**
 * Whether a node is selected: it has all required labels, and at least one term holds, if terms are given.
 *
 * Source: Kubernetes, component-helpers, nodeaffinity.go and apimachinery, labels/selector.go.
 */
export const selects = ({ require = {}, nodeSelectorTerms: terms }: Selector, label: LabelOf, name: string): boolean =>
  hasLabels(require, label) && (terms === undefined || terms.some((term) => holds(term, label, name)))

/** Whether all required labels are met; a requirement for the label `a|b` is met by either label. */
const hasLabels = (require: Required, label: LabelOf): boolean =>
  Object.entries(require).every(([names, values]) => names.split('|').some((key) => meets({ key, operator: 'In', values: [values].flat() }, label(key))))

function holds({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, label: LabelOf, name: string): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false
  return matchExpressions.every((each) => meets(each, label(each.key))) && matchFields.every((each) => meets(each, each.key === 'metadata.name' ? name : undefined))
}

function meets({ operator, values = [] }: NodeRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    case 'Gt':
    case 'Lt': {
      const [a, b] = [wholeOf(value), wholeOf(values[0])]
      return a !== undefined && b !== undefined && (operator === 'Gt' ? a > b : a < b)
    }
  }
}

const MOST = 2n ** 63n

/** A 64-bit integer as text; `undefined` for any other text. */
function wholeOf(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[+-]?\d+$/.test(text)) return undefined
  const number = BigInt(text.replace('+', ''))
  return number < MOST && number >= -MOST ? number : undefined
}

/** Whether anything is asked at all. An empty list of terms counts, since it holds for no node. */
export const asksAnything = ({ require = {}, nodeSelectorTerms: terms }: Selector): boolean => terms !== undefined || Object.keys(require).length > 0

/** Whether the selector depends on node names, so that nodes with equal labels may differ. */
export const asksNames = ({ require = {}, nodeSelectorTerms: terms = [] }: Selector): boolean =>
  Object.keys(require).some((names) => names.split('|').includes(HOSTNAME))
  || terms.some(({ matchExpressions = [], matchFields = [] }) => matchFields.length > 0 || matchExpressions.some(({ key }) => key === HOSTNAME))

/** What is required, in words: `model = P100 or T4 and zone = a`; '' if nothing is. */
export function requirement({ require = {}, nodeSelectorTerms: terms }: Selector): string {
  const labels = Object.entries(require).map(([key, values]) => inWords({ key, operator: 'In', values: [values].flat() }))
  const either = terms?.map(({ matchExpressions = [], matchFields = [] }) => [...matchExpressions, ...matchFields].map(inWords).join(' and ') || NOTHING)
  if (either?.length === 0) labels.push(NOTHING)
  else if (either !== undefined) labels.push(either.length === 1 ? either.join() : either.map((term) => `(${term})`).join(' or '))
  return labels.join(' and ')
}

/** Text for a term without requirements, or for no terms: neither holds for any node. */
const NOTHING = 'a term that holds'

function inWords({ key, operator, values = [] }: NodeRequirement): string {
  if (operator === 'Exists') return `any ${key}`
  if (operator === 'DoesNotExist') return `no ${key}`
  return `${key} ${{ In: '=', NotIn: 'not', Gt: '>', Lt: '<' }[operator]} ${values.join(' or ')}`
}

/** The labels that the selector refers to, in order of first mention. */
export const labelsAsked = ({ require = {}, nodeSelectorTerms: terms = [] }: Selector): string[] =>
  [...new Set([...Object.keys(require), ...terms.flatMap(({ matchExpressions = [] }) => matchExpressions.map(({ key }) => key))])]
