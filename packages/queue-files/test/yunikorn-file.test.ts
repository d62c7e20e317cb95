import { describe, expect, it } from 'vitest'
import { isQueueFile, queuePolicy, queueTable, readQueues, compareQueues, type YunikornFile, type YunikornPolicy } from '../src/index.js'
import { placeInYunikorn } from '../src/yunikorn/rules.js'
import { messageOf } from './message-of.js'

const facts = { resources: ['cpu', 'mem', 'gpu'], nodes: 4, heartbeat: false, totals: { cpu: 64_000, mem: 262_144, gpu: 8000 } }
const source = (text: string) => ({ file: 'queues.yaml', text })
const read = (text: string) => readQueues(source(text)) as YunikornFile
const made = (text: string) => queuePolicy(read(text), facts) as YunikornPolicy
/** Queues of the default partition. */
const queues = (text: string, more = '') => `partitions:\n- name: default\n${more}  queues:\n${text.replaceAll(/^/gm, '  ')}\n`
const root = (...children: readonly string[]) => queues(`- name: root\n  queues:\n${children.map((child) => child.replaceAll(/^/gm, '  ')).join('\n')}`)
const findings = (text: string) => made(text).findings.map(({ verdict, line, setting, value, note }) => [verdict, line, setting, value, note])
const config = (text: string, name = 'yunikorn-configs') => `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\ndata:\n  service.schedulingInterval: 100ms\n  queues.yaml: |\n${text.replaceAll(/^/gm, '    ')}\n`

describe('queues of YuniKorn', () => {
  it('are those of yunikorn-preempting, in the units of nodes: millicores, MiB, thousandths of GPUs', () => {
    const { policy } = made(root(
      '- name: Team\n  maxapplications: 9\n  resources:\n    guaranteed: { vcore: 1500m, memory: 1Gi }\n    max: { vcore: 10, memory: 4G, nvidia.com/gpu: 2 }\n  queues:\n  - name: a\n    maxapplications: 5\n    properties: { application.sort.policy: fair, priority.offset: "-5", preemption.delay: 1m30s }\n  - name: b\n    maxapplications: 4\n    parent: true\n    childtemplate: { maxapplications: 2, resources: { max: { vcore: 1 } }, properties: { application.sort.policy: fifo } }',
    ))
    expect(policy).toEqual({ 'yunikorn-preempting': {
      root: { queues: { team: {
        guaranteed: { cpu: 1500, mem: 1024 }, max: { cpu: 10_000, mem: 3814, gpu: 2000 }, maxApplications: 9,
        queues: { a: { maxApplications: 5, sort: 'fair', priorityOffset: -5, preemptionDelay: 90 }, b: { maxApplications: 4, parent: true, template: { max: { cpu: 1000 }, maxApplications: 2, sort: 'fifo' } } },
      } } },
      units: { mem: 1_048_576, gpu: 0.001 },
      placement: { 'node-usage': { prefer: 'least', resourceWeights: { cpu: 1, mem: 1, gpu: 0 } } },
    } })
  })

  it('have amounts of whatever nodes have besides, storage in MiB', () => {
    const text = root('- name: a\n  resources:\n    max: { pods: 20, google.com/tpu: 8, ephemeral-storage: 10Gi, cpu: 5 }')
    const { options, findings: told } = queuePolicy(read(text), { ...facts, resources: [...facts.resources, 'pods', 'google.com/tpu', 'ephemeral-storage'] }) as YunikornPolicy
    expect(options.root?.queues?.['a']?.max).toEqual({ pods: 20, 'google.com/tpu': 8, 'ephemeral-storage': 10_240 })
    expect(told.filter(({ verdict }) => verdict === 'ignored').map(({ setting }) => setting)).toEqual(['root.a max of cpu'])
    expect(findings(text).map(([verdict, , , , note]) => [verdict, note])).toEqual(Array.from({ length: 4 }, (_, i) => ['ignored', i === 0 ? 'pods are not counted' : 'jobs ask for CPU, memory and GPUs']))
  })

  it('have what queues around them say, but not priorities, and of preemption only that it is disabled', () => {
    const props = 'properties: { application.sort.policy: fair, application.sort.priority: disabled, priority.policy: fence, priority.offset: 7, preemption.policy: POLICY, preemption.delay: 10s }'
    const child = (policy: string) => (made(root(`- name: a\n  ${props.replace('POLICY', policy)}\n  queues: [{ name: b }]`)).options.root?.queues?.['a']?.queues ?? {})['b']
    expect(child('disabled')).toEqual({ sort: 'fair', sortPriority: false, preemptionPolicy: 'disabled', preemptionDelay: 10 })
    expect(child('fence')).toEqual({ sort: 'fair', sortPriority: false, preemptionDelay: 10 })
  })

  it('have limits, those of the partition at the root', () => {
    const { options } = made(queues('- name: a\n  limits:\n  - { limit: own, users: [ann], groups: [dev], maxapplications: 2, maxresources: { memory: 1Gi } }\n  - { users: ["*"], maxresources: { vcore: 1 } }', '  limits: [{ users: [bob], maxapplications: 1 }]\n'))
    expect(options.root).toEqual({
      limits: [{ users: ['bob'], maxApplications: 1 }],
      queues: { a: { limits: [{ users: ['ann'], groups: ['dev'], maxResources: { mem: 1024 }, maxApplications: 2 }, { users: ['*'], maxResources: { cpu: 1000 } }] } },
    })
  })

  it('may have the same limits at the partition and at the root, but no others (TestCheckLimitsStructure)', () => {
    const at = (outer: string, inner: string) => queues(`- name: root\n  limits: [${inner}]\n  queues: [{ name: a }]`, `  limits: [${outer}]\n`)
    const [ann, bob] = ['{ users: [ann], maxapplications: 1 }', '{ users: [bob], maxapplications: 1 }']
    expect(made(at(ann, ann)).options.root?.limits).toEqual([{ users: ['ann'], maxApplications: 1 }])
    expect(messageOf(() => made(at(bob, ann)))).toContain('line 3 partitions[0].limits: stand beside other limits of the root queue')
  })

  it('have no template for the queues inside where it says nothing', () => {
    const inside = (template: string) => made(root(`- name: a\n  parent: true\n  childtemplate: ${template}`)).options.root?.queues?.['a']
    for (const none of ['{}', '{ maxapplications: 0, resources: { max: {} } }', '{ properties: { application.sort.policy: "" } }']) expect(inside(none)).toEqual({ parent: true })
    expect(inside('{ maxapplications: 1 }')).toEqual({ parent: true, template: { maxApplications: 1 } })
  })

  it('are tried without preemption where that is off, on the nodes that are used most with binpacking', () => {
    expect(made(queues('- name: a', '  preemption: { enabled: false }\n  nodesortpolicy: { type: binpacking, resourceweights: { vcore: 4, memory: 1, nvidia.com/gpu: 2 } }\n')).policy).toEqual({
      'yunikorn-reserving': { root: { queues: { a: {} } }, placement: { 'node-usage': { prefer: 'most', resourceWeights: { cpu: 4, mem: 1, gpu: 2 } } } },
    })
  })

  it('are read from ConfigMaps, as manifests or as kubectl prints them', () => {
    const plain = root('- name: a\n  maxapplications: 3')
    const listed = (names: readonly string[], text: string) => JSON.stringify({ kind: 'List', items: names.map((name) => ({ kind: 'ConfigMap', metadata: { name }, data: { 'queues.yaml': text } })) })
    for (const text of [config(plain), listed(['yunikorn-configs'], plain), `apiVersion: v1\nkind: List\nitems:\n- kind: ConfigMap\n  metadata: { name: yunikorn-defaults }\n  data:\n    queues.yaml: ${JSON.stringify(plain)}\n`])
      expect([isQueueFile(text), made(text).options]).toEqual([true, made(plain).options])
    const both = `${config(root('- name: old'), 'yunikorn-defaults')}---\n${config(plain)}`
    expect(made(both).options).toEqual(made(plain).options)
    expect(findings(both).filter(([verdict]) => verdict === 'ignored')).toEqual([
      ['ignored', 3, 'ConfigMap yunikorn-defaults', '', 'its queues do not count beside those of yunikorn-configs'],
      ['ignored', 19, 'service.schedulingInterval', '100ms', 'of the scheduler itself, not of its queues'],
    ])
  })

  it('are read from values of Helm, of its chart alone or inside another one, and as the chart had them before', () => {
    const plain = root('- name: a\n  maxapplications: 3')
    const deeper = (text: string) => text.replaceAll(/^/gm, '  ')
    const values = `yunikornDefaults:\n  service.clusterId: c1\n  queues.yaml: |\n${deeper(deeper(plain))}\n`
    for (const text of [values, `yunikorn:\n${deeper(values)}`, `configuration: |\n${deeper(plain)}\n`]) expect([isQueueFile(text), made(text).options]).toEqual([true, made(plain).options])
    expect(findings(values)).toEqual([['ignored', 2, 'service.clusterId', 'c1', 'of the scheduler itself, not of its queues'], ...findings(plain).map(([verdict, line, ...rest]) => [verdict, Number(line) + 3, ...rest])])
    expect(made(`${values}---\n${config(root('- name: own'))}`).options).toEqual(made(root('- name: own')).options)
  })

  it('are those of the policy group, where there are several', () => {
    const text = (more: string) => `${config(root('- name: a'))}  group-01.yaml: |\n${root('- name: b').replaceAll(/^/gm, '    ')}\n${more}`
    expect([made(text('')).options, made(text('  service.policyGroup: group-01\n')).options]).toEqual([made(root('- name: a')).options, made(root('- name: b')).options])
    expect(findings(text('  service.policyGroup: group-01\n')).filter(([verdict]) => verdict === 'ignored').map(([, , setting, , note]) => [setting, note])).toEqual([
      ['service.schedulingInterval', 'of the scheduler itself, not of its queues'], ['queues.yaml', 'its queues do not count beside those of group-01.yaml'],
    ])
  })

  it('tell line by line what is honoured, in a ConfigMap too', () => {
    const text = queues(
      '- name: root\n  submitacl: "*"\n  queues:\n  - name: a\n    resources:\n      guaranteed: { vcore: 100 }\n      max:\n        pods: 10\n        hugepages-2Mi: 5\n    properties:\n      priority.offset: high\n      application.sort.polcy: fair\n      application.sort.policy: stateaware\n    limits:\n    - { groups: [dev, "*"], maxapplications: 1 }',
      '  placementrules:\n  - { name: tag, value: namespace, create: true }\n  - { name: tag, value: team }\n  - name: user\n    parent: { name: fixed, value: root }\n',
    )
    const expected = [
      ['approximated', 4, 'placement rule 1', 'tag namespace create', 'the namespace of a job is its user, as jobs are read from Kubernetes'],
      ['ignored', 5, 'placement rule 2', 'tag team', 'jobs have no such tag, so that it gives none a queue'],
      ['honoured', 6, 'placement rule 3', 'user', ''],
      ['honoured', 7, 'placement rule 3 parent', 'fixed root', ''],
      ['ignored', 10, 'root submitacl', '*', 'every user may submit to every queue'],
      ['honoured', 14, 'root.a guaranteed of vcore', '100', 'more than all nodes have together, 64000 cpu; it counts in millicores'],
      ['ignored', 16, 'root.a max of pods', '10', 'pods are not counted'],
      ['ignored', 17, 'root.a max of hugepages-2Mi', '5', 'jobs ask for CPU, memory and GPUs'],
      ['ignored', 19, 'root.a priority.offset', 'high', 'no whole number of 32 bits; YuniKorn takes 0 then'],
      ['ignored', 20, 'root.a application.sort.polcy', 'fair', 'YuniKorn does not know it; did you mean application.sort.policy?'],
      ['honoured', 21, 'root.a application.sort.policy', 'stateaware', 'is fifo since YuniKorn 1.5'],
      ['approximated', 23, 'root.a limit 1 of group dev, group *', 'maxapplications=1', 'a job is in the group that the workload says, and in those that the option groups gives its user'],
    ]
    expect(findings(text)).toEqual(expected)
    expect(findings(config(text)).slice(1)).toEqual(expected.map(([verdict, line, ...rest]) => [verdict, Number(line) + 6, ...rest]))
  })

  it('are a tree with their settings, and tell what differs in another file', () => {
    const tree = (text: string) => ({ file: read(text), table: queueTable(read(text)) })
    const one = tree(root('- name: a\n  resources: { max: { vcore: 4, memory: 1G } }\n  queues: [{ name: b, properties: { application.sort.policy: fair } }]'))
    expect(one.table.rows.map(({ path, depth, isParent, settings }) => [path, depth, isParent, settings])).toEqual([
      ['root', 0, true, {}], ['root.a', 1, true, { max: 'vcore=4 memory=1G' }], ['root.a.b', 2, false, { 'application.sort.policy': 'fair' }],
    ])
    const other = tree(queues('- name: root\n  queues: [{ name: a, parent: true, resources: { max: { vcore: 5 } } }]', '  placementrules: [{ name: provided, create: true }]\n'))
    expect(compareQueues(one, other)).toEqual({
      added: [], removed: ['root.a.b'],
      changed: [{ path: '', setting: 'placementrules', before: undefined, after: 'provided create' }, { path: 'root.a', setting: 'max', before: 'vcore=4 memory=1G', after: 'vcore=5' }],
    })
  })
})

describe('placement rules of YuniKorn', () => {
  const file = (rules: string) => read(queues('- name: root\n  queues:\n  - name: leaf\n  - name: parent\n    parent: true\n    queues: [{ name: child }]\n  - name: a_dot_b', `  placementrules:\n${rules.replaceAll(/^/gm, '  ')}\n`))
  const place = (rules: string, job: { queue?: string; user?: string; group?: string }) => {
    const { queue, refused } = placeInYunikorn(job, file(rules))
    return queue ?? refused
  }
  const none = 'no placement rule gives it a queue'
  const inLeaf = 'a placement rule leads into queue "root.leaf", which holds jobs'
  it.each<[string, string, Parameters<typeof place>[1], string]>([
    ['provided: a declared queue', '- name: provided', { queue: 'leaf' }, 'root.leaf'],
    ['provided: with its whole path', '- name: provided', { queue: 'root.parent.child' }, 'root.parent.child'],
    ['provided: in any case', '- name: Provided', { queue: 'LEAF' }, 'root.leaf'],
    ['provided: not one that is not there', '- name: provided', { queue: 'other' }, none],
    ['provided: created', '- { name: provided, create: true }', { queue: 'other' }, 'root.other'],
    ['provided: a period is no level', '- { name: provided, create: true }', { queue: 'x.y' }, 'root.x_dot_y'],
    ['provided: not one that holds queues', '- { name: provided, create: true }', { queue: 'parent' }, none],
    ['provided: not in one that holds jobs', '- { name: provided, create: true }', { queue: 'root.leaf.inside' }, inLeaf],
    ['provided: in one that holds jobs, whatever comes then (createQueue)', '- { name: provided, create: true }\n- { name: fixed, value: leaf }', { queue: 'root.leaf.inside' }, inLeaf],
    ['provided: one that holds queues, and the next rule', '- { name: provided, create: true }\n- { name: fixed, value: leaf }', { queue: 'parent' }, 'root.leaf'],
    ['provided: a whole path has no use for a parent', '- { name: provided, create: true, parent: { name: user, create: true } }', { queue: 'root.leaf', user: 'ann' }, 'root.leaf'],
    ['provided in the queue of its user', '- { name: provided, create: true, parent: { name: user, create: true } }', { queue: 'x', user: 'ann' }, 'root.ann.x'],
    ['provided: no name that no queue may have (TestProvidedRulePlace)', '- { name: provided, create: true }', { queue: 'root.unkno!wn' }, 'no queue can be called "root.unkno!wn"'],
    ['provided: nor below a parent, whatever comes then (TestProvidedRuleParent)', '- { name: provided, create: true, parent: { name: fixed, value: new, create: true } }\n- { name: fixed, value: leaf }', { queue: 'testc!hild' }, 'no queue can be called "testc!hild"'],
    ['provided: not in a parent that is not there', '- { name: provided, create: true, parent: { name: fixed, value: new, create: true, parent: { name: user } } }', { queue: 'x', user: 'ann' }, none],
    ['provided: in a parent that is created, too', '- { name: provided, create: true, parent: { name: fixed, value: new, create: true } }', { queue: 'x' }, 'root.new.x'],
    ['user: a parent rule that gives the root (TestUserRuleParent)', '- { name: user, create: true, parent: { name: fixed, value: root } }', { user: 'ann' }, 'root.root.ann'],
    ['user: names of other systems', '- { name: user, create: true }', { user: 'http://domain.com/server1/testuser@cloudera.com' }, 'root.http://domain_dot_com/server1/testuser@cloudera_dot_com'],
    ['user: no name that no queue may have (TestUserRulePlace)', '- { name: user, create: true }', { user: 'test!user' }, 'no queue can be called "test!user"'],
    ['user: in the queue of a user that holds jobs (TestManagerPlaceApp_Error)', '- { name: user, parent: { name: user, parent: { name: fixed, value: parent } } }', { user: 'child' }, 'a placement rule leads into queue "root.parent.child", which holds jobs'],
    ['tag: a whole path has no use for a parent (TestTagRulePlace)', '- { name: tag, value: namespace, parent: { name: fixed, value: parent } }', { user: 'root.parent.child' }, 'root.parent.child'],
    ['user', '- { name: user, create: true }', { user: 'Ann.Lee' }, 'root.ann_dot_lee'],
    ['user: a declared queue', '- name: user', { user: 'a.b' }, 'root.a_dot_b'],
    ['tag: the namespace is its user', '- { name: tag, value: namespace, create: true, parent: { name: fixed, value: root.parent } }', { user: 'ml' }, 'root.parent.ml'],
    ['tag: no other', '- { name: tag, value: team, create: true }', { user: 'ml' }, none],
    ['fixed, after others', '- name: provided\n- { name: fixed, value: root.leaf }', { queue: 'other' }, 'root.leaf'],
    ['fixed: a path below the root', '- { name: fixed, value: parent.child }', {}, 'root.parent.child'],
    ['a filter of users', '- { name: fixed, value: leaf, filter: { users: [ann, bob] } }', { user: 'ann' }, 'root.leaf'],
    ['a filter of others', '- { name: fixed, value: leaf, filter: { users: [ann, bob] } }', { user: 'cid' }, none],
    ['a pattern', '- { name: fixed, value: leaf, filter: { type: allow, users: ["ml-.*"] } }', { user: 'ml-7' }, 'root.leaf'],
    ['a pattern of names in any case (TestComplexExpression)', '- { name: fixed, value: leaf, filter: { users: ["(?i)user1"] } }', { user: 'USER1' }, 'root.leaf'],
    ['not another user of it', '- { name: fixed, value: leaf, filter: { users: ["(?i)user1"] } }', { user: 'user2' }, none],
    ['a pattern of groups', '- { name: fixed, value: leaf, filter: { groups: ["^(group1.|other)$"] } }', { user: 'ann', group: 'group12' }, 'root.leaf'],
    ['not another group of it', '- { name: fixed, value: leaf, filter: { groups: ["^(group1.|other)$"] } }', { user: 'ann', group: 'group101' }, none],
    ['a filter that denies', '- { name: fixed, value: leaf, filter: { type: deny, groups: [dev] } }', { user: 'ann', group: 'dev' }, none],
    ['a filter that denies others', '- { name: fixed, value: leaf, filter: { type: deny, groups: [dev] } }', { user: 'ann', group: 'ops' }, 'root.leaf'],
    ['a filter that denies all', '- { name: fixed, value: leaf, filter: { type: deny } }', { user: 'ann' }, none],
  ])('%s', (_, rules, job, expected) => {
    expect(place(rules, job)).toBe(expected)
  })
  it('a job that none gives a queue is in root.default, where that holds jobs (YUNIKORN-2703)', () => {
    const where = (queue: string | undefined, rules: string, children = '{ name: default }, { name: b, parent: true }') => {
      const { root: top, ...rest } = read(queues(`- name: root\n  queues: [${children}]`, rules === '' ? '' : `  placementrules: [${rules}]\n`))
      const { queue: given, refused } = placeInYunikorn({ ...(queue !== undefined && { queue }), user: 'ann' }, { root: top, ...rest })
      return given ?? refused
    }
    const [tag, intoLeaf] = ['{ name: tag, value: team, create: true }', '{ name: provided, create: true }']
    expect([where(undefined, ''), where('x', ''), where('b', ''), where('x', tag), where('b', intoLeaf)]).toEqual(Array.from({ length: 5 }, () => 'root.default'))
    expect([where('root.default.x', intoLeaf), where('x', tag, '{ name: a }'), where('x', tag, '{ name: default, parent: true }')]).toEqual([
      'a placement rule leads into queue "root.default", which holds jobs', none, none,
    ])
  })
  it('without any a job is in the queue that it names', () => {
    const where = (queue?: string) => Object.values(placeInYunikorn({ ...(queue !== undefined && { queue }) }, read(root('- name: a\n  queues: [{ name: b }]'))))[0]
    expect([where('a.b'), where('root.a'), where('c'), where()]).toEqual(['root.a.b', 'queue "root.a" holds queues and no jobs', 'there is no queue "root.c"', 'it names no queue, and the file has no placement rules'])
  })
})

describe('a queues.yaml of YuniKorn is answered where it is wrong', () => {
  it('but not where names are long, or of other systems (TestParseQueue, TestComplexUsers, TestServiceAccountUserName)', () => {
    const limits = '  limits: [{ users: [user.lastname], maxapplications: 1 }, { users: [user@domain, "*"], groups: [dev, "*"], maxapplications: 1 }]\n'
    const rules = '  placementrules: [{ name: user, filter: { users: ["system:serviceaccounts:ml:train-77"], groups: ["system:authenticated"] } }, { name: fixed, value: dev, create: true, parent: { name: fixed, value: admins } }]\n'
    expect(messageOf(() => made(queues('- name: abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_\n- { name: admins, parent: true, submitacl: " admin", adminacl: "*" }', `${limits}${rules}`)))).toBe('no error')
  })

  it.each([
    [root('- name: a\n- name: A'), '"queues.yaml" line 7 partitions[0].queues[0].queues[1].name: queue "a" was declared before in "root". Give every one once.'],
    [root('- name: a.b'), 'line 6 partitions[0].queues[0].queues[0].name: the name of queue "a.b" has a period'],
    [root('- maxapplications: 3'), 'a queue has no name.'],
    [root('- name: a\n  maxaplications: 3'), 'line 7 partitions[0].queues[0].queues[0].maxaplications: there is no setting "maxaplications" here. Did you mean'],
    [root('- name: a\n  maxapplications: -3'), 'line 7 partitions[0].queues[0].queues[0].maxapplications: found -3, expected a whole number of at least 0. Correct it, or leave it out for the default.'],
    [root('- name: a\n  resources: { max: { vcore: 1.5 } }'), 'line 7 partitions[0].queues[0].queues[0].resources.max.vcore: found 1.5, expected a whole number with a suffix such as 10 or 500m. Its suffixes are m, '],
    [root('- name: a\n  resources: { max: { memory: 500m } }'), 'resources.max.memory: found "500m", expected a whole number with a suffix such as 10, 4G or 4Gi.'],
    [queues('- name: root\n  resources: { max: { vcore: 1 } }'), 'the root queue has what all nodes have.'],
    [root('- name: a\n  resources: { guaranteed: { vcore: 2 }, max: { vcore: 1 } }'), 'queue "root.a" is guaranteed more vcore than its max.'],
    [root('- name: a\n  resources: { max: { vcore: 1 } }\n  queues: [{ name: b, resources: { max: { vcore: 2 } } }]'), 'queue "root.a.b" may have more vcore than a queue around it.'],
    [root('- name: a\n  resources: { guaranteed: { vcore: 1 } }\n  queues: [{ name: b, resources: { guaranteed: { vcore: 2 } } }]'), 'queues in "root.a" are together guaranteed more vcore than it is.'],
    [root('- name: a\n  resources: { max: { vcore: 1 } }\n  queues: [{ name: b, resources: { guaranteed: { vcore: 1 } } }, { name: c, resources: { guaranteed: { vcore: 1 } } }]'), 'together guaranteed more vcore than it may have.'],
    [root('- name: a\n  maxapplications: 3\n  queues: [{ name: b }]'), 'queue "root.a.b" may run more applications than "root.a", any number.'],
    [root('- name: a\n  limits: [{ maxapplications: 1 }]'), 'a limit names neither users nor groups.'],
    [root('- name: a\n  limits: [{ users: [ann] }]'), 'a limit limits nothing, or forbids everything.'],
    [root('- name: a\n  limits: [{ users: ["*"], maxapplications: 1 }, { users: [ann], maxapplications: 1 }]'), '"ann" comes after "*".'],
    [root('- name: a\n  limits: [{ groups: ["*"], maxapplications: 1 }]'), '"*" has a limit, and no group by its name.'],
    [root('- name: a\n  resources: { max: { memory: 1G } }\n  limits: [{ users: [ann], maxresources: { memory: 10G } }]'), 'a limit has more memory than queue "root.a" may have.'],
    [root('- name: a\n  maxapplications: 5\n  limits: [{ users: [ann], maxapplications: 100 }]'), 'a limit has more applications than queue "root.a" may run, 5.'],
    [root('- name: a\n  limits: [{ users: [ann], groups: [dev], maxresources: { memory: 100 } }]\n  queues:\n  - name: b\n    queues: [{ name: c, limits: [{ users: [ann], maxresources: { memory: 200 } }] }]'), 'user ann may have more memory in queue "root.a.b.c" than in a queue around it.'],
    [root('- name: a\n  limits: [{ users: [ann], groups: [dev], maxresources: { memory: 100 } }]\n  queues: [{ name: b, limits: [{ groups: [dev], maxresources: { memory: 200 } }] }]'), 'group dev may have more memory in queue "root.a.b" than in a queue around it.'],
    [root('- name: a\n  limits: [{ users: [ann], maxapplications: 3 }]\n  queues: [{ name: b, limits: [{ users: [ann], maxresources: { memory: 1 } }] }]'), 'user ann may run any number of applications in queue "root.a.b", and 3 in a queue around it.'],
    [root('- name: a\n  childtemplate: { maxapplications: 3 }'), 'stands at queue "root.a", which holds jobs.'],
    [queues('- name: a', '  placementrules: [{ name: users }]\n'), 'there is no placement rule "users".'],
    [queues('- name: a', '  placementrules: [{ name: fixed, value: b }]\n'), 'rule "fixed" names queue "b", which is not declared.'],
    [queues('- name: a', '  placementrules: [{ name: fixed }]\n'), 'rule "fixed" has no value.'],
    [queues('- name: a', '  placementrules: [{ name: fixed, value: "testqueue!>invalid<", create: true }]\n'), 'placementrules[0].value: no queue can be called "testqueue!>invalid<".'], // TestFixedRulePlace
    [queues('- name: a', '  placementrules: [{ name: fixed, value: x, create: true, parent: { name: fixed, value: "root.test!x.y", create: true } }]\n'), 'no queue can be called "test!x".'],
    // config_test.go: TestDeepQueueHierarchy, TestParseQueueFail, TestParsePartitionFail, TestParseACLFail, TestLimitsFail, TestParseRuleFail
    [root('- name: $$$$'), 'line 6 partitions[0].queues[0].queues[0].name: no queue can be called "$$$$".'],
    [root('- name: this-name-is-longer-than-sixtyfour-characters-and-thus-fails-parsing'), 'Names have letters, digits, - and _, at most 64 together.'],
    ['partitions:\n- name: default\n', '"queues.yaml" line 2 partitions[0]: partition "default" has no queues.'],
    [`${queues('- name: a')}- name: Default\n  queues: [{ name: a }]\n`, 'line 5 partitions[1].name: partition "default" was declared before.'],
    [`${queues('- name: a')}- name: p\n  queues: [{ name: a }]\n- name: p\n  queues: [{ name: a }]\n`, 'partition "p" was declared before.'],
    [root('- name: a\n  adminacl: users groups others'), 'adminacl: found users groups others, expected users and groups with one blank between them.'],
    [root('- name: a\n  limits: [{ users: [user space], maxapplications: 1 }]'), 'no user can be called "user space".'],
    [root('- name: a\n  limits: [{ groups: [group@domain], maxapplications: 1 }]'), 'no group can be called "group@domain".'],
    [queues('- name: a', '  placementrules: [{ name: user, filter: { users: [99test] } }]\n'), 'placementrules[0].filter.users[0]: "99test" is neither a name nor a pattern.'],
    [queues('- name: a', '  placementrules: [{ name: user, filter: { groups: [test@group] } }]\n'), '"test@group" is neither a name nor a pattern.'],
    [queues('- name: a', '  placementrules: [{ name: user, filter: { users: ["test[test"] } }]\n'), '"test[test" is neither a name nor a pattern.'],
    [queues('- { name: admins, parent: true }', '  placementrules: [{ name: fixed, value: dev, parent: { name: fixed, value: admins } }]\n'), 'rule "fixed" names queue "root.admins.dev", which is not declared.'], // TestCheckPlacementRules
    [queues('- name: a', '  placementrules: [{ name: user, create: true, parent: { name: fixed, value: a } }]\n'), 'rule "fixed" names queue "a", which holds jobs and no queues.'],
    [queues('- { name: a, queues: [{ name: b }] }', '  placementrules: [{ name: user, create: true, parent: { name: fixed, value: a } }]\n'), 'rule "fixed" names queue "a", which does not say that it holds queues, and YuniKorn refuses that. Give it parent: true'],
    [queues('- name: a', '  nodesortpolicy: { type: spread }\n'), 'there is no way to sort nodes "spread".'],
    [config(root('- name: a.b')), '"queues.yaml" line 12 partitions[0].queues[0].queues[0].name: the name of queue "a.b" has a period'],
    [config('partitions:\n- name: default\n  queues: [\n'), '"queues.yaml" line'],
    ['partitions: []\n', 'has no partition.'],
  ])('%#', (text, message) => {
    expect(messageOf(() => made(text))).toContain(message)
  })
})

// as TestCheckQueueHierarchyForPlacement and TestCheckPlacementRules, TestCheckLimitResource, TestCheckLimitMaxApplications and TestCheckLimits of configvalidator_test.go
describe('what YuniKorn takes of', () => {
  const tree = (rules: object, isParent = true) => queues(`- name: root\n  queues: [{ name: users, parent: ${isParent} }, { name: devs, parent: true, queues: [{ name: yunikorn, parent: true }] }, { name: default }, { name: admins, parent: true }]`, `  placementrules: [${JSON.stringify(rules)}]\n`)
  const fixed = (value: string, more: object = {}) => ({ name: 'fixed', value, ...more })
  const inside = (value: string) => ({ name: 'user', parent: fixed(value) })
  it.each<[string, object, boolean, string?]>([
    ['a leaf', fixed('root.default', { create: true }), true, 'no error'],
    ['a new queue in a parent', fixed('root.users.alice', { create: true }), true, 'no error'],
    ['a new queue in a new one', fixed('root.devs.test', { create: true }), true, 'no error'],
    ['queues of users in a parent', inside('root.users'), true, 'no error'],
    ['those of namespaces and users there', { name: 'user', parent: { name: 'tag', value: 'namespace', parent: fixed('root.users') } }, true, 'no error'],
    ['those of users in a new queue', { name: 'user', create: true, parent: fixed('root.new', { create: true }) }, true, 'no error'],
    ['a parent', fixed('root.users'), true, 'rule "fixed" names queue "root.users", which holds queues and no jobs. Name a queue inside it.'],
    ['a queue that it may not create', fixed('root.users.alice'), true, 'names queue "root.users.alice", which is not declared.'],
    ['one in a leaf', fixed('root.users.alice', { create: true }), false, 'rule "fixed" names queue "root.users.alice", and "root.users" around it holds jobs and no queues.'],
    ['one in a leaf that it may not create either', fixed('root.users.alice'), false, 'holds jobs and no queues'],
    ['queues of users in a leaf', inside('root.users'), false, 'rule "fixed" names queue "root.users", which holds jobs and no queues. Give it parent: true, or name another queue.'],
    ['queues of users in one that it may not create', inside('root.none'), true, 'names queue "root.none", which is not declared.'],
  ])('rules with %s', (_, rules, isParent, expected = 'no error') => {
    expect(messageOf(() => made(tree(rules, isParent)))).toContain(expected)
  })

  type Most = Readonly<Record<string, number>>
  const kinds = { maxresources: (most: number) => ({ memory: most }), maxapplications: (most: number) => most }
  it.each(['maxresources', 'maxapplications'] as const)('limits of a queue and those inside it, by %s', (key) => {
    const limits = (kind: string, most: Most) => Object.entries(most).map(([name, each]) => ({ [kind]: [name], [key]: kinds[key](each) }))
    /** What is wrong with limits of a queue, of one inside it (none: it has none) and of one inside that. */
    const wrong = (kind: string, outer: Most, middle: Most | undefined, inner: Most) =>
      messageOf(() => made(queues(`- ${JSON.stringify({ name: 'a', limits: limits(kind, outer), queues: [{ name: 'b', ...(middle !== undefined && { limits: limits(kind, middle) }), queues: [{ name: 'c', limits: limits(kind, inner) }] }] })}`)))
    for (const [kind, who] of [['users', 'user'], ['groups', 'group']] as const) {
      const isFound = (queue: string, name: string) => new RegExp(`${who} ${name} may .* in queue "${queue}".* in a queue around it`)
      expect(wrong(kind, { one: 100, '*': 100 }, { one: 50, two: 50 }, { one: 10, two: 10 })).toBe('no error')
      expect(wrong(kind, { one: 100 }, undefined, { one: 60 })).toBe('no error')
      expect(wrong(kind, { one: 100, two: 100 }, { one: 50 }, { one: 10, two: 150 })).toMatch(isFound('root.a.b.c', 'two'))
      expect(wrong(kind, { one: 100, '*': 100 }, { one: 50, two: 150 }, { one: 10 })).toMatch(isFound('root.a.b', 'two'))
      expect(wrong(kind, { one: 100, '*': 100 }, { one: 50 }, { one: 10, two: 150 })).toMatch(isFound('root.a.b.c', 'two'))
      expect(wrong(kind, { one: 150, '*': 100 }, undefined, { one: 120 })).toBe('no error') // its own limit, not that of all
    }
  })

  it.each([
    ['of which some are 0', '{ memory: 100, cpu: 0 }', 'no error'],
    ['of which all are 0', '{ memory: 0, cpu: 0 }', 'a limit limits nothing, or forbids everything.'],
    ['beyond 64 bits', '{ vcore: 1000P }', 'maxresources.vcore: found "1000P", more than YuniKorn can count.'],
    ['beyond 64 bits', '{ memory: 1000E }', 'found "1000E", more than YuniKorn can count. Write a smaller one, or leave it out for no limit.'],
  ])('limits with amounts %s: %s', (_, amounts, expected) => {
    expect(messageOf(() => made(queues(`- name: a\n  limits: [{ users: [ann], maxapplications: 1, maxresources: ${amounts} }]`)))).toContain(expected)
  })
})
