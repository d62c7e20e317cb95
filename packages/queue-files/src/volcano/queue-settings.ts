import { quantityAt } from '@sched/cluster'
import { knownWords, SchedError } from '@sched/core'
import type { VolcanoOptions } from '@sched/policies'
import { at, fieldsOf, textOf, unexpected, where } from '../fields.js'
import { notSimulated, type Findings, type Verdict } from '../finding.js'
import { countedResources, inUnits, NOT_OF_NODES, notInCluster } from '../kubernetes-resources.js'
import { beyondCluster, type ClusterFacts } from '../queue-policy.js'
import { amountKinds, amountsOf, ROOT, stateOf, type VolcanoQueue } from './volcano-file.js'

type Settings = NonNullable<VolcanoOptions['queues']>[string]
/** The plug-ins of the configuration by name, with the flag that decides which settings of queues count. */
export type Plugins = ReadonlyMap<string, { readonly enableHierarchy?: boolean | undefined }>

/** The facts that decide which settings of queues count. */
export interface Rules {
  /** The cluster whose resources are shared. */
  readonly cluster: ClusterFacts
  /** The plug-ins of the configuration, or Volcano's default ones. */
  readonly plugins: Plugins
  /** Whether the configuration has the action `reclaim`. */
  readonly reclaims: boolean
  /** Whether the plug-in `capacity` arranges queues as a tree (`enableHierarchy`). */
  readonly isTree: boolean
  /** Whether the plug-in `drf` does. */
  readonly isDominant: boolean
  /** All queues of the file. */
  readonly queues: readonly VolcanoQueue[]
}

const strategies = ['traverse', 'fifo', 'priorityfifo']
const states = ['Open', 'Closed', 'Closing', 'Unknown']
const why = knownWords<string>({ type: 'it has no effect', extendClusters: 'there is one cluster' })
const known = ['weight', 'capability', 'deserved', 'guarantee', 'reclaimable', 'parent', 'priority', 'dequeueStrategy']
const OWN = 'volcano.sh/'
const HIERARCHY = ['metadata', 'annotations', 'volcano.sh/hierarchy']
const WEIGHTS = ['metadata', 'annotations', 'volcano.sh/hierarchy-weights']

/** The options of one queue. Adds a finding for each of its settings. Throws `BAD_INPUT` with the line for a value that Volcano does not take. */
export const queueSettings = (queue: VolcanoQueue, rules: Rules, findings: Findings): Settings => new Reading(queue, rules, findings).settings()

/** How a field of a queue is read. */
interface Field {
  /** Whether the field has an effect; absent: yes. */
  readonly counts?: boolean
  /** Why it has none. */
  readonly note?: string
  readonly isRight: (value: unknown) => boolean
  /** The values that are right, for messages. */
  readonly expected: string | readonly string[]
}

class Reading {
  readonly #queue: VolcanoQueue
  readonly #rules: Rules
  readonly #findings: Findings
  readonly #settings: Record<string, unknown> = {}

  constructor(queue: VolcanoQueue, rules: Rules, findings: Findings) {
    this.#queue = queue
    this.#rules = rules
    this.#findings = findings
  }

  settings(): Settings {
    const way = this.#rules.isDominant ? this.#wayOf() : undefined
    this.#fields(way !== undefined)
    this.#tellHierarchy(way !== undefined)
    this.#tellAnnotations()
    Object.assign(this.#settings, way)
    const spec = fieldsOf(this.#queue.found.object['spec'])
    for (const field of Object.keys(spec))
      if (!known.includes(field) && field !== 'state' && field !== 'affinity') this.#tell('ignored', ['spec', field], spec[field], why[field] ?? notSimulated(field, known))
    this.#state()
    const { plugins } = this.#rules
    for (const kind of amountKinds) {
      const counts = plugins.has('capacity') || (kind !== 'deserved' && plugins.has('proportion'))
      const amounts = this.#amounts(kind, counts ? '' : `it counts with the plug-in ${kind === 'deserved' ? 'capacity' : 'proportion or capacity'}`)
      if (amounts !== undefined) this.#settings[kind] = amounts
    }
    return this.#settings
  }

  #fields(hasWay: boolean): void {
    const { plugins, reclaims, isTree, isDominant } = this.#rules
    const divides = plugins.has('proportion')
    this.#take('weight', {
      counts: divides || (isDominant && !hasWay),
      note: 'it counts with the plug-in proportion, or with enableHierarchy of drf where the queue has no hierarchy',
      isRight: (value) => Number.isInteger(value) && (value as number) > 0,
      expected: 'a whole number above 0',
    })
    this.#take('priority', {
      counts: divides || plugins.has('capacity'), note: 'it counts with the plug-in proportion or capacity', isRight: Number.isInteger, expected: 'a whole number',
    })
    this.#take('reclaimable', { counts: reclaims, note: 'there is no action reclaim', isRight: (value) => typeof value === 'boolean', expected: 'true or false' })
    this.#take('dequeueStrategy', { isRight: (value) => strategies.includes(value as string), expected: strategies })
    this.#take('parent', {
      counts: isTree || isDominant || fieldsOf(this.#queue.found.object['spec'])['parent'] === ROOT,
      note: 'queues have parents only with enableHierarchy of the plug-in capacity or drf',
      isRight: (value) => typeof value === 'string',
      expected: 'a queue',
    })
    if (this.#settings['parent'] === ROOT) delete this.#settings['parent']
  }

  #take(field: string, { counts = true, note = '', isRight, expected }: Field): void {
    const { found } = this.#queue
    const path = ['spec', field]
    const value = at(found.object, path)
    if (value === undefined || value === null || value === '') return
    if (!isRight(value)) throw unexpected(found, path, expected)
    this.#tell(counts ? 'honoured' : 'ignored', path, value, counts ? '' : note)
    if (counts) this.#settings[field] = value
  }

  /**
   * The place of the queue in the tree of `drf`, which its annotations give, with the weights on the way to it; undefined if one of the two annotations is
   * missing: its place is then in its parent. Throws `BAD_INPUT` with the line if they do not fit together.
   */
  #wayOf(): { readonly hierarchy: string; readonly hierarchyWeights: string } | undefined {
    const { found } = this.#queue
    const [hierarchy, weights] = [HIERARCHY, WEIGHTS].map((path) => textOf(at(found.object, path) ?? '')) as [string, string]
    if (hierarchy === '' || weights === '') return undefined
    const wrong = (path: readonly string[], value: string, expected: string, wayOut: string) =>
      new SchedError('BAD_INPUT', `found ${JSON.stringify(value)}, expected ${expected}.`, found.place(...path), wayOut)
    if (!/^root(\/[^/]+)+$/.test(hierarchy)) throw wrong(HIERARCHY, hierarchy, 'the way from the root to the queue', 'Write it as root/team/project.')
    const numbers = weights.split('/').map(Number)
    if (numbers.length !== hierarchy.split('/').length || !numbers.every((weight) => weight > 0 && weight < Infinity))
      throw wrong(WEIGHTS, weights, `a weight above 0 for each name of ${JSON.stringify(hierarchy)}`, 'Write them as 1/50/50.')
    return { hierarchy, hierarchyWeights: weights }
  }

  #tellHierarchy(counts: boolean): void {
    const note = counts ? '' : this.#rules.isDominant ? 'it counts together with the other one' : 'it counts with enableHierarchy of the plug-in drf'
    for (const path of [HIERARCHY, WEIGHTS]) {
      const value = at(this.#queue.found.object, path)
      if (value !== undefined) this.#tell(counts ? 'honoured' : 'ignored', path, value, note)
    }
  }

  #tellAnnotations(): void {
    const annotations = fieldsOf(at(this.#queue.found.object, ['metadata', 'annotations']))
    for (const [name, value] of Object.entries(annotations))
      if (name.startsWith(OWN) && name !== HIERARCHY.at(-1) && name !== WEIGHTS.at(-1))
        this.#tell('ignored', ['metadata', 'annotations', name], value, name === `${OWN}overcommit-factor` ? 'off in Volcano without its gate QueueScopedOvercommit, and not simulated' : 'not simulated')
  }

  #state(): void {
    const { found } = this.#queue
    const state = stateOf(found)
    if (state === undefined) return
    if (!states.includes(state.value as string)) throw unexpected(found, state.path, states)
    this.#tell('honoured', state.path, state.value)
    if (state.value !== 'Open') this.#settings['state'] = state.value
  }

  /** The amounts of one kind by resource, in the units of nodes (`inUnits`); GPUs of all makers together. `whyNot`: why they do not count, or empty. */
  #amounts(kind: (typeof amountKinds)[number], whyNot: string): Record<string, number> | undefined {
    const { found, name } = this.#queue
    const { cluster } = this.#rules
    const { path, amounts } = amountsOf(found, kind)
    const resources = countedResources(cluster)
    const taken: Record<string, number> = {}
    for (const resource of Object.keys(amounts)) {
      const place = where(found, [...path, resource])
      const tell = (verdict: Verdict, note: string) => this.#findings.add(verdict, place, `${name} ${kind} of ${resource}`, textOf(amounts[resource]), note)
      const unit = inUnits(resource, quantityAt(found, ...path, resource), resources)
      if (whyNot !== '') tell('ignored', whyNot)
      else if (unit === undefined) tell('ignored', NOT_OF_NODES)
      else if (!resources.includes(unit.resource)) tell('ignored', notInCluster(unit))
      else if (kind === 'capability' && unit.amount === 0 && unit.resource !== 'gpu') tell('honoured', 'none: no bound, as in Volcano')
      else {
        const others = taken[unit.resource]
        taken[unit.resource] = unit.amount + (others ?? 0)
        if (others === undefined) tell('honoured', this.#refused(kind, resource) ?? beyondCluster(unit.resource, kind === 'capability' ? 0 : unit.amount, unit.unit, cluster))
        else tell('approximated', 'together with the other GPUs: nodes have them as one resource')
      }
    }
    return Object.keys(taken).length === 0 ? undefined : taken
  }

  /**
   * The note for an amount that is more than another kind allows, which Volcano refuses: `deserved` and `guarantee` above `capability`, `guarantee` above
   * `deserved`. A kind that names no resource at all bounds nothing; otherwise a resource that it does not name is 0 (validate_queue.go, validateResourceOfQueue).
   */
  #refused(kind: (typeof amountKinds)[number], resource: string): string | undefined {
    const { found } = this.#queue
    const bounds = { capability: [], deserved: ['capability'], guarantee: ['capability', 'deserved'] } as const
    const own = quantityAt(found, ...amountsOf(found, kind).path, resource)
    const bound = bounds[kind].find((each) => {
      const { path, amounts } = amountsOf(found, each)
      return Object.keys(amounts).length > 0 && own > (amounts[resource] === undefined ? 0 : quantityAt(found, ...path, resource))
    })
    if (bound !== undefined) return `more than its ${bound}: Volcano refuses that`
    return this.#rules.isTree ? this.#refusedInside(kind, resource, own) : undefined
  }

  /**
   * The note for an amount that the queues around it do not allow: a `capability` above that of the nearest of them that has one, and what queues side by
   * side have together of the other kinds above what their parent has, if that has any (validate_queue.go, validateHierarchicalQueueResources).
   */
  #refusedInside(kind: (typeof amountKinds)[number], resource: string, own: number): string | undefined {
    const amountOf = ({ found }: VolcanoQueue) => {
      const { path, amounts } = amountsOf(found, kind)
      return amounts[resource] === undefined ? 0 : quantityAt(found, ...path, resource)
    }
    const { queues } = this.#rules
    const around = (queue: VolcanoQueue) => queues.find(({ name }) => name === parentOf(queue) && name !== ROOT)
    const parent = around(this.#queue)
    if (kind !== 'capability') {
      if (parent === undefined || Object.keys(amountsOf(parent.found, kind).amounts).length === 0) return undefined
      const together = queues.filter((each) => parentOf(each) === parent.name).reduce((sum, each) => sum + amountOf(each), 0)
      return together > amountOf(parent) ? `all queues in "${parent.name}" have together more than that: Volcano refuses it` : undefined
    }
    let outer = parent
    while (outer !== undefined && amountOf(outer) === 0) outer = around(outer)
    return outer !== undefined && own > amountOf(outer) ? `more than "${outer.name}" around it has: Volcano refuses that` : undefined
  }

  #tell(verdict: Verdict, path: readonly string[], value: unknown, note = ''): void {
    const { name, found } = this.#queue
    this.#findings.add(verdict, where(found, path), `${name} ${path.at(-1) ?? ''}`, typeof value === 'object' ? '' : textOf(value), note)
  }
}

/** The queue around a queue as the file names it. */
const parentOf = ({ found }: VolcanoQueue): unknown => fieldsOf(found.object['spec'])['parent']
