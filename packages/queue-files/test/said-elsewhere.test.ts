import { describe, expect, it } from 'vitest'
import { queuePolicy, readQueues, type ClusterFacts } from '@sched/queue-files'

const facts: ClusterFacts = { resources: ['memory-mb', 'vcores'], nodes: 10, heartbeat: true }
const file = (...pairs: readonly (readonly [string, string])[]) => `<configuration>${pairs.map(([name, value]) => `\n<property><name>${name}</name><value>${value}</value></property>`).join('')}\n</configuration>`
const queues = {
  capacity: readQueues({ file: 'cap.xml', text: file(['yarn.scheduler.capacity.root.queues', 'default'], ['yarn.scheduler.capacity.root.default.capacity', '100']) }),
  fair: readQueues({ file: 'fair.xml', text: '<allocations><queue name="default"/></allocations>' }),
}
/** What each scheduler says of a property of a site. */
const told = (name: string, value = '1') => Object.values(queues).map((read) => queuePolicy(read, facts, { file: 'site.xml', text: file([name, value]) }).findings.filter((found) => found.file === 'site.xml').map(({ verdict, note }) => `${verdict} ${note}`))

// the properties of yarn-default.xml of Hadoop 3.4 that bear on scheduling, beside those of the schedulers
describe('a yarn-site.xml of either scheduler', () => {
  it.each([
    ['what nodes have is said by the cluster', 'yarn.nodemanager.resource.memory-mb', 'yarn.nodemanager.resource.cpu-vcores', 'yarn.nodemanager.resource.percentage-physical-cpu-limit', 'yarn.nodemanager.resource.pcores-vcores-multiplier',
      'yarn.nodemanager.resource-type.gpu', 'yarn.nodemanager.resource-plugins', 'yarn.nodemanager.resource-plugins.gpu.allowed-gpu-devices', 'yarn.nodemanager.numa-awareness.enabled'],
    ['heartbeats are those of the cluster, such as --heartbeat 1', 'yarn.resourcemanager.nodemanagers.heartbeat-interval-ms', 'yarn.resourcemanager.nodemanagers.heartbeat-interval-scaling-enable'],
    ['labels of nodes are those of the cluster', 'yarn.node-labels.enabled', 'yarn.node-labels.fs-store.root-dir', 'yarn.nodemanager.node-labels.provider', 'yarn.resourcemanager.node-labels.provider', 'yarn.nodemanager.node-attributes.provider'],
    ['names and racks of nodes are those of the cluster', 'net.topology.script.file.name', 'yarn.scheduler.include-port-in-node-name'],
    ['nodes go and come back as the outages of the experiment say', 'yarn.nm.liveness-monitor.expiry-interval-ms', 'yarn.resourcemanager.nodes.exclude-path', 'yarn.resourcemanager.nodemanager-graceful-decommission-timeout-secs', 'yarn.scheduler.skip.node.multiplier'],
    ['jobs fail as the experiment says, and what is given to them starts at once', 'yarn.resourcemanager.am.max-attempts', 'yarn.am.liveness-monitor.expiry-interval-ms', 'yarn.resourcemanager.rm.container-allocation.expiry-interval-ms', 'yarn.resourcemanager.am-scheduling.node-blacklisting-enabled'],
    ['no task is opportunistic: none waits at a node', 'yarn.resourcemanager.opportunistic-container-allocation.enabled', 'yarn.nodemanager.opportunistic-containers-max-queue-length', 'yarn.resourcemanager.nm-container-queuing.max-queue-length', 'yarn.nodemanager.distributed-scheduling.enabled'],
    ['jobs say where they may run in the workload', 'yarn.resourcemanager.placement-constraints.handler', 'yarn.scheduler.app-placement-allocator.class'],
    ['jobs say amounts and name no profiles', 'yarn.resourcemanager.resource-profiles.enabled'],
    ['users, queues and labels of jobs are those of the workload', 'yarn.resourcemanager.submission-preprocessor.enabled', 'yarn.resourcemanager.application-tag-based-placement.enable'],
    ['there is no reservation system', 'yarn.resourcemanager.reservation-system.enable', 'yarn.resourcemanager.reservation-system.planfollower.time-step'],
    ['jobs end when their work is done', 'yarn.resourcemanager.application-timeouts.monitor.interval-ms'],
    ['the resource manager does not go down', 'yarn.resourcemanager.recovery.enabled', 'yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms'],
    ['tasks keep the amounts that they start with', 'yarn.resourcemanager.auto-update.containers'],
    ['everybody may submit in a simulation', 'yarn.acl.enable', 'yarn.admin.acl'],
    ['there is one cluster, without others beside it', 'yarn.federation.enabled', 'yarn.router.submit.interval.time'],
    ['tasks use no more than they ask', 'yarn.nodemanager.pmem-check-enabled', 'yarn.nodemanager.vmem-pmem-ratio'],
    ['the file is read once', 'yarn.scheduler.configuration.store.class'],
    ['jobs are those of the workload', 'mapreduce.map.memory.mb'],
  ])('is told that %s', (why, ...names) => {
    expect(names.map((name) => told(name))).toEqual(names.map(() => [[`ignored ${why}`], [`ignored ${why}`]]))
  })

  it('is told what is of the other scheduler', () => {
    const ofCapacity = [['yarn.resourcemanager.monitor.capacity.preemption.observe_only', 'true'], ['yarn.resourcemanager.scheduler.monitor.enable', 'true'], ['yarn.cluster.max-application-priority', '1'], ['yarn.scheduler.capacity.maximum-applications', '1']] as const
    expect(ofCapacity.map(([name, value]) => told(name, value)[1])).toEqual(ofCapacity.map(() => ['ignored not of the fair scheduler']))
    expect(['yarn.scheduler.fair.max.assign', 'yarn.scheduler.increment-allocation-mb', 'yarn.resource-types.memory-mb.increment-allocation'].map((name) => told(name)[0]?.[0]))
      .toEqual(['ignored not of the capacity scheduler', ...Array<string>(2).fill('ignored of the fair scheduler: here amounts are in steps of the smallest allocation')])
  })

  it.each(['yarn.resourcemanager.hostname', 'yarn.resourcemanager.webapp.address', 'yarn.nodemanager.log-dirs', 'yarn.timeline-service.enabled', 'yarn.resourcemanager.activities-manager.cleanup-interval-ms', 'yarn.nodemanager.aux-services', 'yarn.resourcemanager.zk-address', 'yarn.log-aggregation-enable'])('is told nothing of %s, which bears on no scheduling', (name) => {
    expect(told(name)).toEqual([[], []])
  })
})
