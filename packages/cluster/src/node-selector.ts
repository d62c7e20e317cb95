import type { Constraints, NodeRequirement, NodeSelectorTerm } from '@sched/core'

/** A label that every node has: its name, unless the node is given another. */
export const HOSTNAME = 'kubernetes.io/hostname'

/** Label names with the values that will do, as constraints write them. */
type Required = Readonly<Record<string, string | readonly string[]>>

/** What of constraints is about labels and names of nodes. */
export type Selector = Pick<Constraints, 'require' | 'nodeSelectorTerms'>

/** The value of a label of a node, `undefined` where it has none of that name. */
type LabelOf = (key: string) => string | undefined

/**
 * Whether a node is one that is asked for: it has all labels that are required, and one of the terms holds, if there are any to hold.
 *
 * Source: Kubernetes, component-helpers, nodeaffinity.go and apimachinery, labels/selector.go.
 */
export const selects = ({ require = {}, nodeSelectorTerms: terms }: Selector, label: LabelOf, name: string): boolean =>
  hasLabels(require, label) && (terms === undefined || terms.some((term) => holds(term, label, name)))

/** Where a label is called `a|b` the label a or the label b will do. */
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

/** A whole number of 64 bits. */
function wholeOf(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[+-]?\d+$/.test(text)) return undefined
  const number = BigInt(text.replace('+', ''))
  return number < MOST && number >= -MOST ? number : undefined
}

/** Whether anything is asked at all; no terms are more than none that are given. */
export const asksAnything = ({ require = {}, nodeSelectorTerms: terms }: Selector): boolean => terms !== undefined || Object.keys(require).length > 0

/** Whether nodes of equal labels may differ, since names are asked for. */
export const asksNames = ({ require = {}, nodeSelectorTerms: terms = [] }: Selector): boolean =>
  Object.keys(require).some((names) => names.split('|').includes(HOSTNAME))
  || terms.some(({ matchExpressions = [], matchFields = [] }) => matchFields.length > 0 || matchExpressions.some(({ key }) => key === HOSTNAME))

/** `model = P100 or T4 and zone = a`: what is required in words, '' where that is nothing. */
export function requirement({ require = {}, nodeSelectorTerms: terms }: Selector): string {
  const labels = Object.entries(require).map(([key, values]) => inWords({ key, operator: 'In', values: [values].flat() }))
  const either = terms?.map(({ matchExpressions = [], matchFields = [] }) => [...matchExpressions, ...matchFields].map(inWords).join(' and ') || NOTHING)
  if (either?.length === 0) labels.push(NOTHING)
  else if (either !== undefined) labels.push(either.length === 1 ? either.join() : either.map((term) => `(${term})`).join(' or '))
  return labels.join(' and ')
}

/** Of a term without requirements, which is as good as no term. */
const NOTHING = 'a term that holds'

function inWords({ key, operator, values = [] }: NodeRequirement): string {
  if (operator === 'Exists') return `any ${key}`
  if (operator === 'DoesNotExist') return `no ${key}`
  return `${key} ${{ In: '=', NotIn: 'not', Gt: '>', Lt: '<' }[operator]} ${values.join(' or ')}`
}

/** The labels that are asked for, in order of first mention. */
export const labelsAsked = ({ require = {}, nodeSelectorTerms: terms = [] }: Selector): string[] =>
  [...new Set([...Object.keys(require), ...terms.flatMap(({ matchExpressions = [] }) => matchExpressions.map(({ key }) => key))])]
