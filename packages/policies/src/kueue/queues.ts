import { SchedError, suggest, ownValue, type ClusterView, type ResourceId } from '@sched/core'
import { allNodes } from '../shares/all-nodes.js'
import type { Flavor } from './flavor.js'
import { choicesOf, FlavorChoices, type ResourceGroup } from './flavor-choices.js'
import type { CohortSettings, KueueSettings, Quantities, QueueSettings } from './options.js'
import { isQuotaOf, PODS, quotaResources } from './pod-quota.js'
import { QuotaNode, type Quota } from './quota-node.js'
import { Transformations } from './transformations.js'

/** A ClusterQueue with its settings. */
export class ClusterQueue extends QuotaNode {
  readonly settings: QueueSettings
  readonly groups: readonly ResourceGroup[]
  readonly choices: FlavorChoices
  /** The index of tasks among resources; -1: its quota does not count tasks. */
  readonly pods: number
  /** Resources that only transformations make and that its quota does not name; they do not count in it. */
  readonly uncounted: readonly number[]
  readonly #choicesFor = new Map<string, readonly number[]>()

  constructor(name: string, quota: Quota, settings: QueueSettings, groups: readonly ResourceGroup[], choices: FlavorChoices, parent: QuotaNode | undefined, pods = -1, uncounted: readonly number[] = []) {
    super(name, quota, settings.weight ?? 1, parent)
    this.pods = pods
    this.uncounted = uncounted
    this.settings = settings
    this.groups = groups
    this.choices = choices
  }

  /** Whether any resource group has more than one flavor. */
  get hasChoice(): boolean {
    return this.groups.some(({ flavors }) => flavors.length > 1)
  }

  /** The choices (flavors or mixes, by index) for a workload with this demand, in order. */
  choicesFor(demand: ArrayLike<number>): readonly number[] {
    const [first] = this.groups
    if (this.groups.length === 1) return first?.flavors ?? []
    const asks = (r: number): boolean => (demand[r] as number) > 0
    const key = Array.from(demand, (_, r) => Number(asks(r))).join('')
    const known = this.#choicesFor.get(key)
    if (known !== undefined) return known
    const found = choicesOf(this.groups, asks, demand.length, this.choices)
    this.#choicesFor.set(key, found)
    return found
  }
}

/** The queues and cohorts of a cluster; queues that are not named are made when they are first asked for. */
export class Queues {
  readonly flavors: readonly Flavor[]
  readonly choices: FlavorChoices
  /** Names of the resources of the cluster, of tasks if any quota counts them, and of what transformations make. */
  readonly resources: readonly string[]
  readonly transformations: Transformations
  /** The index of tasks among them, unless they are a resource of nodes; -1: they are not counted. */
  readonly #pods: number
  /** The number of resources of nodes. */
  readonly #ofNodes: number
  readonly #settings: KueueSettings
  readonly #cohorts = new Map<string, QuotaNode>()
  readonly #byName = new Map<string, ClusterQueue>()

  /** Throws `BAD_OPTION` for cohorts in a ring, unknown resources and flavors, flavors without nodes and limits outside of cohorts. */
  constructor(settings: KueueSettings, cluster: ClusterView) {
    this.#settings = settings
    const { names, pods } = quotaResources(settings, cluster.resources)
    this.resources = names
    this.#pods = pods
    this.#ofNodes = cluster.resources.length
    this.transformations = new Transformations(settings.transformations, names, this.#ofNodes)
    const capacityOf = capacitiesOf(cluster, this.resources)
    this.flavors = flavorsOf(settings.flavors, cluster, capacityOf)
    this.choices = new FlavorChoices(this.flavors, capacityOf)
    for (const name of Object.keys(settings.cohorts)) this.#cohort(name, [])
    for (const name of Object.keys(settings.queues)) this.of(name)
    if (Object.keys(settings.queues).length === 0) this.#quota(settings.defaults, 'defaults', false)
  }

  /** Names of all queues in the order in which they were made; each has quota that its cohort may borrow. */
  get names(): readonly string[] {
    return [...this.#byName.keys()]
  }

  of(name: string): ClusterQueue {
    return this.#byName.get(name) ?? this.#make(name)
  }

  #make(name: string): ClusterQueue {
    const own = ownValue(this.#settings.queues, name) ?? {}
    const settings: QueueSettings = { ...this.#settings.defaults, ...own }
    const field = `queues.${name}`
    const parent = settings.cohort === undefined ? undefined : this.#cohort(settings.cohort, [])
    if (parent === undefined && (settings.borrowingLimit ?? settings.lendingLimit) !== undefined)
      throw new SchedError('BAD_OPTION', `queue "${name}" has a limit of borrowing or lending, and no cohort.`, { field }, 'Name its cohort.')
    const queue = new ClusterQueue(name, this.#quota(settings, field, false), settings, this.#groupsOf(settings, field), this.choices, parent, isQuotaOf(PODS, settings.nominalQuota) ? this.#pods : -1, this.#uncounted(settings))
    this.#byName.set(name, queue)
    return queue
  }

  #uncounted({ nominalQuota }: QueueSettings): readonly number[] {
    return this.resources.flatMap((name, r) => (r < this.#ofNodes || r === this.#pods || isQuotaOf(name, nominalQuota) ? [] : [r]))
  }

  #cohort(name: string, inside: readonly string[]): QuotaNode {
    const known = this.#cohorts.get(name)
    if (known !== undefined) return known
    const settings: CohortSettings = ownValue(this.#settings.cohorts, name) ?? {}
    if (inside.includes(name)) throw new SchedError('BAD_OPTION', `cohort "${name}" lies in itself: ${[...inside, name].join(' in ')}.`, { field: `cohorts.${name}.parent` }, 'Take a parent away.')
    const parent = settings.parent === undefined ? undefined : this.#cohort(settings.parent, [...inside, name])
    const cohort = new QuotaNode(name, this.#quota(settings, `cohorts.${name}`, true), settings.weight ?? 1, parent)
    this.#cohorts.set(name, cohort)
    return cohort
  }

  #quota({ nominalQuota, borrowingLimit, lendingLimit, ...rest }: QueueSettings, field: string, isCohort: boolean): Quota {
    const groups = isCohort ? [] : this.#groupsOf({ ...rest, nominalQuota }, field)
    const has = (flavor: number, r: number): boolean => groups.some(({ flavors, resources }) => flavors.includes(flavor) && resources.includes(r))
    const usual = (flavor: number, r: number): number => (r < this.#ofNodes && has(flavor, r) ? (this.flavors[flavor]?.capacity[r] as number) : 0)
    return {
      nominal: this.#columns(nominalQuota, `${field}.nominalQuota`, usual),
      borrowing: this.#columns(borrowingLimit, `${field}.borrowingLimit`, () => Infinity),
      lending: this.#columns(lendingLimit, `${field}.lendingLimit`, () => Infinity),
    }
  }

  #columns(given: Quantities | undefined, field: string, usual: (flavor: number, r: number) => number): Float64Array {
    const columns = Float64Array.from({ length: this.flavors.length * this.resources.length }, (_, c) => usual(Math.floor(c / this.resources.length), c % this.resources.length))
    for (const [name, value] of Object.entries(given ?? {})) {
      if (typeof value === 'number') {
        if (this.flavors.length > 1) throw new SchedError('BAD_OPTION', 'there are several flavors.', { field: `${field}.${name}` }, 'Give amounts by flavor and resource: { spot: { cpu: 10 } }.')
        columns[this.#index(name, this.resources, 'the cluster has no resource', `${field}.${name}`)] = value
        continue
      }
      const flavor = this.#index(name, this.flavors.map((each) => each.name), 'there is no flavor', `${field}.${name}`)
      for (const [resource, amount] of Object.entries(value))
        columns[flavor * this.resources.length + this.#index(resource, this.resources, 'the cluster has no resource', `${field}.${name}.${resource}`)] = amount
    }
    return columns
  }

  #index(name: string, known: readonly string[], what: string, field: string): number {
    const found = known.indexOf(name)
    // without flavors in the options there is one with an empty name
    if (found < 0) throw new SchedError('BAD_OPTION', `${what} "${name}".`, { field }, suggest(name, known.filter((each) => each !== '')))
    return found
  }

  /** The resource groups: a single one unless the settings name groups; resources that these do not name are in the first. */
  #groupsOf({ nominalQuota = {}, resourceGroups }: QueueSettings, field: string): ResourceGroup[] {
    const flavors = this.#flavorsFor(nominalQuota)
    if (resourceGroups === undefined) return [{ resources: this.resources.map((_, r) => r), flavors }]
    const names = resourceGroups.flat()
    const twice = names.find((name, i) => names.indexOf(name) < i)
    if (twice !== undefined) throw new SchedError('BAD_OPTION', `resource "${twice}" is in two groups.`, { field: `${field}.resourceGroups` }, 'Take it out of one.')
    const groupOf = new Map(resourceGroups.flatMap((group, g) => group.map((name) => [this.#index(name, this.resources, 'the cluster has no resource', `${field}.resourceGroups`), g] as const)))
    return resourceGroups.map((group, g) => {
      const own = flavors.filter((flavor) => {
        const amounts = ownValue(nominalQuota, this.flavors[flavor]?.name ?? '')
        return typeof amounts !== 'object' || group.some((name) => Object.hasOwn(amounts, name))
      })
      if (own.length === 0) throw new SchedError('BAD_OPTION', `no flavor has a nominal quota of ${group.join(' or ')}.`, { field: `${field}.resourceGroups` }, 'Give each group flavors of its own.')
      return { resources: this.resources.map((_, r) => r).filter((r) => (groupOf.get(r) ?? 0) === g), flavors: own }
    })
  }

  /** The flavors that the quota names, in its order; all if it names none. */
  #flavorsFor(nominalQuota: Quantities): number[] {
    const named = Object.keys(nominalQuota).map((name) => this.flavors.findIndex((each) => each.name === name))
    return named.length > 0 && named.every((index) => index >= 0) ? named : this.flavors.map((_, index) => index)
  }
}

/** Totals of nodes by resource; unlimited for a resource that nodes do not have. */
function capacitiesOf(cluster: ClusterView, resources: readonly string[]): (has: Uint8Array | undefined) => Float64Array {
  const nodes = allNodes(cluster)
  return (has) => Float64Array.from(resources, (_, r) => r >= cluster.resources.length ? Infinity : nodes.reduce((sum, node) => sum + (has?.[node] === 0 ? 0 : cluster.total(node, r as ResourceId)), 0))
}

function flavorsOf(given: KueueSettings['flavors'], cluster: ClusterView, capacityOf: (has: Uint8Array | undefined) => Float64Array): Flavor[] {
  const nodes = allNodes(cluster)
  const flavor = (name: string, index: number, has?: Uint8Array): Flavor => {
    const capacity = capacityOf(has)
    return { name, has, capacity, columns: Int32Array.from(capacity, (_, r) => index * capacity.length + r) }
  }
  const named = Object.entries(given)
  if (named.length === 0) return [flavor('', 0)]
  const number = named.length > 1 ? named.find(([name]) => isListedFirst(name)) : undefined
  if (number !== undefined) throw new SchedError('BAD_OPTION', `flavor "${number[0]}" is called by a number alone, which would stand before all others, whatever their order.`, { field: `flavors.${number[0]}` }, 'Let its name begin with a letter.')
  return named.map(([name, labels], index) => {
    const has = Uint8Array.from(nodes, (node) => (Object.entries(labels).every(([key, value]) => cluster.label(node, key) === value) ? 1 : 0))
    if (!has.includes(1)) throw new SchedError('BAD_OPTION', `no node has the labels ${JSON.stringify(labels)}.`, { field: `flavors.${name}` }, 'Correct the labels, or label nodes in the description of the cluster.')
    return flavor(name, index, has)
  })
}

/** Whether the workloads of the queue go by what their users have used lately, before priority and age. */
export const goesByUsage = ({ settings }: ClusterQueue): boolean => settings.admissionMode === 'UsageBasedAdmissionFairSharing'

/** Whether JavaScript lists a key before all that are no such numbers, wherever it was written. */
const isListedFirst = (key: string): boolean => /^(0|[1-9]\d{0,9})$/.test(key) && Number(key) < 2 ** 32 - 1
