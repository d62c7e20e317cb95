import { isLabelValue, isQualifiedName, type KubernetesObject } from '@sched/cluster'
import { at, fieldsOf, listAt, textOf, unexpected, type Path } from './fields.js'

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
    if (typeof key !== 'string' || !isQualifiedName(key)) throw unexpected(found, [...here, 'key'], 'a label', 'Write for example key: team.')
    const known = OPERATORS.find((word) => word === operator)
    if (known === undefined) throw unexpected(found, [...here, 'operator'], OPERATORS)
    const given = Array.isArray(values) ? values : []
    const wantsValues = known === 'In' || known === 'NotIn'
    if (wantsValues !== given.length > 0) throw unexpected(found, [...here, 'values'], wantsValues ? `values to compare with ${known}` : `none beside ${known}`, wantsValues ? 'Write for example values: [a, b].' : 'Leave them out, or write In or NotIn.')
    return { key, operator: known, values: given }
  })

/**
 * The labels at a path, such as `matchLabels` or `nodeLabels`; empty if there are none. Throws `BAD_INPUT` with the line for a name or a value that
 * Kubernetes refuses.
 */
export function labelsAt(found: KubernetesObject, path: Path): Readonly<Record<string, unknown>> {
  const labels = fieldsOf(at(found.object, path))
  for (const [name, value] of Object.entries(labels)) {
    if (!isQualifiedName(name)) throw unexpected(found, [...path, name], 'a label', `No label can be called "${name}".`)
    if (!isLabelValue(textOf(value))) throw unexpected(found, [...path, name], 'the value of a label', 'Values have letters, digits, -, _ and ., at most 63 together.')
  }
  return labels
}
