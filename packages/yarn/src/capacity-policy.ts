import { nearest, SchedError, suggest } from '@sched/core'
import type { CapacityQueueOptions, CapacitySchedulerOptions } from '@sched/policies'
import { clusterName, fairAmounts } from './amounts.js'
import { prefix, type CapacityFile, type CapacityQueue, type CapacityValue } from './capacity-model.js'
import { capacityValue } from './capacity-value.js'
import type { ClusterFacts, QueuePolicy } from './fair-policy.js'
import { Findings, type Verdict } from './finding.js'
import { booleanOf, numberOf, type Property } from './site.js'

export interface CapacityPolicy extends QueuePolicy {
  readonly kind: 'capacity'
  readonly options: CapacitySchedulerOptions
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
type QueueOptions = Mutable<CapacityQueueOptions>
type Options = Mutable<CapacitySchedulerOptions>
interface Told {
  readonly verdict?: Verdict
  readonly note?: string
}
/** Sets an option from a property; may say how it is approximated. */
type UseInQueue = (options: QueueOptions, property: Property, cluster: ClusterFacts, queue: CapacityQueue) => Told | undefined | void
type UseInAll = (options: Options, property: Property, cluster: ClusterFacts) => Told | undefined | void

const count = (property: Property) => numberOf(property, { least: 0, whole: true })
const ignored = (note: string) => (): Told => ({ verdict: 'ignored', note })
const acl = ignored('everybody may submit in a simulation')
const reservation = ignored('there is no reservation system')
const masters = ignored('jobs have no masters of their own here')
const inside = 'preemption inside a queue is not simulated'
const lifetime = ignored('jobs end when their work is done')
const templates = ignored('queues made at first use get weight 1 and the settings of all queues')

function amountsIn(cluster: ClusterFacts, byName: Readonly<Record<string, number | string>>): { amounts: Record<string, number>; told: Told | undefined } {
  const amounts: Record<string, number> = {}
  const missing: string[] = []
  for (const [name, amount] of Object.entries(byName)) {
    const known = clusterName(name, cluster.resources)
    if (known === undefined) missing.push(name)
    else amounts[known] = Number(amount)
  }
  const none = Object.keys(amounts).length === 0
  return { amounts, told: missing.length === 0 ? undefined : { verdict: none ? 'ignored' : 'approximated', note: `the cluster has no ${missing.join(' and no ')}` } }
}

const written = (value: CapacityValue, cluster: ClusterFacts): { value: number | string | Record<string, number>; told: Told | undefined } => {
  if (value.kind === 'percent') return { value: value.value, told: undefined }
  if (value.kind === 'weight') return { value: `${value.value}w`, told: undefined }
  const { amounts, told } = amountsIn(cluster, value.value)
  return { value: amounts, told }
}

const maximumAllocation =
  (resource: string): UseInQueue =>
  (options, property, cluster) => {
    const { amounts, told } = amountsIn(cluster, { [resource]: count(property) })
    if (Object.keys(amounts).length > 0) options.maximumAllocation = { ...options.maximumAllocation, ...amounts }
    return told
  }

const ordering: UseInQueue = (options, property, _, { queues }) => {
  const { value, file, line, name } = property
  if (queues.length > 0 ? value === 'utilization' || value === 'priority-utilization' : value === 'fifo' || value === 'fair') {
    Object.assign(options, queues.length > 0 ? { queueOrdering: value } : { ordering: value })
    return undefined
  }
  if (queues.length === 0 && value === 'fifo-with-partitions') {
    options.ordering = 'fifo'
    return { verdict: 'approximated', note: 'as fifo' }
  }
  throw new SchedError('BAD_INPUT', `found "${value}", expected ${queues.length > 0 ? 'utilization or priority-utilization' : 'fifo or fair'}.`, { file, line, field: name })
}

const queueProperties: Readonly<Record<string, UseInQueue>> = {
  queues: () => undefined,
  capacity: (options, property, cluster) => {
    const { value, told } = written(capacityValue(property), cluster)
    options.capacity = value
    return told
  },
  'maximum-capacity': (options, property, cluster) => {
    const read = capacityValue(property, true)
    if (read.kind === 'percent' && read.value < 0) return undefined
    const { value, told } = written(read, cluster)
    options.maximumCapacity = value as CapacityQueueOptions['maximumCapacity']
    return told
  },
  'minimum-user-limit-percent': (options, property) => void (options.minimumUserLimitPercent = numberOf(property, { least: 0 })),
  'user-limit-factor': (options, property) => {
    const factor = numberOf(property, { least: -1 })
    options.userLimitFactor = factor < 0 ? -1 : factor
  },
  'maximum-allocation-mb': maximumAllocation('memory-mb'),
  'maximum-allocation-vcores': maximumAllocation('vcores'),
  'maximum-allocation': (options, property, cluster) => {
    const { amounts, told } = amountsIn(cluster, fairAmounts(property.value, { file: property.file, line: property.line, field: property.name }).byName)
    options.maximumAllocation = { ...options.maximumAllocation, ...amounts }
    return told
  },
  'ordering-policy': ordering,
  'ordering-policy.fair.enable-size-based-weight': (options, property) => void (options.sizeBasedWeight = booleanOf(property)),
  priority: (options, property) => void (options.priority = numberOf(property, { whole: true })),
  'default-application-priority': (options, property) => void (options.defaultApplicationPriority = numberOf(property, { whole: true })),
  'maximum-applications': (options, property) => void (options.maximumApplications = count(property)),
  'max-parallel-apps': (options, property) => void (options.maxParallelApps = count(property)),
  state: (options, property) => {
    const state = property.value.trim().toUpperCase()
    if (state !== 'RUNNING' && state !== 'STOPPED') throw new SchedError('BAD_INPUT', `found "${property.value}", expected RUNNING or STOPPED.`, { file: property.file, line: property.line, field: property.name })
    options.state = state
  },
  'auto-create-child-queue.enabled': (options, property) => {
    options.autoCreate = booleanOf(property)
    return { verdict: 'approximated', note: 'queues made at first use get weight 1, not the capacity of a template' }
  },
  'auto-queue-creation-v2.enabled': (options, property) => void (options.autoCreate = booleanOf(property)),
  'auto-queue-creation-v2.max-queues': ignored('the number of queues made at first use has no limit'),
  'auto-queue-creation-v2.maximum-queue-depth': ignored('the depth of queues made at first use has no limit'),
  'auto-create-child-queue.management-policy': templates,
  'auto-create-child-queue.fail-on-exceeding-parent-capacity': templates,
  'accessible-node-labels': (options, property, cluster) => {
    const names = property.value.split(',').map((each) => each.trim()).filter((each) => each !== '')
    for (const name of names) if (name !== '*') checkLabel(name, property, cluster)
    options.accessibleLabels = names.includes('*') ? '*' : names
  },
  'default-node-label-expression': (options, property, cluster) => void (options.defaultLabelExpression = checkLabel(property.value.trim(), property, cluster)),
  disable_preemption: (options, property) => void (options.disablePreemption = booleanOf(property)),
  'intra-queue-preemption.disable_preemption': ignored(inside),
  'maximum-am-resource-percent': masters,
  'maximum-application-lifetime': lifetime,
  'default-application-lifetime': lifetime,
  acl_submit_applications: acl,
  acl_administer_queue: acl,
  acl_administer_jobs: acl,
  acl_administer_reservations: acl,
  acl_list_reservations: acl,
  acl_submit_reservations: acl,
  acl_application_max_priority: acl,
  reservable: reservation,
  'reservation-agent': reservation,
  'reservation-move-on-expiry': reservation,
  'show-reservations-as-queues': reservation,
  'reservation-policy': reservation,
  'reservation-window': reservation,
  'instantaneous-max-capacity': reservation,
  'average-capacity': reservation,
  'reservation-planner': reservation,
  'reservation-enforcement-window': reservation,
  'multi-node-sorting.policy': ignored('the placement of the experiment chooses the node'),
  'allow-zero-capacity-sum': () => undefined,
}

/** Properties with a name inside their own. */
function patterned(suffix: string): UseInQueue | undefined {
  const label = /^accessible-node-labels\.([^.]+)\.(capacity|maximum-capacity|maximum-am-resource-percent)$/.exec(suffix)
  if (label !== null) return ofLabel(label[1] ?? '', label[2] ?? '')
  const user = /^user-settings\.(.+)\.weight$/.exec(suffix)
  if (user !== null)
    return (options, property) => {
      options.userWeights = { ...options.userWeights, [user[1] ?? '']: numberOf(property, { least: 0 }) }
    }
  if (/^(leaf-queue-template|auto-queue-creation-v2\.(leaf-|parent-)?template)\./.test(suffix)) return templates
  return undefined
}

function checkLabel(label: string, { file, line, name }: Property, { partitions }: ClusterFacts): string {
  if (partitions !== undefined && label !== '' && !partitions.includes(label))
    throw new SchedError('BAD_INPUT', `no node has the label "${label}".`, { file, line, field: name }, partitions.length > 0 ? suggest(label, partitions) : 'No node of the cluster has a label `partition`.')
  return label
}

const ofLabel =
  (label: string, suffix: string): UseInQueue =>
  (options, property, cluster) => {
    checkLabel(label, property, cluster)
    if (suffix === 'maximum-am-resource-percent') return masters()
    const read = capacityValue(property, suffix === 'maximum-capacity')
    if (suffix === 'maximum-capacity' && read.kind === 'percent' && read.value < 0) return undefined
    const { value, told } = written(read, cluster)
    const own = { ...options.labels?.[label], [suffix === 'capacity' ? 'capacity' : 'maximumCapacity']: value }
    options.labels = { ...options.labels, [label]: own }
    return told
  }

const preemptionPrefix = 'yarn.resourcemanager.monitor.capacity.preemption.'
const preempt =
  (key: keyof NonNullable<CapacitySchedulerOptions['preemption']>, read: (property: Property) => unknown): UseInAll =>
  (options, property) => {
    options.preemption = { ...options.preemption, [key]: read(property) }
    return undefined
  }
const seconds = (property: Property) => numberOf(property, { least: 0 }) / 1000
const part = (property: Property) => numberOf(property, { least: 0 })
const atMostWhole = (property: Property) => numberOf(property, { least: 0, most: 1 })
const byDefault =
  (key: 'minimumUserLimitPercent' | 'userLimitFactor' | 'maxParallelApps'): UseInAll =>
  (options, property) => void (options.defaults = { ...options.defaults, [key]: numberOf(property, { least: -1 }) })
const option =
  (key: keyof CapacitySchedulerOptions, read: (property: Property) => unknown): UseInAll =>
  (options, property) => void Object.assign(options, { [key]: read(property) })
const integer = (property: Property) => numberOf(property, { least: -1, whole: true })
const jsonRules = ignored('rules in JSON are not read: give the queue of each job in the workload, or queue-mappings')
const threads = ignored('decisions are made one after the other, as without threads')
const extension = ignored('this extension of preemption is not modelled')

const generalProperties: Readonly<Record<string, UseInAll>> = {
  [`${prefix}maximum-applications`]: option('maximumApplications', count),
  [`${prefix}minimum-user-limit-percent`]: byDefault('minimumUserLimitPercent'),
  [`${prefix}user-limit-factor`]: byDefault('userLimitFactor'),
  [`${prefix}max-parallel-apps`]: byDefault('maxParallelApps'),
  [`${prefix}user.max-parallel-apps`]: option('maxParallelAppsPerUser', count),
  [`${prefix}maximum-am-resource-percent`]: masters,
  [`${prefix}resource-calculator`]: option('resourceCalculator', ({ value }) => (value.includes('Dominant') ? 'dominant' : 'default')),
  [`${prefix}node-locality-delay`]: option('nodeLocalityDelay', integer),
  [`${prefix}rack-locality-additional-delay`]: option('rackLocalityAdditionalDelay', integer),
  [`${prefix}rack-locality-full-reset`]: option('rackLocalityFullReset', booleanOf),
  [`${prefix}per-node-heartbeat.multiple-assignments-enabled`]: option('multipleAssignments', booleanOf),
  [`${prefix}per-node-heartbeat.maximum-container-assignments`]: option('maximumContainerAssignments', integer),
  [`${prefix}per-node-heartbeat.maximum-offswitch-assignments`]: option('maximumOffswitchAssignments', integer),
  [`${prefix}reservations-continue-look-all-nodes`]: option('reservationsContinueLookAllNodes', booleanOf),
  [`${prefix}queue-mappings`]: (options, { value, file, line, name }) => {
    const mappings = value.split(',').map((each) => each.trim()).filter((each) => each !== '')
    const other = mappings.find((each) => !/^[ug]:[^:]+:[^:]+$/.test(each))
    if (other !== undefined) throw new SchedError('BAD_INPUT', `"${other}" is no mapping.`, { file, line, field: name }, 'Write u:USER:QUEUE or g:GROUP:QUEUE.')
    options.mappings = mappings.filter((each) => !each.includes('%secondary_group'))
    const isAll = options.mappings.length === mappings.length
    return isAll ? (value.includes('g:') || value.includes('%primary_group') ? { verdict: 'approximated', note: 'the group is that of the job in the workload' } : undefined) : { verdict: 'approximated', note: 'jobs here have no secondary groups: those mappings are left out' }
  },
  [`${prefix}queue-mappings-override.enable`]: option('overrideWithMappings', booleanOf),
  [`${prefix}mapping-rule-format`]: (_, { value }) => (value.trim() === 'json' ? jsonRules() : undefined),
  [`${prefix}mapping-rule-json`]: jsonRules,
  [`${prefix}mapping-rule-json-file`]: jsonRules,
  'yarn.scheduler.queue-placement-rules.app-name': ignored('jobs are not placed by their names'),
  [`${prefix}workflow-priority-mappings`]: ignored('jobs are no parts of workflows here'),
  [`${prefix}workflow-priority-mappings-override.enable`]: ignored('jobs are no parts of workflows here'),
  [`${prefix}application.fail-fast`]: ignored('failures are not simulated'),
  [`${prefix}schedule-asynchronously.enable`]: threads,
  [`${prefix}schedule-asynchronously.maximum-threads`]: threads,
  [`${prefix}schedule-asynchronously.maximum-pending-backlogs`]: threads,
  [`${prefix}schedule-asynchronously.scheduling-interval-ms`]: threads,
  [`${prefix}multi-node-placement-enabled`]: ignored('the placement of the experiment chooses the node'),
  [`${prefix}multi-node-sorting.policy`]: ignored('the placement of the experiment chooses the node'),
  [`${prefix}lazy-preemption-enabled`]: ignored('marked tasks are killed when their time is over'),
  [`${prefix}autoqueuecreation.enabled`]: templates,
  'yarn.cluster.max-application-priority': option('maximumApplicationPriority', count),
  'yarn.resourcemanager.scheduler.monitor.enable': preempt('enabled', booleanOf),
  'yarn.resourcemanager.scheduler.monitor.policies': (options, { value }) => {
    const isPreempting = value.includes('ProportionalCapacityPreemptionPolicy')
    if (!isPreempting) options.preemption = { ...options.preemption, enabled: false }
    if (isPreempting && !value.includes(',')) return undefined
    return { verdict: isPreempting ? 'approximated' : 'ignored', note: 'of all monitors only ProportionalCapacityPreemptionPolicy is simulated' }
  },
  [`${preemptionPrefix}observe_only`]: preempt('observeOnly', booleanOf),
  [`${preemptionPrefix}monitoring_interval`]: preempt('monitoringInterval', seconds),
  [`${preemptionPrefix}max_wait_before_kill`]: preempt('maxWaitBeforeKill', seconds),
  [`${preemptionPrefix}total_preemption_per_round`]: preempt('totalPreemptionPerRound', atMostWhole),
  [`${preemptionPrefix}max_ignored_over_capacity`]: preempt('maxIgnoredOverCapacity', part),
  [`${preemptionPrefix}natural_termination_factor`]: preempt('naturalTerminationFactor', atMostWhole),
  [`${preemptionPrefix}intra-queue-preemption.enabled`]: ignored(inside),
  [`${preemptionPrefix}intra-queue-preemption.minimum-threshold`]: ignored(inside),
  [`${preemptionPrefix}intra-queue-preemption.max-allowable-limit`]: ignored(inside),
  [`${preemptionPrefix}intra-queue-preemption.preemption-order-policy`]: ignored(inside),
  [`${preemptionPrefix}select_based_on_reserved_containers`]: extension,
  [`${preemptionPrefix}additional_res_balance_based_on_reserved_containers`]: extension,
  [`${preemptionPrefix}preemption-to-balance-queue-after-satisfied.enabled`]: extension,
  [`${preemptionPrefix}preemption-to-balance-queue-after-satisfied.max-wait-before-kill`]: extension,
  'yarn.resourcemanager.monitor.capacity.queue-management.monitoring-interval': templates,
  'yarn.resourcemanager.queue.auto.refresh.monitoring-interval': ignored('the file is read once'),
  'yarn.resourcemanager.scheduler.class': ignored('the queue file says which scheduler it is'),
  'yarn.resourcemanager.reservation-system.enable': reservation,
  'yarn.resourcemanager.reservation-system.class': reservation,
  'yarn.resourcemanager.reservation-system.plan.follower': reservation,
  'yarn.resourcemanager.reservation-system.planfollower.time-step': reservation,
}

/** The policy of a capacity-scheduler.xml, with a yarn-site.xml where there is one. */
export function capacityPolicy(file: CapacityFile, cluster: ClusterFacts, site: ReadonlyMap<string, Property> = new Map()): CapacityPolicy {
  const findings = new Findings(file.file)
  const options: Options = { preemption: { enabled: false } }
  checkMappings(file)
  for (const property of [...file.general.values(), ...site.values()]) useInAll(options, property, cluster, findings)
  const queues: Record<string, CapacityQueueOptions> = {}
  const visit = (queue: CapacityQueue): void => {
    const own: QueueOptions = {}
    for (const [suffix, property] of queue.properties) useInQueue(own, suffix, property, cluster, queue, findings)
    queues[queue.path] = own
    queue.queues.forEach(visit)
  }
  visit(file.root)
  options.queues = queues
  if (options.preemption?.enabled === false) delete options.preemption
  const all = [...file.ignored.all, ...findings.all].sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1))
  return { kind: 'capacity', policy: { 'capacity-scheduler': options }, options, findings: all }
}

/** A mapping to a queue that is neither listed nor may be made, or that holds queues. */
function checkMappings({ general, root }: CapacityFile): void {
  const property = general.get(`${prefix}queue-mappings`)
  const all: CapacityQueue[] = []
  const collect = (queue: CapacityQueue): void => {
    all.push(queue)
    queue.queues.forEach(collect)
  }
  collect(root)
  for (const mapping of property?.value.split(',') ?? []) {
    const target = mapping.trim().split(':')[2]
    if (property === undefined || target === undefined || target.includes('%')) continue
    const { file, line, name } = property
    const found = all.filter(({ path }) => path === target || path.endsWith(`.${target}`))
    const whole = target.startsWith('root.') ? target : `root.${target}`
    const around = all.find(({ path }) => path === whole.slice(0, whole.lastIndexOf('.')))
    const mayMake = ['auto-create-child-queue.enabled', 'auto-queue-creation-v2.enabled'].some((key) => around?.properties.get(key)?.value === 'true')
    if (found.length === 0 && !mayMake)
      throw new SchedError('BAD_INPUT', `"${mapping.trim()}" maps to queue "${target}", which is not there.`, { file, line, field: name }, suggest(target, all.filter(({ queues }) => queues.length === 0).map(({ path }) => (target.includes('.') ? path : (path.split('.').at(-1) ?? path)))))
    if (found.length > 0 && found.every(({ queues }) => queues.length > 0))
      throw new SchedError('BAD_INPUT', `"${mapping.trim()}" maps to queue "${target}", which holds queues and no jobs.`, { file, line, field: name }, 'Name a queue inside it.')
  }
}

function useInQueue(options: QueueOptions, suffix: string, property: Property, cluster: ClusterFacts, queue: CapacityQueue, findings: Findings): void {
  const use = queueProperties[suffix] ?? patterned(suffix)
  if (use === undefined) return findings.add('ignored', property, property.name, property.value, unknown(suffix, Object.keys(queueProperties)))
  const told = use(options, property, cluster, queue)
  findings.add(told?.verdict ?? 'honoured', property, property.name, property.value, told?.note)
}

function useInAll(options: Options, property: Property, cluster: ClusterFacts, findings: Findings): void {
  const { name, value } = property
  const user = /^yarn\.scheduler\.capacity\.user\.(.+)\.max-parallel-apps$/.exec(name)?.[1]
  if (user !== undefined) {
    options.users = { ...options.users, [user]: { maxParallelApps: count(property) } }
    return findings.add('honoured', property, name, value)
  }
  const use = generalProperties[name]
  if (use === undefined) {
    if (name.startsWith(prefix) || name.startsWith(preemptionPrefix) || name.startsWith('yarn.scheduler.')) findings.add('ignored', property, name, value, unlisted(name))
    return
  }
  const told = use(options, property, cluster)
  findings.add(told?.verdict ?? 'honoured', property, name, value, told?.note)
}

const unlisted = (name: string): string => {
  if (/^yarn\.scheduler\.(minimum|maximum|increment)-allocation/.test(name)) return 'demands are taken as the jobs state them'
  if (name.startsWith('yarn.scheduler.configuration.')) return 'the file is read once'
  return name.startsWith('yarn.scheduler.') && !name.startsWith(prefix) ? 'not of the capacity scheduler' : unknown(name, Object.keys(generalProperties))
}

function unknown(name: string, known: readonly string[]): string {
  const close = nearest(name, known)
  return `no such property${close === undefined ? '' : `; did you mean ${close}?`}`
}
