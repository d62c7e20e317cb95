import { adviseWord, knownWords, SchedError } from '@sched/core'
import type { CapacitySchedulerOptions } from '@sched/policies'
import { LEGACY, prefix } from './capacity-model.js'
import { jsonMappings } from './json-mappings.js'
import { count, forMasters, ignored, partOfMasters, percentOfUsers, type Told, type UseInAll } from './capacity-use.js'
import { FLEXIBLE } from './made-queues.js'
import { knownMonitors } from './monitors.js'
import { booleanOf, numberOf } from './site.js'
import { listed, type Setting } from '../setting.js'

/** The beginning of the properties of preemption. */
export const preemptionPrefix = 'yarn.resourcemanager.monitor.capacity.preemption.'
type Preemption = NonNullable<CapacitySchedulerOptions['preemption']>
/** Sets an option of preemption. */
const preempt =
  (key: keyof Preemption, read: (property: Setting) => unknown): UseInAll =>
  (options, property) => void (options.preemption = { ...options.preemption, [key]: read(property) })
/** Sets an option of a part of preemption, which is off unless its own property says otherwise. */
const ofPart =
  <P extends 'intraQueue' | 'balance' | 'byPriority'>(part: P) =>
  (key: keyof NonNullable<Preemption[P]>, read: (property: Setting) => unknown): UseInAll =>
  (options, property) => void (options.preemption = { ...options.preemption, [part]: { enabled: false, ...options.preemption?.[part], [key]: read(property) } })
const [inside, balance, byPriority] = [ofPart('intraQueue'), ofPart('balance'), ofPart('byPriority')]
const insideOrder = ({ value, file, line, name }: Setting) => {
  const order = value.trim().toLowerCase().replace('_', '-')
  if (order !== 'userlimit-first' && order !== 'priority-first')
    throw new SchedError('BAD_INPUT', `found "${value}", expected userlimit_first or priority_first.`, { file, line, field: name }, adviseWord(value, ['userlimit_first', 'priority_first']))
  return order
}
const GROUP_OF_JOB: Told = { verdict: 'approximated', note: 'the group is that of the job in the workload' }
const leftOut = (note: string): Told => ({ verdict: 'ignored', note })
const seconds = (property: Setting) => numberOf(property, { least: 0 }) / 1000
const part = (property: Setting) => numberOf(property, { least: 0 })
const atMostWhole = (property: Setting) => numberOf(property, { least: 0, most: 1 })
type DefaultKey = 'minimumUserLimitPercent' | 'userLimitFactor' | 'maxParallelApps' | 'maximumApplications' | 'maximumQueueDepth'
const byDefault =
  (key: DefaultKey, read = (property: Setting): number | undefined => numberOf(property, { least: -1 })): UseInAll =>
  (options, property) => {
    const value = read(property)
    if (value !== undefined) options.defaults = { ...options.defaults, [key]: value }
  }
const option =
  (key: keyof CapacitySchedulerOptions, read: (property: Setting) => unknown): UseInAll =>
  (options, property) => void Object.assign(options, { [key]: read(property) })
const integer = (property: Setting) => numberOf(property, { least: -1, whole: true })
/** A setting of the order of nodes, which the policy has only for clusters without heartbeats: with heartbeats nodes come as they send these. */
const multiNode: UseInAll = (options, property, cluster) => {
  if (cluster.heartbeat) return { verdict: 'ignored', note: 'nodes come in the order of their heartbeats; on a cluster without heartbeats it counts' }
  if (property.name.endsWith('.class') && !property.value.includes('ResourceUsageMultiNodeLookupPolicy')) return { verdict: 'ignored', note: 'nodes are ordered by what is in use on them' }
  if (property.name.endsWith('sorting-interval.ms')) return { verdict: 'approximated', note: 'nodes are in order after every start' }
  if (property.name.endsWith('multi-node-placement-enabled') && booleanOf(property)) options.nodeOrder = 'least-used'
}
const threads = ignored('decisions are made one after the other, as without threads')
const UNDERUTILIZED = `${prefix}ordering-policy.priority-utilization.underutilized-preemption.`

/** How each property that concerns all queues is used, by its full name. */
export const generalProperties = knownWords<UseInAll>({
  [`${prefix}maximum-applications`]: option('maximumApplications', count),
  [`${prefix}global-queue-max-application`]: byDefault('maximumApplications', (property) => integer(property) > 0 ? integer(property) : undefined),
  [`${prefix}minimum-user-limit-percent`]: byDefault('minimumUserLimitPercent', percentOfUsers),
  [`${prefix}user-limit-factor`]: byDefault('userLimitFactor'),
  [`${prefix}max-parallel-apps`]: byDefault('maxParallelApps'),
  [`${prefix}user.max-parallel-apps`]: option('maxParallelAppsPerUser', count),
  [`${prefix}maximum-am-resource-percent`]: (options, property) => {
    options.defaults = { ...options.defaults, maximumAmResourcePercent: partOfMasters(property) }
    return forMasters
  },
  [`${prefix}resource-calculator`]: option('resourceCalculator', ({ value }) => (value.includes('Dominant') ? 'dominant' : 'default')),
  [`${prefix}node-locality-delay`]: option('nodeLocalityDelay', integer),
  [`${prefix}rack-locality-additional-delay`]: option('rackLocalityAdditionalDelay', integer),
  [`${prefix}rack-locality-full-reset`]: option('rackLocalityFullReset', booleanOf),
  [`${prefix}per-node-heartbeat.multiple-assignments-enabled`]: option('multipleAssignments', booleanOf),
  [`${prefix}per-node-heartbeat.maximum-container-assignments`]: option('maximumContainerAssignments', integer),
  [`${prefix}per-node-heartbeat.maximum-offswitch-assignments`]: option('maximumOffswitchAssignments', integer),
  [`${prefix}reservations-continue-look-all-nodes`]: option('reservationsContinueLookAllNodes', booleanOf),
  [`${prefix}queue-mappings`]: (options, { value, file, line, name }) => {
    const mappings = listed(value)
    const other = mappings.find((each) => !/^[ug]:[^:]+:[^:]+$/.test(each))
    if (other !== undefined) throw new SchedError('BAD_INPUT', `"${other}" is no mapping.`, { file, line, field: name }, 'Write u:USER:QUEUE or g:GROUP:QUEUE.')
    options.mappings = mappings.filter((each) => !each.includes('%secondary_group'))
    return {
      each: mappings.map((each) => ({
        value: each,
        ...(each.includes('%secondary_group')
          ? leftOut('jobs here have no secondary groups')
          : (each.startsWith('g:') || each.includes('%primary_group')) && GROUP_OF_JOB),
      })),
    }
  },
  [`${prefix}queue-mappings-override.enable`]: option('overrideWithMappings', booleanOf),
  [`${prefix}mapping-rule-format`]: () => undefined,
  [`${prefix}mapping-rule-json`]: (options, property) => {
    const { mappings, rules } = jsonMappings(property)
    options.mappings = mappings
    return {
      each: rules.map(({ value, without }) => ({
        value,
        ...(without !== undefined ? leftOut(without) : /^group |%primary_group/.test(value) && GROUP_OF_JOB),
      })),
    }
  },
  [`${prefix}mapping-rule-json-file`]: ignored('other files are not read: write the rules into mapping-rule-json'),
  'yarn.scheduler.queue-placement-rules': (_, { value }) => {
    const own = listed(value).filter((each) => !['user-group', 'app-name'].includes(each))
    return own.length === 0 ? undefined : { verdict: 'ignored', note: `rules that are programs are not run (${own.join(', ')}): jobs are placed by the mappings of this file` }
  },
  'yarn.scheduler.queue-placement-rules.app-name': ignored('jobs are not placed by their names'),
  [`${prefix}workflow-priority-mappings`]: ignored('jobs are no parts of workflows here'),
  [`${prefix}workflow-priority-mappings-override.enable`]: ignored('jobs are no parts of workflows here'),
  [`${prefix}user-metrics.enable`]: ignored('metrics are those of the experiment'),
  [LEGACY]: option('legacyQueueMode', booleanOf),
  [`${prefix}${FLEXIBLE}.maximum-queue-depth`]: byDefault('maximumQueueDepth', count),
  [`${prefix}${FLEXIBLE}.queue-expiration-time`]: option('queueExpiration', (property) => numberOf(property, { least: 1, whole: true })),
  [`${prefix}queue.auto.refresh.monitoring-interval`]: ignored('the file is read once'),
  [`${UNDERUTILIZED}enabled`]: byPriority('enabled', booleanOf),
  [`${UNDERUTILIZED}reserved-container-delay-ms`]: byPriority('delay', seconds),
  [`${UNDERUTILIZED}allow-move-reservation`]: (_, property) => (booleanOf(property) ? { verdict: 'ignored', note: 'reservations are not moved to other nodes' } : undefined),
  [`${prefix}application.fail-fast`]: ignored('failures are not simulated'),
  [`${prefix}skip-allocate-on-nodes-with-reserved-containers`]: threads,
  [`${prefix}schedule-asynchronously.enable`]: threads,
  [`${prefix}schedule-asynchronously.maximum-threads`]: threads,
  [`${prefix}schedule-asynchronously.maximum-pending-backlogs`]: threads,
  [`${prefix}schedule-asynchronously.scheduling-interval-ms`]: threads,
  [`${prefix}multi-node-placement-enabled`]: multiNode,
  [`${prefix}multi-node-sorting.policy`]: multiNode,
  [`${prefix}multi-node-sorting.policy.names`]: multiNode,
  [`${prefix}lazy-preemption-enabled`]: preempt('lazyPreemption', booleanOf),
  [`${prefix}autoqueuecreation.enabled`]: ignored('each queue says whether others are made in it'),
  'yarn.cluster.max-application-priority': option('maximumApplicationPriority', count),
  'yarn.resourcemanager.scheduler.monitor.enable': preempt('enabled', booleanOf),
  'yarn.resourcemanager.scheduler.monitor.policies': (options, { value }) => {
    const all = listed(value).map((name) => name.split('.').at(-1) ?? name)
    if (!all.includes('ProportionalCapacityPreemptionPolicy')) options.preemption = { ...options.preemption, enabled: false }
    const others = all.filter((name) => !knownMonitors.includes(name))
    if (others.length === 0) return undefined
    return { verdict: others.length < all.length ? 'approximated' : 'ignored', note: `of all monitors only ${knownMonitors.join(', ')} are simulated` }
  },
  [`${preemptionPrefix}observe_only`]: preempt('observeOnly', booleanOf),
  [`${preemptionPrefix}monitoring_interval`]: preempt('monitoringInterval', seconds),
  [`${preemptionPrefix}max_wait_before_kill`]: preempt('maxWaitBeforeKill', seconds),
  [`${preemptionPrefix}total_preemption_per_round`]: preempt('totalPreemptionPerRound', atMostWhole),
  [`${preemptionPrefix}max_ignored_over_capacity`]: preempt('maxIgnoredOverCapacity', part),
  [`${preemptionPrefix}natural_termination_factor`]: preempt('naturalTerminationFactor', atMostWhole),
  [`${preemptionPrefix}intra-queue-preemption.enabled`]: inside('enabled', booleanOf),
  [`${preemptionPrefix}intra-queue-preemption.minimum-threshold`]: inside('minimumThreshold', part),
  [`${preemptionPrefix}intra-queue-preemption.max-allowable-limit`]: inside('maxAllowableLimit', atMostWhole),
  [`${preemptionPrefix}intra-queue-preemption.preemption-order-policy`]: inside('order', insideOrder),
  [`${preemptionPrefix}intra-queue-preemption.conservative-drf`]: inside('conservativeDrf', booleanOf),
  [`${preemptionPrefix}conservative-drf`]: preempt('conservativeDrf', booleanOf),
  [`${preemptionPrefix}select_based_on_reserved_containers`]: preempt('selectByReservations', booleanOf),
  [`${preemptionPrefix}additional_res_balance_based_on_reserved_containers`]: preempt('countReserved', booleanOf),
  [`${preemptionPrefix}preemption-to-balance-queue-after-satisfied.enabled`]: balance('enabled', booleanOf),
  [`${preemptionPrefix}preemption-to-balance-queue-after-satisfied.max-wait-before-kill`]: balance('maxWaitBeforeKill', seconds),
  'yarn.resourcemanager.monitor.capacity.queue-management.monitoring-interval': option('queueManagementInterval', (property) => numberOf(property, { least: 1 }) / 1000),
  'yarn.resourcemanager.queue.auto.refresh.monitoring-interval': ignored('the file is read once'),
  'yarn.resourcemanager.node-labels.am.allow-non-exclusive-allocation': (options, property) => (booleanOf(property) ? { verdict: 'ignored', note: 'masters do not start on lent nodes' } : undefined),
  'yarn.resourcemanager.scheduler.class': ignored('the queue file says which scheduler it is'),
})

