import type { KubernetesObject } from '@sched/cluster'
import { SchedError, secondsOfGo } from '@sched/core'
import { at, listAt, textOf, unexpected, wholeAt } from '../fields.js'
import { requirementsAt, selects } from './namespace-selector.js'

const WAITING = 'waitForPodsReady'
const REQUEUING = [WAITING, 'requeuingStrategy']
const MANAGED = ['managedJobsNamespaceSelector']

/**
 * Throws `BAD_INPUT` with the line for what Kueue refuses among settings of its Configuration that have no effect here.
 *
 * Source: Kueue, pkg/config/validation.go. Left out: what it refuses of certificates, of MultiKueue, and of frameworks and feature gates that it does not know.
 */
export function checkConfiguration(found: KubernetesObject): void {
  if (isWaiting(found)) checkWaiting(found)
  checkTransformations(found)
  checkManaged(found)
}

/** Whether Kueue waits for pods to be ready: v1beta1 wants `enable: true`, later versions any field. */
function isWaiting({ object }: KubernetesObject): boolean {
  const enable = at(object, [WAITING, 'enable'])
  return typeof enable === 'boolean' ? enable : (object[WAITING] ?? undefined) !== undefined && !textOf(object['apiVersion'] ?? '').endsWith('/v1beta1')
}

function checkWaiting(found: KubernetesObject): void {
  for (const name of ['timeout', 'recoveryTimeout']) {
    const given = at(found.object, [WAITING, name]) ?? '0'
    if (typeof given !== 'string' || secondsOfGo(given) === undefined) throw unexpected(found, [WAITING, name], 'a duration such as 5m30s')
  }
  const timestamp = at(found.object, [...REQUEUING, 'timestamp']) ?? 'Eviction'
  if (timestamp !== 'Eviction' && timestamp !== 'Creation') throw unexpected(found, [...REQUEUING, 'timestamp'], ['Creation', 'Eviction'])
  for (const name of ['backoffLimitCount', 'backoffBaseSeconds', 'backoffMaxSeconds']) if (at(found.object, [...REQUEUING, name]) !== null) wholeAt(found, [...REQUEUING, name], 0)
}

function checkTransformations(found: KubernetesObject): void {
  const path = ['resources', 'transformations']
  const seen = new Set<string>()
  for (const i of listAt(found, path).keys()) {
    const strategy = at(found.object, [...path, i, 'strategy']) ?? 'Retain'
    if (strategy !== 'Retain' && strategy !== 'Replace') throw unexpected(found, [...path, i, 'strategy'], ['Retain', 'Replace'])
    const input = textOf(at(found.object, [...path, i, 'input']) ?? '')
    if (seen.has(input)) throw new SchedError('BAD_INPUT', `resource "${input}" was given before.`, found.place(...path, i, 'input'), 'Give every one once.')
    seen.add(input)
  }
}

/** Where Kueue manages pods, it may not do so among those of Kubernetes and its own. */
function checkManaged(found: KubernetesObject): void {
  const given = at(found.object, MANAGED) ?? undefined
  if (given === undefined) return
  const wanted = requirementsAt(found, MANAGED)
  if (!listAt(found, ['integrations', 'frameworks']).includes('pod')) return
  for (const name of ['kube-system', textOf(at(found.object, ['namespace']) ?? 'kueue-system')])
    if (selects(wanted, name, {}) === true) throw new SchedError('BAD_INPUT', `selects the namespace "${name}", which Kueue refuses with the framework pod.`, found.place(...MANAGED), `Leave it out: { key: kubernetes.io/metadata.name, operator: NotIn, values: [${name}] }`)
}
