import type { CapacityQueueOptions, CapacitySchedulerOptions } from '@sched/policies'
import { allocating, largestByQueue, roundedBy } from './capacity-allocation.js'
import { generalProperties, preemptionPrefix } from './capacity-general-properties.js'
import { prefix, type CapacityFile, type CapacityQueue } from './capacity-model.js'
import { patterned, queueProperties } from './capacity-queue-properties.js'
import { CapacityTemplates, isOfMade, useInTemplate } from './capacity-templates.js'
import { checkMappings } from './check-mappings.js'
import { count, type Options, type QueueOptions, type Told, type UseInQueue } from './capacity-use.js'
import { makes } from './made-queues.js'
import { idleMonitor, setIntervals } from './monitors.js'
import { ResourceTypes, type Bounds } from './resource-types.js'
import { saidElsewhere } from './said-elsewhere.js'
import { byPlace, didYouMean, Findings } from '../finding.js'
import type { Place } from '../placed.js'
import type { Setting } from '../setting.js'
import type { ClusterFacts, QueuePolicy } from '../queue-policy.js'

/** The policy that a capacity-scheduler.xml describes. */
export interface CapacityPolicy extends QueuePolicy {
  /** Tells the policies of files apart. */
  readonly kind: 'capacity'
  /** Options of the policy `capacity-scheduler`. */
  readonly options: CapacitySchedulerOptions
  /** Rounds what tasks ask for and refuses jobs that ask for too much; undefined: tasks get what they ask for. */
  readonly place: Place | undefined
}

/**
 * The policy of a capacity-scheduler.xml. `site`: properties of a yarn-site.xml and files that add to it. Throws `BAD_INPUT` with the line for a value that
 * Hadoop does not take.
 */
export function capacityPolicy(file: CapacityFile, cluster: ClusterFacts, site: ReadonlyMap<string, Setting> = new Map()): CapacityPolicy {
  const findings = new Findings(file.file)
  const options: Options = { preemption: { enabled: false } }
  const isJson = file.general.get(`${prefix}mapping-rule-format`)?.value.trim() === 'json'
  checkMappings(file, isJson)
  const types = new ResourceTypes(new Map([...file.general, ...site]), cluster.resources)
  const isDominant = [file.general, site].some((from) => from.get(`${prefix}resource-calculator`)?.value.includes('Dominant'))
  types.refuseNone()
  if (!isDominant) types.refuseFurther(`${prefix}resource-calculator`)
  const unused = `${prefix}${isJson ? 'queue-mappings' : 'mapping-rule-json'}`
  for (const property of [...file.general.values(), ...site.values()]) {
    const idle = property.name === unused ? `mapping-rule-format is ${isJson ? '' : 'not '}json` : idleMonitor(property.name, [file.general, site])
    if (idle !== undefined) findings.add('ignored', property, property.name, property.value, idle)
    else {
      const told = types.told(property, isDominant || /-mb\b/.test(property.name) ? undefined : ROUNDS_MEMORY)
      if (told === undefined) useInAll(options, property, cluster, findings)
      else findings.add(told.verdict ?? 'honoured', property, property.name, property.value, told.note)
    }
  }
  setIntervals(options, [file.general, site], file.root)
  if (types.least.size > 0) options.minimumAllocation = valuesOf(types.least)
  if (types.most.size > 0) options.defaults = { ...options.defaults, maximumAllocation: valuesOf(types.most) }
  const templates = new CapacityTemplates(file, cluster)
  options.queues = queueOptions({ file, cluster, options, templates, findings })
  const byPath = templates.byPath()
  if (Object.keys(byPath).length > 0) options.templates = byPath
  templates.tell(findings)
  for (const part of ['intraQueue', 'balance', 'byPriority'] as const) if (options.preemption?.[part]?.enabled === false) delete options.preemption[part]
  if (options.preemption?.enabled === false) delete options.preemption
  const all = [...file.ignored.all, ...findings.all].sort(byPlace)
  const place = allocating(roundedBy(types, isDominant, cluster.resources), largestByQueue(file, types, cluster.resources), options)
  return { kind: 'capacity', policy: { 'capacity-scheduler': options }, options, findings: all, place }
}

/** What the options of queues are made of. */
interface Reading {
  readonly file: CapacityFile
  readonly cluster: ClusterFacts
  /** Options of all queues. */
  readonly options: Options
  readonly templates: CapacityTemplates
  readonly findings: Findings
}

/** The number of jobs in a leaf made in the older way is not limited: Hadoop 3.4, AbstractLeafQueue.validateSubmitApplication. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER

/** The options of each listed queue, by path. */
function queueOptions({ file, cluster, options: { defaults = {}, queueExpiration }, templates, findings }: Reading): Record<string, CapacityQueueOptions> {
  const queues: Record<string, CapacityQueueOptions> = {}
  const visit = (queue: CapacityQueue): void => {
    const own: QueueOptions = {}
    const kind = makes(queue)
    for (const [suffix, property] of queue.properties)
      if (!isOfMade(suffix)) useInQueue(own, suffix, property, cluster, queue, findings)
    const { userLimitFactor = 1, maximumAmResourcePercent = 0.1 } = defaults
    if (kind !== undefined) own.autoCreate = true
    // leaves made in the older way have the limits of declared queues, but for the number of jobs, and stay; those of auto-queue-creation-v2 have no such
    // limits and go when they are empty
    if (kind === 'leaves') Object.assign(own, { maximumQueueDepth: 1, template: { userLimitFactor, maximumAmResourcePercent, ...(queueExpiration !== undefined && { autoRemoval: false }), ...own.template, maximumApplications: NO_LIMIT } })
    queues[queue.path] = { ...own, ...templates.of(queue) }
    queue.queues.forEach(visit)
  }
  visit(file.root)
  return queues
}

const ROUNDS_MEMORY: Told = { verdict: 'approximated', note: 'limits of users count in steps of it; with the resource-calculator of the file memory alone is rounded up' }
const valuesOf = (bounds: Bounds) => Object.fromEntries([...bounds].map(([name, { value }]) => [name, value]))

/** Uses a property of a queue and adds a finding for it. `suffix`: the part of its name after the path. */
function useInQueue(options: QueueOptions, suffix: string, property: Setting, cluster: ClusterFacts, queue: CapacityQueue, findings: Findings): void {
  const use = queueProperties[suffix] ?? patterned(suffix) ?? ofTemplate(suffix)
  if (use === undefined) return findings.add('ignored', property, property.name, property.value, noSuchProperty(suffix, queueProperties))
  const told = use(options, property, cluster, queue)
  findings.add(told?.verdict ?? 'honoured', property, property.name, property.value, told?.note)
}

/** How a setting for leaves made at first use in the older way (auto-create-child-queue) is used; undefined: it is no such setting. */
function ofTemplate(suffix: string): UseInQueue | undefined {
  const own = /^leaf-queue-template\.(.+)$/.exec(suffix)?.[1]
  return own === undefined
    ? undefined
    : (options, property, cluster, queue) => {
      if (makes(queue) !== 'leaves') return { verdict: 'ignored', note: 'no queue is made in it at first use with it: auto-create-child-queue.enabled is not true' }
      if (own === 'maximum-applications') return { verdict: 'ignored', note: 'a queue made in this way takes any number of jobs, in YARN too' }
      const template: QueueOptions = { ...options.template }
      const told = useInTemplate(template, own, property, cluster, queue, 'leaf')
      options.template = template
      return told
    }
}

/** Uses a property that concerns all queues and adds a finding for it. */
function useInAll(options: Options, property: Setting, cluster: ClusterFacts, findings: Findings): void {
  const { name, value } = property
  const user = /^yarn\.scheduler\.capacity\.user\.(.+)\.max-parallel-apps$/.exec(name)?.[1]
  if (user !== undefined) {
    options.users = { ...options.users, [user]: { maxParallelApps: count(property) } }
    return findings.add('honoured', property, name, value)
  }
  const use = generalProperties[name.startsWith(`${prefix}multi-node-sorting.policy.`) ? `${prefix}multi-node-sorting.policy` : name]
  if (use === undefined) {
    const why = unlisted(name)
    if (why !== undefined) findings.add('ignored', property, name, value, why)
    return
  }
  const told = use(options, property, cluster) ?? {}
  for (const each of told.each ?? [{ value, ...told }]) findings.add(each.verdict ?? 'honoured', property, name, each.value, each.note)
}

/** Why a property that concerns all queues is ignored; undefined: it has nothing to do with scheduling, so there is no finding. */
function unlisted(name: string): string | undefined {
  if (/^yarn\.(scheduler\.increment-allocation-|resource-types\..+\.increment-allocation$)/.test(name)) return 'of the fair scheduler: here amounts are in steps of the smallest allocation'
  const elsewhere = saidElsewhere(name)
  if (elsewhere !== undefined) return elsewhere
  if (name.startsWith(prefix) || name.startsWith(preemptionPrefix)) return noSuchProperty(name, generalProperties)
  return name.startsWith('yarn.scheduler.') ? 'not of the capacity scheduler' : undefined
}

const noSuchProperty = (name: string, known: object): string => `no such property${didYouMean(name, Object.keys(known))}`
