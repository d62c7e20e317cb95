import { knownWords } from '@sched/core'
import type { KaiOptions } from '@sched/policies'
import { secondsWithDays } from '../durations.js'
import { fieldsOf, textOf, unexpected, where, type Path } from '../fields.js'
import { notSimulated, type Findings, type Verdict } from '../finding.js'
import { countedResources, NOT_OF_NODES, notInCluster } from '../kubernetes-resources.js'
import { beyondCluster, type ClusterFacts } from '../queue-policy.js'
import type { KaiQueue } from './kai-file.js'

type Settings = NonNullable<KaiOptions['queues']>[string]
type Amounts = NonNullable<Settings['resources']>[string]
type Kind = (typeof kinds)[number]
/** A resource of KAI in terms of nodes: the nodes' name for it, how many of their units one unit of KAI is, and the name of their unit. */
interface Unit {
  readonly resource: string
  readonly per: number
  readonly unit: string
}

/** KAI counts whole GPUs, millicores and megabytes (10^6 bytes); nodes have thousandths of a GPU, millicores and MiB. */
const units: Readonly<Record<string, Unit>> = knownWords<Unit>({
  gpu: { resource: 'gpu', per: 1000, unit: 'thousandths' }, cpu: { resource: 'cpu', per: 1, unit: 'millicores' }, memory: { resource: 'mem', per: 1e6 / 2 ** 20, unit: 'MiB' },
})
const kinds = ['quota', 'limit', 'overQuotaWeight'] as const
const known = ['priority', 'resources', 'parentQueue', 'preemptMinRuntime', 'reclaimMinRuntime']
const why = knownWords<string>({
  displayName: '',
})

/** The options of one queue. Adds a finding for each of its settings. Throws `BAD_INPUT` with the line for a value that KAI does not take. */
export const queueSettings = (queue: KaiQueue, cluster: ClusterFacts, findings: Findings): Settings => new Reading(queue, cluster, findings).settings()

class Reading {
  readonly #queue: KaiQueue
  readonly #cluster: ClusterFacts
  readonly #findings: Findings
  /** The resources that count. */
  readonly #resources: readonly string[]

  constructor(queue: KaiQueue, cluster: ClusterFacts, findings: Findings) {
    this.#queue = queue
    this.#cluster = cluster
    this.#findings = findings
    this.#resources = countedResources(cluster)
  }

  settings(): Settings {
    const { priority, resources, parentQueue, preemptMinRuntime, reclaimMinRuntime, ...others } = fieldsOf(this.#queue.found.object['spec'])
    if (parentQueue !== undefined && parentQueue !== null && parentQueue !== '') this.#tell('honoured', ['parentQueue'], 'parentQueue', parentQueue)
    for (const [field, value] of Object.entries(others))
      if (why[field] !== '') this.#tell('ignored', [field], field, typeof value === 'object' ? '' : value, why[field] ?? notSimulated(field, known))
    const own = { ...this.#priority(priority), ...this.#runtime('preemptMinRuntime', preemptMinRuntime), ...this.#runtime('reclaimMinRuntime', reclaimMinRuntime) }
    const amounts: Record<string, Amounts> = {}
    for (const [resource, given] of Object.entries(fieldsOf(resources))) {
      const found = this.#amounts(resource, fieldsOf(given))
      if (found !== undefined) amounts[found.resource] = found.amounts
    }
    return { ...own, resources: { ...amounts, ...this.#silent(amounts) } }
  }

  #priority(priority: unknown): { readonly priority?: number } {
    if (priority === undefined || priority === null) return {}
    if (typeof priority !== 'number' || !Number.isInteger(priority)) throw unexpected(this.#queue.found, ['spec', 'priority'], 'a whole number')
    this.#tell('honoured', ['priority'], 'priority', priority)
    return { priority }
  }

  #runtime(field: 'preemptMinRuntime' | 'reclaimMinRuntime', given: unknown): Pick<Settings, typeof field> {
    if (given === undefined || given === null) return {}
    const seconds = typeof given === 'string' ? secondsWithDays(given) : undefined
    if (seconds === undefined) throw unexpected(this.#queue.found, ['spec', field], 'a duration such as 10m or 1h30m')
    this.#tell('honoured', [field], field, given)
    return { [field]: seconds }
  }

  /** The amounts of one resource, with 0 for a limit or weight that is not given; undefined if the cluster does not have the resource. */
  #amounts(resource: string, given: Readonly<Record<string, unknown>>): { readonly resource: string; readonly amounts: Amounts } | undefined {
    const unit = units[resource]
    const amounts: Partial<Record<Kind, number>> = {}
    for (const kind of kinds) {
      const amount = this.#amount(resource, kind, given[kind])
      if (amount !== undefined) amounts[kind] = amount
    }
    for (const kind of Object.keys(given))
      if (!kinds.some((other) => other === kind)) this.#tell('ignored', ['resources', resource, kind], `${kind} of ${resource}`, given[kind], notSimulated(kind, kinds))
    if (unit === undefined || !this.#resources.includes(unit.resource)) return undefined
    const absent = kinds.filter((kind) => kind !== 'quota' && amounts[kind] === undefined)
    if (absent.length > 0)
      this.#tell('honoured', ['resources', resource], resource, '', `without ${absent.join(' and ')}: ${absent.map((kind) => zero(kind, resource)).join(', and ')}`)
    for (const kind of absent) amounts[kind] = 0
    return { resource: unit.resource, amounts }
  }

  /** One amount in the unit of nodes, rounded down; -1: no limit. Undefined if it is not given or the cluster does not have the resource. */
  #amount(resource: string, kind: Kind, value: unknown): number | undefined {
    if (value === undefined || value === null) return undefined
    const isWeight = kind === 'overQuotaWeight'
    const path = ['resources', resource, kind]
    if (typeof value !== 'number' || !(value >= 0 || (value === -1 && !isWeight)))
      throw unexpected(this.#queue.found, ['spec', ...path], `a number of at least 0${isWeight ? '' : ', or -1 for all there is'}`)
    const unit = units[resource]
    const amount = isWeight || value === -1 || unit === undefined ? value : Math.floor(value * unit.per + 1e-9)
    const isThere = unit !== undefined && this.#resources.includes(unit.resource)
    const note = unit === undefined
      ? NOT_OF_NODES
      : !isThere
        ? notInCluster(unit)
        : kind === 'quota' ? beyondCluster(unit.resource, amount, unit.unit, this.#cluster) : ''
    this.#tell(isThere ? 'honoured' : 'ignored', path, `${kind} of ${resource}`, value, note)
    return isThere ? amount : undefined
  }

  /** The amounts, all 0, of the resources that the queue does not mention. */
  #silent(amounts: Readonly<Record<string, Amounts>>): Record<string, Amounts> {
    const silent = Object.entries(units).filter(([, { resource }]) => this.#resources.includes(resource) && amounts[resource] === undefined)
    const names = silent.map(([name]) => name)
    if (silent.length > 0) this.#tell('honoured', ['resources'], 'resources', '', `without ${names.join(' and ')}: ${zero('limit', names.join(' or '))}`)
    return Object.fromEntries(silent.map(([, { resource }]) => [resource, { quota: 0, limit: 0, overQuotaWeight: 0 }]))
  }

  #tell(verdict: Verdict, path: Path, setting: string, value: unknown, note = ''): void {
    const { name, found } = this.#queue
    this.#findings.add(verdict, where(found, ['spec', ...path]), `${name} ${setting}`, value === '' ? '' : textOf(value), note)
  }
}

/** The note on what a limit or weight that is not given means in KAI. */
const zero = (kind: string, resource: string) => (kind === 'limit' ? `a limit of 0, so no job that asks for ${resource} starts (-1 is no limit)` : 'nothing beyond the quota')
