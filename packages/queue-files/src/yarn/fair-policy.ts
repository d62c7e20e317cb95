import { withoutUndefined, type Config, type JobSpec } from '@sched/core'
import type { QueueOptions, YarnFairOptions } from '@sched/policies'
import { allocated } from './allocation.js'
import { clusterName, unitOf, type NamedAmounts } from './amounts.js'
import { FOR_MASTERS } from './capacity-use.js'
import { inIncrements } from './fair-allocation.js'
import type { FairFile, FairQueue, PlacementRule } from './fair-model.js'
import { readFairSite, type FairSite } from './fair-site.js'
import { byPlace, Findings, type Verdict } from '../finding.js'
import { find, isLast, missing, nearestQueue } from './placement-rules.js'
import { ResourceTypes, type Bound, type Bounds } from './resource-types.js'
import type { Placed } from '../placed.js'
import type { Given, Setting } from '../setting.js'
import { beyondCluster, type ClusterFacts, type QueuePolicy } from '../queue-policy.js'

/** The policy that a fair-scheduler.xml describes. */
export interface FairPolicy extends QueuePolicy {
  /** Tells the policies of files apart. */
  readonly kind: 'fair'
  /** Options of the order `yarn-fair`. */
  readonly options: YarnFairOptions
  /** Placement rules, which give jobs their queues; the first that gives one counts. */
  readonly rules: readonly PlacementRule[]
  /** What the tasks of a job get in a queue, or a refusal if one asks for more than a container of the queue may have. */
  readonly fit: (spec: JobSpec, queue: string) => Placed
}

/**
 * The policy of a fair-scheduler.xml. `properties`: those of a yarn-site.xml and files that add to it. Throws `BAD_INPUT` with the line for a value that
 * Hadoop does not take.
 */
export function fairPolicy(file: FairFile, cluster: ClusterFacts, properties: ReadonlyMap<string, Setting> = new Map()): FairPolicy {
  const findings = new Findings(file.file)
  const types = new ResourceTypes(properties, cluster.resources)
  const site = readFairSite(properties, types, cluster.resources, findings)
  const mapped = new Mapping(file, cluster, site, types, findings)
  const options = mapped.options()
  const rules = file.rules ?? defaultRules(site)
  mapped.tellRules()
  const policy = composed(options, site, cluster)
  const all = [...file.ignored.all, ...findings.all].sort(byPlace)
  const allocation = inIncrements(site, types, cluster.resources)
  return { kind: 'fair', policy, options, rules, findings: all, fit: (spec, queue) => allocated(spec, allocation, mapped.largestIn(queue)) }
}

/** The rules of a file without a queuePlacementPolicy: the queue that the job names, else that of its user, else `root.default`. */
function defaultRules({ allowUndeclaredPools: create, userAsDefaultQueue }: FairSite): PlacementRule[] {
  const specified: PlacementRule = { name: 'specified', create, line: 0 }
  const fallback: PlacementRule = { name: 'default', create: true, line: 0, queue: 'root.default' }
  return userAsDefaultQueue ? [specified, { name: 'user', create, line: 0 }, fallback] : [specified, fallback]
}

/**
 * The order inside the policies for the settings of the yarn-site.xml: waiting for nodes with the data, starts per heartbeat, reservations and preemption.
 * Starts per heartbeat and reservations need a cluster with heartbeats and no continuous scheduling. That goes through nodes by what is free there, most
 * first (`continuousSchedulingAttempt`). Deviation: by parts of nodes, where Hadoop compares amounts of memory, and with waits by id.
 */
function composed(options: YarnFairOptions, site: FairSite, { nodes, heartbeat, resources }: ClusterFacts): Config {
  const order = { 'yarn-fair': options }
  const skips = (part: number) => Math.floor(Math.min(part, 1) * nodes)
  const isDelayed = heartbeat && !site.continuous && site.localityNode >= 0 && site.localityRack >= 0
  let policy: Config = { greedy: site.continuous ? { order, placement: 'worst-fit' } : { order } }
  if (site.continuous && site.localityNodeDelay >= 0 && site.localityRackDelay >= 0) policy = { delay: { order, waits: [site.localityNodeDelay, site.localityRackDelay] } }
  else if (isDelayed) policy = { 'skip-delay': { order, skips: [skips(site.localityNode), skips(site.localityRack) + 1] } }
  if (heartbeat && !site.continuous) {
    policy = { 'yarn-assign': { policy, assignMultiple: site.assignMultiple, dynamicMaxAssign: site.dynamicMaxAssign, maxAssign: site.maxAssign } }
    const { reservableNodes, updateInterval } = site
    policy = { 'yarn-reserving': { policy, reservableNodes, threshold: smallestReserving(site, resources), onlyNear: isDelayed, updateInterval } }
  }
  if (!site.preemption) return policy
  const { utilizationThreshold, waitBeforeKill, waitBeforeNextCheck, updateInterval } = site
  return { 'yarn-preempting': { policy, utilizationThreshold, waitBeforeKill, waitBeforeNextCheck, updateInterval } }
}

/** The amount of each resource from which a task that finds no room on a node reserves the node. */
function smallestReserving({ increments, reservationMultiple }: FairSite, resources: readonly string[]): Record<string, number> {
  const threshold: Record<string, number> = {}
  for (const [name, increment] of Object.entries(increments)) {
    const known = clusterName(name, resources)
    if (known !== undefined) threshold[known] = increment * reservationMultiple
  }
  return threshold
}

/** Makes options of settings and adds a finding for each. */
class Mapping {
  readonly #file: FairFile
  readonly #cluster: ClusterFacts
  readonly #site: FairSite
  readonly #types: ResourceTypes
  readonly #findings: Findings
  /** The largest container of each queue that limits it, by path. */
  readonly #largest = new Map<string, Bounds>()

  constructor(file: FairFile, cluster: ClusterFacts, site: FairSite, types: ResourceTypes, findings: Findings) {
    this.#file = file
    this.#cluster = cluster
    this.#site = site
    this.#types = types
    this.#findings = findings
  }

  options(): YarnFairOptions {
    const file = this.#file
    const tell = (name: string, given: Given<unknown> | undefined) => void (given !== undefined && this.#findings.add('honoured', given, name, given.text))
    tell('defaultQueueSchedulingPolicy', file.defaultPolicy)
    tell('queueMaxAppsDefault', file.queueMaxAppsDefault)
    tell('userMaxAppsDefault', file.userMaxAppsDefault)
    if (file.queueMaxAMShareDefault !== undefined)
      this.#findings.add('approximated', file.queueMaxAMShareDefault, 'queueMaxAMShareDefault', file.queueMaxAMShareDefault.text, FOR_MASTERS)
    for (const [user, given] of file.users) tell(`user "${user}" maxRunningApps`, given)
    const defaults = withoutUndefined({
      policy: file.defaultPolicy?.value,
      maxRunningApps: file.queueMaxAppsDefault?.value,
      maxAMShare: file.queueMaxAMShareDefault?.value,
      maxResources: this.#amounts('queueMaxResourcesDefault', file.queueMaxResourcesDefault, 'maximum'),
    })
    return withoutUndefined({
      root: this.#queue(file.root),
      defaults: Object.keys(defaults).length === 0 ? undefined : defaults,
      users: file.users.size === 0 ? undefined : Object.fromEntries([...file.users].map(([user, { value }]) => [user, { maxRunningApps: value }])),
      userMaxRunningApps: file.userMaxAppsDefault?.value,
      sizeBasedWeight: this.#site.sizeBasedWeight || undefined,
    })
  }

  /** The most that a task may ask for in a queue: as the queue says, or the nearest one around it. Percentages are left to the policy. */
  largestIn(queue: string): Bounds {
    for (let path = queue; path.includes('.'); path = path.slice(0, path.lastIndexOf('.'))) {
      const bounds = this.#largest.get(path)
      if (bounds !== undefined) return bounds
    }
    return this.#largest.get('root') ?? this.#types.most
  }

  /** Adds a finding for each placement rule of the file. */
  tellRules(): void {
    const rules = this.#file.rules ?? []
    const first = rules.find((rule) => rule.name === 'nestedUserQueue' && isLast(rule))
    for (const rule of rules) {
      const isLate = first !== undefined && rules.indexOf(rule) > rules.indexOf(first)
      const late = isLate ? `for jobs that the one in line ${first.line} gives no queue; Hadoop 3.3 and later refuse a rule behind it` : ''
      const { value = rule.queue ?? '', verdict, note = late } = toldOfRule(rule, this.#file.root)
      this.#findings.add(verdict, rule, `rule ${rule.name}`, value, note)
    }
  }

  #queue(queue: FairQueue): QueueOptions {
    const { path } = queue
    const told = <T>(name: string, given: Given<T> | undefined, note = '', verdict: 'honoured' | 'approximated' | 'ignored' = note === ''
      ? 'honoured'
      : 'approximated'): T | undefined => {
      if (given !== undefined) this.#findings.add(verdict, given, `${path} ${name}`, given.text, note)
      return given?.value
    }
    const off = this.#site.preemption ? '' : 'preemption is off: yarn.scheduler.fair.preemption of yarn-site.xml is not true'
    const timed = <T>(name: string, given: Given<T> | undefined) => told(name, given, off, off === '' ? 'honoured' : 'ignored')
    const waiting = 'jobs that wait are admitted by priority, then by submission'
    return withoutUndefined({
      weight: told('weight', queue.weight),
      policy: told('schedulingPolicy', queue.policy),
      minResources: this.#amounts(`${path} minResources`, queue.minResources, 'minimum'),
      maxResources: this.#amounts(`${path} maxResources`, queue.maxResources, 'maximum'),
      maxChildResources: this.#amounts(`${path} maxChildResources`, queue.maxChildResources, 'maximum'),
      maxContainerAllocation: this.#container(queue),
      maxRunningApps: told('maxRunningApps', queue.maxRunningApps, waiting, 'honoured'),
      maxAMShare: told('maxAMShare', queue.maxAMShare, FOR_MASTERS),
      minSharePreemptionTimeout: timed('minSharePreemptionTimeout', queue.minSharePreemptionTimeout),
      fairSharePreemptionTimeout: timed('fairSharePreemptionTimeout', queue.fairSharePreemptionTimeout),
      fairSharePreemptionThreshold: timed('fairSharePreemptionThreshold', queue.fairSharePreemptionThreshold),
      allowPreemptionFrom: timed('allowPreemptionFrom', queue.allowPreemptionFrom),
      type: queue.isParent && queue.queues.length === 0 && queue.path !== 'root' ? ('parent' as const) : undefined,
      queues: queue.queues.length === 0 ? undefined : Object.fromEntries(queue.queues.map((each) => [each.name, this.#queue(each)])),
    })
  }

  /** The largest container of a queue, no larger than yarn.scheduler.maximum-allocation-* allows everywhere; undefined: as its parent. */
  #container(queue: FairQueue): QueueOptions['maxContainerAllocation'] {
    const own = this.#amounts(`${queue.path} maxContainerAllocation`, queue.maxContainerAllocation, 'container')
    if (own === undefined && queue.path !== 'root') return undefined
    const most: Record<string, number | string> = { ...own }
    for (const [name, { value }] of this.#types.most) {
      const given = most[name]
      if (given === undefined || (typeof given === 'number' && given > value)) most[name] = value
    }
    const { text = '', line = queue.line } = queue.maxContainerAllocation ?? {}
    const from = { name: `maxContainerAllocation of queue "${queue.path}"`, value: text, file: this.#file.file, line }
    const bounds = Object.entries(most).flatMap(([name, value]): [string, Bound][] => (typeof value === 'number' ? [[name, own?.[name] === value ? { value, from } : (this.#types.most.get(name) as Bound)]] : []))
    this.#largest.set(queue.path, new Map(bounds))
    return Object.keys(most).length === 0 ? undefined : most
  }

  /** Amounts under the cluster's names of resources, with a finding; undefined if they are not given or the cluster has none of the resources. */
  #amounts(setting: string, given: Given<NamedAmounts> | undefined, of: 'minimum' | 'maximum' | 'container'): Record<string, number | string> | undefined {
    if (given === undefined) return undefined
    const { resources } = this.#cluster
    const { byName, all, isOldStyle = false } = given.value
    const mapped: Record<string, number | string> = all === undefined ? {} : Object.fromEntries(resources.map((name) => [name, `${all}%`]))
    const missing: string[] = []
    const beyond: string[] = []
    for (const [name, amount] of Object.entries(byName)) {
      const known = clusterName(name, resources)
      if (known === undefined) missing.push(name)
      else mapped[known] = amount
      if (known !== undefined && of === 'minimum') beyond.push(beyondCluster(known, Number(amount), unitOf(name), this.#cluster))
    }
    const none = Object.keys(mapped).length === 0
    const rest = of !== 'minimum' && isOldStyle && !none ? resources.filter((name) => !(name in mapped)) : []
    for (const name of rest) mapped[name] = 0
    const isPart = of !== 'maximum' && Object.values(mapped).some((amount) => typeof amount === 'string')
    const notes = [
      missing.length === 0 ? '' : `the cluster has no ${missing.join(' and no ')}`,
      rest.length === 0 ? '' : `this form leaves none of ${rest.join(', ')}, as in Hadoop`,
      isPart && of === 'container' ? 'of the cluster as it is at the start' : '',
      isPart ? 'Hadoop takes no percentage here' : '',
      ...beyond,
    ].filter((note) => note !== '')
    this.#findings.add(none ? 'ignored' : missing.length > 0 || isPart ? 'approximated' : 'honoured', given, setting, given.text, notes.join('; '))
    return none ? undefined : mapped
  }
}

/** What becomes of a placement rule. `value`: the queue that it names, if that is not the rule's own. */
function toldOfRule(rule: PlacementRule, root: FairQueue): { readonly verdict: Verdict; readonly note?: string; readonly value?: string } {
  const nowhere = missing(rule, root)
  const isOf = (name: PlacementRule['name']): boolean => rule.name === name || rule.nested?.name === name
  if (nowhere !== undefined)
    return { verdict: 'ignored', value: nowhere, note: `it may not make this queue, which is not declared: it goes on to the next rule. ${nearestQueue(nowhere, root)}` }
  if (isOf('secondaryGroupExistingQueue')) return { verdict: 'ignored', note: 'jobs here have no secondary groups: it goes on to the next rule' }
  if (rule.queue !== undefined && find(root, rule.queue)?.isParent === true)
    return { verdict: 'honoured', note: 'it holds queues: jobs that come to this rule are refused, as in Hadoop' }
  return isOf('primaryGroup') ? { verdict: 'approximated', note: 'the group is that of the job in the workload' } : { verdict: 'honoured' }
}
