import { describe, expect, it } from 'vitest'
import { compareQueues, queueTable, readQueues, type Totals } from '@sched/queue-files'

const fair = (inside: string) => readQueues({ file: 'f.xml', text: `<allocations>${inside}</allocations>` })
const capacity = (pairs: Readonly<Record<string, string>>) =>
  readQueues({ file: 'c.xml', text: `<configuration>${Object.entries(pairs).map(([name, value]) => `<property><name>yarn.scheduler.capacity.${name}</name><value>${value}</value></property>`).join('')}</configuration>` })
/** Shares of one resource by path without `root.`. */
const shares = (file: ReturnType<typeof readQueues>, totals?: Totals, active?: string[], resource = 'cluster') =>
  Object.fromEntries(queueTable(file, totals, active).rows.slice(1).map((row) => [row.path.slice(5), Math.round((row.shares[resource] as number) * 1e6) / 1e6]))

describe('instantaneous shares of a queue file', () => {
  const file = fair('<queue name="a"><weight>2</weight></queue><queue name="b"><queue name="x"/><queue name="y"><weight>3</weight></queue></queue><queue name="c"><maxResources>10%</maxResources></queue>')

  it('fair: by weight between minimum and maximum, level by level, as parts of the cluster', () => {
    // c is held at 10 %; a and b divide 90 % by 2 : 1, x and y the 30 % of b by 1 : 3
    expect(shares(file)).toEqual({ a: 0.6, b: 0.3, 'b.x': 0.075, 'b.y': 0.225, c: 0.1 })
  })

  it.each([
    ['kueue', 'apiVersion: kueue.x-k8s.io/v1beta1\nkind: ClusterQueue\nmetadata: { name: a }\nspec: { resourceGroups: [] }\n'],
    ['slurm', 'ClusterName=c\nNodeName=n1 CPUs=2\nPartitionName=a Nodes=ALL\n'],
    ['yunikorn', 'partitions:\n- name: default\n  queues:\n  - name: a\n'],
  ])('a file of %s has none, whoever has work', (kind, text) => {
    const read = readQueues({ file: 'f', text })
    expect(queueTable(read).rows.every((row) => Object.keys(row.shares).length === 0)).toBe(true)
    expect(() => queueTable(read, undefined, ['a'])).toThrow(`--active: says whose shares to show, and a file of ${kind} has none: they depend on the jobs that come. Leave it out. Queues of YARN and pools of Spark have shares.`)
  })

  it('only queues with work take part, a parent with any of its queues', () => {
    expect(shares(file, undefined, ['b.x', 'c'])).toEqual({ a: 0, b: 0.9, 'b.x': 0.9, 'b.y': 0, c: 0.1 })
    expect(shares(file, undefined, ['x'])).toEqual({ a: 0, b: 1, 'b.x': 1, 'b.y': 0, c: 0 }) // a name that one queue has needs no path
    expect(() => queueTable(file, undefined, ['z'])).toThrow('--active: there is no queue "z". ')
  })

  it('fair: of percentages of single resources that of memory, as parts of a cluster that is not known', () => {
    const limited = fair('<queue name="a"><maxResources>vcores=30%, memory-mb=50%</maxResources></queue><queue name="b"><maxResources>memory-mb=20%, vcores=60%</maxResources></queue>')
    expect(shares(limited)).toEqual({ a: 0.5, b: 0.2 })
  })

  it('amounts count where the cluster is known', () => {
    const minima = fair('<queue name="a"><minResources>60 mb, 2 vcores</minResources></queue><queue name="b"/><queue name="c"><weight>0</weight><minResources>5 mb, 0 vcores</minResources></queue>')
    const totals = { mem: 100, cpu: 20 }
    expect(shares(minima, totals, undefined, 'mem')).toEqual({ a: 60, b: 35, c: 5 }) // weight 0: its minimum
    expect(shares(minima, totals, undefined, 'cpu')).toEqual({ a: 10, b: 10, c: 0 })
    expect(queueTable(minima).leavesOutAmounts).toBe(true)
    expect(queueTable(minima, totals).leavesOutAmounts).toBe(false)
  })

  it('are whole amounts, at each level, where it is: those that are next to grow grow together (ComputeFairShares)', () => {
    const file = fair('<queue name="a"><weight>2</weight></queue><queue name="b"><queue name="x"/><queue name="y"/></queue><queue name="c"><maxResources>33% memory, 50% cpu</maxResources></queue>')
    expect(shares(file, { mem: 1000, cpu: 16 }, ['a', 'b'], 'mem')).toEqual({ a: 667, b: 333, 'b.x': 167, 'b.y': 167, c: 0 }) // 666 and 333 are 999
    expect(shares(file, { mem: 100, cpu: 15 }, ['c'], 'cpu')).toEqual({ a: 0, b: 0, 'b.x': 0, 'b.y': 0, c: 7 })
  })

  it.each(['fair', 'drf'])('are those of TestFairSchedulerFairShare, under %s: of queues with jobs, and steady of all', (policy) => {
    // of 16,384 MB a has 8 of 10 parts, b and default one each
    const file = fair(`<defaultQueueSchedulingPolicy>${policy}</defaultQueueSchedulingPolicy><queue name="a"><weight>8</weight>${[1, 2, 3, 4].map((i) => `<queue name="a${i}"/>`).join('')}</queue><queue name="b"><queue name="b1"/><queue name="b2"/></queue><queue name="default"/>`)
    const parts = (active?: string[]) => Object.entries(shares(file, { mem: 16_384, cpu: 10 }, active, 'mem')).filter(([path, share]) => !/^[ab]$/.test(path) && share > 0).map(([path, share]) => `${path} ${share}`)
    expect(parts([])).toEqual([])
    expect(parts(['a1'])).toEqual(['a.a1 16384'])
    expect(parts(['a1', 'a2', 'a3'])).toEqual(['a.a1 5462', 'a.a2 5462', 'a.a3 5462'])
    expect(parts(['a1', 'a2', 'b1', 'default'])).toEqual(['a.a1 6554', 'a.a2 6554', 'b.b1 1638', 'default 1638'])
    expect(parts(['a2'])).toEqual(['a.a2 16384']) // when a1 has none any more
    expect(parts()).toEqual([...[1, 2, 3, 4].map((i) => `a.a${i} 3277`), 'b.b1 819', 'b.b2 819', 'default 1638'])
  })

  it('capacity: amounts, percentages of what these leave and weights of the rest, outside the legacy mode', () => {
    const mixed = capacity({ 'legacy-queue-mode.enabled': 'false', 'root.queues': 'c,b,a', 'root.a.capacity': '[memory=50%,vcores=1w]', 'root.b.capacity': '[memory=20,vcores=25%]', 'root.c.capacity': '3w', 'root.c.queues': 'x,y', 'root.c.x.capacity': '[memory=10,vcores=1]', 'root.c.y.capacity': '100' })
    expect(shares(mixed, { mem: 100, cpu: 20 }, undefined, 'mem')).toEqual({ a: 40, b: 20, c: 40, 'c.x': 10, 'c.y': 30 })
    // 15 by 1 : 3: 3.75 and 11.25, to the nearest
    expect(shares(mixed, { mem: 100, cpu: 20 }, undefined, 'cpu')).toEqual({ a: 4, b: 5, c: 11, 'c.x': 1, 'c.y': 10 })
    expect([shares(mixed), queueTable(mixed).leavesOutAmounts]).toEqual([{ a: 0.5, b: 0, c: 0.5, 'c.x': 0, 'c.y': 0.5 }, true])
    const limited = capacity({ 'legacy-queue-mode.enabled': 'false', 'root.queues': 'a,b', 'root.a.capacity': '70', 'root.a.maximum-capacity': '[memory=50%,vcores=100%]', 'root.b.capacity': '1w' })
    expect(shares(limited, { mem: 100 }, undefined, 'mem')).toEqual({ a: 50, b: 50 })
  })

  it('capacity: the guarantee, and what idle queues leave by guarantee up to the maximum', () => {
    const queues = capacity({ 'root.queues': 'a,b,c', 'root.a.capacity': '20', 'root.b.capacity': '30', 'root.c.capacity': '50', 'root.b.maximum-capacity': '40', 'root.c.queues': 'x,y', 'root.c.x.capacity': '3w', 'root.c.y.capacity': '1w' })
    expect(shares(queues)).toEqual({ a: 0.2, b: 0.3, c: 0.5, 'c.x': 0.375, 'c.y': 0.125 })
    expect(shares(queues, undefined, ['a', 'b'])).toEqual({ a: 0.6, b: 0.4, c: 0, 'c.x': 0, 'c.y': 0 }) // b is held at 40 %
    expect(shares(capacity({ 'root.queues': 'a,b', 'root.a.capacity': '25', 'root.b.capacity': '75', 'root.b.state': 'STOPPED' }))).toEqual({ a: 1, b: 0 })
    expect(shares(capacity({ 'root.queues': 'a,b', 'root.a.capacity': '25', 'root.b.capacity': '75', 'root.b.state': 'STOPPED', 'root.b.queues': 'x', 'root.b.x.capacity': '100' }))).toEqual({ a: 1, b: 0, 'b.x': 0 })
    const amounts = capacity({ 'root.queues': 'a,b', 'root.a.capacity': '[memory=20,vcores=1]', 'root.b.capacity': '[memory=60,vcores=3]' })
    expect(shares(amounts, { 'memory-mb': 100, vcores: 8 }, undefined, 'memory-mb')).toEqual({ a: 25, b: 75 }) // the 20 left over by guarantee
  })
})

describe('the difference between queue files', () => {
  const of = (file: ReturnType<typeof readQueues>) => ({ file, table: queueTable(file) })

  it('names queues and settings that differ', () => {
    const before = of(fair('<queue name="a"><weight>2</weight></queue><queue name="b"/><userMaxAppsDefault>5</userMaxAppsDefault>'))
    const after = of(fair('<queue name="a"><weight>3</weight><maxRunningApps>4</maxRunningApps></queue><queue name="c"/>'))
    expect(compareQueues(before, after)).toEqual({
      added: ['root.c'],
      removed: ['root.b'],
      changed: [
        { path: '', setting: 'userMaxAppsDefault', before: '5', after: undefined },
        { path: 'root.a', setting: 'weight', before: '2', after: '3' },
        { path: 'root.a', setting: 'maxRunningApps', before: undefined, after: '4' },
      ],
    })
    expect(compareQueues(before, before)).toEqual({ added: [], removed: [], changed: [] })
  })

  it.each([
    ['the part for masters of a queue', '<queue name="a"><maxAMShare>0.2</maxAMShare></queue>', '<queue name="a"><maxAMShare>0.3</maxAMShare></queue>', { path: 'root.a', setting: 'maxAMShare', before: '0.2', after: '0.3' }],
    ['and of all', '<queueMaxAMShareDefault>0.2</queueMaxAMShareDefault>', '', { path: '', setting: 'queueMaxAMShareDefault', before: '0.2', after: undefined }],
  ])('names %s', (_, before, after, changed) => {
    expect(compareQueues(of(fair(before)), of(fair(after))).changed).toEqual([changed])
  })

  const objects = (text: string) => of(readQueues({ file: 'q.yaml', text }))
  const changed = (text: (value: string) => string, before: string, after: string) =>
    compareQueues(objects(text(before)), objects(text(after))).changed.map(({ path, setting, ...values }) => `${path} ${setting}: ${values.before} -> ${values.after}`)

  it('names settings of all objects, not of queues alone', () => {
    const kueue = (kind: string, spec: string) => `apiVersion: kueue.x-k8s.io/v1beta1\nkind: ${kind}\nmetadata: { name: main, namespace: ml }\nspec: ${spec}\n`
    const queue = kueue('ClusterQueue', '{ namespaceSelector: {} }')
    expect(changed((parent) => `${queue}---\n${kueue('Cohort', `{ parentName: ${parent} }`)}`, 'a', 'b')).toEqual([' Cohort ml/main parentName: a -> b'])
    expect(changed((weight) => `${queue}---\n${kueue('LocalQueue', `{ clusterQueue: main, fairSharing: { weight: ${weight} } }`)}`, '1', '2')).toEqual([' LocalQueue ml/main fairSharing.weight: 1 -> 2'])
    expect(changed((enable) => `${queue}---\napiVersion: config.kueue.x-k8s.io/v1beta1\nkind: Configuration\nfairSharing: { enable: ${enable} }\n`, 'true', 'false')).toEqual([' fairSharing.enable: true -> false'])
    const kai = 'apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: { name: a }\nspec: {}\n'
    expect(changed((k) => `${kai}---\napiVersion: kai.scheduler/v1\nkind: SchedulingShard\nmetadata: { name: default }\nspec: { kValue: ${k} }\n`, '1', '2')).toEqual([' SchedulingShard default kValue: 1 -> 2'])
    expect(changed((least) => `apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: { name: web }\nspec: { minAvailable: ${least}, selector: {} }\n`, '1', '50%')).toEqual([' PodDisruptionBudget web minAvailable: 1 -> 50%'])
  })

  it('names every setting of a template of YuniKorn', () => {
    const yunikorn = (template: string) => `partitions:\n- name: default\n  queues:\n  - name: root\n    queues:\n    - name: a\n      parent: true\n      childtemplate: { ${template} }\n`
    expect(changed(yunikorn, 'maxapplications: 1, resources: { guaranteed: { vcore: 1 } }', 'maxapplications: 2, resources: { guaranteed: { vcore: 3 } }')).toEqual([
      'root.a childtemplate guaranteed: vcore=1 -> vcore=3', 'root.a childtemplate maxapplications: 1 -> 2',
    ])
  })

  it('names templates of queues that are made at first use, which are of no listed queue', () => {
    const pattern = 'root.a.*.auto-queue-creation-v2.template.capacity'
    const made = (weight: string) => of(capacity({ 'root.queues': 'a', 'root.a.capacity': '1w', 'root.a.auto-queue-creation-v2.enabled': 'true', [pattern]: weight }))
    expect(compareQueues(made('2w'), made('3w')).changed).toEqual([{ path: '', setting: `yarn.scheduler.capacity.${pattern}`, before: '2w', after: '3w' }])
  })
})
