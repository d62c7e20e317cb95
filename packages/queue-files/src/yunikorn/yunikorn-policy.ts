import { kubernetesResource, ownValue, type Config } from '@sched/core'
import type { YunikornOptions } from '@sched/policies'
import { byPlace, Findings } from '../finding.js'
import { countedResources, NOT_OF_NODES, notInCluster } from '../kubernetes-resources.js'
import { beyondCluster, type ClusterFacts, type QueuePolicy } from '../queue-policy.js'
import { inheritedSort, propertiesOf, type PropertyOptions } from './properties.js'
import type { Quantities } from './quantities.js'
import type { Rule } from './rules.js'
import type { YunikornFile } from './yunikorn-file.js'
import type { YunikornLimit, YunikornQueue, YunikornSettings } from './yunikorn-queue.js'

/** The policy that a queues.yaml of YuniKorn describes. */
export interface YunikornPolicy extends QueuePolicy {
  /** Tells the policies of files apart. */
  readonly kind: 'yunikorn'
  /** Options of the policy `yunikorn-preempting`, or of `yunikorn-reserving` if preemption is off. Reservations are left at their defaults. */
  readonly options: YunikornOptions
}

type Queue = NonNullable<YunikornOptions['root']>
type Limit = NonNullable<Queue['limits']>[number]

/** YuniKorn's resources in terms of nodes: their name, how many of their units one of YuniKorn's (millicore, byte, GPU) is, and the name of their unit. */
const units: Readonly<Record<string, { readonly resource: string; readonly per: number; readonly unit: string }>> = {
  vcore: { resource: 'cpu', per: 1, unit: 'millicores' },
  memory: { resource: 'mem', per: 1 / 2 ** 20, unit: 'MiB' },
  'nvidia.com/gpu': { resource: 'gpu', per: 1000, unit: 'thousandths' },
}

/**
 * The policy `yunikorn-preempting` (`yunikorn-reserving` if preemption is off) with the queues of the file, and with the placement `node-usage` by its
 * `nodesortpolicy`. Amounts are rounded down to whole units of nodes.
 *
 * Source: YuniKorn, queue.go, nodesorting.go.
 */
export function yunikornPolicy(file: YunikornFile, cluster: ClusterFacts): YunikornPolicy {
  const findings = new Findings(file.file)
  const made = new Made(cluster, findings)
  const root = made.queue(file.root, {})
  for (const { name, value, line, why } of file.others) findings.add('ignored', { line }, name, value, why)
  for (const [i, rule] of file.rules.entries()) tellRule(rule, `placement rule ${i + 1}`, findings)
  const { isOn, found } = file.preemption
  if (found.isThere) findings.add('honoured', found, 'preemption.enabled', String(isOn))
  const placement = made.placement(file)
  const options: YunikornOptions = { root, ...(made.isFair && { units: { ...(made.has('mem') && { mem: 2 ** 20 }), ...(made.has('gpu') && { gpu: 1 / 1000 }) } }) }
  const policy: Config = { [isOn ? 'yunikorn-preempting' : 'yunikorn-reserving']: { ...options, placement } }
  return { kind: 'yunikorn', policy, options, findings: findings.all.sort(byPlace) }
}

/** Makes the options of queues and adds a finding for each setting. */
class Made {
  /** Whether a queue made so far sorts its jobs by what they use. */
  isFair = false
  readonly #cluster: ClusterFacts
  readonly #findings: Findings
  readonly #known: readonly string[]

  constructor(cluster: ClusterFacts, findings: Findings) {
    this.#cluster = cluster
    this.#findings = findings
    this.#known = countedResources(cluster)
  }

  has(resource: string): boolean {
    return this.#known.includes(resource)
  }

  queue(queue: YunikornQueue, around: PropertyOptions): Queue {
    const { path, isParent, limits, template, queues, found } = queue
    const { properties, ...settings } = this.#settings(path, queue, !isParent, around)
    for (const acl of ['adminacl', 'submitacl']) {
      const given = found.at(acl)
      if (given.isThere) this.#findings.add('ignored', given, `${path} ${acl}`, given.text, 'every user may submit to every queue')
    }
    const sort = inheritedSort(queue.properties, around)
    const inside = Object.fromEntries(queues.map((each) => [each.name, this.queue(each, { ...properties, ...(sort !== undefined && { sort }) })]))
    const { sort: _, ...ofParent } = properties
    return {
      ...settings, ...(isParent ? ofParent : properties),
      ...(isParent && queues.length === 0 && path !== 'root' && { parent: true }),
      ...(limits.length > 0 && { limits: limits.map((limit, i) => this.#limit(path, limit, i)) }),
      ...(template !== undefined && { template: this.#template(path, template) }),
      ...(queues.length > 0 && { queues: inside }),
    }
  }

  #template(path: string, template: YunikornSettings): NonNullable<Queue['template']> {
    const { properties, ...settings } = this.#settings(`${path} childtemplate`, template, true, {})
    return { ...settings, ...properties }
  }

  #settings(path: string, { guaranteed, max, maxApplications, properties, found }: YunikornSettings, isLeaf: boolean, around: PropertyOptions) {
    const own = { guaranteed: this.#amounts(`${path} guaranteed`, guaranteed), max: this.#amounts(`${path} max`, max) }
    if (found.at('maxapplications').isThere) this.#findings.add('honoured', found.at('maxapplications'), `${path} maxapplications`, String(maxApplications))
    const made = propertiesOf(path, properties, isLeaf, around, this.#findings)
    if (isLeaf && made.sort === 'fair') this.isFair = true
    return {
      ...(Object.keys(own.guaranteed).length > 0 && { guaranteed: own.guaranteed }), ...(Object.keys(own.max).length > 0 && { max: own.max }),
      ...(maxApplications > 0 && { maxApplications }), properties: made,
    }
  }

  #limit(path: string, { users, groups, maxResources, maxApplications, found }: YunikornLimit, i: number): Limit {
    const who = [...users.map((name) => `user ${name}`), ...groups.map((name) => `group ${name}`)].join(', ')
    const note = groups.length === 0 ? '' : 'a job is in the group that the workload says, and in those that the option groups gives its user'
    const texts = [...[...maxResources].map(([name, given]) => `${name}=${given.found.text}`), ...(maxApplications > 0 ? [`maxapplications=${maxApplications}`] : [])]
    this.#findings.add(groups.length === 0 ? 'honoured' : 'approximated', found, `${path} limit ${i + 1} of ${who}`, texts.join(' '), note)
    const amounts = this.#amounts(`${path} limit ${i + 1}`, maxResources, true)
    return {
      ...(users.length > 0 && { users: [...users] }),
      ...(groups.length > 0 && { groups: [...groups] }),
      ...(Object.keys(amounts).length > 0 && { maxResources: amounts }),
      ...(maxApplications > 0 && { maxApplications }),
    }
  }

  /** A resource in terms of nodes; undefined for one that nodes have only where a run asks for it, and these have not. */
  #unitOf(name: string): (typeof units)[string] | undefined {
    return ownValue(units, name) ?? (this.has(name) && !Object.values(units).some(({ resource }) => resource === name) ? kubernetesResource(name) : undefined)
  }

  /** Amounts in the units of nodes, with a finding for each; with `isTold` only for those that do not count, since the caller tells of all at once. */
  #amounts(setting: string, quantities: Quantities, isTold = false): Record<string, number> {
    const amounts: Record<string, number> = {}
    for (const [name, { amount, found }] of quantities) {
      const unit = this.#unitOf(name)
      const isThere = unit !== undefined && this.has(unit.resource)
      const own = unit === undefined ? amount : Math.floor(amount * unit.per + 1e-9)
      const away = unit === undefined ? (name === 'pods' ? 'pods are not counted' : NOT_OF_NODES) : notInCluster(unit)
      const note = !isThere ? away : setting.endsWith('guaranteed') ? beyondCluster(unit.resource, own, unit.unit, this.#cluster) : ''
      if (!isThere || !isTold) this.#findings.add(isThere ? 'honoured' : 'ignored', found, `${setting} of ${name}`, found.text, note)
      if (isThere) amounts[unit.resource] = own
    }
    return amounts
  }

  /** The placement on the node that is used least, or most, by the weights of resources; without weights CPU and memory weigh 1. */
  placement({ nodeSort }: YunikornFile): Config {
    const given: ReadonlyMap<string, number> = nodeSort === undefined || nodeSort.weights.size === 0 ? new Map([['vcore', 1], ['memory', 1]]) : nodeSort.weights
    const nameOf = (resource: string) => Object.keys(units).find((name) => units[name]?.resource === resource) ?? resource
    const weights = Object.fromEntries(this.#known.map((resource) => [resource, given.get(nameOf(resource)) ?? 0]))
    if (nodeSort !== undefined) {
      this.#findings.add('honoured', nodeSort.found, 'nodesortpolicy', nodeSort.type, 'as the placement node-usage')
      for (const name of nodeSort.weights.keys()) {
        const isThere = this.has(this.#unitOf(name)?.resource ?? '')
        this.#findings.add(
          isThere ? 'honoured' : 'ignored',
          nodeSort.found.at('resourceweights').at(name),
          `nodesortpolicy weight of ${name}`,
          String(nodeSort.weights.get(name)),
          isThere ? '' : 'no node has it',
        )
      }
    }
    return { 'node-usage': { prefer: nodeSort?.type === 'binpacking' ? 'most' : 'least', resourceWeights: weights } }
  }
}

function tellRule({ name, value, create, filter, parent, found }: Rule, title: string, findings: Findings): void {
  const text = `${name}${value === '' ? '' : ` ${value}`}${create ? ' create' : ''}`
  const isTag = name === 'tag'
  const verdict = isTag ? (value === 'namespace' ? 'approximated' : 'ignored') : filter.groups === undefined ? 'honoured' : 'approximated'
  const note = isTag
    ? (value === 'namespace'
      ? 'the namespace of a job is its user, as jobs are read from Kubernetes'
      : 'jobs have no such tag, so that it gives none a queue')
    : filter.groups === undefined
      ? ''
      : 'a job has the group that the workload says'
  findings.add(verdict, found, title, text, note)
  if (parent !== undefined) tellRule(parent, `${title} parent`, findings)
}

const amountsText = (quantities: Quantities): string => [...quantities].map(([name, { found }]) => `${name}=${found.text}`).join(' ')

/** Settings of a queue as written, one text for each; amounts as `vcore=10 memory=4G`. */
export function yunikornSettings({ guaranteed, max, maxApplications, properties, limits, template }: YunikornQueue): Record<string, string> {
  const limitText = ({ users, groups, maxResources, maxApplications: most }: YunikornLimit) =>
    `${[...users, ...groups.map((name) => `group ${name}`)].join(' ')}: ${[amountsText(maxResources), most > 0 ? `${most} applications` : ''].filter((text) => text !== '').join(' ')}`
  const ofTemplate = template === undefined ? {} : settingsText(template)
  const all = {
    ...settingsText({ guaranteed, max, maxApplications, properties }),
    limits: limits.map(limitText).join('; '),
    ...Object.fromEntries(Object.entries(ofTemplate).map(([name, text]) => [`childtemplate ${name}`, text])),
  }
  return Object.fromEntries(Object.entries(all).filter(([, text]) => text !== ''))
}

const settingsText = ({ guaranteed, max, maxApplications, properties }: Omit<YunikornSettings, 'found'>): Record<string, string> => ({
  guaranteed: amountsText(guaranteed),
  max: amountsText(max),
  maxapplications: maxApplications > 0 ? String(maxApplications) : '',
  ...Object.fromEntries([...properties].map(([name, { text }]) => [name, text])),
})

/** Settings that belong to no queue, by name, as written. */
export function yunikornGeneral({ rules, nodeSort, preemption }: YunikornFile): Record<string, string> {
  const ruleText = ({ name, value, create, parent }: Rule): string =>
    `${name}${value === '' ? '' : ` ${value}`}${create ? ' create' : ''}${parent === undefined ? '' : ` in (${ruleText(parent)})`}`
  return {
    ...(rules.length > 0 && { placementrules: rules.map(ruleText).join(', ') }), ...(nodeSort !== undefined
      && { nodesortpolicy: [nodeSort.type, ...[...nodeSort.weights].map(([name, weight]) => `${name}=${weight}`)].join(' ') }),
    ...(preemption.found.isThere && { 'preemption.enabled': String(preemption.isOn) }),
  }
}
