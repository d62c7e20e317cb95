import type { KubernetesObject } from '@sched/cluster'
import type { KubeSchedulerOptions } from '@sched/policies'
import { at, fieldsOf, nameOf, textOf, unexpected, where } from '../fields.js'
import type { Findings } from '../finding.js'
import { labelsAt, matchExpressionsAt } from '../label-selector.js'

type Budget = NonNullable<KubeSchedulerOptions['disruptionBudgets']>[number]

const SELECTOR = ['spec', 'selector']
const AMOUNTS = ['minAvailable', 'maxUnavailable'] as const

/**
 * The PodDisruptionBudgets of a file as the policy `kube-scheduler` takes them. The pods of a budget are the tasks whose tags are the selected labels and
 * whose user is the budget's namespace. Adds a finding for each. Throws `BAD_INPUT` with the line.
 *
 * Source: Kubernetes API, policy/v1.
 */
export function disruptionBudgets(objects: readonly KubernetesObject[], findings: Findings): Budget[] {
  return objects.flatMap((found) => {
    const name = nameOf(found)
    const line = where(found, ['metadata', 'name'])
    const amount = amountOf(found)
    const told = Object.entries(amount).map(([key, value]) => `${key} ${value}`).join('')
    if ((at(found.object, SELECTOR) ?? undefined) === undefined) {
      findings.add('ignored', line, `${name} disruption budget`, told, 'it selects no pods')
      return []
    }
    findings.add('honoured', line, `${name} disruption budget`, told)
    return [{ of: selectorOf(found), ...amount }]
  })
}

/**
 * The amount of a budget: a number of pods or a percentage. A budget without one lets no pod go.
 *
 * Source: Kubernetes, pkg/controller/disruption (getExpectedPodCount).
 */
function amountOf(found: KubernetesObject): Pick<Budget, (typeof AMOUNTS)[number]> {
  const spec = fieldsOf(at(found.object, ['spec']))
  const [key = 'maxUnavailable', second] = AMOUNTS.filter((each) => (spec[each] ?? undefined) !== undefined)
  const value = spec[key] ?? 0
  if (second !== undefined) throw unexpected(found, ['spec', second], 'nothing beside `minAvailable`', 'Give one of them, as Kubernetes wants it.')
  if ((typeof value === 'number' && Number.isInteger(value) && value >= 0) || (typeof value === 'string' && /^\d+%$/.test(value))) return { [key]: value }
  throw unexpected(found, ['spec', key], 'a number of pods or a percentage such as "50%"', 'Write it without a fraction.')
}

/** The tasks whose pods a budget is about. */
function selectorOf(found: KubernetesObject): Budget['of'] {
  const tags = Object.fromEntries(Object.entries(labelsAt(found, [...SELECTOR, 'matchLabels'])).map(([key, value]) => [key, textOf(value)]))
  const matchExpressions = matchExpressionsAt(found, SELECTOR).map(({ values, ...rest }) => ({ ...rest, ...(values.length > 0 && { values: values.map(textOf) }) }))
  const namespace = fieldsOf(found.object['metadata'])['namespace']
  return { ...(Object.keys(tags).length > 0 && { tags }), ...(matchExpressions.length > 0 && { matchExpressions }), users: [typeof namespace === 'string' ? namespace : 'default'] }
}
