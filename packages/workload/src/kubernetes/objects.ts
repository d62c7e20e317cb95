import { kubernetesResource, type Demand, type Seconds } from '@sched/core'
import type { Fields } from '../json/fields.js'
import { quantityIn } from '../job-table/values.js'
import { instant } from '../slurm/times.js'

/** An object inside another. Throws `BadLine` if it is missing. */
export function needed(object: Fields, key: string): Fields {
  const found = object.object(key)
  if (found === undefined) throw object.bad(key, 'is missing.', 'Print whole objects: kubectl get jobs,pods -A -o json')
  return found
}

/** A time in seconds since 1970; `undefined` if absent. Throws `BadLine`. */
export function timeAt(fields: Fields | undefined, key: string): Seconds | undefined {
  const text = fields?.text(key)
  if (text === undefined) return undefined
  const time = instant(text)
  if (time === undefined || Number.isNaN(time)) throw fields!.bad(key, `found ${JSON.stringify(text.slice(0, 40))}, expected a time such as 2024-01-31T10:00:00Z.`)
  return time
}

/** Since when one of these conditions of an object is true; `undefined` if none is. */
export function trueSince(status: Fields | undefined, ...types: string[]): Seconds | undefined {
  const found = status?.list('conditions').find((each) => types.includes(each.text('type') ?? '') && each.text('status') === 'True')
  return timeAt(found, 'lastTransitionTime')
}

/** Reads values of labels and annotations: of the first of the keys that has one, labels before annotations. */
export function marksOf(metadata: Fields | undefined): (...keys: readonly string[]) => string | undefined {
  const [labels, annotations] = [metadata?.object('labels'), metadata?.object('annotations')]
  return (...keys) => keys.map((key) => labels?.text(key) ?? annotations?.text(key)).find((value) => value !== undefined)
}

/**
 * The requests of a pod as the scheduler counts them: those of its containers together with those of init containers that keep running, or those of
 * one of the other init containers while it runs, if that is more. For CPUs and memory the pod's own requests replace these, or its limits if no
 * container requests any. The overhead of its runtime is added. Names and units are those of `kubernetesResource`, rounded up. Throws `BadLine`.
 *
 * Source: Kubernetes, component-helpers, resource/helpers.go (PodRequests), and defaults.go of its API (SetDefaults_Pod).
 */
export function demandOfPod(spec: Fields): Demand {
  const running = new Map<string, number>()
  let most = new Map<string, number>()
  for (const container of spec.list('initContainers')) {
    const requests = requestsOf(container)
    if (container.text('restartPolicy') === 'Always') add(running, requests)
    else most = larger(most, add(new Map(running), requests))
  }
  for (const container of spec.list('containers')) add(running, requestsOf(container))
  const all = larger(running, most)
  const { limits: ofPod, requests } = resourcesOf(spec)
  for (const [name, amount] of new Map([...ofPod, ...all, ...requests])) if (name === 'cpu' || name === 'mem' || /^hugepages-/.test(name)) all.set(name, amount)
  const overhead = spec.object('overhead')
  if (overhead !== undefined) add(all, amountsOf(overhead))
  return Object.fromEntries([...all].map(([name, amount]) => [name, Math.ceil(amount - 1e-9)] as const).filter(([, amount]) => amount > 0).sort(([a], [b]) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1)))
}

/** The place of a resource among others: those first that all pods ask for. */
function placeOf(name: string): number {
  const place = ['cpu', 'mem', 'gpu'].indexOf(name)
  return place < 0 ? 3 : place
}

/** Requests of a container. A resource with a limit but no request is requested at its limit, as in the API server. */
function requestsOf(container: Fields): Map<string, number> {
  const { limits, requests } = resourcesOf(container)
  return new Map([...limits, ...requests])
}

/** Limits and requests of a container or a pod. */
function resourcesOf(fields: Fields): Readonly<Record<'limits' | 'requests', ReadonlyMap<string, number>>> {
  const resources = fields.object('resources')
  const of = (key: string) => {
    const list = resources?.object(key)
    return list === undefined ? new Map<string, number>() : amountsOf(list)
  }
  return { limits: of('limits'), requests: of('requests') }
}

function amountsOf(list: Fields): Map<string, number> {
  const amounts = new Map<string, number>()
  for (const key of list.keys()) {
    const { resource, per } = kubernetesResource(key)
    amounts.set(resource, (amounts.get(resource) ?? 0) + quantityIn(list.text(key) ?? '0', key) * per)
  }
  return amounts
}

function add(to: Map<string, number>, more: ReadonlyMap<string, number>): Map<string, number> {
  for (const [name, amount] of more) to.set(name, (to.get(name) ?? 0) + amount)
  return to
}

const larger = (a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>) =>
  new Map([...new Set([...a.keys(), ...b.keys()])].map((name) => [name, Math.max(a.get(name) ?? 0, b.get(name) ?? 0)]))
