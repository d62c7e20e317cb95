import { adviseWord, knownWords, SchedError, suggest } from '@sched/core'
import { clusterName, queueAllocation, unitOf } from './amounts.js'
import type { CapacityOfResource } from '@sched/policies'
import type { CapacityQueue, CapacityValue } from './capacity-model.js'
import { amountsIn, count, forMasters, ignored, partOfMasters, percentOfUsers, reservation, type QueueOptions, type Told, type UseInQueue } from './capacity-use.js'
import { capacityValue } from './capacity-value.js'
import { FLEXIBLE, makes, REMOVAL } from './made-queues.js'
import { booleanOf, numberOf } from './site.js'
import { listed, type Setting } from '../setting.js'
import { beyondCluster, type ClusterFacts } from '../queue-policy.js'

const acl = ignored('everybody may submit in a simulation')
const lifetime = ignored('jobs end when their work is done')
const BESIDE_LISTED = 'YARN does not support listed queues beside those made in this way; here these get what the listed ones leave'
const bracketed = 'YARN reads amounts from capacity and maximum-capacity: [memory=10240,vcores=12]'
/** Sets how many queues may be made at first use in a queue that makes them in this way. */
const mostQueues =
  (kind: ReturnType<typeof makes>): UseInQueue =>
  (options, property, _, queue) => {
    if (makes(queue) !== kind) return { verdict: 'ignored', note: `no queue is made in it at first use: ${kind === 'any' ? FLEXIBLE : 'auto-create-child-queue'}.enabled is not true` }
    options.maximumQueues = count(property)
    return undefined
  }

/** A capacity as the policy takes it, with what is told of it. `isKept`: whether it is guaranteed, so that an amount above that of the cluster gets a note. */
const written = (value: CapacityValue, cluster: ClusterFacts, isKept = false): { value: number | string | Record<string, CapacityOfResource>; told: Told | undefined } => {
  if (value.kind === 'percent') return { value: value.value, told: undefined }
  if (value.kind === 'weight') return { value: `${value.value}w`, told: undefined }
  const { amounts, told } = amountsIn<CapacityOfResource>(cluster, value.value)
  const beyond = isKept
    ? Object.entries(value.value).flatMap(([name, amount]) => (typeof amount === 'number' && beyondCluster(clusterName(name, cluster.resources) ?? name, amount, unitOf(name), cluster)) || [])
    : []
  return { value: amounts, told: beyond.length === 0 ? told : { ...told, note: [...(told?.note === undefined ? [] : [told.note]), ...beyond].join('; ') } }
}

/** Sets the largest amount of one resource that a task may ask for, unless the newer property `maximum-allocation` is given. */
const maximumAllocation =
  (resource: string): UseInQueue =>
  (options, property, cluster, { properties }) => {
    const newer = properties.get('maximum-allocation')
    if (newer !== undefined) return { verdict: 'ignored', note: `maximum-allocation goes before it (line ${newer.line})` }
    const { amounts, told } = amountsIn(cluster, { [resource]: count(property) })
    if (Object.keys(amounts).length > 0) options.maximumAllocation = { ...options.maximumAllocation, ...amounts }
    return told
  }

/** The classes by which ordering policies may be named too. */
const orderingClasses = knownWords<string>({
  FifoOrderingPolicy: 'fifo',
  FairOrderingPolicy: 'fair',
  FifoOrderingPolicyForPendingApps: 'fifo-for-pending-apps',
  FifoOrderingPolicyWithExclusivePartitions: 'fifo-with-partitions',
})

/** Whether a queue orders those inside it by priority, too: as it says itself, or as the queue around it does. */
function ordersByPriority({ properties, parent }: CapacityQueue): boolean {
  const value = properties.get('ordering-policy')?.value
  return value === undefined ? parent !== undefined && ordersByPriority(parent) : orderingOf(value) === 'priority-utilization'
}

const orderingOf = (value: string): string => orderingClasses[value.split('.').at(-1) ?? ''] ?? value

/** Sets how a queue orders its jobs, or a parent queue the queues inside it. */
const ordering: UseInQueue = (options, property, _, { queues }) => {
  const { file, line, name } = property
  const value = orderingOf(property.value)
  if (queues.length > 0 ? value === 'utilization' || value === 'priority-utilization' : value === 'fifo' || value === 'fair') {
    Object.assign(options, queues.length > 0 ? { queueOrdering: value } : { ordering: value })
    return undefined
  }
  if (queues.length === 0 && value.startsWith('fifo-')) {
    options.ordering = 'fifo'
    return { verdict: 'approximated', note: 'as fifo' }
  }
  if (queues.length > 0 && (value === 'fifo' || value === 'fair'))
    return { verdict: 'ignored', note: 'it orders jobs, and the queue holds queues: Hadoop 2.8 and older pass over it, newer ones refuse it' }
  throw new SchedError('BAD_INPUT', `found "${value}", expected ${queues.length > 0 ? 'utilization or priority-utilization' : 'fifo or fair'}.`, { file, line, field: name },
    queues.length > 0 || !value.endsWith('utilization') ? adviseWord(value, queues.length > 0 ? ['utilization', 'priority-utilization'] : ['fifo', 'fair']) : 'utilization and priority-utilization order queues, and this one holds jobs.')
}

/** How each property of a queue is used, by the part of its name after the queue's path. */
export const queueProperties = knownWords<UseInQueue>({
  queues: () => undefined,
  capacity: (options, property, cluster, { parent, isLegacy }) => {
    const read = capacityValue(property, { isLegacy })
    if (parent === undefined && (read.kind === 'amounts' || read.kind === 'vector')) return { verdict: 'ignored', note: 'the root has all of the cluster' }
    const { value, told } = written(read, cluster, true)
    options.capacity = value
    return told
  },
  'maximum-capacity': (options, property, cluster, { isLegacy }) => {
    const read = capacityValue(property, { isMaximum: true, isLegacy })
    if (read.kind === 'percent' && read.value < 0) return undefined
    const { value, told } = written(read, cluster)
    options.maximumCapacity = value as NonNullable<QueueOptions['maximumCapacity']>
    return told
  },
  'minimum-user-limit-percent': (options, property) => void (options.minimumUserLimitPercent = percentOfUsers(property)),
  'user-limit-factor': (options, property) => {
    const factor = numberOf(property, { least: -1 })
    options.userLimitFactor = factor < 0 ? -1 : factor
  },
  'maximum-allocation-mb': maximumAllocation('memory-mb'),
  'maximum-allocation-vcores': maximumAllocation('vcores'),
  'maximum-allocation': (options, property, cluster) => {
    const { amounts, told } = amountsIn(cluster, queueAllocation(property.value, { file: property.file, line: property.line, field: property.name }))
    if (Object.keys(amounts).length === 0) return told
    const unnamed = cluster.resources.filter((name) => amounts[name] === undefined)
    options.maximumAllocation = { ...Object.fromEntries(unnamed.map((name) => [name, 0])), ...amounts }
    if (unnamed.length === 0) return told
    const none = `a task may ask no ${unnamed.join(' and no ')}: as in Hadoop, what is not named is 0`
    return { ...told, note: told?.note === undefined ? none : `${told.note}; ${none}` }
  },
  'ordering-policy': ordering,
  'ordering-policy.fair.enable-size-based-weight': (options, property) => void (options.sizeBasedWeight = booleanOf(property)),
  priority: (options, property, _, queue) => {
    options.priority = numberOf(property, { whole: true })
    const around = property.name.endsWith(`.${queue.path}.priority`) ? queue.parent : queue // or it is of a template of the queue
    return around === undefined || ordersByPriority(around) ? undefined : { verdict: 'ignored', note: `counts where ordering-policy of ${around.path} is priority-utilization` }
  },
  'default-application-priority': (options, property) => void (options.defaultApplicationPriority = numberOf(property, { whole: true })),
  'maximum-applications': (options, property) => {
    const most = numberOf(property, { whole: true })
    if (most >= 0) options.maximumApplications = most // below 0 it counts as not given: the queue gets a part of the maximum of all queues
  },
  'max-parallel-apps': (options, property) => void (options.maxParallelApps = count(property)),
  state: (options, property) => {
    const state = property.value.trim().toUpperCase()
    if (state !== 'RUNNING' && state !== 'STOPPED')
      throw new SchedError(
        'BAD_INPUT',
        `found "${property.value}", expected RUNNING or STOPPED.`,
        { file: property.file, line: property.line, field: property.name },
        adviseWord(property.value, ['RUNNING', 'STOPPED']),
      )
    options.state = state
  },
  'auto-create-child-queue.enabled': (options, property, _, queue) => {
    options.autoCreate = booleanOf(property)
    return options.autoCreate && queue.queues.length > 0 ? { verdict: 'approximated', note: BESIDE_LISTED } : undefined
  },
  'auto-queue-creation-v2.enabled': (options, property) => void (options.autoCreate = booleanOf(property)),
  'auto-create-child-queue.max-queues': mostQueues('leaves'),
  'auto-queue-creation-v2.max-queues': mostQueues('any'),
  'auto-queue-creation-v2.maximum-queue-depth': (options, property, _, queue) => {
    if (makes(queue) !== 'any') return { verdict: 'ignored', note: `no queue is made below it at first use: ${FLEXIBLE}.enabled is not true` }
    options.maximumQueueDepth = count(property)
    return undefined
  },
  [REMOVAL]: ignored('it is of queues that are made at first use: Hadoop reads it of their template, and this queue is listed'),
  'auto-create-child-queue.management-policy': (_, { value }) => (value.endsWith('GuaranteedOrZeroCapacityOverTimePolicy') ? undefined : { verdict: 'ignored', note: 'capacities are those of GuaranteedOrZeroCapacityOverTimePolicy' }),
  'auto-create-child-queue.fail-on-exceeding-parent-capacity': (options, property) => void (options.failOnExceedingCapacity = booleanOf(property)),
  'accessible-node-labels': (options, property, cluster, { parent }) => {
    const names = listed(property.value)
    if (parent === undefined && !names.includes('*')) return { verdict: 'ignored', note: 'the root may use all labels' }
    for (const name of names) if (name !== '*') checkLabel(name, property, cluster)
    options.accessibleLabels = names.includes('*') ? '*' : names
    return undefined
  },
  'default-node-label-expression': (options, property, cluster) => void (options.defaultLabelExpression = checkLabel(property.value.trim(), property, cluster)),
  disable_preemption: (options, property) => void (options.disablePreemption = booleanOf(property)),
  'intra-queue-preemption.disable_preemption': (options, property) => void (options.disableIntraQueuePreemption = booleanOf(property)),
  'maximum-am-resource-percent': (options, property) => {
    options.maximumAmResourcePercent = partOfMasters(property)
    return forMasters
  },
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
  'multi-node-sorting.policy': ignored('nodes have one order for all queues'),
  'allow-zero-capacity-sum': (options, property) => {
    if (property.value === 'true') options.allowZeroCapacitySum = true
    return undefined
  },
  'ordering-policy.exclusive-enforced-partitions': ignored('fifo-with-partitions is taken for fifo'),
  'min-resource': ignored(bracketed),
  'max-resource': ignored(bracketed),
})

/** How a property whose name contains a label or a user is used; undefined: it is no such property. */
export function patterned(suffix: string): UseInQueue | undefined {
  const label = /^accessible-node-labels\.([^.]+)\.(capacity|maximum-capacity|maximum-am-resource-percent)$/.exec(suffix)
  if (label !== null) return ofLabel(label[1] ?? '', label[2] ?? '')
  const user = /^user-settings\.(.+)\.weight$/.exec(suffix)
  if (user !== null)
    return (options, property) => {
      options.userWeights = { ...options.userWeights, [user[1] ?? '']: numberOf(property, { least: 0 }) }
    }
  return undefined
}

const isNowhere = (label: string, { partitions }: ClusterFacts): boolean => partitions !== undefined && label !== '' && !partitions.includes(label)
const describe = (label: string) => `Describe nodes with \`labels: { partition: ${label} }\` in the file of the cluster.`

/**
 * Returns the label. Throws `BAD_INPUT` with the line if no node has it, as Hadoop before 2.9 does, since no job of that label would run. Capacities for
 * such a label are only ignored (`ofLabel`): files of EMR and of HDP have these.
 */
function checkLabel(label: string, { file, line, name }: Setting, cluster: ClusterFacts): string {
  if (isNowhere(label, cluster))
    throw new SchedError(
      'BAD_INPUT',
      `no node has the label "${label}".`,
      { file, line, field: name },
      cluster.partitions?.length ? suggest(label, cluster.partitions) : describe(label),
    )
  return label
}

/** Uses a property of a queue for nodes with a label. */
const ofLabel =
  (label: string, suffix: string): UseInQueue =>
  (options, property, cluster, { isLegacy }) => {
    if (isNowhere(label, cluster)) return { verdict: 'ignored', note: `no node has the label "${label}"` }
    if (suffix === 'maximum-am-resource-percent') {
      options.labels = { ...options.labels, [label]: { ...options.labels?.[label], maximumAmResourcePercent: partOfMasters(property) } }
      return forMasters
    }
    if (suffix === 'capacity' && property.value.trim() === '-1') return { verdict: 'ignored', note: 'it says that no capacity is given' } // files of HDP have it
    const read = capacityValue(property, { isMaximum: suffix === 'maximum-capacity', isLegacy })
    if (suffix === 'maximum-capacity' && read.kind === 'percent' && read.value < 0) return undefined
    const { value, told } = written(read, cluster)
    const own = { ...options.labels?.[label], [suffix === 'capacity' ? 'capacity' : 'maximumCapacity']: value }
    options.labels = { ...options.labels, [label]: own }
    return told
  }

