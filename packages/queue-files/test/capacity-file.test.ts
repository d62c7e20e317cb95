import { capacityScheduler, type CapacitySchedulerOptions } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { jobPlace, queuePolicy, readQueues, type ClusterFacts } from '@sched/queue-files'
import { messageOf } from './message-of.js'

const facts: ClusterFacts = { resources: ['memory-mb', 'vcores'], nodes: 10, heartbeat: true }
type Pairs = readonly (readonly [string, string])[]
/** One property per line, the first in line 2; names without the common beginning. */
const file = (pairs: Pairs) => `<configuration>${pairs.map(([name, value]) => `\n<property><name>${name.startsWith('yarn.') ? name : `yarn.scheduler.capacity.${name}`}</name><value>${value}</value></property>`).join('')}\n</configuration>`
const policy = (pairs: Pairs, site?: Pairs) => queuePolicy(readQueues({ file: 'cap.xml', text: file(pairs) }), facts, site === undefined ? undefined : { file: 'site.xml', text: file(site) })
const message = (pairs: Pairs) => messageOf(() => policy(pairs))
/** Whether the policy takes what the file has become. */
const isKnown = (config: unknown) => capacityScheduler((config as { readonly 'capacity-scheduler': CapacitySchedulerOptions })['capacity-scheduler']).name === 'capacity-scheduler'
const ab: Pairs = [['root.queues', 'a, b'], ['root.a.capacity', '40'], ['root.b.capacity', '60']]

/** Every property of the documentation: the options it becomes, or nothing. */
const ofQueue: readonly (readonly [string, string, object])[] = [
  ['maximum-capacity', '80', { maximumCapacity: 80 }],
  ['minimum-user-limit-percent', '25', { minimumUserLimitPercent: 25 }],
  ['minimum-user-limit-percent', '200', { minimumUserLimitPercent: 100 }],
  ['minimum-user-limit-percent', '0', { minimumUserLimitPercent: 0 }],
  ['user-limit-factor', '2.5', { userLimitFactor: 2.5 }],
  ['user-limit-factor', '-1', { userLimitFactor: -1 }],
  ['maximum-allocation-mb', '8192', { maximumAllocation: { 'memory-mb': 8192 } }],
  ['maximum-allocation-vcores', '4', { maximumAllocation: { vcores: 4 } }],
  ['maximum-allocation', 'memory-mb=8192,vcores=4', { maximumAllocation: { 'memory-mb': 8192, vcores: 4 } }],
  ['user-settings.ann.weight', '0.5', { userWeights: { ann: 0.5 } }],
  ['maximum-applications', '100', { maximumApplications: 100 }],
  ['max-parallel-apps', '10', { maxParallelApps: 10 }],
  ['ordering-policy', 'fair', { ordering: 'fair' }],
  ['ordering-policy', 'org.apache.hadoop.yarn.server.resourcemanager.scheduler.policy.FairOrderingPolicy', { ordering: 'fair' }],
  ['maximum-capacity', '[memory=80%,vcores=80%]', { maximumCapacity: 80 }],
  ['ordering-policy.fair.enable-size-based-weight', 'true', { sizeBasedWeight: true }],
  ['default-application-priority', '2', { defaultApplicationPriority: 2 }],
  ['state', 'STOPPED', { state: 'STOPPED' }],
  ['accessible-node-labels', 'gpu,ssd', { accessibleLabels: ['gpu', 'ssd'] }],
  ['accessible-node-labels', '*', { accessibleLabels: '*' }],
  ['accessible-node-labels.gpu.capacity', '100', { labels: { gpu: { capacity: 100 } } }],
  ['accessible-node-labels.gpu.maximum-capacity', '50', { labels: { gpu: { maximumCapacity: 50 } } }],
  ['default-node-label-expression', 'gpu', { defaultLabelExpression: 'gpu' }],
  ['disable_preemption', 'true', { disablePreemption: true }],
  ['intra-queue-preemption.disable_preemption', 'true', { disableIntraQueuePreemption: true }],
  ['auto-queue-creation-v2.enabled', 'true', { autoCreate: true }],
]
/** Settings of queues that are made in `a`, in either way. */
const v1: Pairs = [['root.a.auto-create-child-queue.enabled', 'true']]
const v2: Pairs = [['root.a.auto-queue-creation-v2.enabled', 'true']]
const byPriority = ['root.ordering-policy', 'priority-utilization'] as const
const ofMade: readonly (readonly [string, string, Pairs, object])[] = [
  ['auto-queue-creation-v2.template.capacity', '6w', v2, { template: { capacity: '6w' }, parentTemplate: { capacity: '6w' } }],
  ['auto-queue-creation-v2.template.priority', '2', [...v2, byPriority], { template: { priority: 2 }, parentTemplate: { priority: 2 } }],
  ['auto-queue-creation-v2.template.user-limit-factor', '3', v2, { template: { userLimitFactor: 3 } }],
  ['auto-queue-creation-v2.leaf-template.user-limit-factor', '3', v2, { template: { userLimitFactor: 3 } }],
  ['auto-queue-creation-v2.leaf-template.ordering-policy', 'fair', v2, { template: { ordering: 'fair' } }],
  ['auto-queue-creation-v2.template.ordering-policy', 'fair', v2, { template: { ordering: 'fair' } }],
  ['auto-queue-creation-v2.parent-template.capacity', '2w', v2, { parentTemplate: { capacity: '2w' } }],
  ['auto-queue-creation-v2.parent-template.ordering-policy', 'priority-utilization', v2, { parentTemplate: { queueOrdering: 'priority-utilization' } }],
  ['auto-queue-creation-v2.maximum-queue-depth', '4', v2, { maximumQueueDepth: 4 }],
  ['auto-queue-creation-v2.max-queues', '50', v2, { maximumQueues: 50 }],
  ['auto-create-child-queue.max-queues', '50', v1, { maximumQueues: 50, maximumQueueDepth: 1 }],
  ['leaf-queue-template.capacity', '30', v1, { template: { capacity: 30 } }],
  ['leaf-queue-template.maximum-capacity', '60', v1, { template: { maximumCapacity: 60 } }],
  ['leaf-queue-template.ordering-policy', 'fair', v1, { template: { ordering: 'fair' } }],
  ['leaf-queue-template.priority', '2', [...v1, byPriority], { template: { priority: 2 } }],
  ['leaf-queue-template.accessible-node-labels.gpu.capacity', '50', v1, { template: { labels: { gpu: { capacity: 50 } } } }],
]
const ignoredOfQueue = [
  'maximum-application-lifetime', 'default-application-lifetime', 'acl_submit_applications', 'acl_administer_queue', 'acl_administer_reservations', 'acl_list_reservations',
  'acl_submit_reservations', 'reservable', 'reservation-agent', 'reservation-move-on-expiry', 'show-reservations-as-queues', 'reservation-policy', 'reservation-window', 'instantaneous-max-capacity',
  'average-capacity', 'reservation-planner', 'reservation-enforcement-window', 'auto-create-child-queue.management-policy', 'auto-create-child-queue.max-queues', 'leaf-queue-template.capacity',
  'auto-queue-creation-v2.max-queues', 'auto-queue-creation-v2.maximum-queue-depth', 'auto-queue-creation-v2.queue-auto-removal.enable', 'auto-queue-creation-v2.template.capacity', 'auto-queue-creation-v2.parent-template.capacity', '*.auto-queue-creation-v2.template.capacity', '*.capacity', 'min-resource', 'max-resource', 'ordering-policy.exclusive-enforced-partitions', 'x.auto-queue-creation-v2.template.capacity',
]
const ofAll: readonly (readonly [string, string, object])[] = [
  ['maximum-applications', '500', { maximumApplications: 500 }],
  ['global-queue-max-application', '70', { defaults: { maximumApplications: 70 } }],
  ['yarn.scheduler.minimum-allocation-mb', '512', { minimumAllocation: { 'memory-mb': 512 } }],
  ['yarn.scheduler.maximum-allocation-mb', '4096', { defaults: { maximumAllocation: { 'memory-mb': 4096 } } }],
  ['minimum-user-limit-percent', '20', { defaults: { minimumUserLimitPercent: 20 } }],
  ['user-limit-factor', '3', { defaults: { userLimitFactor: 3 } }],
  ['max-parallel-apps', '9', { defaults: { maxParallelApps: 9 } }],
  ['user.max-parallel-apps', '4', { maxParallelAppsPerUser: 4 }],
  ['user.ann.max-parallel-apps', '2', { users: { ann: { maxParallelApps: 2 } } }],
  ['resource-calculator', 'org.apache.hadoop.yarn.util.resource.DominantResourceCalculator', { resourceCalculator: 'dominant' }],
  ['node-locality-delay', '20', { nodeLocalityDelay: 20 }],
  ['rack-locality-additional-delay', '-1', { rackLocalityAdditionalDelay: -1 }],
  ['rack-locality-full-reset', 'false', { rackLocalityFullReset: false }],
  ['per-node-heartbeat.multiple-assignments-enabled', 'false', { multipleAssignments: false }],
  ['per-node-heartbeat.maximum-container-assignments', '-1', { maximumContainerAssignments: -1 }],
  ['per-node-heartbeat.maximum-offswitch-assignments', '2', { maximumOffswitchAssignments: 2 }],
  ['reservations-continue-look-all-nodes', 'false', { reservationsContinueLookAllNodes: false }],
  ['queue-mappings', 'u:ann:a,g:devs:b', { mappings: ['u:ann:a', 'g:devs:b'] }],
  ['queue-mappings-override.enable', 'true', { overrideWithMappings: true }],
  ['auto-queue-creation-v2.maximum-queue-depth', '3', { defaults: { maximumQueueDepth: 3 } }],
  ['legacy-queue-mode.enabled', 'false', { legacyQueueMode: false }],
]
const ignoredOfAll = [
  'mapping-rule-json', 'mapping-rule-json-file', 'schedule-asynchronously.enable', 'multi-node-placement-enabled', 'user-metrics.enable',
  'multi-node-sorting.policy.names', 'multi-node-sorting.policy.default.class', 'auto-queue-creation-v2.queue-expiration-time', 'yarn.scheduler.queue-placement-rules.app-name', 'yarn.scheduler.queue-placement-rules', 'skip-allocate-on-nodes-with-reserved-containers',
]

describe('a capacity-scheduler.xml', () => {
  it('becomes the options of capacity-scheduler', () => {
    const weights: Pairs = [['root.queues', 'a,b'], ['root.a.capacity', '3w'], ['root.b.capacity', '1w'], ['root.a.queues', 'x'], ['root.a.x.capacity', '100'], ['root.a.ordering-policy', 'priority-utilization'], ['root.b.maximum-capacity', '-1']]
    expect(policy(weights).policy).toEqual({ 'capacity-scheduler': { queues: { root: {}, 'root.a': { capacity: '3w', queueOrdering: 'priority-utilization' }, 'root.a.x': { capacity: 100 }, 'root.b': { capacity: '1w' } } } })
    const amounts: Pairs = [['root.queues', 'a'], ['root.a.capacity', '[memory=10240,vcores=12]'], ['root.a.maximum-capacity', '[memory=20480,vcores=24]']]
    expect(policy(amounts).policy).toEqual({ 'capacity-scheduler': { queues: { root: {}, 'root.a': { capacity: { 'memory-mb': 10240, vcores: 12 }, maximumCapacity: { 'memory-mb': 20480, vcores: 24 } } } } })
  })

  it.each(ofQueue)('honours %s = %s of a queue', (name, value, expected) => {
    const { policy: config, findings } = policy([...ab, [`root.a.${name}`, value]])
    expect(config).toMatchObject({ 'capacity-scheduler': { queues: { 'root.a': { capacity: 40, ...expected } } } })
    expect(isKnown(config)).toBe(true)
    expect(findings.at(-1)).toMatchObject({ verdict: 'honoured', line: 5 })
  })

  it('honours priorities of queues where the queue around them orders by priority, which it takes from the one around itself', () => {
    const nested: Pairs = [...ab, ['root.a.queues', 'x'], ['root.a.x.capacity', '100'], ['root.a.x.priority', '3']]
    const last = (...more: Pairs) => {
      const { policy: config, findings } = policy([...more, ...nested])
      expect(config).toMatchObject({ 'capacity-scheduler': { queues: { 'root.a.x': { capacity: 100, priority: 3 } } } })
      return findings.at(-1)
    }
    expect(last()).toMatchObject({ verdict: 'ignored', note: 'counts where ordering-policy of root.a is priority-utilization' })
    expect(last(byPriority)).toMatchObject({ verdict: 'honoured' })
    expect(last(byPriority, ['root.a.ordering-policy', 'utilization'])).toMatchObject({ verdict: 'ignored' })
  })

  it.each(ofMade)('honours %s = %s of queues made in one, %j', (name, value, how, expected) => {
    const { policy: config, findings } = policy([...ab, ...how, [`root.a.${name}`, value]])
    expect(config).toMatchObject({ 'capacity-scheduler': { queues: { 'root.a': { autoCreate: true, ...expected } } } })
    expect(isKnown(config)).toBe(true)
    expect(findings.at(-1)).toMatchObject({ verdict: 'honoured', line: 5 + how.length })
  })

  it.each(ofAll)('honours %s = %s of all queues', (name, value, expected) => {
    const { policy: config, findings } = policy([...ab, [name, value]])
    expect(config).toMatchObject({ 'capacity-scheduler': expected })
    expect(isKnown(config)).toBe(true)
    expect(findings.at(-1)).toMatchObject({ verdict: value.includes('g:') ? 'approximated' : 'honoured', line: 5 })
  })

  it.each([
    ['root.a.maximum-am-resource-percent', '0.25', { queues: { 'root.a': { maximumAmResourcePercent: 0.25 } } }],
    ['maximum-am-resource-percent', '0.2', { defaults: { maximumAmResourcePercent: 0.2 } }],
    ['root.a.maximum-am-resource-percent', '-1', { queues: { 'root.a': { maximumAmResourcePercent: 0 } } }],
    ['maximum-am-resource-percent', '-0.5', { defaults: { maximumAmResourcePercent: 0 } }],
    ['root.a.accessible-node-labels.gpu.maximum-am-resource-percent', '-1', { queues: { 'root.a': { labels: { gpu: { maximumAmResourcePercent: 0 } } } } }],
  ])('honours %s = %s for jobs with masters, and says so', (name, value, expected) => {
    const { policy: config, findings } = policy([...ab, [name, value]])
    expect(config).toMatchObject({ 'capacity-scheduler': expected })
    expect(isKnown(config)).toBe(true)
    expect(findings.at(-1)).toMatchObject({ verdict: 'approximated', line: 5, note: expect.stringContaining('--masters') as string })
  })

  it.each([...ignoredOfQueue.map((name) => `root.a.${name}`), ...ignoredOfAll])('ignores %s for a reason', (name) => {
    const [finding] = policy([...ab, [name, '1']]).findings.slice(-1)
    expect(finding).toMatchObject({ verdict: 'ignored', line: 5 })
    expect(finding?.note).not.toMatch(/^(no such|not of|$)/)
  })

  it('reads capacities as Java writes them, those of the root for what they are, and rules of placement that are there', () => {
    const text: Pairs = [['root.queues', 'a,b'], ['root.capacity', '[memory=1024]'], ['root.a.capacity', '40.0f'], ['root.b.capacity', '60'], ['yarn.scheduler.queue-placement-rules', 'user-group, app-name']]
    const { policy: config, findings } = policy(text)
    expect(config).toEqual({ 'capacity-scheduler': { queues: { root: {}, 'root.a': { capacity: 40 }, 'root.b': { capacity: 60 } } } })
    expect(findings.filter(({ verdict }) => verdict !== 'honoured').map(({ line, note }) => [line, note])).toEqual([[3, 'the root has all of the cluster']])
  })

  it('leaves numbers of applications open that say so with 0 or -1', () => {
    const { policy: config } = policy([...ab, ['global-queue-max-application', '0'], ['root.a.maximum-applications', '-1']])
    expect(config).toEqual({ 'capacity-scheduler': { queues: { root: {}, 'root.a': { capacity: 40 }, 'root.b': { capacity: 60 } } } })
  })

  it('takes preemption and priorities from yarn-site.xml, times in seconds', () => {
    const monitor = 'yarn.resourcemanager.monitor.capacity.preemption.'
    const { policy: config, findings } = policy(ab, [
      ['yarn.resourcemanager.scheduler.monitor.enable', 'true'], [`${monitor}monitoring_interval`, '3000'], [`${monitor}max_wait_before_kill`, '15000'], [`${monitor}total_preemption_per_round`, '0.2'],
      [`${monitor}max_ignored_over_capacity`, '0.05'], [`${monitor}natural_termination_factor`, '1'], [`${monitor}observe_only`, 'false'], [`${monitor}intra-queue-preemption.enabled`, 'true'], [`${monitor}conservative-drf`, 'true'], ['yarn.scheduler.capacity.lazy-preemption-enabled', 'true'], ['yarn.cluster.max-application-priority', '10'],
    ])
    expect(config).toMatchObject({ 'capacity-scheduler': {
      maximumApplicationPriority: 10,
      preemption: { enabled: true, monitoringInterval: 3, maxWaitBeforeKill: 15, totalPreemptionPerRound: 0.2, maxIgnoredOverCapacity: 0.05, naturalTerminationFactor: 1, observeOnly: false, conservativeDrf: true, lazyPreemption: true, intraQueue: { enabled: true } },
    } })
    const told = findings.filter(({ file }) => file === 'site.xml')
    expect(told.filter(({ verdict }) => verdict !== 'honoured')).toEqual([])
    expect(told).toHaveLength(11)
    expect(Object.keys((policy(ab).policy as { 'capacity-scheduler': object })['capacity-scheduler'])).not.toContain('preemption') // off unless enabled
  })

  it('takes preemption inside queues where it is enabled', () => {
    const of = (pairs: Pairs) => (policy(ab, [['yarn.resourcemanager.scheduler.monitor.enable', 'true'], ...pairs.map(([name, value]) => [`yarn.resourcemanager.monitor.capacity.preemption.intra-queue-preemption.${name}`, value] as const)]).policy as { 'capacity-scheduler': CapacitySchedulerOptions })['capacity-scheduler'].preemption
    const rest: Pairs = [['minimum-threshold', '0.4'], ['max-allowable-limit', '0.3'], ['preemption-order-policy', 'priority_first'], ['conservative-drf', 'false']]
    expect(of([['enabled', 'true'], ...rest])).toEqual({ enabled: true, intraQueue: { enabled: true, minimumThreshold: 0.4, maxAllowableLimit: 0.3, order: 'priority-first', conservativeDrf: false } })
    expect(of([['preemption-order-policy', 'USERLIMIT_FIRST'], ['enabled', 'true']])).toEqual({ enabled: true, intraQueue: { enabled: true, order: 'userlimit-first' } })
    expect(of(rest)).toEqual({ enabled: true })
    expect(() => of([['preemption-order-policy', 'fair']])).toThrow('found "fair", expected userlimit_first or priority_first. Write one of these.')
  })

  it('takes an order of nodes where they do not come as they beat', () => {
    const before = 'multi-node-sorting.policy'
    const pairs: Pairs = [['multi-node-placement-enabled', 'true'], [before, 'usage'], [`${before}.names`, 'usage'], [`${before}.usage.class`, 'org.apache.hadoop.yarn.server.resourcemanager.scheduler.placement.ResourceUsageMultiNodeLookupPolicy'], [`${before}.usage.sorting-interval.ms`, '1000']]
    const of = (heartbeat: boolean, more: Pairs = []) => {
      const { options, findings } = queuePolicy(readQueues({ file: 'cap.xml', text: file([...ab, ...pairs, ...more]) }), { ...facts, heartbeat })
      return [(options as CapacitySchedulerOptions).nodeOrder, findings.filter(({ line }) => line > 4).map(({ verdict }) => verdict).join(' ')]
    }
    expect(of(false)).toEqual(['least-used', 'honoured honoured honoured honoured approximated'])
    expect(of(true)).toEqual([undefined, 'ignored ignored ignored ignored ignored'])
    expect(of(false, [[`${before}.other.class`, 'org.example.Other']])[1]).toMatch(/ignored$/)
  })

  it('takes preemption for reserved nodes, and by priority where it is enabled', () => {
    const of = (pairs: Pairs, site: Pairs = []) => {
      const { options, findings } = policy([...ab, ...pairs], [['yarn.resourcemanager.scheduler.monitor.enable', 'true'], ...site])
      return [(options as CapacitySchedulerOptions).preemption, findings.at(-1)?.verdict]
    }
    const before = 'ordering-policy.priority-utilization.underutilized-preemption'
    expect(of([], [['yarn.resourcemanager.monitor.capacity.preemption.select_based_on_reserved_containers', 'true'], ['yarn.resourcemanager.monitor.capacity.preemption.additional_res_balance_based_on_reserved_containers', 'true']])).toEqual([{ enabled: true, selectByReservations: true, countReserved: true }, 'honoured'])
    expect(of([[`${before}.enabled`, 'true'], [`${before}.reserved-container-delay-ms`, '30000']])[0]).toEqual({ enabled: true, byPriority: { enabled: true, delay: 30 } })
    expect(of([[`${before}.reserved-container-delay-ms`, '30000']])[0]).toEqual({ enabled: true })
    expect(policy([...ab, [`${before}.allow-move-reservation`, 'true']]).findings.at(-1)).toMatchObject({ verdict: 'ignored' })
  })

  it('takes preemption that balances queues where it is enabled', () => {
    const of = (pairs: Pairs) => (policy(ab, [['yarn.resourcemanager.scheduler.monitor.enable', 'true'], ...pairs.map(([name, value]) => [`yarn.resourcemanager.monitor.capacity.preemption.preemption-to-balance-queue-after-satisfied.${name}`, value] as const)]).policy as { 'capacity-scheduler': CapacitySchedulerOptions })['capacity-scheduler'].preemption
    expect(of([['enabled', 'true'], ['max-wait-before-kill', '20000']])).toEqual({ enabled: true, balance: { enabled: true, maxWaitBeforeKill: 20 } })
    expect(of([['max-wait-before-kill', '20000']])).toEqual({ enabled: true })
  })

  it('makes queues at first use as the template of their parent says: limits of users and masters as of declared ones, where v2 has none (testAutoCreatedQueueTemplateConfig)', () => {
    const file: Pairs = [...ab, ['root.a.leaf-queue-template.capacity', '30'], ['root.a.auto-create-child-queue.enabled', 'true']]
    expect(policy(file).policy).toMatchObject({ 'capacity-scheduler': { queues: { 'root.a': { autoCreate: true, template: { capacity: 30, userLimitFactor: 1, maximumAmResourcePercent: 0.1 } } } } })
    expect(policy(file).findings.at(-1)).toMatchObject({ verdict: 'honoured' })
    expect(policy([...file, ['maximum-am-resource-percent', '0.3']]).policy).toMatchObject({ 'capacity-scheduler': { queues: { 'root.a': { template: { maximumAmResourcePercent: 0.3 } } } } })
    const v2: Pairs = [...ab, ['root.a.auto-queue-creation-v2.enabled', 'true'], ['maximum-am-resource-percent', '0.3']]
    expect((policy(v2).policy as { 'capacity-scheduler': CapacitySchedulerOptions })['capacity-scheduler'].queues?.['root.a']?.template).toBeUndefined()
  })

  const templates = (...pairs: Pairs) => {
    const { options, findings } = policy([['root.queues', 'a'], ['root.a.capacity', '1w'], ...v2, ...pairs.map(([name, value]) => [name.replace('template', 'auto-queue-creation-v2.template').replace(/(leaf|parent)-auto-queue-creation-v2\.template/, 'auto-queue-creation-v2.$1-template'), value] as const)])
    const { queues, templates: byPath } = options as CapacitySchedulerOptions
    return { own: { template: queues?.['root.a']?.template, parentTemplate: queues?.['root.a']?.parentTemplate }, byPath, told: findings.filter(({ line }) => line > 4) }
  }
  it('takes what is said for a kind of made queues before what is said for both, and that before * (testQueueSpecificTemplates, testTemplatePrecedence)', () => {
    const { own, byPath, told } = templates(['root.a.template.capacity', '2w'], ['root.a.leaf-template.capacity', '10w'], ['root.*.leaf-template.maximum-capacity', '80'], ['root.*.template.maximum-capacity', '70'], ['root.*.parent-template.capacity', '5w'])
    expect(own).toEqual({ template: { capacity: '10w', maximumCapacity: 80 }, parentTemplate: { capacity: '5w', maximumCapacity: 70 } })
    expect(byPath).toEqual({ 'root.*': { template: { maximumCapacity: 80 }, parentTemplate: { capacity: '5w', maximumCapacity: 70 } } })
    expect(told.map(({ line, verdict, note }) => [line, verdict, note])).toEqual([
      [5, 'ignored', 'what leaf-template and parent-template say goes before it'], ...[6, 7, 8, 9].map((line) => [line, 'honoured', '']),
    ])
  })

  it('reads templates of queues that are made themselves, by path and by pattern, and merges those with more * into them', () => {
    const { byPath, told } = templates(['root.a.b.template.capacity', '6w'], ['root.a.*.template.capacity', '4w'], ['root.a.*.leaf-template.user-limit-factor', '2'], ['root.*.*.template.maximum-capacity', '20'])
    const twenty = { maximumCapacity: 20 }
    expect(byPath).toEqual({
      'root.a.b': { template: { capacity: '6w', userLimitFactor: 2, ...twenty }, parentTemplate: { capacity: '6w', ...twenty } },
      'root.a.*': { template: { capacity: '4w', userLimitFactor: 2, ...twenty }, parentTemplate: { capacity: '4w', ...twenty } },
      'root.*.*': { template: twenty, parentTemplate: twenty },
    })
    expect(told.map(({ verdict }) => verdict)).toEqual(['honoured', 'honoured', 'honoured', 'honoured'])
  })

  it('says of templates and settings of paths where no queue is made, or none has them, why they do not count', () => {
    const { byPath, told } = templates(['root.a.*.*.template.capacity', '2w'], ['*.template.capacity', '2w'], ['root.a.*.leaf-queue-template.capacity', '20'], ['root.a.x.auto-queue-creation-v2.maximum-queue-depth', '4'], ['root.a.x.auto-queue-creation-v2.max-queues', '4'], ['root.a.leaf-template.state', 'STOPPED'], ['root.a.parent-template.user-limit-factor', '2'])
    expect(byPath).toBeUndefined()
    expect(told.map(({ line, verdict, note }) => [line, verdict, note])).toEqual([
      [5, 'ignored', 'no queue of that path makes others at first use: none around it is told to by auto-queue-creation-v2.enabled, or so deep by its maximum-queue-depth'],
      [6, 'ignored', expect.stringContaining('no such property')],
      [7, 'ignored', 'by pattern only templates of auto-queue-creation-v2 are read'],
      [8, 'ignored', 'how deep queues are made is said at a queue that is listed'],
      [9, 'ignored', 'queues made at first use have what the template says alone'],
      [10, 'ignored', 'queues made at first use have no setting state here'],
      [11, 'ignored', 'queues made at first use have no setting user-limit-factor here if they hold others'],
    ])
  })

  it('has as many * as queues are made levels deep (getWildcardedQueuePaths)', () => {
    const pattern = ['root.*.*.template.capacity', '2w'] as const
    expect(templates(['root.a.*.template.capacity', '3w'], pattern).byPath).toHaveProperty('root.*.*')
    expect(templates(['root.a.b.template.maximum-capacity', '30'], pattern, ['root.a.b.auto-queue-creation-v2.maximum-queue-depth', '1']).byPath?.['root.a.b']?.template).toEqual({ maximumCapacity: 30 })
    expect(templates(['root.a.b.template.maximum-capacity', '30'], pattern).byPath?.['root.a.b']?.template).toEqual({ maximumCapacity: 30, capacity: '2w' })
  })

  it('makes queues where one of both ways is on and the other off, whichever is written last', () => {
    const off: Pairs = [['root.a.auto-create-child-queue.enabled', 'false']]
    expect([[...v2, ...off], [...off, ...v2]].map((pairs) => (policy([...ab, ...pairs]).options as CapacitySchedulerOptions).queues?.['root.a']?.autoCreate)).toEqual([true, true])
  })

  it('lets a queue make leaves alone where it is told both ways of making queues, as Hadoop does', () => {
    const { options, findings } = policy([...ab, ...v1, ...v2, ['root.a.auto-queue-creation-v2.template.capacity', '2w'], ['root.a.leaf-queue-template.capacity', '30']])
    expect((options as CapacitySchedulerOptions).queues?.['root.a']).toEqual({ capacity: 40, autoCreate: true, maximumQueueDepth: 1, template: { capacity: 30, userLimitFactor: 1, maximumAmResourcePercent: 0.1, maximumApplications: Number.MAX_SAFE_INTEGER } })
    expect(findings.slice(-2).map(({ verdict }) => verdict)).toEqual(['ignored', 'honoured'])
  })

  it('takes any number of jobs in queues made in the older way (AbstractLeafQueue.validateSubmitApplication)', () => {
    const { options, findings } = policy([...ab, ...v1, ...v2.map(([name, value]) => [name.replace('.a.', '.b.'), value] as const), ['root.a.leaf-queue-template.maximum-applications', '5']])
    const { queues } = options as CapacitySchedulerOptions
    expect(['root.a', 'root.b'].map((path) => queues?.[path]?.template?.maximumApplications)).toEqual([Number.MAX_SAFE_INTEGER, undefined])
    expect(findings.at(-1)).toMatchObject({ verdict: 'ignored', note: 'a queue made in this way takes any number of jobs, in YARN too' })
  })

  it('says so where queues are listed beside those that are made, which YARN has in the flexible way alone', () => {
    const listed: Pairs = [...ab, ['root.a.queues', 'x'], ['root.a.x.capacity', '100']]
    const told = (made: Pairs) => policy([...listed, ...made]).findings.at(-1)
    expect(told(v1)).toMatchObject({ verdict: 'approximated', note: 'YARN does not support listed queues beside those made in this way; here these get what the listed ones leave' })
    expect([told(v2)?.verdict, policy([...ab, ...v1]).findings.at(-1)?.verdict, told([['root.a.auto-create-child-queue.enabled', 'false']])?.verdict]).toEqual(['honoured', 'honoured', 'honoured'])
  })

  describe('with monitors that look after queues made at first use', () => {
    const classes = 'org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.'
    const running = (...names: string[]): Pairs => [['yarn.resourcemanager.scheduler.monitor.enable', 'true'], ['yarn.resourcemanager.scheduler.monitor.policies', names.map((name) => `${classes}${name}`).join(', ')]]
    const [removing, managing] = [running('AutoCreatedQueueDeletionPolicy'), running('QueueManagementDynamicEditPolicy')]
    const expiration = ['auto-queue-creation-v2.queue-expiration-time', '60'] as const
    const interval = ['yarn.resourcemanager.monitor.capacity.queue-management.monitoring-interval', '3000'] as const
    const read = (pairs: Pairs, site: Pairs = []) => {
      const { options, findings } = policy([...ab, ...pairs], site)
      return { options: options as CapacitySchedulerOptions, told: findings.filter(({ file: from, line }) => from === 'cap.xml' && line > 4) }
    }

    it('removes those of the flexible way when they are empty (testCapacitySchedulerAutoQueueDeletion)', () => {
      expect([read(v2, removing), read([...v2, expiration], removing), read(v1, removing), read([...v2, expiration], removing.slice(1))].map(({ options }) => options.queueExpiration)).toEqual([300, 60, undefined, undefined])
      expect([removing, removing.slice(1)].map((site) => read([...v2, expiration], site).told.at(-1)?.verdict)).toEqual(['honoured', 'ignored'])
      expect(read([...v2, ['root.a.auto-queue-creation-v2.max-queues', '5']], removing).options.queues?.['root.a']?.maximumQueues).toBe(5)
    })

    it('removes none whose template says so, nor those of the older way (testCapacitySchedulerAutoQueueDeletionDisabled)', () => {
      const stays: Pairs = [...v2, ['root.a.auto-queue-creation-v2.leaf-template.queue-auto-removal.enable', 'false'], ['root.a.auto-queue-creation-v2.leaf-template.auto-queue-creation-v2.queue-auto-removal.enable', 'false']]
      const { options, told } = read(stays, removing)
      expect([options.queues?.['root.a']?.template, told.map(({ verdict }) => verdict)]).toEqual([{ autoRemoval: false }, ['honoured', 'ignored', 'honoured']])
      expect(read([['root.a.auto-queue-creation-v2.queue-auto-removal.enable', 'false'], ...v2], removing).told[0]).toMatchObject({ verdict: 'ignored' })
      expect(read([...v1, ['root.b.auto-queue-creation-v2.enabled', 'true']], removing).options.queues?.['root.a']?.template).toMatchObject({ autoRemoval: false })
    })

    it('moves capacities of those of the older way to the ones with jobs', () => {
      const without = read([...v1, ['legacy-queue-mode.enabled', 'false']], managing)
      expect([read(v1, managing), read(v1, [...managing, interval]), read(v2, managing), read(v1, [interval]), without].map(({ options }) => options.queueManagementInterval)).toEqual([1.5, 3, undefined, undefined, undefined])
    })

    it('refuses those for which no capacity is left where the file says so (testAutoCreationFailsWhenParentCapacityExceeded)', () => {
      expect(read([...v1, ['root.a.auto-create-child-queue.fail-on-exceeding-parent-capacity', 'true']]).options.queues?.['root.a']).toMatchObject({ failOnExceedingCapacity: true })
    })

    it('says which monitors are not simulated', () => {
      const verdict = (...names: string[]) => policy(ab, running(...names)).findings.find(({ file: from, line }) => from === 'site.xml' && line === 3)?.verdict
      expect([verdict('AutoCreatedQueueDeletionPolicy', 'QueueManagementDynamicEditPolicy'), verdict('AutoCreatedQueueDeletionPolicy', 'QueueConfigurationAutoRefreshPolicy'), verdict('QueueConfigurationAutoRefreshPolicy')]).toEqual(['honoured', 'approximated', 'ignored'])
    })
  })

  const dominant: Pairs = [['resource-calculator', 'org.apache.hadoop.yarn.util.resource.DominantResourceCalculator']]
  it('takes the smallest and largest allocation from yarn-site.xml, those of resource-types.xml before', () => {
    const of = (pairs: Pairs, ...site: Pairs) => {
      const { options, findings } = policy([...ab, ['root.a.maximum-allocation-vcores', '2'], ...pairs], site)
      return { options, told: findings.filter(({ file: from }) => from === 'site.xml').map(({ verdict, note }) => `${verdict} ${note}`.trim()) }
    }
    const older: Pairs = [['yarn.scheduler.minimum-allocation-mb', '512'], ['yarn.scheduler.maximum-allocation-mb', '8192'], ['yarn.scheduler.minimum-allocation-vcores', '1'], ['yarn.scheduler.maximum-allocation-vcores', '16']]
    const { options, told } = of([], ...older)
    expect(options).toMatchObject({ minimumAllocation: { 'memory-mb': 512, vcores: 1 }, defaults: { maximumAllocation: { 'memory-mb': 8192, vcores: 16 } }, queues: { 'root.a': { maximumAllocation: { vcores: 2 } } } })
    expect(told).toEqual(['honoured', 'honoured', 'approximated limits of users count in steps of it; with the resource-calculator of the file memory alone is rounded up', 'honoured'])
    // as TestResourceUtils.testGetResourceTypesConfigs and setMinimumAllocationForMandatoryResources of Hadoop 3
    const newer = of(dominant, ...older, ['yarn.resource-types.memory-mb.minimum-allocation', '1024'], ['yarn.resource-types.vcores.maximum-allocation', '8'])
    expect(newer.options).toMatchObject({ minimumAllocation: { 'memory-mb': 1024, vcores: 1 }, defaults: { maximumAllocation: { 'memory-mb': 8192, vcores: 8 } } })
    expect(newer.told).toEqual(['ignored yarn.resource-types.memory-mb.minimum-allocation goes before it (line 6)', 'honoured', 'honoured', 'ignored yarn.resource-types.vcores.maximum-allocation goes before it (line 7)', 'honoured', 'honoured'])
  })

  it('takes further types of resources, and says which the cluster has not and what nobody reads', () => {
    const { options, findings } = queuePolicy(readQueues({ file: 'cap.xml', text: file([...ab, ...dominant]) }), { ...facts, resources: ['memory-mb', 'gpu'] }, { file: 'site.xml', text: file([]) }, { file: 'types.xml', text: file([
      ['yarn.resource-types', 'yarn.io/gpu, disk'], ['yarn.resource-types.yarn.io/gpu.maximum-allocation', '4'], ['yarn.resource-types.yarn.io/gpu.minimum-allocation', '1'], ['yarn.resource-types.disk.units', 'G'],
      ['yarn.resource-types.disk.maximum-allocation', '9'], ['yarn.resource-types.fpga.maximum-allocation', '9'], ['yarn.resource-types.disk.maximum', '9'], ['yarn.resource-types.disk.type', 'COUNTABLE'],
    ]) })
    expect(options).toMatchObject({ minimumAllocation: { gpu: 1 }, defaults: { maximumAllocation: { gpu: 4 } } })
    expect(findings.filter(({ file: from }) => from === 'types.xml').map(({ verdict, note }) => `${verdict} ${note}`.trim())).toEqual([
      'approximated the cluster has no disk', 'honoured', 'honoured', 'approximated amounts of disk are in G: those of nodes and jobs must be in the same unit', 'ignored the cluster has no disk', 'ignored yarn.resource-types does not list fpga',
      'ignored YARN does not read it: it is maximum-allocation', 'ignored only amounts of resources count here',
    ])
  })

  it('takes maximum-allocation before the older settings of a queue, in M or G (testResourceUnitParsing)', () => {
    const { options, findings } = policy([...ab, ['root.a.maximum-allocation-mb', '1024'], ['root.a.maximum-allocation', '[memory=20g, vcores=3]']])
    expect((options as CapacitySchedulerOptions).queues?.['root.a']).toEqual({ capacity: 40, maximumAllocation: { 'memory-mb': 20480, vcores: 3 } })
    expect(findings.slice(-2).map(({ verdict, note }) => [verdict, note])).toEqual([['ignored', 'maximum-allocation goes before it (line 6)'], ['honoured', '']])
    expect(message([...ab, ['root.a.maximum-allocation', '8192 mb, 4 vcores']])).toContain('line 5 yarn.scheduler.capacity.root.a.maximum-allocation: "8192 mb, 4 vcores" has "8192 mb", which is no amount of a resource.')
  })

  it('takes what maximum-allocation does not name for nothing, and says so; the older settings leave it as it is around the queue (testQueueMaximumAllocationKeys)', () => {
    const around: Pairs = [...ab, ['root.maximum-allocation-vcores', '8']]
    const of = (...pairs: Pairs) => {
      const { options, findings } = policy([...around, ...pairs])
      return [(options as CapacitySchedulerOptions).queues?.['root.a']?.maximumAllocation, findings.at(-1)?.note]
    }
    expect(of(['root.a.maximum-allocation', 'memory-mb=2048'])).toEqual([{ 'memory-mb': 2048, vcores: 0 }, 'a task may ask no vcores: as in Hadoop, what is not named is 0'])
    expect(of(['root.a.maximum-allocation', 'memory-mb=2048,vcores=2'])).toEqual([{ 'memory-mb': 2048, vcores: 2 }, ''])
    expect(of(['root.a.maximum-allocation-mb', '2048'])).toEqual([{ 'memory-mb': 2048 }, ''])
    const why = (vcores: number) => asks([...around, ['root.a.maximum-allocation', 'memory-mb=2048']], [], { 'memory-mb': 1024, vcores }, 'a')
    expect([why(0), why(1)]).toEqual([undefined, 'a task asks 1 vcores, more than the 0 of yarn.scheduler.capacity.root.a.maximum-allocation (cap.xml line 6)'])
  })

  it.each<[string, Pairs, Pairs, string]>([
    ['a smallest allocation above the largest (testConfValidation)', [], [['yarn.scheduler.minimum-allocation-mb', '2048'], ['yarn.scheduler.maximum-allocation-mb', '1024']],
      '"site.xml" line 2 yarn.scheduler.minimum-allocation-mb: found 2048, more than yarn.scheduler.maximum-allocation-mb, 1024 (site.xml line 3). Lower the one or raise the other.'],
    ['a smallest allocation of no memory (TestCapacitySchedulerConfigValidator.testValidateMemoryAllocationInvalidMinMem)', [], [['yarn.scheduler.minimum-allocation-mb', '0']],
      '"site.xml" line 2 yarn.scheduler.minimum-allocation-mb: found 0, with which the capacity scheduler does not start. Write 1 or more, or leave it out.'],
    ['a smallest allocation of no vcores (testValidateVCoresInvalidMinVCore)', [], [['yarn.resource-types.vcores.minimum-allocation', '0']], 'line 2 yarn.resource-types.vcores.minimum-allocation: found 0'],
    ['a queue that allows more than the site (testQueueMaximumAllocation)', [['root.b.maximum-allocation', 'vcores=9']], [['yarn.resource-types.vcores.maximum-allocation', '8']],
      '"cap.xml" line 5 yarn.scheduler.capacity.root.b.maximum-allocation: tasks in queue "root.b" may ask 9 vcores, more than yarn.resource-types.vcores.maximum-allocation, 8 (site.xml line 2). Lower the one or raise the other.'],
    ['a further type of resource where memory alone is compared (testDefaultResourceCalculatorWithThirdResourceTypes)', [], [['yarn.resource-types', 'gpu']], '"site.xml" line 2 yarn.resource-types: lists gpu, and the resource calculator compares memory alone. Set yarn.scheduler.capacity.resource-calculator to org.apache.hadoop.yarn.util.resource.DominantResourceCalculator, or list no further types.'],
    ['a type of resource twice', [], [['yarn.resource-types', 'gpu,gpu']], '"site.xml" line 2 yarn.resource-types: names gpu twice. Name each further resource once.'],
    ['a type of resource that is there anyway', [], [['yarn.resource-types', 'memory']], 'names memory which is there anyway.'],
  ])('refuses %s', (_, more, site, expected) => {
    expect(messageOf(() => policy([...ab, ...more], site))).toContain(expected)
  })

  /** What a job in a queue asks then, or why it is refused. */
  const asks = (pairs: Pairs, site: Pairs, demand: Record<string, number>, queue?: string) => {
    const read = readQueues({ file: 'cap.xml', text: file(pairs) })
    const place = jobPlace(read, queuePolicy(read, facts, { file: 'site.xml', text: file(site) }))
    const { stages, refused } = place?.({ id: 'j', submit: 0, ...(queue !== undefined && { queue }), stages: [{ name: 't', tasks: 1, demand, duration: 1 }] }) ?? {}
    return refused ?? stages?.[0]?.demand
  }
  it('gives tasks what they ask in whole steps of the smallest allocation, up to the largest (testNormalizeRequestWithDominantResourceCalculator)', () => {
    const site: Pairs = [['yarn.scheduler.minimum-allocation-mb', '1024'], ['yarn.scheduler.maximum-allocation-mb', '10000'], ['yarn.scheduler.minimum-allocation-vcores', '2']]
    const given = (mem: number, vcores: number, calculator = dominant) => asks([...ab, ...calculator], site, { 'memory-mb': mem, vcores })
    expect([given(0, 0), given(1024, 2), given(1025, 3), given(9999, 1)]).toEqual([{ 'memory-mb': 1024, vcores: 2 }, { 'memory-mb': 1024, vcores: 2 }, { 'memory-mb': 2048, vcores: 4 }, { 'memory-mb': 10000, vcores: 2 }])
    expect(given(1025, 3, [])).toEqual({ 'memory-mb': 2048, vcores: 3 }) // by memory alone
    expect(asks(ab, [], { 'memory-mb': 5 })).toBeUndefined()
  })

  it('refuses jobs that ask more than the queue they name allows, or the one around it, or the site, with the line (testValidateResourceRequest)', () => {
    const tree: Pairs = [['root.queues', 'a,b'], ['root.a.capacity', '40'], ['root.b.capacity', '60'], ['root.a.queues', 'x'], ['root.a.x.capacity', '100'], ['root.a.maximum-allocation', 'memory-mb=4096,vcores=9'], ['root.a.x.maximum-allocation-vcores', '2']]
    const site: Pairs = [['yarn.scheduler.maximum-allocation-mb', '8192']]
    const why = (mem: number, vcores: number, queue?: string, more: Pairs = []) => asks([...tree, ...more], site, { 'memory-mb': mem, vcores }, queue)
    const ofA = 'a task asks 4097 memory-mb, more than the 4096 of yarn.scheduler.capacity.root.a.maximum-allocation (cap.xml line 7)'
    expect([why(4097, 1, 'root.a.x'), why(4097, 1, 'x'), why(4097, 1, 'a.y')]).toEqual([ofA, ofA, ofA])
    expect(why(1, 3, 'x')).toBe('a task asks 3 vcores, more than the 2 of yarn.scheduler.capacity.root.a.x.maximum-allocation-vcores (cap.xml line 8)')
    expect([why(8192, 3, 'b'), why(8192, 3), why(4097, 3, 'x', [['queue-mappings-override.enable', 'true']])]).toEqual([undefined, undefined, undefined])
    expect(why(8193, 1, 'b')).toBe('a task asks 8193 memory-mb, more than the 8192 of yarn.scheduler.maximum-allocation-mb (site.xml line 2)')
  })

  it('says that masters do not start on lent nodes, where YARN would let them (TestAMAllocatedToNonExclusivePartition)', () => {
    const of = (value: string) => policy(ab, [['yarn.resourcemanager.node-labels.am.allow-non-exclusive-allocation', value]]).findings.filter(({ file }) => file === 'site.xml').map(({ verdict }) => verdict)
    expect([of('true'), of('false')]).toEqual([['ignored'], ['honoured']])
  })

  it('tells of each mapping what becomes of it', () => {
    const { findings } = policy([...ab, ['queue-mappings', 'u:ann:a, g:devs:b,u:%user:%primary_group,u:bob:%secondary_group']])
    const own = findings.filter(({ setting }) => setting.endsWith('queue-mappings'))
    expect(own.map(({ value, verdict }) => [value, verdict])).toEqual([['u:ann:a', 'honoured'], ['g:devs:b', 'approximated'], ['u:%user:%primary_group', 'approximated'], ['u:bob:%secondary_group', 'ignored']])
  })

  const making: Pairs = [...ab, ['root.a.auto-create-child-queue.enabled', 'true'], ['root.b.auto-create-child-queue.enabled', 'true']]
  const json = (rules: readonly object[], more: Pairs = []) => policy([...making, ['mapping-rule-format', 'json'], ['mapping-rule-json', JSON.stringify({ rules })], ...more])
  it('reads mapping rules in JSON, and says which it leaves out (TestMappingRuleCreator)', () => {
    const { policy: config, findings } = json([
      { type: 'user', matches: '*', policy: 'specified', create: false },
      { type: 'group', matches: 'devs', policy: 'user', parentQueue: 'root.a', fallbackResult: 'placeDefault' },
      { type: 'application', matches: 'spark', policy: 'defaultQueue' },
      { type: 'user', matches: 'ann', policy: 'secondaryGroup' },
      { type: 'user', matches: '*', policy: 'primaryGroupUser' },
      { type: 'user', matches: 'bob', policy: 'custom', customPlacement: 'root.b.%user', fallbackResult: 'reject' },
      { type: 'user', matches: '*', policy: 'reject' },
    ], [['queue-mappings', 'u:ann:a']])
    expect(config).toMatchObject({ 'capacity-scheduler': { mappings: [
      { user: '*', queue: '%specified', create: false, fallback: 'skip' },
      { group: 'devs', queue: 'root.a.%user', create: true, fallback: 'default' },
      { user: '*', queue: '%primary_group.%user' },
      { user: 'bob', queue: 'root.b.%user', fallback: 'reject' },
      { user: '*', create: true, fallback: 'skip' },
    ] } })
    const group = 'the group is that of the job in the workload'
    expect(findings.filter(({ line }) => line >= 8).map(({ line, verdict, value, note }) => [line, verdict, value, note])).toEqual([
      [8, 'honoured', 'user *: %specified', ''],
      [8, 'approximated', 'group devs: root.a.%user', group],
      [8, 'ignored', 'application spark: defaultQueue', 'jobs have neither names nor secondary groups'],
      [8, 'ignored', 'user ann: secondaryGroup', 'jobs have no secondary groups'],
      [8, 'approximated', 'user *: %primary_group.%user', group],
      [8, 'honoured', 'user bob: root.b.%user', ''],
      [8, 'honoured', 'user *: reject', ''],
      [9, 'ignored', 'u:ann:a', 'mapping-rule-format is json'],
    ])
  })

  it('reads rules that set the default queue (testSetDefaultRule)', () => {
    const { policy: config, findings } = json([{ type: 'user', matches: 'ann', policy: 'setDefaultQueue', value: 'root.a.%user' }, { type: 'user', matches: 'bob', policy: 'setDefaultQueue', value: 'root.a.%secondary_group' }])
    expect(config).toMatchObject({ 'capacity-scheduler': { mappings: [{ user: 'ann', defaultQueue: 'root.a.%user' }] } })
    expect(findings.filter(({ line }) => line === 8).map(({ verdict, value }) => [verdict, value])).toEqual([['honoured', 'user ann: %default = root.a.%user'], ['ignored', 'user bob: root.a.%secondary_group']])
  })

  it('reads rules to the default queue, which make none and go on as they say', () => {
    const rule = { type: 'user', matches: 'ann', policy: 'defaultQueue', create: true }
    expect(json([rule, { ...rule, fallbackResult: 'reject' }, { ...rule, fallbackResult: 'placeDefault' }]).policy).toMatchObject({ 'capacity-scheduler': { mappings: ['skip', 'reject', 'default'].map((fallback) => ({ user: 'ann', queue: '%default', create: false, fallback })) } })
  })

  it.each<[string, readonly object[] | string, string]>([
    ['no JSON', 'rules', 'line 6 yarn.scheduler.capacity.mapping-rule-json: it is no JSON.'],
    ['no rules', '{}', 'it holds no rules.'],
    ['no such queue', [{ type: 'user', matches: 'ann', policy: 'custom', customPlacement: 'root.c' }], 'line 6 yarn.scheduler.capacity.mapping-rule-json: the rule of user ann maps to queue "root.c", which is not there. Did you mean "root.a"?'],
    ['an unknown type', [{ type: 'usr', matches: '*', policy: 'user' }], 'rule 1 has the type "usr". Write user, group or application.'],
    ['an unknown policy', [{ type: 'user', matches: '*', policy: 'usr' }], 'rule 1 has the policy "usr". Did you mean "user"?'],
    ['an unknown fallback', [{ type: 'user', matches: '*', policy: 'user', fallbackResult: 'rejct' }], 'rule 1 has the fallbackResult "rejct". Did you mean "reject"?'],
    ['nothing that they match', [{ type: 'user', matches: '', policy: 'user' }], 'rule 1 does not say what it matches. Write "matches".'],
    ['all groups', [{ type: 'group', matches: '*', policy: 'user' }], 'rule 1 is for all groups. Write "type": "user" for all jobs.'],
    ['no queue of their own', [{ type: 'user', matches: '*', policy: 'custom', value: 'root.a' }], 'rule 1 has no "customPlacement".'],
    ['no default queue', [{ type: 'user', matches: '*', policy: 'setDefaultQueue' }], 'rule 1 has no "value".'],
  ])('refuses rules in JSON with %s', (_, rules, expected) => {
    expect(message([...ab, ['mapping-rule-format', 'json'], ['mapping-rule-json', typeof rules === 'string' ? rules : JSON.stringify({ rules })]])).toContain(expected)
  })

  it('says which amounts of a capacity are more than all nodes have together, as in another unit', () => {
    const pairs: Pairs = [['root.queues', 'a'], ['root.a.capacity', '[memory=10240,vcores=12]'], ['root.a.maximum-capacity', '[memory=10240,vcores=12]']]
    const { findings } = queuePolicy(readQueues({ file: 'cap.xml', text: file(pairs) }), { ...facts, totals: { 'memory-mb': 640, vcores: 160 } })
    expect(findings.map(({ note }) => note)).toEqual(['', 'more than all nodes have together, 640 memory-mb; it counts in MiB', ''])
  })

  it('passes over capacities of a label that no node has, as files of cloud vendors have them, and refuses a queue that names one', () => {
    const known: ClusterFacts = { ...facts, partitions: ['gpu'] }
    const on = (pairs: Pairs) => queuePolicy(readQueues({ file: 'cap.xml', text: file(pairs) }), known)
    const { options, findings } = on([...ab, ['root.accessible-node-labels', '*'], ['root.accessible-node-labels.CORE.capacity', '100'], ['root.a.accessible-node-labels.CORE.capacity', '-1'], ['root.b.accessible-node-labels.gpu.capacity', '100']] as Pairs)
    expect(options).toMatchObject({ queues: { root: { accessibleLabels: '*' }, 'root.b': { labels: { gpu: { capacity: 100 } } } } })
    expect((options as { queues: Record<string, object> }).queues['root']).not.toHaveProperty('labels')
    expect(findings.filter(({ verdict }) => verdict === 'ignored').map(({ line, note }) => [line, note])).toEqual([[6, 'no node has the label "CORE"'], [7, 'no node has the label "CORE"']])
    expect(() => on([...ab, ['root.a.accessible-node-labels', 'gpus']])).toThrow('line 5 yarn.scheduler.capacity.root.a.accessible-node-labels: no node has the label "gpus". Did you mean "gpu"?')
    expect(() => on([...ab, ['root.b.accessible-node-labels.CORE.maximum-capacity', '2w']])).toThrow('line 5 yarn.scheduler.capacity.root.b.accessible-node-labels.CORE.maximum-capacity: a maximum capacity has no weight.')
  })

  it('lets queues use labels of the queues around them, the root all, and jobs of a narrower queue require none', () => {
    const labels: Pairs = [...nested, ['root.accessible-node-labels', 'ssd'], ['root.b.accessible-node-labels', 'gpu,ssd'], ['root.b.default-node-label-expression', 'ssd'], ['root.b.x.accessible-node-labels', 'gpu'], ['root.b.x.accessible-node-labels.gpu.capacity', '0']]
    expect(message(labels)).toBe('no error')
    const { options, findings } = policy(labels)
    expect((options as { queues: Record<string, object> }).queues['root']).toEqual({})
    expect(findings.find(({ line }) => line === 8)).toMatchObject({ verdict: 'ignored', note: 'the root may use all labels' })
  })

  it('passes over an order of jobs on a queue that holds queues, as the files of Hadoop 2 have it', () => {
    const { options, findings } = policy([...ab, ['root.ordering-policy', 'fifo']])
    expect([options, findings.at(-1)]).toMatchObject([{ queues: { root: {} } }, { verdict: 'ignored', line: 5, note: 'it orders jobs, and the queue holds queues: Hadoop 2.8 and older pass over it, newer ones refuse it' }])
  })

  it('says of a file of Hadoop 1 that it is one', () => {
    const text = '<configuration><property><name>mapred.capacity-scheduler.queue.default.capacity</name><value>100</value></property></configuration>'
    expect(() => readQueues({ file: 'cap.xml', text })).toThrow('It is a file of Hadoop 1, whose capacity scheduler is not simulated: write it with the properties of YARN.')
  })

  it('names the nearest property for one that does not exist, and the queue that is not listed', () => {
    const notes = policy([...ab, ['root.a.capasity', '3'], ['node-localty-delay', '3'], ['root.research.capacity', '10']]).findings.filter(({ verdict }) => verdict === 'ignored').map(({ line, note }) => `${line}: ${note}`)
    expect(notes).toEqual([
      '5: no such property; did you mean capacity?', '6: no such property; did you mean yarn.scheduler.capacity.node-locality-delay?', '7: there is no queue "root.research": yarn.scheduler.capacity.root.queues does not list it',
    ])
  })

  it('reads the last of equal properties, unless an earlier one is final, and variables of the same file', () => {
    const text = `<configuration>
      <property><name>yarn.scheduler.capacity.root.queues</name><value>a,b</value></property>
      <property><name>share</name><value>70</value></property>
      <property><name>yarn.scheduler.capacity.root.a.capacity</name><value>\${share}</value><final>true</final></property>
      <property><name>yarn.scheduler.capacity.root.a.capacity</name><value>10</value></property>
      <property><name>yarn.scheduler.capacity.root.b.capacity</name><value>99</value></property>
      <property><name>yarn.scheduler.capacity.root.b.capacity</name><value>30</value></property>
    </configuration>`
    expect(queuePolicy(readQueues({ file: 'cap.xml', text }), facts).policy).toMatchObject({ 'capacity-scheduler': { queues: { 'root.a': { capacity: 70 }, 'root.b': { capacity: 30 } } } })
  })

  const with3 = (value: string): Pairs => [['root.queues', 'a,b'], ['root.a.capacity', '40'], ['root.b.capacity', value]]
  const nested: Pairs = [...ab, ['root.b.queues', 'x,y'], ['root.b.x.capacity', '75'], ['root.b.y.capacity', '25']]
  const amounts: Pairs = [['root.queues', 'a'], ['root.a.capacity', '[memory=50,vcores=4]'], ['root.a.queues', 'x'], ['root.a.x.capacity', '[memory=40,vcores=4]']]
  it('may have a maximum smaller than a capacity, since one is of the parent\'s maximum and the other of its capacity: 45 % of the cluster each (TestQueueParsing)', () => {
    expect(message([...nested, ['root.b.maximum-capacity', '90'], ['root.b.x.maximum-capacity', '50']])).toBe('no error')
  })

  it('may have queues without any capacity in one that has none, or has a weight', () => {
    const inside: Pairs = [['root.a.queues', 'x,y'], ['root.a.x.capacity', '0'], ['root.a.y.capacity', '0']]
    expect(isKnown(policy([['root.queues', 'a,b'], ['root.a.capacity', '0'], ['root.b.capacity', '100'], ...inside]).policy)).toBe(true)
    expect(isKnown(policy([['root.queues', 'a,b'], ['root.a.capacity', '2w'], ['root.b.capacity', '1w'], ...inside]).policy)).toBe(true)
    expect(message([...ab, ...inside])).toContain('sum to 0, not 100')
    expect(isKnown(policy([...ab, ...inside, ['root.a.allow-zero-capacity-sum', 'true']]).policy)).toBe(true)
  })

  it('may have queues of 0 percent among weights, which have nothing (testZeroWeightAndZeroPercentSiblingsAccepted)', () => {
    const zero: Pairs = [['root.queues', 'a,b,c,d'], ['root.a.capacity', '0'], ['root.b.capacity', '2w'], ['root.c.capacity', '1w'], ['root.d.capacity', '0w']]
    expect(message(zero)).toBe('no error')
    expect(isKnown(policy(zero).policy)).toBe(true)
  })

  it('has queues with capacities in one of capacity 0 where allow-zero-capacity-sum says so alone (TestParentQueue, testQueueCapacitySettingParentZero and …Children100pctZeroSumAllowed)', () => {
    const inEmpty: Pairs = [['root.queues', 'a,b'], ['root.a.capacity', '0'], ['root.b.capacity', '100'], ['root.a.queues', 'x,y'], ['root.a.x.capacity', '0'], ['root.a.y.capacity', '100']]
    expect(message(inEmpty)).toBe('"cap.xml" line 3 yarn.scheduler.capacity.root.a.capacity: queue "root.a" has a capacity of 0, and those in it have 100 percent of it (line 7). Give it a capacity, or them 0, or set yarn.scheduler.capacity.root.a.allow-zero-capacity-sum to true.')
    expect(message([...inEmpty, ['root.a.allow-zero-capacity-sum', 'true']])).toBe('no error')
    const gpu = (queue: string, value: string) => [`root.${queue}.accessible-node-labels.gpu.capacity`, value] as const
    const inNone: Pairs = [...nested, gpu('a', '100'), gpu('b', '0'), gpu('b.x', '0'), gpu('b.y', '100')]
    expect(message(inNone)).toBe('"cap.xml" line 9 yarn.scheduler.capacity.root.b.accessible-node-labels.gpu.capacity: queue "root.b" has a capacity of 0 in partition "gpu", and those in it have 100 percent of it (line 11). Give it a capacity, or them 0.')
    expect(message([...inNone.slice(0, -1), gpu('b.y', '0')])).toBe('no error')
    const idle: Pairs = [...nested, gpu('a', '50'), gpu('b', '50')] // as testChildrenCapacitySum
    expect(message(idle)).toContain('line 9 yarn.scheduler.capacity.root.b.accessible-node-labels.gpu.capacity: queue "root.b" has a capacity of 50 in partition "gpu", and those in it have none. Give them some, or it 0.')
    expect(message([...idle, ['root.b.allow-zero-capacity-sum', 'true']])).toBe('no error')
    expect(message([...idle, gpu('b.x', '3w')])).toContain('has a weight in partition "gpu", and')
  })

  it('compares amounts around one another as Hadoop does before it knows a node: by memory, or in all resources of which none is less (TestQueueCapacityChecks)', () => {
    const dominant: Pairs = [['resource-calculator', 'DominantResourceCalculator']]
    const limits = (inside: string): Pairs => [...amounts, ['root.a.maximum-capacity', '[memory=100,vcores=8]'], ['root.a.x.maximum-capacity', inside]]
    for (const inside of ['[memory=100,vcores=9]', '[memory=90,vcores=9]']) expect(message(limits(inside))).toBe('no error')
    expect(message([...limits('[memory=90,vcores=9]'), ...dominant])).toBe('no error')
    expect(message([...limits('[memory=100,vcores=9]'), ...dominant])).toContain('is 9 vcores, more than that of "root.a", 8 vcores (line 6)')
    const sums = (inside: string): Pairs => [...amounts.slice(0, -1), ['root.a.x.capacity', inside]]
    expect(message(sums('[memory=50,vcores=5]'))).toBe('no error')
    expect(message([...sums('[memory=50,vcores=5]'), ...dominant])).toContain('queue "root.a" has 4 vcores, less than the 5 of those in it.')
    expect(message([...sums('[memory=40,vcores=5]'), ...dominant])).toBe('no error')
  })

  it('may have capacities of several kinds outside the legacy mode, of each resource, between siblings and levels, in partitions and templates', () => {
    const mixed: Pairs = [
      ['legacy-queue-mode.enabled', 'false'], ['root.queues', 'a,b,c'], ['root.a.capacity', '[memory=50%, vcores=2.5w]'], ['root.b.capacity', '10'], ['root.c.capacity', '[memory=10Gi,vcores=4,yarn.io/gpu=4]'],
      ['root.a.maximum-capacity', '[memory=20480,vcores=80%]'], ['root.a.queues', 'x,y'], ['root.a.x.capacity', '3w'], ['root.a.y.capacity', '[memory=60,vcores=1]'],
      ['root.b.accessible-node-labels.gpu.capacity', '[memory=1w,vcores=3]'], ['root.b.accessible-node-labels.gpu.maximum-capacity', '[memory=50%,vcores=3]'],
      ['root.b.auto-queue-creation-v2.enabled', 'true'], ['root.b.auto-queue-creation-v2.leaf-template.capacity', '[memory=2w,vcores=1]'],
    ]
    const { policy: config, findings } = policy(mixed)
    expect(config).toMatchObject({ 'capacity-scheduler': { legacyQueueMode: false, queues: {
      'root.a': { capacity: { 'memory-mb': '50%', vcores: '2.5w' }, maximumCapacity: { 'memory-mb': 20_480, vcores: '80%' } }, 'root.a.x': { capacity: '3w' }, 'root.a.y': { capacity: { 'memory-mb': 60, vcores: 1 } },
      'root.b': { capacity: 10, labels: { gpu: { capacity: { 'memory-mb': '1w', vcores: 3 }, maximumCapacity: { 'memory-mb': '50%', vcores: 3 } } }, template: { capacity: { 'memory-mb': '2w', vcores: 1 } } },
      'root.c': { capacity: { 'memory-mb': 10_240, vcores: 4 } },
    } } })
    expect(isKnown(config)).toBe(true)
    expect(findings.filter(({ verdict }) => verdict !== 'honoured').map(({ line, note }) => [line, note])).toEqual([[6, 'the cluster has no yarn.io/gpu']])
  })

  it('says nothing of resources that it does not name outside the legacy mode, where it names one percentage for all others', () => {
    const three: ClusterFacts = { ...facts, resources: ['memory-mb', 'vcores', 'gpu'] }
    const capacityOf = (isLegacy: string) => {
      const pairs: Pairs = [['legacy-queue-mode.enabled', isLegacy], ['root.queues', 'a'], ['root.a.capacity', '[memory=100%,vcores=100%]']]
      return queuePolicy(readQueues({ file: 'cap.xml', text: file(pairs) }), three).policy
    }
    expect(capacityOf('true')).toMatchObject({ 'capacity-scheduler': { queues: { 'root.a': { capacity: 100 } } } })
    expect(capacityOf('false')).toMatchObject({ 'capacity-scheduler': { queues: { 'root.a': { capacity: { 'memory-mb': '100%', vcores: '100%' } } } } })
  })

  it.each([
    ['a capacity', 'root.a.capacity', '[memory=50%,vcores=4]'],
    ['a maximum', 'root.a.maximum-capacity', '[memory=50%,vcores=40%,gpu=1]'],
    ['a capacity of a partition', 'root.a.accessible-node-labels.gpu.capacity', '[memory=1w,vcores=2w]'],
    ['a template', 'root.a.leaf-queue-template.capacity', '[memory=10,vcores=20%]'],
    ['a template of a path', 'root.a.*.auto-queue-creation-v2.template.capacity', '[memory=10,vcores=2w]'],
  ])('tells the line of several kinds in %s of the legacy mode', (_, name, value) => {
    const made: Pairs = [['root.queues', 'a,b'], ['root.b.capacity', '60'], ['root.a.auto-queue-creation-v2.enabled', 'true'], ...(name === 'root.a.capacity' ? [] : [['root.a.capacity', '40'] as const])]
    const expected = `"cap.xml" line ${made.length + 2} yarn.scheduler.capacity.${name}: "${value}" has a percentage or a weight of one resource. Write one for all resources, or amounts, or set yarn.scheduler.capacity.legacy-queue-mode.enabled to false.`
    expect(message([...made, [name, value]])).toBe(expected)
    expect(message([...made, [name, value], ['legacy-queue-mode.enabled', 'true']])).toBe(expected)
    expect(message([...made, [name, value], ['legacy-queue-mode.enabled', 'false']])).toBe('no error')
  })

  it('has users that weigh at most as many users as the limit of its leaf leaves room for, by weights of the queues around it, too (UserWeights, TestLeafQueue)', () => {
    const weights = (percent: string, ...more: Pairs): Pairs => [...nested, ['root.b.user-settings.ann.weight', '1.5'], ['root.b.x.minimum-user-limit-percent', percent], ...more]
    expect(message(weights('50'))).toContain('"cap.xml" line 8 yarn.scheduler.capacity.root.b.user-settings.ann.weight: user ann has the weight 1.5, more than the 1 users that the minimum-user-limit-percent of queue "root.b.y", 100,')
    expect(message(weights('50', ['minimum-user-limit-percent', '60']))).toBe('no error') // of y: 100 / 60
    expect(message(weights('70', ['minimum-user-limit-percent', '60']))).toContain('more than the 1.428571 users that the minimum-user-limit-percent of queue "root.b.x", 70, leaves room for. Lower the one or the other.')
    expect(message(weights('50', ['root.b.y.user-settings.ann.weight', '1']))).toBe('no error')
  })

  it.each<[string, Pairs, string]>([
    ['capacities that do not sum to 100', with3('50'), '"cap.xml" line 4 yarn.scheduler.capacity.root.b.capacity: the capacities of the queues in "root" sum to 90, not 100: a 40 (line 3), b 50 (line 4). Change one of them.'],
    ['a negative capacity', with3('-60'), '"cap.xml" line 4 yarn.scheduler.capacity.root.b.capacity: found "-60", expected a percentage from 0 to 100, a weight such as 3w, or amounts such as [memory=10240,vcores=12].'],
    ['a percentage with its sign (10%), which Hadoop refuses', with3('60%'), '"cap.xml" line 4 yarn.scheduler.capacity.root.b.capacity: found "60%", expected a percentage from 0 to 100, a weight such as 3w, or amounts such as [memory=10240,vcores=12]. Hadoop takes it without the sign: 60.'],
    ['a maximum with a sign', [...ab, ['root.b.maximum-capacity', '80 %']], 'or amounts such as [memory=10240,vcores=12]. Hadoop takes it without the sign: 80.'],
    ['a weight of one resource as a maximum', [['legacy-queue-mode.enabled', 'false'], ...ab, ['root.b.maximum-capacity', '[memory=10,vcores=2w]']], '"cap.xml" line 6 yarn.scheduler.capacity.root.b.maximum-capacity: a maximum capacity has no weight. Write a percentage or amounts.'],
    ['a weight as a maximum in a partition', [...ab, ['root.b.accessible-node-labels.gpu.maximum-capacity', '2w']], '"cap.xml" line 5 yarn.scheduler.capacity.root.b.accessible-node-labels.gpu.maximum-capacity: a maximum capacity has no weight.'],
    ['no capacity outside the legacy mode', [['legacy-queue-mode.enabled', 'false'], ['root.queues', 'a,b'], ['root.a.capacity', '30']], '"cap.xml" line 3: queue "root.b" has no capacity. Set yarn.scheduler.capacity.root.b.capacity.'],
    ['a negative weight of one resource', with3('[memory=10,vcores=-2w]'), '"[memory=10,vcores=-2w]" has a negative weight.'],
    ['a negative weight', with3('-2w'), '"cap.xml" line 4 yarn.scheduler.capacity.root.b.capacity: the weight -2 is negative.'],
    ['two kinds of capacity', with3('2w'), '"cap.xml" line 4 yarn.scheduler.capacity.root.b.capacity: queue "root.b" has a weight, and its sibling "root.a" has a percentage (line 3). Give all queues of one parent the same kind.'],
    ['a weight above those of Hadoop (testWeightAbove10000Rejected)', with3('10001w'), '"cap.xml" line 4 yarn.scheduler.capacity.root.b.capacity: the weight 10001 is more than 10000. Weights count relative to those of the siblings: divide them all.'],
    ['two kinds of capacity in a partition (testPerLabelMixingOfWeightAndPercentageRejected)', [...ab, ['root.a.accessible-node-labels.gpu.capacity', '100'], ['root.b.accessible-node-labels.gpu.capacity', '1w']], '"cap.xml" line 6 yarn.scheduler.capacity.root.b.accessible-node-labels.gpu.capacity: queue "root.b" has a weight in partition "gpu", and "root.a" has a percentage (line 3). Give all queues of one parent the same kind.'],
    ['another kind of capacity in a partition', [['root.queues', 'a'], ['root.a.accessible-node-labels.gpu.capacity', '50'], ['root.a.capacity', '1w']], '"cap.xml" line 4 yarn.scheduler.capacity.root.a.capacity: queue "root.a" has a weight, and a percentage in partition "gpu" (line 3). Give all queues of one parent the same kind.'],
    ['no capacity', [['root.queues', 'a,b'], ['root.a.capacity', '100']], '"cap.xml" line 2: queue "root.b" has no capacity. Set yarn.scheduler.capacity.root.b.capacity.'],
    ['a maximum below the capacity', [...ab, ['root.b.maximum-capacity', '50']], '"cap.xml" line 5 yarn.scheduler.capacity.root.b.maximum-capacity: the maximum capacity of queue "root.b" is 50, less than its capacity, 60 (line 4). Raise the one or lower the other.'],
    ['capacities of a partition that do not sum to 100', [...ab, ['root.a.accessible-node-labels.gpu.capacity', '30'], ['root.b.accessible-node-labels.gpu.capacity', '60']], '"cap.xml" line 6 yarn.scheduler.capacity.root.b.accessible-node-labels.gpu.capacity: the capacities of the queues in "root" in partition "gpu" sum to 90, not 100: 30 (line 5), 60 (line 6). Change one of them.'],
    ['a maximum of a partition below the capacity', [...ab, ['root.a.accessible-node-labels.gpu.capacity', '100'], ['root.a.accessible-node-labels.gpu.maximum-capacity', '50']], '"cap.xml" line 6 yarn.scheduler.capacity.root.a.accessible-node-labels.gpu.maximum-capacity: the maximum capacity of queue "root.a" in partition "gpu" is 50, less than its capacity, 100. Raise the one or lower the other.'],
    ['a maximum inside below the guarantee inside', [...nested, ['root.b.maximum-capacity', '100'], ['root.b.x.maximum-capacity', '40']], '"cap.xml" line 9 yarn.scheduler.capacity.root.b.x.maximum-capacity: the maximum capacity of queue "root.b.x" is 40, less than its capacity, 75 (line 6): 40 and 45 percent of the cluster. Raise the one or lower the other.'],
    ['a maximum of amounts above the one around it', [...amounts, ['root.a.maximum-capacity', '[memory=100,vcores=8]'], ['root.a.x.maximum-capacity', '[memory=110,vcores=6]']], '"cap.xml" line 7 yarn.scheduler.capacity.root.a.x.maximum-capacity: the maximum capacity of queue "root.a.x" is 110 memory-mb, more than that of "root.a", 100 memory-mb (line 6). Raise the one or lower the other.'],
    ['amounts inside larger than those around them', [...amounts.slice(0, -1), ['root.a.x.capacity', '[memory=60,vcores=2]']], '"cap.xml" line 3 yarn.scheduler.capacity.root.a.capacity: queue "root.a" has 50 memory-mb, less than the 60 of those in it. Raise the one or lower the others.'],
    ['amounts inside a percentage', [...ab, ['root.a.queues', 'x'], ['root.a.x.capacity', '[memory=60]']], '"cap.xml" line 6 yarn.scheduler.capacity.root.a.x.capacity: queue "root.a.x" has amounts, and "root.a" around it has a percentage (line 3). Give both amounts, or neither.'],
    ['a label that the queue around it may not use (TestQueueLabelChecks)', [...nested, ['root.b.accessible-node-labels', 'gpu'], ['root.b.x.accessible-node-labels', 'gpu,ssd']], '"cap.xml" line 9 yarn.scheduler.capacity.root.b.x.accessible-node-labels: queue "root.b.x" may use the labels ssd, and "root.b" around it gpu (line 8). Give them to both, or to neither.'],
    ['all labels inside a queue that may use some', [...nested, ['root.b.accessible-node-labels', ''], ['root.b.x.accessible-node-labels', '*']], 'queue "root.b.x" may use the labels *, and "root.b" around it none (line 8).'],
    ['a label of jobs that their queue may not use', [...nested, ['root.b.accessible-node-labels', 'gpu'], ['root.b.default-node-label-expression', 'ssd']], '"cap.xml" line 9 yarn.scheduler.capacity.root.b.default-node-label-expression: jobs of queue "root.b.x" that require no label have ssd, and it may use gpu. Change one of them.'],
    ['an unknown parent', [...ab, ['root.c.queues', 'x,y']], '"cap.xml" line 5 yarn.scheduler.capacity.root.c.queues: it lists queues inside "root.c", and there is no such queue. Did you mean "root.a"?'],
    ['no queues', [['root.a.capacity', '100']], '"cap.xml": has no property yarn.scheduler.capacity.root.queues. It names the queues below the root. A yarn-site.xml is given beside a queue file, by --yarn-site (yarnSite).'],
    ['a queue listed twice', [['root.queues', 'a,a']], '"cap.xml" line 2 yarn.scheduler.capacity.root.queues: queue "a" is listed twice. List it once.'],
    ['a queue that runs in one that is stopped', [...ab, ['root.b.state', 'running'], ['root.state', 'STOPPED']], '"cap.xml" line 5 yarn.scheduler.capacity.root.b.state: queue "root.b" is RUNNING, and a queue around it is STOPPED (line 6). Stop it too, or leave out its state: it has that of the queue around it.'],
    ['an unknown state', [...ab, ['root.a.state', 'PAUSED']], '"cap.xml" line 5 yarn.scheduler.capacity.root.a.state: found "PAUSED", expected RUNNING or STOPPED. Write one of these.'],
    ['an unknown order', [...ab, ['root.a.ordering-policy', 'lifo']], '"cap.xml" line 5 yarn.scheduler.capacity.root.a.ordering-policy: found "lifo", expected fifo or fair. Did you mean "fifo"?'],
    ['an order of queues on one that holds jobs', [...ab, ['root.a.ordering-policy', 'utilization']], 'found "utilization", expected fifo or fair. utilization and priority-utilization order queues, and this one holds jobs.'],
    ['a mapping that is none', [...ab, ['queue-mappings', 'u:ann']], '"cap.xml" line 5 yarn.scheduler.capacity.queue-mappings: "u:ann" is no mapping. Write u:USER:QUEUE or g:GROUP:QUEUE.'],
    ['a mapping to a short name, of which no queue is made', [...ab, ['root.auto-queue-creation-v2.enabled', 'true'], ['queue-mappings', 'u:bob:root.c,u:ann:c']], '"u:ann:c" maps to queue "c", which is not there.'],
    ['a mapping to no queue', [...ab, ['queue-mappings', 'u:ann:c']], '"cap.xml" line 5 yarn.scheduler.capacity.queue-mappings: "u:ann:c" maps to queue "c", which is not there. Did you mean "a"? Known: a, b.'],
  ])('tells the line of %s', (_, pairs, expected) => {
    expect(message(pairs)).toContain(expected)
  })
})
