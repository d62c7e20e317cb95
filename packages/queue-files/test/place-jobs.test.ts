import type { JobSpec } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { jobPlace, queuePolicy, readQueues, type Place } from '@sched/queue-files'

const job = (change: Partial<JobSpec> = {}): JobSpec => ({ id: 'j', submit: 0, stages: [], ...change })
const queues = '<queue name="ads"/><queue name="groups" type="parent"><queue name="devs" type="parent"/></queue><queue name="devs" type="parent"/>'

/** Where jobs go under these rules. */
function place(rules: string, site?: string) {
  const file = readQueues({ file: 'fair.xml', text: `<allocations>${queues}${rules === '' ? '' : `<queuePlacementPolicy>${rules}</queuePlacementPolicy>`}</allocations>` })
  const made = queuePolicy(file, { resources: ['mem'], nodes: 1, heartbeat: false }, site === undefined ? undefined : { file: 'site.xml', text: site })
  return told(jobPlace(file, made))
}

const told = (where: Place | undefined) => (spec: JobSpec) => {
  const { queue, refused } = where?.(spec) ?? {}
  return queue ?? `refused: ${refused ?? ''}`
}

describe('placement rules', () => {
  it('without any: the queue asked for, else that of the user', () => {
    const to = place('')
    expect([job({ queue: 'ads' }), job({ queue: 'root.ads', user: 'ann' }), job({ user: 'ann' }), job({ user: 'first.last' }), job({ queue: 'default', user: 'ann' })].map(to)).toEqual([
      'root.ads', 'root.ads', 'root.ann', 'root.first_dot_last', 'root.ann',
    ])
  })

  it('without any, user-as-default-queue and allow-undeclared-pools false: what is declared, else default', () => {
    const property = (name: string) => `<property><name>yarn.scheduler.fair.${name}</name><value>false</value></property>`
    const to = place('', `<configuration>${property('user-as-default-queue')}${property('allow-undeclared-pools')}</configuration>`)
    expect([job({ queue: 'ads' }), job({ queue: 'other', user: 'ann' }), job({ user: 'ann' })].map(to)).toEqual(['root.ads', 'root.default', 'root.default'])
  })

  it('goes on to the next rule where one has no queue or may not make it', () => {
    const to = place('<rule name="specified" create="false"/><rule name="user" create="no"/><rule name="primaryGroup" create="false"/><rule name="default" queue="other"/>')
    expect([job({ queue: 'ads' }), job({ queue: 'new' }), job({ user: 'ads' }), job({ user: 'ann', group: 'ads' }), job({ user: 'ann', group: 'x' })].map(to)).toEqual(['root.ads', 'root.other', 'root.ads', 'root.ads', 'root.other'])
  })

  it('takes the name of the root for the root, which holds no jobs', () => {
    const to = place('<rule name="specified"/><rule name="reject"/>')
    expect([job({ queue: 'root' }), job({ queue: 'root.ads' })].map(to)).toEqual(['refused: queue "root" holds queues and no jobs', 'root.ads'])
  })

  it('puts a user\'s queue into the queue of a nested rule where that holds queues', () => {
    const to = place('<rule name="nestedUserQueue"><rule name="primaryGroup" create="false"/></rule><rule name="nestedUserQueue"><rule name="secondaryGroupExistingQueue"/></rule><rule name="reject"/>')
    expect([job({ user: 'a.b', group: 'devs' }), job({ user: 'ann', group: 'ads' }), job({ user: 'ann', group: 'none' })].map(to)).toEqual([
      'root.devs.a_dot_b', 'refused: rule "reject" in line 1 refuses it', 'refused: rule "reject" in line 1 refuses it',
    ])
  })

  it('puts users\' queues into a queue that is named', () => {
    const to = place('<rule name="specified" create="false"/><rule name="nestedUserQueue"><rule name="default" queue="devs" create="false"/></rule><rule name="reject"/>')
    expect([job({ queue: 'ads', user: 'ann' }), job({ user: 'ann' }), job({ queue: 'none', user: 'bob' })].map(to)).toEqual(['root.ads', 'root.devs.ann', 'root.devs.bob'])
  })

  it('refuses a job for a queue that holds queues, or that would lie in one that holds jobs', () => {
    const to = place('')
    expect([job({ queue: 'groups' }), job({ queue: 'ads.inner' })].map(to)).toEqual(['refused: queue "root.groups" holds queues and no jobs', 'refused: queue "root.ads.inner" would lie in "root.ads", which holds jobs itself'])
  })

  it('leaves out spaces around names of users and groups, and refuses names of queues that have them or lack a part', () => {
    // as TestFairScheduler.testQueueuNameWithPeriods, testQueueNameWithTrailingSpace and testUserAsDefaultQueueWithLeadingTrailingSpaceUserName
    const to = place('')
    expect([job({ user: '  ann' }), job({ user: 'ann  ' }), job({ queue: 'x.y' })].map(to)).toEqual(['root.ann', 'root.ann', 'root.x.y'])
    for (const queue of ['.x', 'x.', 'x..y', 'x ', ' x', 'x\u00a0'])
      expect(to(job({ queue }))).toMatch(/^refused: queue "root\..*" has a part without a name, or spaces around one$/)
  })

  it('are complete where the last one may make its queue, and the one around it', () => {
    // as TestQueuePlacementPolicy.testTerminals, testNestedUserQueueParsing, testNestedUserQueueParsingErrors and testMultipleParentRules
    const user = job({ user: 'ann', group: 'new' })
    expect(place('<rule name="specified"/><rule name="nestedUserQueue"><rule name="primaryGroup"/></rule>')(user)).toBe('root.new.ann')
    expect(place('<rule name="nestedUserQueue"><rule name="primaryGroup"/><rule name="default" queue="groups"/></rule>')(user)).toBe('root.groups.ann') // the last of several
    const open = (name: string) => `the last rule, "${name}", may leave a job without a queue.`
    expect(() => place('<rule name="default" queue="ads" create="false"/>')).toThrow(open('default'))
    expect(() => place('<rule name="nestedUserQueue"><rule name="primaryGroup" create="false"/></rule>')).toThrow(open('nestedUserQueue'))
    expect(() => place('<rule name="nestedUserQueue" create="false"><rule name="primaryGroup"/></rule>')).toThrow(open('nestedUserQueue'))
    expect(() => place('<rule name="nestedUserQueue"><rule name="reject"/></rule>')).toThrow('rule "reject" gives no queue to make others in. Nest another rule.')
    expect(place('<rule name="default" queue="ads" create="false"/><rule name="reject"/>')(user)).toBe('root.ads')
  })

  it('puts the queue of a user or group into that of a nested rule, whatever the outer one is called', () => {
    // as QueuePlacementPolicy.fromXml, TestQueuePlacementPolicy.testBrokenRules and TestPlacementRuleFS.testRuleInit
    const ann = job({ user: 'ann', group: 'devs' })
    expect(place('<rule name="user"><rule name="primaryGroup"/></rule>')(ann)).toBe('root.devs.ann')
    expect(place('<rule name="primaryGroup"><rule name="default" queue="groups"/></rule>')(job({ user: 'ann', group: 'ml' }))).toBe('root.groups.ml')
    expect(place('<rule name="user"><rule name="primaryGroup"><rule name="default" queue="groups"/></rule></rule>')(ann)).toBe('root.devs.ann') // two levels at most
    expect(place('<rule name="primaryGroup"><rule name="user" create="false"/></rule><rule name="default"/>')(ann)).toBe('root.default')
    expect(() => place('<rule name="user"><rule name="primaryGroup" create="false"/></rule>')).toThrow('the last rule, "user", may leave a job without a queue.')
    expect(() => place('<rule name="nestedUserQueue"><rule name="user"/></rule>')).toThrow('rule "nestedUserQueue" has one of its own kind inside it, "user".')
    for (const name of ['specified', 'default', 'reject'])
      expect(() => place(`<rule name="${name}"><rule name="user"/></rule>`)).toThrow(`rule "${name}" has a rule inside it, and its queue lies in no other. Remove that rule.`)
  })

  it('takes root.default, in full, for a queue that a job asks for, and default for none (SpecifiedPlacementRule)', () => {
    const to = place('')
    expect([job({ queue: 'root.default', user: 'ann' }), job({ queue: 'default', user: 'ann' })].map(to)).toEqual(['root.default', 'root.ann'])
  })

  it('put a job of a nested rule nowhere where that names a queue that holds jobs', () => {
    // as TestQueuePlacementPolicy.testNestedUserQueueDefaultRule
    const nested = (queue: string) => `<rule name="nestedUserQueue"><rule name="default" queue="${queue}"/></rule>`
    expect(place(nested('ads'))(job({ user: 'ann' }))).toBe('refused: no placement rule gives it a queue')
    expect(place(`${nested('ads')}<rule name="default"/>`)(job({ user: 'ann' }))).toBe('root.default') // behind it a rule may stand, as before Hadoop 3.3
    expect(place(`${nested('users')}<rule name="default"/>`)(job({ user: 'ann' }))).toBe('root.users.ann')
  })

  it('put the queue of a user into the one that the job asks for, if that holds queues (testFairShareAndWeightsInNestedUserQueueRule)', () => {
    const to = place('<rule name="nestedUserQueue"><rule name="specified" create="false"/></rule><rule name="default"/>')
    expect([job({ queue: 'groups', user: 'ann' }), job({ queue: 'groups', user: 'bob' }), job({ queue: 'ads', user: 'bob' }), job({ user: 'cyd' })].map(to)).toEqual([
      'root.groups.ann', 'root.groups.bob', 'root.default', 'root.default',
    ])
  })

  it('go on where a rule names a queue that is not there and that it may not make', () => {
    const nowhere = '<rule name="default" queue="adss" create="false"/>'
    expect(place(`<rule name="nestedUserQueue" create="false">${nowhere}</rule>${nowhere}<rule name="default" queue="ads"/>`)(job({ user: 'ann' }))).toBe('root.ads')
  })
})

describe('queues of other schedulers', () => {
  const objects = (...specs: readonly string[]) => specs.join('---\n')
  const kueue = (kind: string, name: string, spec: string) => `apiVersion: kueue.x-k8s.io/v1beta1\nkind: ${kind}\nmetadata: { ${name} }\nspec: ${spec}\n`
  const kai = (name: string, spec = '{}') => `apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: { name: ${name} }\nspec: ${spec}\n`
  const texts = {
    kueue: objects(kueue('ClusterQueue', 'name: ml', '{ resourceGroups: [] }'), kueue('LocalQueue', 'name: train, namespace: ann', '{ clusterQueue: ml }')),
    kai: objects(kai('team'), kai('ann', '{ parentQueue: team }')),
    volcano: 'apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: { name: ml }\nspec: {}\n',
    yunikorn: 'partitions: [{ name: default, queues: [{ name: root, queues: [{ name: ml }] }] }]\n',
    spark: '<allocations><pool name="ml"><schedulingMode>FAIR</schedulingMode></pool></allocations>',
  }
  const placed = (name: keyof typeof texts) => {
    const file = readQueues({ file: name, text: texts[name] })
    const to = told(jobPlace(file, queuePolicy(file, { resources: ['cpu'], nodes: 1, heartbeat: false })))
    return [job({ queue: 'ml' }), job({ queue: 'train', user: 'ann' }), job({ user: 'ann' }), job()].map(to)
  }

  it('are found by the names that jobs have there', () => {
    expect(placed('kueue')).toEqual(['ml', 'ml', 'refused: it names no queue, and those of the file are ml', 'refused: it names no queue, and those of the file are ml'])
    expect(placed('kai')).toEqual([
      'refused: no queue that holds jobs is called "ml": ann', 'refused: no queue that holds jobs is called "train": ann', 'team.ann',
      'refused: it names no queue, and those of the file that hold jobs are ann',
    ])
    expect(placed('volcano')).toEqual(['ml', 'refused: no queue that takes jobs is called "train": ml, default', 'default', 'default'])
    expect(placed('yunikorn')).toEqual([
      'root.ml', 'refused: there is no queue "root.train"', ...[1, 2].map(() => 'refused: it names no queue, and the file has no placement rules'),
    ])
    expect(placed('spark')).toEqual(['ml', 'train', 'default', 'default'])
  })

  it('are named by jobs, or found by the policy, under a slurm.conf and the capacity scheduler', () => {
    const slurm = readQueues({ file: 'slurm.conf', text: 'NodeName=n CPUs=1\nPartitionName=a Nodes=n\n' })
    expect(jobPlace(slurm, queuePolicy(slurm, { resources: ['cpu'], nodes: 1, heartbeat: false }))).toBeUndefined()
  })
})
