import type { Fields } from '../json/fields.js'

const HOSTNAME = 'kubernetes.io/hostname'
type Labels = Fields | undefined

/**
 * Whether a pod with those labels must not share its node with another that has them, too, as those of one job do: it has a required anti-affinity
 * over hostnames that is against pods such as itself. Throws `BadLine`.
 *
 * Source: Kubernetes, PodAffinityTerm. Whoever else such a term is against, say the rules of the pod.
 */
export const isApart = (spec: Fields, labels: Labels, namespace: string): boolean =>
  termsOf(spec).some((term) => isAgainstItsLike(term, labels, namespace))

/** Required terms that select any pods. */
function termsOf(spec: Fields): readonly Fields[] {
  const terms = spec.object('affinity')?.object('podAntiAffinity')?.list('requiredDuringSchedulingIgnoredDuringExecution') ?? []
  return terms.filter((term) => term.object('labelSelector') !== undefined)
}

function isAgainstItsLike(term: Fields, labels: Labels, namespace: string): boolean {
  const selector = term.object('labelSelector')
  const isHere = namespacesOf(term, namespace).includes(namespace) && term.size('mismatchLabelKeys') === 0
  return term.text('topologyKey') === HOSTNAME && isHere && selector !== undefined && selectsPod(selector, labels)
}

/** Of those that are named, or where none is, its own; which a selector of namespaces selects is known of one without requirements alone. */
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
