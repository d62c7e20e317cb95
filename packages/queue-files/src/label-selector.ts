import type { KubernetesObject } from '@sched/cluster'
import { fieldsOf, listAt, unexpected, type Path } from './fields.js'

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const

/** A requirement on one label, as in `matchExpressions` of a LabelSelector of Kubernetes. */
export interface Requirement {
  /** Name of the label. */
  readonly key: string
  readonly operator: (typeof OPERATORS)[number]
  /** Values for In and NotIn, as written. */
  readonly values: readonly unknown[]
}

/** The `matchExpressions` of the LabelSelector at a path; empty if there are none. Throws `BAD_INPUT` with the line. */
export const matchExpressionsAt = (found: KubernetesObject, selector: Path): Requirement[] =>
  listAt(found, [...selector, 'matchExpressions']).map((each, i) => {
    const { key, operator, values } = fieldsOf(each)
    const here = [...selector, 'matchExpressions', i]
    if (typeof key !== 'string' || key === '') throw unexpected(found, [...here, 'key'], 'a label')
    const known = OPERATORS.find((word) => word === operator)
    if (known === undefined) throw unexpected(found, [...here, 'operator'], OPERATORS.join(', '))
    return { key, operator: known, values: Array.isArray(values) ? values : [] }
  })
