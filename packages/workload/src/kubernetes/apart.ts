import type { Fields } from '../json/fields.js'

const HOSTNAME = 'kubernetes.io/hostname'
type Labels = Fields | undefined

/**
 * Whether a pod must not share its node with another pod that has the same labels, as the pods of one job do: it has a required anti-affinity over
 * hostnames that applies to pods like itself. Placement rules cover other pods that such a term applies to. Throws `BadLine`.
 *
 * Source: Kubernetes, PodAffinityTerm.
 */
export const isApart = (spec: Fields, labels: Labels, namespace: string): boolean =>
  termsOf(spec).some((term) => isAgainstItsLike(term, labels, namespace))

/** Required anti-affinity terms with a selector. */
function termsOf(spec: Fields): readonly Fields[] {
  const terms = spec.object('affinity')?.object('podAntiAffinity')?.list('requiredDuringSchedulingIgnoredDuringExecution') ?? []
  return terms.filter((term) => term.object('labelSelector') !== undefined)
}

function isAgainstItsLike(term: Fields, labels: Labels, namespace: string): boolean {
  const selector = term.object('labelSelector')
  const isHere = namespacesOf(term, namespace).includes(namespace) && term.size('mismatchLabelKeys') === 0
  return term.text('topologyKey') === HOSTNAME && isHere && selector !== undefined && selectsPod(selector, labels)
}

/**
 * Namespaces of a term: those that it names, or its own if it names none. A selector of namespaces is only understood if it has no requirements and
 * so selects all, including its own.
 */
function namespacesOf(term: Fields, own: string): readonly string[] {
  const named = term.texts('namespaces')
  const selector = term.object('namespaceSelector')
  const isOfAll = selector !== undefined && selector.object('matchLabels')?.isEmpty !== false && selector.size('matchExpressions') === 0
  return isOfAll || (selector === undefined && named.length === 0) ? [own] : named
}

function selectsPod(selector: Fields, labels: Labels): boolean {
  const wanted = selector.object('matchLabels')
  const hasLabels = (wanted?.keys() ?? []).every((key) => labels?.value(key) === wanted?.value(key))
  return hasLabels && selector.list('matchExpressions').every((each) => {
    const [key, value] = [each.text('key') ?? '', labels?.value(each.text('key') ?? '')]
    const isOne = (each.value('values') as readonly unknown[] | undefined)?.includes(value) ?? false
    const held = { In: isOne, NotIn: !isOne, Exists: labels?.has(key) === true, DoesNotExist: labels?.has(key) !== true }
    return held[each.text('operator') as keyof typeof held] ?? false
  })
}
