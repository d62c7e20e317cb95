import { describe, expect, it } from 'vitest'
import { jobPlace, queuePolicy, readQueues, type ClusterFacts } from '@sched/queue-files'
import { messageOf } from './message-of.js'

const facts: ClusterFacts = { resources: ['cpu', 'mem'], nodes: 10, heartbeat: true }
const read = (text: string) => readQueues({ file: 'fair.xml', text })
const policy = (text: string, site?: string, cluster = facts) => queuePolicy(read(text), cluster, site === undefined ? undefined : { file: 'site.xml', text: site })
const site = (...properties: [string, string][]) => `<configuration>${properties.map(([name, value]) => `\n<property><name>${name}</name><value>${value}</value></property>`).join('')}\n</configuration>`
/** The policy inside the reservations that Hadoop makes unless told otherwise. */
const reserving = (policy: object, change: object = {}) => ({ 'yarn-reserving': { policy, reservableNodes: 0.05, threshold: { mem: 2048, cpu: 2 }, onlyNear: false, updateInterval: 0.5, ...change } })
const message = (text: string) => messageOf(() => policy(text))
const inside = (...lines: string[]) => `<allocations>\n${lines.join('\n')}\n</allocations>`

/** Everything that the documentation lists, once. */
const everything = `<?xml version="1.0"?>
<allocations>
  <queue name="sample">
    <minResources>10000 mb, 2 vcores</minResources>
    <maxResources>vcores=20, memory-mb=90000</maxResources>
    <maxContainerAllocation>8192 mb, 8 vcores</maxContainerAllocation>
    <maxRunningApps>50</maxRunningApps>
    <maxAMShare>0.1</maxAMShare>
    <weight>2.0</weight>
    <schedulingPolicy>org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.policies.FifoPolicy</schedulingPolicy>
    <aclSubmitApps>charlie</aclSubmitApps>
    <aclAdministerApps>charlie</aclAdministerApps>
    <aclAdministerReservations>*</aclAdministerReservations>
    <aclListReservations>*</aclListReservations>
    <aclSubmitReservations>*</aclSubmitReservations>
    <minSharePreemptionTimeout>30</minSharePreemptionTimeout>
    <fairSharePreemptionTimeout>60</fairSharePreemptionTimeout>
    <fairSharePreemptionThreshold>0.7</fairSharePreemptionThreshold>
    <allowPreemptionFrom>false</allowPreemptionFrom>
    <reservation></reservation>
  </queue>
  <pool name="users" type="parent">
    <weight>0</weight>
    <maxChildResources>4096 mb, 4 vcores</maxChildResources>
  </pool>
  <user name="ann"><maxRunningApps>30</maxRunningApps></user>
  <userMaxAppsDefault>5</userMaxAppsDefault>
  <queueMaxAppsDefault>7</queueMaxAppsDefault>
  <queueMaxResourcesDefault>40000 mb, 10 vcores</queueMaxResourcesDefault>
  <queueMaxAMShareDefault>0.5</queueMaxAMShareDefault>
  <defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>
  <defaultMinSharePreemptionTimeout>100</defaultMinSharePreemptionTimeout>
  <defaultFairSharePreemptionTimeout>200</defaultFairSharePreemptionTimeout>
  <defaultFairSharePreemptionThreshold>0.4</defaultFairSharePreemptionThreshold>
  <reservation-agent>a</reservation-agent>
  <reservation-policy>b</reservation-policy>
  <reservation-planner>c</reservation-planner>
  <queuePlacementPolicy>
    <rule name="specified" create="false"/>
    <rule name="primaryGroup" create="false"/>
    <rule name="nestedUserQueue"><rule name="secondaryGroupExistingQueue" create="false"/></rule>
    <rule name="default" queue="sample"/>
  </queuePlacementPolicy>
</allocations>`

describe('a fair-scheduler.xml', () => {
  it('becomes the options of yarn-fair, in the names of the cluster', () => {
    const { policy: config } = policy(everything, site(['yarn.scheduler.fair.preemption', 'true']))
    expect(config).toEqual({
      'yarn-preempting': {
        policy: reserving({ 'yarn-assign': { policy: { greedy: { order: { 'yarn-fair': {
          root: {
            minSharePreemptionTimeout: 100, fairSharePreemptionTimeout: 200, fairSharePreemptionThreshold: 0.4,
            queues: {
              sample: {
                weight: 2, policy: 'fifo', minResources: { mem: 10000, cpu: 2 }, maxResources: { cpu: 20, mem: 90000 }, maxContainerAllocation: { mem: 8192, cpu: 8 }, maxRunningApps: 50, maxAMShare: 0.1,
                minSharePreemptionTimeout: 30, fairSharePreemptionTimeout: 60, fairSharePreemptionThreshold: 0.7, allowPreemptionFrom: false,
              },
              users: { weight: 0, maxChildResources: { mem: 4096, cpu: 4 }, type: 'parent' },
            },
          },
          defaults: { policy: 'drf', maxRunningApps: 7, maxAMShare: 0.5, maxResources: { mem: 40000, cpu: 10 } },
          users: { ann: { maxRunningApps: 30 } },
          userMaxRunningApps: 5,
        } } } }, assignMultiple: false, dynamicMaxAssign: true, maxAssign: -1 } }),
        utilizationThreshold: 0.8, waitBeforeKill: 15, waitBeforeNextCheck: 10, updateInterval: 0.5,
      },
    })
  })

  it('tells of every setting what becomes of it, once, by line', () => {
    const { findings } = policy(everything)
    const lines = findings.map(({ line }) => line)
    expect(lines).toEqual([...lines].sort((a, b) => a - b))
    const by = (verdict: string) => findings.filter((each) => each.verdict === verdict).map(({ line, setting }) => `${line} ${setting}`)
    expect(by('approximated')).toEqual(['8 root.sample maxAMShare', '30 queueMaxAMShareDefault', '40 rule primaryGroup'])
    expect(by('ignored')).toEqual([
      '11 root.sample aclSubmitApps', '12 root.sample aclAdministerApps', '13 root.sample aclAdministerReservations', '14 root.sample aclListReservations',
      '15 root.sample aclSubmitReservations', '16 root.sample minSharePreemptionTimeout', '17 root.sample fairSharePreemptionTimeout', '18 root.sample fairSharePreemptionThreshold',
      '19 root.sample allowPreemptionFrom', '20 root.sample reservation', '32 root minSharePreemptionTimeout', '33 root fairSharePreemptionTimeout',
      '34 root fairSharePreemptionThreshold', '35 reservation-agent', '36 reservation-policy', '37 reservation-planner', '41 rule nestedUserQueue',
    ])
    expect(findings.every(({ verdict, note }) => verdict === 'honoured' || note !== '')).toBe(true)
    expect(findings.filter(({ note }) => note.startsWith('no such'))).toEqual([])
  })

  it('says which minimum is more than all nodes have together, as in another unit', () => {
    const text = inside('<queue name="a"><minResources>262144 mb, 64 vcores</minResources><maxResources>262144 mb, 64 vcores</maxResources></queue>')
    const notes = (totals?: ClusterFacts['totals']) => policy(text, undefined, { ...facts, ...(totals !== undefined && { totals }) }).findings.map(({ verdict, note }) => `${verdict}: ${note}`)
    expect(notes({ cpu: 160, mem: 1280 })).toEqual(['honoured: more than all nodes have together, 1280 mem; it counts in MiB', 'honoured: '])
    expect(notes({ cpu: 60, mem: 262_144 })).toEqual(['honoured: more than all nodes have together, 60 cpu', 'honoured: '])
    expect(notes()).toEqual(['honoured: ', 'honoured: '])
  })

  it('says which amounts the cluster cannot have', () => {
    const slots: ClusterFacts = { resources: ['map', 'reduce'], nodes: 2, heartbeat: true }
    const text = inside('<queue name="a">', '<minResources>vcores=1, memory-mb=2</minResources>', '<maxResources>50%</maxResources>', '<maxContainerAllocation>10%</maxContainerAllocation>', '</queue>')
    expect(policy(text, undefined, slots).findings.map(({ verdict, note }) => `${verdict}: ${note}`)).toEqual(['ignored: the cluster has no vcores and no memory-mb', 'honoured: ', 'approximated: of the cluster as it is at the start; Hadoop takes no percentage here'])
    const gpus: ClusterFacts = { resources: ['mem', 'cpu', 'gpu'], nodes: 2, heartbeat: true }
    const old = inside('<queue name="a">', '<maxResources>10 mb, 1 vcores</maxResources>', '</queue>')
    expect(policy(old, undefined, gpus)).toMatchObject({ options: { root: { queues: { a: { maxResources: { mem: 10, cpu: 1, gpu: 0 } } } } }, findings: [{ verdict: 'honoured', note: 'this form leaves none of gpu, as in Hadoop' }] })
  })

  it('names the nearest setting for one that does not exist', () => {
    const notes = (text: string) => policy(text).findings.map(({ line, note }) => `${line}: ${note}`)
    expect(notes(inside('<queue name="a">', '<wieght>2</wieght>', '</queue>', '<userMaxAppDefault>3</userMaxAppDefault>', '<user name="u"><maxApps>1</maxApps></user>'))).toEqual([
      '3: no such setting; did you mean weight?', '5: no such setting; did you mean userMaxAppsDefault?', '6: no such setting',
    ])
  })

  it('says where a setting belongs that stands in the wrong place or is one of Hadoop 1', () => {
    const { findings } = policy(inside(
      '<queue name="a">', '<userMaxAppsDefault>2</userMaxAppsDefault>', '<minMaps>4</minMaps>', '<queuePlacementPolicy/>', '</queue>',
      '<weight>2</weight>', '<user name="u"><maxRunningJobs>1</maxRunningJobs></user>', '<poolMaxJobsDefault>5</poolMaxJobsDefault>',
      '<property><name>yarn.scheduler.fair.preemption</name></property>', '<queue name="b"><minShare>4</minShare></queue>',
    ))
    const elsewhere = 'it stands in <allocations>, not inside a queue or user'
    const old = (name: string) => `a setting of Hadoop 1, which YARN does not read; there it is ${name}`
    expect(findings.map(({ verdict, line, note }) => [verdict, line, note]).sort((a, b) => Number(a[1]) - Number(b[1]))).toEqual([
      ['ignored', 3, elsewhere], ['ignored', 4, old('minResources')], ['ignored', 5, elsewhere], ['ignored', 7, 'it stands inside a <queue>'], ['ignored', 8, old('maxRunningApps')], ['ignored', 9, old('queueMaxAppsDefault')],
      ['ignored', 10, 'properties stand in yarn-site.xml, which is given beside this file'], ['ignored', 11, 'a setting of the pools of Spark, which YARN does not read; there it is minResources'],
    ])
  })

  it('reads fractions as Java writes them', () => {
    const text = inside('<queue name="a"><weight>1.5f</weight></queue>')
    const { options, findings } = policy(text, site(['yarn.scheduler.fair.preemption', 'true'], ['yarn.scheduler.fair.preemption.cluster-utilization-threshold', '0.5F']))
    expect([options, findings.find(({ value }) => value === '0.5F')]).toMatchObject([{ root: { queues: { a: { weight: 1.5 } } } }, { verdict: 'honoured' }])
    expect(message(inside('<queue name="a"><maxRunningApps>2f</maxRunningApps></queue>'))).toContain('found "2f", expected a whole number of at least 0. Correct it, or remove the element for the default.')
  })

  it('takes a default rule to a queue that holds queues, as in the documentation of Hadoop, and says what comes of it', () => {
    const { findings } = policy(inside('<queue name="a"><queue name="b"/></queue>', '<queuePlacementPolicy>', '<rule name="specified"/>', '<rule name="default" queue="a"/>', '</queuePlacementPolicy>'))
    expect(findings.map(({ line, setting, value, note }) => [line, setting, value, note])).toEqual([
      [4, 'rule specified', '', ''], [5, 'rule default', 'root.a', 'it holds queues: jobs that come to this rule are refused, as in Hadoop'],
    ])
  })

  it('takes a rule to a queue that is not there, and goes on to the next, as Hadoop does', () => {
    const { findings } = policy(inside('<queue name="adhoc"/>', '<queuePlacementPolicy>', '<rule name="nestedUserQueue" create="false"><rule name="default" queue="adhok" create="false"/></rule>', '<rule name="default"/>', '</queuePlacementPolicy>'))
    expect(findings.map(({ line, verdict, setting, value, note }) => [line, verdict, setting, value, note])).toEqual([
      [4, 'ignored', 'rule nestedUserQueue', 'root.adhok', 'it may not make this queue, which is not declared: it goes on to the next rule. Did you mean "root.adhoc"? Known: root, root.adhoc.'],
      [5, 'honoured', 'rule default', 'root.default', ''],
    ])
  })

  it('takes rules behind a nestedUserQueue, as before Hadoop 3.3, and says so', () => {
    const { findings } = policy(inside('<queuePlacementPolicy>', '<rule name="nestedUserQueue"><rule name="default" queue="users"/></rule>', '<rule name="default"/>', '</queuePlacementPolicy>'))
    expect(findings.map(({ line, setting, note }) => [line, setting, note])).toEqual([
      [3, 'rule nestedUserQueue', ''], [4, 'rule default', 'for jobs that the one in line 3 gives no queue; Hadoop 3.3 and later refuse a rule behind it'],
    ])
  })

  it.each([
    ['a negative weight', inside('<queue name="a">', '<weight>-1</weight>', '</queue>'), '"fair.xml" line 3 root.a weight: found "-1", expected a number of at least 0. Correct it, or remove the element for the default.'],
    ['a weight that is no number', inside('<queue name="a"><weight>two</weight></queue>'), '"fair.xml" line 2 root.a weight: found "two", expected a number of at least 0.'],
    ['a weight in another base', inside('<queue name="a"><weight>0x10</weight></queue>'), '"fair.xml" line 2 root.a weight: found "0x10", expected a number of at least 0.'],
    ['a weight without end', inside('<queue name="a"><weight>1e999</weight></queue>'), '"fair.xml" line 2 root.a weight: found "1e999", expected a number of at least 0.'],
    ['a minimum above the maximum', inside('<queue name="a">', '<minResources>8 mb, 4 vcores</minResources>', '<maxResources>memory-mb=6, vcores=4</maxResources>', '</queue>'), '"fair.xml" line 3 root.a: minResources has 8 memory-mb, more than maxResources, 6 (line 4). Raise the one or lower the other.'],
    ['half an application', inside('<queue name="a"><maxRunningApps>1.5</maxRunningApps></queue>'), '"fair.xml" line 2 root.a maxRunningApps: found "1.5", expected a whole number of at least 0.'],
    ['a queue without a name', inside('<queue/>'), '"fair.xml" line 2: a queue has no name. Write <queue name="...">.'],
    ['a path as a name', inside('<queue name="a.b"/>'), '"fair.xml" line 2: the name of queue "a.b" has a period. Put queues inside each other instead.'],
    ['a queue declared twice', inside('<queue name="a"/>', '<queue name="a"/>'), '"fair.xml" line 3: queue "root.a" is declared twice, first in line 2.'],
    ['a queue beside the root', inside('<queue name="root"/>', '<queue name="a"/>'), '"fair.xml" line 3: queue "a" stands beside the root queue. Put all other queues into the root queue.'],
    ['an unknown policy', inside('<queue name="a"><schedulingPolicy>fiffo</schedulingPolicy></queue>'), '"fair.xml" line 2 root.a schedulingPolicy: there is no scheduling policy "fiffo". Did you mean "fifo"? Known: fair, drf, fifo.'],
    ['fifo on a queue with queues', inside('<queue name="a">', '<schedulingPolicy>fifo</schedulingPolicy>', '<queue name="b"/></queue>'), '"fair.xml" line 3 root.a: the policy is fifo, and the queue holds queues. fifo is for queues that hold jobs.'],
    ['a part for masters of a queue with queues', inside('<queue name="a">', '<queue name="b"/>', '<maxAMShare>0.5</maxAMShare>', '</queue>'), '"fair.xml" line 4 root.a maxAMShare: is for queues that hold jobs, and this one holds queues. Move it into those, or write queueMaxAMShareDefault for all.'],
    ['reservations in a queue for queues', inside('<queue name="a" type="parent">', '<reservation/>', '</queue>'), '"fair.xml" line 3 root.a reservation: is for queues that hold jobs, and this one holds queues. Move it into one of those.'],
    ['drf below fair', inside('<queue name="a">', '<schedulingPolicy>drf</schedulingPolicy></queue>'), '"fair.xml" line 3 root.a: the policy is drf, and that of the queue around it is fair. Give the queues around it drf too, or this one fair or fifo.'],
    ['fifo for all', inside('<defaultQueueSchedulingPolicy>fifo</defaultQueueSchedulingPolicy>'), '"fair.xml" line 2 defaultQueueSchedulingPolicy: the policy of all queues cannot be fifo.'],
    ['an unknown rule', inside('<queuePlacementPolicy>', '<rule name="usr"/>', '</queuePlacementPolicy>'), '"fair.xml" line 3 queuePlacementPolicy: there is no placement rule "usr". Did you mean "user"?'],
    ['a rule to no queue', inside('<queue name="adhoc"/>', '<queuePlacementPolicy>', '<rule name="default" queue="root.adhok" create="false"/>', '</queuePlacementPolicy>'), '"fair.xml" line 4 queuePlacementPolicy: rule "default" names queue "root.adhok", which is not declared. Did you mean "root.adhoc"?'],
    ['a last rule that may leave jobs', inside('<queuePlacementPolicy>', '<rule name="specified"/>', '</queuePlacementPolicy>'), '"fair.xml" line 3 queuePlacementPolicy: the last rule, "specified", may leave a job without a queue.'],
    ['a rule that is never reached', inside('<queuePlacementPolicy>', '<rule name="reject"/>', '<rule name="user"/>', '</queuePlacementPolicy>'), '"fair.xml" line 4: rule "reject" in line 3 always decides, so this one is never reached.'],
    ['another root element', '<queues/>', '"fair.xml" line 1: begins with <queues>.'],
  ])('tells the line of %s', (_, text, expected) => {
    expect(message(text)).toContain(expected)
  })

  it('reads the properties of a yarn-site.xml, and names the nearest for unknown ones', () => {
    const { policy: config, findings } = policy(inside('<queue name="a"/>'), site(
      ['yarn.scheduler.fair.assignmultiple', 'true'], ['yarn.scheduler.fair.dynamic.max.assign', 'false'], ['yarn.scheduler.fair.max.assign', '3'],
      ['yarn.scheduler.fair.locality.threshold.node', '0.5'], ['yarn.scheduler.fair.locality.threshold.rack', '0.25'], ['yarn.scheduler.fair.sizebasedweight', 'true'],
      ['yarn.scheduler.maximum-allocation-mb', '8192'], ['yarn.scheduler.fair.premption', 'true'], ['yarn.nodemanager.resource.memory-mb', '1'],
    ))
    expect(config).toEqual(reserving({ 'yarn-assign': {
      policy: { 'skip-delay': { order: { 'yarn-fair': { root: { maxContainerAllocation: { mem: 8192 }, queues: { a: {} } }, sizeBasedWeight: true } }, skips: [5, 3] } }, // passed over 5 and 2 times; the opportunity at which a level is given up counts for neither
      assignMultiple: true, dynamicMaxAssign: false, maxAssign: 3,
    } }, { onlyNear: true }))
    expect(findings.find(({ line }) => line === 9)).toMatchObject({ verdict: 'ignored', setting: 'yarn.scheduler.fair.premption', note: 'no such property; did you mean yarn.scheduler.fair.preemption?' })
    expect(findings).toHaveLength(9)
    expect(findings.at(-1)?.note).toBe('what nodes have is said by the cluster')
  })

  it('limits every queue by the largest container of the site, and thresholds by the whole cluster', () => {
    const text = inside('<queue name="a"><maxContainerAllocation>16384 mb, 2 vcores</maxContainerAllocation></queue>', '<queue name="b"/>')
    const most = site(['yarn.scheduler.maximum-allocation-mb', '8192'], ['yarn.scheduler.maximum-allocation-vcores', '4'])
    expect(policy(text, most).options).toMatchObject({ root: {
      maxContainerAllocation: { mem: 8192, cpu: 4 }, queues: { a: { maxContainerAllocation: { mem: 8192, cpu: 2 } }, b: {} },
    } })
    const waits = site(['yarn.scheduler.fair.locality.threshold.node', '3'], ['yarn.scheduler.fair.locality.threshold.rack', '1.5'])
    expect(policy(inside(), waits).policy).toMatchObject({ 'yarn-reserving': { policy: { 'yarn-assign': { policy: { 'skip-delay': { skips: [10, 11] } } } } } })
  })

  it.each([
    ['allocation.file', 'fair.xml', 'ignored'], ['user-as-default-queue', 'false', 'honoured'], ['allow-undeclared-pools', 'false', 'honoured'], ['preemption', 'true', 'honoured'],
    ['preemption.cluster-utilization-threshold', '0.9', 'honoured'], ['waitTimeBeforeKill', '1000', 'honoured'], ['waitTimeBeforeNextStarvationCheck', '2000', 'honoured'], ['am.preemption', 'false', 'ignored'],
    ['am.preemption.root.a', 'false', 'ignored'], ['sizebasedweight', 'true', 'honoured'], ['assignmultiple', 'true', 'honoured'], ['dynamic.max.assign', 'false', 'honoured'], ['max.assign', '4', 'honoured'],
    ['locality.threshold.node', '0.5', 'approximated'], ['locality.threshold.rack', '0.5', 'approximated'], ['locality-delay-node-ms', '100', 'approximated'], ['locality-delay-rack-ms', '100', 'approximated'],
    ['continuous-scheduling-enabled', 'true', 'approximated'], ['continuous-scheduling-sleep-ms', '5', 'ignored'], ['update-interval-ms', '500', 'approximated'], ['reservable-nodes', '0.05', 'honoured'],
    ['yarn.scheduler.increment-allocation-mb', '512', 'honoured'], ['yarn.scheduler.increment-allocation-vcores', '1', 'honoured'], ['yarn.resource-types.memory-mb.increment-allocation', '512', 'honoured'],
    ['yarn.resource-types.vcores.increment-allocation', '1', 'honoured'], ['yarn.resource-types.gpu.increment-allocation', '1', 'ignored'], ['yarn.scheduler.reservation-threshold.increment-multiple', '2', 'honoured'],
    ['yarn.scheduler.minimum-allocation-mb', '512', 'honoured'], ['yarn.scheduler.minimum-allocation-vcores', '1', 'honoured'], ['yarn.resource-types.vcores.minimum-allocation', '1', 'honoured'], ['yarn.resource-types', 'gpu', 'approximated'], ['yarn.scheduler.maximum-allocation-mb', '8192', 'honoured'], ['yarn.scheduler.maximum-allocation-vcores', '4', 'honoured'],
  ])('knows %s of the documentation', (name, value, verdict) => {
    const [finding, ...others] = policy(inside('<queue name="a"/>'), site([name.startsWith('yarn.') ? name : `yarn.scheduler.fair.${name}`, value])).findings
    expect({ verdict: finding?.verdict, others }).toEqual({ verdict, others: [] })
    if (verdict !== 'honoured') expect(finding?.note).not.toMatch(/^(no such|not of|$)/)
  })

  it('reserves nodes for tasks of so many increments, and on as many nodes, as the site says', () => {
    const text = site(['yarn.scheduler.fair.reservable-nodes', '0.5'], ['yarn.scheduler.increment-allocation-mb', '512'], ['yarn.scheduler.reservation-threshold.increment-multiple', '3'], ['yarn.scheduler.fair.update-interval-ms', '-1'])
    expect(policy(inside(), text).policy).toMatchObject({ 'yarn-reserving': { reservableNodes: 0.5, threshold: { mem: 1536, cpu: 3 }, updateInterval: 0.5 } })
  })

  it('takes increments by resource type and with units before the older properties, whichever is written first', () => {
    // As TestFairSchedulerConfiguration.testAllocationIncrementMemoryNonDefaultUnit, …VCoreWithUnit and testMemoryIncrementConfiguredViaMultipleProperties of Hadoop 3.
    const threshold = (...properties: [string, string][]) => policy(inside(), site(...properties)).policy
    const typed = (resource: string, value: string): [string, string] => [`yarn.resource-types.${resource}.increment-allocation`, value]
    const old: [string, string] = ['yarn.scheduler.increment-allocation-mb', '7']
    expect(threshold(typed('memory-mb', '1 Gi'), typed('vcores', '1k'))).toMatchObject({ 'yarn-reserving': { threshold: { mem: 2048, cpu: 2000 } } })
    for (const both of [[old, typed('memory-mb', '13')], [typed('memory-mb', '13'), old]] as const) expect(threshold(...both)).toMatchObject({ 'yarn-reserving': { threshold: { mem: 26, cpu: 2 } } })
    expect(() => threshold(typed('memory-mb', '1 Xi'))).toThrow('"site.xml" line 2 yarn.resource-types.memory-mb.increment-allocation: found "1 Xi", expected a whole number and perhaps a unit. Write 512, or 1 Gi.')
  })

  /** What a job of a queue asks then, or why it is refused. */
  const asks = (queues: string, properties: readonly [string, string][], demand: Record<string, number>, queue = 'a') => {
    const file = read(inside(queues))
    const place = jobPlace(file, queuePolicy(file, facts, { file: 'site.xml', text: site(...properties) }))
    const { stages, refused } = place?.({ id: 'j', submit: 0, queue, stages: [{ name: 't', tasks: 1, demand, duration: 1 }] }) ?? {}
    return refused ?? stages?.[0]?.demand
  }
  it('gives tasks what they ask in whole increments, and the smallest allocation at least; where one of both is written the other is Hadoop\'s (testNormalizationUsingQueueMaximumAllocation)', () => {
    const given = (properties: readonly [string, string][], mem: number, cpu: number) => asks('<queue name="a"/>', properties, { mem, cpu })
    const least: [string, string] = ['yarn.scheduler.minimum-allocation-mb', '512']
    const step: [string, string] = ['yarn.scheduler.increment-allocation-mb', '256']
    expect([given([least], 600, 2), given([step], 600, 2), given([step], 1100, 2), given([least, step], 600, 2), given([least, step], 1, 2)].map((demand) => (demand as { mem: number }).mem)).toEqual([1024, 1024, 1280, 768, 512])
    expect(given([['yarn.resource-types.vcores.increment-allocation', '3'], ['yarn.scheduler.maximum-allocation-vcores', '8']], 600, 7)).toEqual({ mem: 600, cpu: 8 })
    expect(given([], 600, 2)).toBeUndefined()
  })

  it('refuses jobs that ask more than the site or their queue allows, with the line', () => {
    const queues = '<queue name="a"><maxContainerAllocation>4096 mb, 2 vcores</maxContainerAllocation><queue name="x"/></queue><queue name="b"/>'
    const why = (mem: number, cpu: number, queue: string) => asks(queues, [['yarn.scheduler.maximum-allocation-mb', '8192']], { mem, cpu }, queue)
    expect([why(4096, 2, 'a.x'), why(8192, 9, 'b')]).toEqual([undefined, undefined])
    expect(why(4097, 1, 'a.x')).toBe('a task asks 4097 mem, more than the 4096 of maxContainerAllocation of queue "root.a" (fair.xml line 2)')
    expect(why(8193, 1, 'b')).toBe('a task asks 8193 mem, more than the 8192 of yarn.scheduler.maximum-allocation-mb (site.xml line 2)')
    const master = read(inside('<queue name="a"/>'))
    const place = jobPlace(master, queuePolicy(master, facts, { file: 'site.xml', text: site(['yarn.scheduler.maximum-allocation-mb', '100']) }))
    expect(place?.({ id: 'j', submit: 0, queue: 'a', stages: [{ name: 'am', tasks: 1, demand: { mem: 101 }, duration: 0, master: true }] }).refused).toContain('its master asks 101 mem')
  })

  it('schedules continuously, with waits in seconds, where the site says so', () => {
    const properties: [string, string][] = [['yarn.scheduler.fair.continuous-scheduling-enabled', 'true'], ['yarn.scheduler.fair.locality-delay-node-ms', '2000'], ['yarn.scheduler.fair.locality-delay-rack-ms', '5000']]
    const order = { 'yarn-fair': { root: { queues: { a: {} } } } }
    expect(policy(inside('<queue name="a"/>'), site(...properties)).policy).toEqual({ delay: { order, waits: [2, 5] } }) // no limit of starts per heartbeat
    expect(policy(inside('<queue name="a"/>'), site(...properties.slice(0, 2))).policy).toEqual({ greedy: { order, placement: 'worst-fit' } }) // TestContinuousScheduling.testSortedNodes: two tasks on two nodes
    expect(policy(inside('<queue name="a"/>'), undefined, { ...facts, heartbeat: false }).policy).toEqual({ greedy: { order } })
    expect(policy(inside('<queue name="a"/>')).policy).toEqual(reserving({ 'yarn-assign': { policy: { greedy: { order } }, assignMultiple: false, dynamicMaxAssign: true, maxAssign: -1 } }))
  })

  it('tells the line of a property that is none', () => {
    expect(() => policy(inside(), site(['yarn.scheduler.fair.max.assign', 'many']))).toThrow('"site.xml" line 2 yarn.scheduler.fair.max.assign: found "many", expected a whole number of at least -1. Correct it, or remove the property for the default.')
    expect(() => policy(inside(), site(['yarn.scheduler.fair.max.assign', '1.5']))).toThrow('"site.xml" line 2 yarn.scheduler.fair.max.assign: found "1.5", expected a whole number of at least -1.')
    expect(() => policy(inside(), site(['yarn.scheduler.fair.preemption', 'yes']))).toThrow('"site.xml" line 2 yarn.scheduler.fair.preemption: found "yes", expected true or false. Correct it, or remove the property for the default.')
  })
})
