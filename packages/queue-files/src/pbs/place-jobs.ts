import { askedTogether, ownValue, startedTogether, type JobSpec } from '@sched/core'
import { pbsResourceIndex } from '@sched/policies'
import type { Place, Placed } from '../placed.js'
import type { ClusterFacts } from '../queue-policy.js'
import { listed } from '../setting.js'
import { byResource, isTrue, secondsOf, type Attribute, type Attributes } from './attributes.js'
import { whyNotCounted } from './limits.js'
import type { PbsFile } from './pbs-file.js'
import type { PbsQueue } from './qmgr.js'
import { isRoute } from './queues.js'
import { sizeOf } from './sizes.js'

/** Most queues through which a job is routed: one that leads to itself would have no end. */
const DEEPEST = 20

/** An amount that a job may ask for in a queue. */
interface Bound {
  readonly resource: string
  readonly amount: number
  readonly text: string
}

/**
 * Puts a job into the queue that it names, or else into default_queue, and from a routing queue into the first of route_destinations that takes it. A queue takes
 * jobs if it is enabled, its access lists have the user and the account, and the job asks for no more than resources_max and no less than resources_min.
 * A job without an estimate gets resources_default.walltime of its queue, or else of the server, or else resources_max.walltime.
 *
 * Source: OpenPBS, `svr_chkque`, `default_router` and `set_resc_deflt` of the server. An attribute that is not set is false (`que_alloc`).
 * Deviation: a routing queue that is not started refuses jobs, which wait in it there. Throws
 * `BAD_INPUT` with the line for a value that PBS does not take.
 */
export function placeInPbs(file: PbsFile, facts: Pick<ClusterFacts, 'resources'>): Place {
  if (file.queues.length === 0) return () => ({}) // a sched_config alone says nothing of queues
  const queues = new Map(file.queues.map((queue) => [queue.name, new Gate(queue, file.server, facts)]))
  const start = file.server.get('default_queue')?.value
  const denied = accessOf(file.server)
  return (spec) => {
    const name = spec.queue ?? start
    if (name === undefined) return { refused: 'it names no queue, and the server has no default_queue' }
    const why = denied(spec)
    if (why !== undefined) return { refused: `the server: ${why}` }
    const placed = enter(spec, name, queues, false, 0)
    return spec.queue === undefined || placed.refused !== undefined ? placed : { ...placed, asked: spec.queue }
  }
}

function enter(spec: JobSpec, name: string, queues: ReadonlyMap<string, Gate>, isRouted: boolean, depth: number): Placed {
  const gate = queues.get(name)
  if (gate === undefined) return { refused: `there is no queue "${name}"` }
  const why = gate.refuses(spec, isRouted)
  if (why !== undefined) return { refused: `queue "${name}" ${why}` }
  if (!gate.isRoute) return { queue: name, ...gate.estimateOf(spec) }
  if (depth >= DEEPEST) return { refused: `queue "${name}" leads to itself` }
  let last: Placed = { refused: `queue "${name}" leads nowhere` }
  for (const next of gate.destinations) {
    last = enter(spec, next, queues, true, depth + 1)
    if (last.refused === undefined) return last
  }
  return gate.destinations.length === 1 ? last : { refused: `no queue behind "${name}" takes it` }
}

/** What a queue lets in. */
class Gate {
  readonly isRoute: boolean
  readonly destinations: readonly string[]
  readonly #isEnabled: boolean
  readonly #isStarted: boolean
  readonly #fromRoute: boolean
  readonly #most: readonly Bound[]
  readonly #least: readonly Bound[]
  readonly #walltime: number | undefined
  readonly #denied: (spec: JobSpec) => string | undefined
  readonly #facts: Pick<ClusterFacts, 'resources'>

  constructor(queue: PbsQueue, server: Attributes, facts: Pick<ClusterFacts, 'resources'>) {
    const { attributes } = queue
    this.isRoute = isRoute(queue)
    this.destinations = listed(attributes.get('route_destinations')?.value ?? '')
    this.#isEnabled = isTrue(attributes.get('enabled')) === true
    this.#isStarted = isTrue(attributes.get('started')) === true
    this.#fromRoute = isTrue(attributes.get('from_route_only')) === true
    const own = boundsOf(attributes, 'resources_max', facts)
    this.#most = [...own, ...boundsOf(server, 'resources_max', facts).filter(({ resource }) => !own.some((each) => each.resource === resource))]
    this.#least = boundsOf(attributes, 'resources_min', facts)
    this.#walltime = secondsOf(['resources_default', 'resources_max'].flatMap((name) => [attributes, server].flatMap((of) => of.get(`${name}.walltime`) ?? []))[0])
    this.#denied = accessOf(attributes)
    this.#facts = facts
  }

  /** Why the queue does not take a job; `undefined`: it does. */
  refuses(spec: JobSpec, isRouted: boolean): string | undefined {
    if (!this.#isEnabled) return 'is not enabled'
    if (this.isRoute && !this.#isStarted) return 'is not started'
    if (this.#fromRoute && !isRouted) return 'takes jobs from routing queues alone (from_route_only)'
    const denied = this.#denied(spec)
    if (denied !== undefined) return denied
    const asks = (resource: string) => (resource === 'walltime' ? (spec.estimate ?? this.#walltime) : askedOf(spec, resource, this.#facts))
    const over = this.#most.find(({ resource, amount }) => (asks(resource) ?? 0) > amount)
    if (over !== undefined) return `has resources_max.${over.resource} = ${over.text}`
    const under = this.#least.find(({ resource, amount }) => (asks(resource) ?? Infinity) < amount)
    return under && `has resources_min.${under.resource} = ${under.text}`
  }

  estimateOf({ estimate }: JobSpec): { readonly estimate?: number } {
    return estimate === undefined && this.#walltime !== undefined ? { estimate: this.#walltime } : {}
  }
}

/** Why a bound of this resource has no effect; empty: it has. */
export const whyNotBounded = (resource: string, facts: Pick<ClusterFacts, 'resources'>): string => (resource === 'walltime' ? '' : whyNotCounted(resource, facts))

function boundsOf(attributes: Attributes, name: string, facts: Pick<ClusterFacts, 'resources'>): Bound[] {
  return byResource(attributes, name).flatMap(([resource, attribute]) => {
    const amount = resource === 'walltime' ? secondsOf(attribute) : whyNotBounded(resource, facts) === '' ? sizeOf(attribute, resource) : undefined
    return amount === undefined ? [] : [{ resource, amount, text: attribute.value }]
  })
}

/** What a job asks for at once. */
function askedOf(spec: JobSpec, resource: string, { resources }: Pick<ClusterFacts, 'resources'>): number {
  const name = resources[pbsResourceIndex(resource, resources)]
  if (name === undefined) return ownValue(spec.licenses, resource) ?? 0
  return Math.max(...startedTogether(spec).map((stages) => askedTogether(stages, name)))
}

/** Why access lists that are enabled keep a job out; groups are the accounts of jobs. */
function accessOf(attributes: Attributes): (spec: JobSpec) => string | undefined {
  const lists = (['user', 'group'] as const).flatMap((of) => (isTrue(attributes.get(`acl_${of}_enable`)) === true ? [{ of, entries: entriesOf(attributes.get(`acl_${of}s`)) }] : []))
  return ({ user = 'user', account = '' }) => {
    for (const { of, entries } of lists) {
      const name = of === 'user' ? user : account
      if (entries.find((entry) => entry.name === name)?.isAllowed !== true) return `keeps ${of === 'user' ? 'user' : 'account'} "${name}" out (acl_${of}s)`
    }
    return undefined
  }
}

/** The entries of an access list, without hosts: `ann@*,-bob`. */
const entriesOf = (attribute: Attribute | undefined) =>
  listed(attribute?.value ?? '').map((entry) => ({ name: entry.replace(/^[+-]/, '').replace(/@.*$/, ''), isAllowed: !entry.startsWith('-') }))
