import { describe, expect, it } from 'vitest'
import { compareQueues, isQueueFile, jobPlace, queuePolicy, queueTable, readQueues, type VolcanoPolicy } from '../src/index.js'
import { messageOf } from './message-of.js'

/** Weights of what jobs prefer, as nodeorder comes. */
const preferences = { 'inter-pod-affinity': 2, 'pod-topology-spread': 2, 'node-affinity': 2 }

const facts = { resources: ['cpu', 'mem', 'gpu'], nodes: 4, heartbeat: false, totals: { cpu: 64_000, mem: 262_144, gpu: 8000 } }
const queue = (name: string, spec: string, status = '') => `apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: { name: ${name} }\nspec: ${spec}\n${status}`
const conf = `actions: "enqueue, allocate, preempt, reclaim, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
    enablePreemptable: false
  - name: conformance
- plugins:
  - name: overcommit
    arguments:
      overcommit-factor: 1.5
      overcommit-factor.memory: "2"
  - name: drf
    enableHierarchy: true
  - name: predicates
  - name: capacity
    enableHierarchy: true
  - name: nodeorder
    arguments: { leastrequested.weight: 0, nodeaffinity.weight: 2, imagelocality.weight: 1 }
  - name: binpack
    arguments: { binpack.weight: 2, binpack.cpu: 5, binpack.resources: nvidia.com/gpu, binpack.resources.nvidia.com/gpu: 7 }
  - name: sla
`
const inMap = `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: volcano-scheduler-configmap }\ndata:\n  volcano-scheduler.conf: |\n${conf.replace(/^/gm, '    ')}\n`
/** As kubectl prints a text with blanks at the ends of lines. */
const inOneLine = (text: string) => `${inMap.slice(0, inMap.indexOf('|'))}${JSON.stringify(text)}\n`
const source = (...objects: readonly string[]) => ({ file: 'volcano.yaml', text: objects.join('---\n') })
const made = (...objects: readonly string[]) => queuePolicy(readQueues(source(...objects)), facts) as VolcanoPolicy

const options = {
  actions: ['enqueue', 'allocate', 'preempt', 'reclaim', 'backfill'],
  tiers: [
    { plugins: [{ name: 'priority' }, { name: 'gang', enablePreemptable: false }, { name: 'conformance' }] },
    { plugins: [{ name: 'overcommit', arguments: { 'overcommit-factor': 1.5, 'overcommit-factor.mem': 2 } }, { name: 'drf', enableHierarchy: true }, { name: 'capacity', enableHierarchy: true }, { name: 'sla' }] },
  ],
  placement: { weighted: { scores: { 'balanced-allocation': 1, 'taint-toleration': 3, ...preferences, 'binpack-percentage': 2 }, resourceWeightsOf: { 'binpack-percentage': { cpu: 5, gpu: 7 } } } },
}

describe('queues of Volcano', () => {
  it('are those of volcano, in the units of nodes: millicores, MiB, thousandths of GPUs', () => {
    const { policy, leaves } = made(
      queue('team', '{ weight: 4, deserved: { cpu: 8, memory: 16Gi, nvidia.com/gpu: 2 }, capability: { cpu: 0, memory: 32Gi, pods: 10 } }'),
      queue('ann', '{ parent: team, priority: 5, reclaimable: false, dequeueStrategy: fifo, guarantee: { resource: { cpu: 500m } } }', 'status: { state: Closed }\n'),
      inMap,
    )
    expect(policy).toEqual({ volcano: { ...options, queues: {
      team: { weight: 4, deserved: { cpu: 8000, mem: 16_384, gpu: 2000 }, capability: { mem: 32_768 } },
      ann: { parent: 'team', priority: 5, reclaimable: false, dequeueStrategy: 'fifo', guarantee: { cpu: 500 }, state: 'Closed' },
      default: {},
    } } })
    expect(leaves).toEqual(['ann', 'default'])
  })

  it('have the configuration of Volcano itself where none is given', () => {
    const { policy, findings } = made(queue('default', '{ weight: 1, parent: root, deserved: { cpu: 1 }, reclaimable: true }'))
    expect(policy).toEqual({ volcano: { queues: { default: { weight: 1 } }, placement: { weighted: { scores: { 'least-allocated': 1, 'balanced-allocation': 1, 'taint-toleration': 3, ...preferences }, resourceWeightsOf: { 'least-allocated': { gpu: 0 } } } } } })
    expect(findings.map(({ verdict, setting, note }) => [verdict, setting, note])).toEqual([
      ['approximated', 'configuration', 'none is given: the default of Volcano counts, with the actions enqueue, allocate, backfill and the plug-in proportion'],
      ['honoured', 'default weight', ''],
      ['ignored', 'default reclaimable', 'there is no action reclaim'],
      ['honoured', 'default parent', ''],
      ['ignored', 'default deserved of cpu', 'it counts with the plug-in capacity'],
    ])
  })

  it('are read with a bare configuration, beside them or alone, and as kubectl prints them', () => {
    const queues = source(queue('a', '{}'))
    const beside = queuePolicy(readQueues(queues, { file: 'volcano-scheduler.conf', text: conf }), facts)
    expect(beside.policy).toEqual({ volcano: { ...options, queues: { a: {}, default: {} } } })
    expect((queuePolicy(readQueues({ file: 'volcano-scheduler.conf', text: conf }), facts) as VolcanoPolicy).policy).toEqual({ volcano: { ...options, queues: { default: {} } } })
    const classes = { ...queues, text: `${queues.text}---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: { name: high }\nvalue: 5\n` }
    expect(queuePolicy(readQueues(classes, { file: 'volcano-scheduler.conf', text: conf }), facts).policy).toEqual(beside.policy)
    const list = { apiVersion: 'v1', kind: 'List', items: [
      { apiVersion: 'scheduling.volcano.sh/v1beta1', kind: 'Queue', metadata: { name: 'a' }, spec: {}, status: { state: 'Open' } },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'volcano-scheduler-configmap' }, data: { 'volcano-scheduler.conf': conf } },
      { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } },
    ] }
    expect(made(JSON.stringify(list)).policy).toEqual(beside.policy)
  })

  it('stand beside classes of which some preempt nobody', () => {
    const klass = (name: string, value: string, policy: string) => `apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: { name: ${name} }\nvalue: ${value}\n${policy}`
    const polite = klass('polite', '500', 'preemptionPolicy: Never\n')
    const { policy, findings } = made(queue('a', '{}'), inMap, polite, klass('high', '1000', ''))
    expect(policy).toEqual({ volcano: { ...options, queues: { a: {}, default: {} }, never: [500] } })
    expect(findings.filter(({ setting }) => /polite|high/.test(setting)).map(({ verdict, setting, value, note }) => [verdict, setting, value, note])).toEqual([
      ['honoured', 'polite preemptionPolicy', 'Never', ''],
      ['ignored', 'high value', '1000', 'jobs have the number of their class'],
    ])
    const sideOf = (file: ReturnType<typeof readQueues>) => ({ file, table: queueTable(file) })
    expect(compareQueues(sideOf(readQueues(source(queue('a', '{}')))), sideOf(readQueues(source(queue('a', '{}'), polite)))).changed).toEqual([{ path: '', setting: 'class polite', before: undefined, after: 'value=500 preemptionPolicy=Never' }])
    expect(messageOf(() => made(queue('a', '{}'), klass('odd', 'high', '')))).toContain('found "high", expected a whole number')
  })

  describe('bound to groups of nodes (TestNodeGroup)', () => {
    const groups = (...all: number[]) => `[${all.map((i) => `group${i}`).join(', ')}]`
    const affinity = (kind: string, required: number[], preferred: number[]) =>
      `${kind}: { requiredDuringSchedulingIgnoredDuringExecution: ${groups(...required)}, preferredDuringSchedulingIgnoredDuringExecution: ${groups(...preferred)} }`
    const bound = (...parts: string[]) => `{ affinity: { ${parts.join(', ')} } }`
    const subset = bound(affinity('nodeGroupAffinity', [1, 3], [3]), affinity('nodeGroupAntiAffinity', [2, 4], [4]))
    const inside = (spec: string, parent: string) => spec.replace(/\}$/, `, parent: ${parent} }`).replace('{, ', '{ ')
    const by = (plugin: string) => `actions: "allocate"\ntiers:\n- plugins:\n  - name: capacity\n    enableHierarchy: true\n  - { name: nodegroup${plugin} }\n`
    const inOwnMap = (plugin: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: volcano-scheduler-configmap }\ndata:\n  volcano-scheduler.conf: |\n${by(plugin).replace(/^/gm, '    ')}\n`
    /** The nodes on which a job of a queue may run, of one in each of four groups and one in none. */
    const allowed = (name: string, plugin: string, ...queues: readonly string[]) => {
      const file = readQueues(source(...queues, inOwnMap(plugin)))
      const { nodes, refused } = jobPlace(file, queuePolicy(file, facts))?.({ id: 'j', submit: 0, queue: name, stages: [] }) ?? {}
      if (refused !== undefined) return refused
      return ['group1', 'group2', 'group3', 'group4', undefined].flatMap((group, i) => ((nodes?.operator === 'DoesNotExist' ? group === undefined : nodes?.values?.includes(group ?? '')) === true ? [`n${i + 1}`] : []))
    }

    /** Of the same nodes, the score that the plug-in gives to each. */
    const scored = (name: string, plugin: string, ...queues: readonly string[]) => {
      const { policy } = queuePolicy(readQueues(source(...queues, inOwnMap(plugin))), facts) as VolcanoPolicy
      const { weighted } = ((policy as { volcano: { placement?: unknown } }).volcano.placement ?? { weighted: {} }) as { weighted: { scores?: object, queueLabels?: Record<string, Record<string, Record<string, number>>> } }
      expect(weighted.scores).toEqual(weighted.queueLabels === undefined ? undefined : { 'queue-labels': 1 })
      return ['group1', 'group2', 'group3', 'group4', ''].map((group) => weighted.queueLabels?.[name]?.['volcano.sh/nodegroup-name']?.[group] ?? 0)
    }

    it.each<[string, unknown, readonly number[], string, string, ...string[]]>([
      ['soft constraints is subset of hard constraints', ['n1', 'n3', 'n4'], [100, 0, 150, -1, 0], '', 'q1', queue('q1', subset)],
      ['soft constraints is not subset of hard constraints', ['n1', 'n3', 'n4'], [100, 0, 50, -1, 0], '', 'q2', queue('q2', bound(affinity('nodeGroupAffinity', [1], [3]), affinity('nodeGroupAntiAffinity', [2], [4])))],
      ['affinity is not set for the queue, pods still cannot be scheduled to nodes with the nodegroup label when strict=false', ['n5'], [0, 0, 0, 0, 0], ', arguments: { strict: false }', 'q', queue('q', '{}')],
      ['affinity inherits from parent queue', ['n1', 'n3', 'n4'], [100, 0, 150, -1, 0], ', enableHierarchy: true', 'child', queue('root', '{}'), queue('q1', inside(subset, 'root')), queue('child', '{ parent: q1 }')],
      ['affinity inherits from ancestor queue if parent queue has no affinity', ['n1', 'n3', 'n4'], [100, 0, 150, -1, 0], ', enableHierarchy: true', 'child', queue('root', subset), queue('q-no-affinity', '{ parent: root }'), queue('child', '{ parent: q-no-affinity }')],
      ['queue without affinity', 'queue q has no group of nodes, as the plug-in nodegroup wants it', [0, 0, 0, 0, 0], '', 'q', queue('q', '{}')],
      ['preferred nodegroup priority ordering', ['n1', 'n3'], [50, 0, 25, 0, 0], ', arguments: { enablePreferredOrder: true }', 'q3', queue('q3', bound(affinity('nodeGroupAffinity', [], [1, 3])))],
      ['three preferred groups, one of them required', ['n1', 'n2', 'n3'], [150, 50 / 3, 100 / 3, 0, 0], ', arguments: { enablePreferredOrder: true }', 'q', queue('q', bound(affinity('nodeGroupAffinity', [1], [1, 3, 2])))],
      ['without the order', ['n1', 'n3'], [50, 0, 50, 0, 0], '', 'q3', queue('q3', bound(affinity('nodeGroupAffinity', [], [1, 3])))],
      ['without enableNodeOrder', ['n1', 'n3', 'n4'], [0, 0, 0, 0, 0], ', enableNodeOrder: false', 'q1', queue('q1', subset)],
      ['without enableHierarchy nobody inherits', 'queue child has no group of nodes, as the plug-in nodegroup wants it', [0, 0, 0, 0, 0], '', 'child', queue('root', '{}'), queue('q1', inside(subset, 'root')), queue('child', '{ parent: q1 }')],
      // nodegroup.go, predicateFn: unsetAffinity
      ['an affinity without groups', ['n5'], [0, 0, 0, 0, 0], ', arguments: { strict: false }', 'q', queue('q', '{ affinity: {} }')],
      ['an affinity without groups, strictly', 'queue q has no group of nodes, as the plug-in nodegroup wants it', [0, 0, 0, 0, 0], '', 'q', queue('q', '{ affinity: {} }')],
      ['an affinity that only forbids', 'queue q has no group of nodes, as the plug-in nodegroup wants it', [0, 0, 0, 0, 0], ', arguments: { strict: false }', 'q', queue('q', bound(affinity('nodeGroupAntiAffinity', [2], [])))],
    ])('%s', (_, expected, scores, plugin, name, ...queues) => {
      expect(allowed(name, plugin, ...queues)).toEqual(expected)
      expect(scored(name, plugin, ...queues)).toEqual(scores)
    })

    it('run anywhere without the plug-in, or without its enablePredicate', () => {
      const place = (plugin: string) => {
        const file = readQueues(source(queue('q1', subset), plugin === '' ? inMap : inOwnMap(plugin)))
        return jobPlace(file, queuePolicy(file, facts))?.({ id: 'j', submit: 0, queue: 'q1', stages: [] })
      }
      expect([place(''), place(', enablePredicate: false')]).toEqual([{ queue: 'q1' }, { queue: 'q1' }])
      expect(scored('q1', ', enablePredicate: false', queue('q1', subset))).toEqual([100, 0, 150, -1, 0])
    })

    it('prefer groups beside what other plug-ins score', () => {
      const { policy } = made(queue('q1', subset), `${inOwnMap('').trimEnd()}\n      - { name: binpack }\n`)
      expect(policy).toMatchObject({ volcano: { placement: { weighted: {
        scores: { 'binpack-percentage': 1, 'queue-labels': 1 }, queueLabels: { q1: { 'volcano.sh/nodegroup-name': { group1: 100, group3: 150, group4: -1 } } },
      } } } })
    })

    it('of any name score as they are told to', () => {
      const { policy } = made(queue('q1', '{ affinity: { nodeGroupAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [constructor] } } }'), inOwnMap(''))
      expect(policy).toMatchObject({ volcano: { placement: { weighted: { queueLabels: { q1: { 'volcano.sh/nodegroup-name': { constructor: 50 } } } } } } })
    })

    it('and it is told what of it counts', () => {
      const told = (plugin: string) => made(queue('q1', subset), inOwnMap(plugin)).findings.filter(({ setting }) => /nodegroup|nodeGroup|affinity/.test(setting)).map(({ verdict, setting, value, note }) => `${verdict} ${setting} ${value} ${note}`.trim())
      expect(told(', enableHierarchy: true, arguments: { strict: false, enablePreferredOrder: true }')).toEqual([
        'honoured q1 nodeGroupAffinity group1, group3', 'honoured q1 nodeGroupAffinity group3', 'honoured q1 nodeGroupAntiAffinity group2, group4', 'honoured q1 nodeGroupAntiAffinity group4',
        'honoured nodegroup', 'honoured nodegroup enableHierarchy true', 'honoured nodegroup strict false', 'honoured nodegroup enablePreferredOrder true',
      ])
      expect(told(', enableNodeOrder: false')[1]).toBe('honoured q1 nodeGroupAffinity group3 these groups are allowed, and neither better nor worse than others')
      expect(told(', enablePredicate: false')[0]).toBe('honoured q1 nodeGroupAffinity group1, group3 these groups are better or worse, and others are allowed, too')
      expect(told(', enablePredicate: false, enableNodeOrder: false')[0]).toBe('ignored q1 affinity  it counts with the plug-in nodegroup')
    })
  })

  it('tell what is honoured, approximated and ignored, by the line of the file that it stands on', () => {
    const { findings } = made(queue('a', '\n  weight: 2\n  affinity: {}\n  capability: { cpu: 100, nvidia.com/gpu: 1, amd.com/gpu: 1 }\n'), inMap, queue('b', '{}').replace('Queue', 'PodGroup'))
    expect(findings.map(({ verdict, line, setting, value, note }) => [verdict, line, setting, ...(value === '' ? [] : [value]), note].join(' | '))).toEqual([
      'honoured | 5 | a weight | 2 | ',
      'ignored | 6 | a affinity | it counts with the plug-in nodegroup',
      'honoured | 7 | a capability of cpu | 100 | ',
      'honoured | 7 | a capability of nvidia.com/gpu | 1 | ',
      'approximated | 7 | a capability of amd.com/gpu | 1 | together with the other GPUs: nodes have them as one resource',
      'honoured | 15 | action enqueue | ',
      'honoured | 15 | action allocate | ',
      'honoured | 15 | action preempt | ',
      'honoured | 15 | action reclaim | ',
      'honoured | 15 | action backfill | tasks that ask nothing start with the others',
      'honoured | 18 | priority | ',
      'honoured | 19 | gang | ',
      'honoured | 20 | gang enablePreemptable | false | ',
      'honoured | 21 | conformance | ',
      'honoured | 23 | overcommit | ',
      'honoured | 25 | overcommit overcommit-factor | 1.5 | ',
      'honoured | 26 | overcommit overcommit-factor.memory | 2 | ',
      'honoured | 27 | drf | ',
      'honoured | 28 | drf enableHierarchy | true | ',
      'ignored | 29 | predicates | capacities of nodes and required labels always count',
      'honoured | 30 | capacity | ',
      'honoured | 31 | capacity enableHierarchy | true | ',
      'approximated | 32 | nodeorder | as scores of the placement weighted',
      'approximated | 33 | nodeorder leastrequested.weight | 0 | as a weight of the placement weighted',
      'approximated | 33 | nodeorder nodeaffinity.weight | 2 | as a weight of the placement weighted',
      'ignored | 33 | nodeorder imagelocality.weight | 1 | not simulated',
      'honoured | 34 | binpack | as scores of the placement weighted',
      'honoured | 35 | binpack binpack.weight | 2 | ',
      'honoured | 35 | binpack binpack.cpu | 5 | ',
      'honoured | 35 | binpack binpack.resources | nvidia.com/gpu | ',
      'honoured | 35 | binpack binpack.resources.nvidia.com/gpu | 7 | ',
      'honoured | 36 | sla | no waiting time above 0 is given: those of jobs count alone',
      'ignored | 39 | PodGroup | no part of the scheduling here',
    ])
  })

  it('tell amounts that Volcano refuses: capability, deserved, guarantee (validateResourceOfQueue)', () => {
    const told = (spec: string) => made(queue('a', spec), 'actions: allocate\ntiers:\n- plugins: [{ name: capacity }]\n').findings.filter(({ note }) => note.includes('refuses')).map(({ setting, note }) => `${setting}: ${note}`)
    const guarantee = (cpu: number, memory: string) => `guarantee: { resource: { cpu: ${cpu}, memory: ${memory} } }`
    expect(told('{ capability: { cpu: 1, memory: 1Gi }, deserved: { cpu: 2, memory: 1Gi } }')).toEqual(['a deserved of cpu: more than its capability: Volcano refuses that'])
    expect(told(`{ capability: { cpu: 1 }, ${guarantee(2, '1Gi')} }`)).toEqual(['a guarantee of cpu: more than its capability: Volcano refuses that', 'a guarantee of memory: more than its capability: Volcano refuses that'])
    expect(told(`{ capability: { cpu: 4, memory: 4Gi }, deserved: { cpu: 2, memory: 2Gi }, ${guarantee(3, '2Gi')} }`)).toEqual(['a guarantee of cpu: more than its deserved: Volcano refuses that'])
    expect(told(`{ ${guarantee(3, '2Gi')} }`)).toEqual([])
  })

  it('tell amounts that Volcano refuses in a tree: more than the queue around, or together more than that (validateHierarchicalQueueResources)', () => {
    const told = (isTree: boolean, ...queues: readonly string[]) =>
      made(...queues, `actions: allocate\ntiers:\n- plugins: [{ name: capacity, enableHierarchy: ${isTree} }]\n`).findings.filter(({ note }) => note.includes('refuses')).map(({ setting, note }) => `${setting}: ${note}`)
    const inside = [queue('a', '{ parent: team, capability: { cpu: 9, memory: 9Gi }, deserved: { cpu: 3 } }'), queue('b', '{ parent: team, deserved: { cpu: 2 }, guarantee: { resource: { cpu: 1 } } }')]
    expect(told(true, queue('team', '{ parent: org, deserved: { cpu: 4 } }'), queue('org', '{ capability: { cpu: 8 } }'), ...inside)).toEqual([
      'a deserved of cpu: all queues in "team" have together more than that: Volcano refuses it', 'a capability of cpu: more than "org" around it has: Volcano refuses that', 'b deserved of cpu: all queues in "team" have together more than that: Volcano refuses it',
    ])
    expect(told(true, queue('team', '{ parent: org, capability: { cpu: 9 }, deserved: { cpu: 5 } }'), queue('org', '{}'), ...inside)).toEqual([])
    expect(told(false, queue('team', '{ deserved: { cpu: 4 } }'), ...inside)).toEqual([])
  })

  it('lie for drf where annotations say', () => {
    const annotated = (hierarchy: string, weights: string) => queue('a', '{ weight: 3 }').replace('{ name: a }', `{ name: a, annotations: { volcano.sh/hierarchy: ${hierarchy}, volcano.sh/hierarchy-weights: ${weights} } }`)
    const told = (conf: string, ...weights: readonly string[]) => {
      const { options: { queues = {} }, findings } = made(annotated('root/eng/a', weights[0] ?? '100/50/25'), conf)
      return [queues['a'], findings.filter(({ line }) => line < 6).map(({ verdict, setting, note }) => [verdict, setting, note].join(' | '))]
    }
    expect(told(inMap)).toEqual([{ hierarchy: 'root/eng/a', hierarchyWeights: '100/50/25' }, [
      'honoured | a volcano.sh/hierarchy | ',
      'honoured | a volcano.sh/hierarchy-weights | ',
      'ignored | a weight | it counts with the plug-in proportion, or with enableHierarchy of drf where the queue has no hierarchy',
    ]])
    expect(told(inMap, '')).toEqual([{ weight: 3 }, ['ignored | a volcano.sh/hierarchy | it counts together with the other one', 'ignored | a volcano.sh/hierarchy-weights | it counts together with the other one', 'honoured | a weight | ']])
    expect(told(inMap.replace('drf\n        enableHierarchy: true', 'drf'))[1]).toContain('ignored | a volcano.sh/hierarchy | it counts with enableHierarchy of the plug-in drf')
    expect(messageOf(() => made(annotated('eng/a', '1/1'), inMap))).toContain('line 3 metadata.annotations.volcano.sh/hierarchy: found "eng/a", expected the way from the root to the queue. Write it as root/team/project.')
    expect(messageOf(() => made(annotated('root/a', '1'), inMap))).toContain('found "1", expected a weight above 0 for each name of "root/a".')
    expect(queueTable(readQueues(source(annotated('root/a', '1/2')))).rows[0]?.settings).toEqual({ weight: '3', 'hierarchy': 'root/a', 'hierarchy-weights': '1/2' })
  })

  it('are read from values of Helm, those of Flux and of a chart inside another one too', () => {
    const expected = made(inMap).policy
    const values = `basic: { image_tag_version: latest }\ncustom:\n  admission_config_override: ~\n  scheduler_config_override: |\n${conf.replace(/^/gm, '    ')}\n`
    const inside = (around: string) => `${around}${values.replace(/^/gm, '    ')}`
    for (const text of [values, inside('volcano:\n'), inside('apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: { name: volcano }\nspec:\n  values:\n')]) expect([isQueueFile(text), made(text).policy]).toEqual([true, expected])
    expect(made(values).findings[0]).toMatchObject({ line: 5, setting: 'action enqueue' })
    expect(isQueueFile('custom:\n  scheduler_config_override: ~\n')).toBe(false)
  })

  it('have actions of others told, and a list taken, which Volcano refuses', () => {
    const told = (actions: string) => {
      const { options: { actions: chosen }, findings } = made(`actions: ${actions}\ntiers:\n- plugins: [{ name: gang }]\n`)
      return [chosen, findings.filter(({ setting }) => setting.startsWith('action')).map(({ verdict, setting, note }) => [verdict, setting, note].join(' | '))]
    }
    expect(told('"allocate, gangallocate, defragment"')).toEqual([['allocate'], [
      'honoured | action allocate | ', 'ignored | action gangallocate | not simulated, and not of Volcano itself', 'ignored | action defragment | not simulated, and not of Volcano itself',
    ]])
    expect(told('[enqueue, allocate]')).toEqual([['enqueue', 'allocate'], [
      'approximated | actions | as a text with commas: Volcano refuses a list, and keeps the configuration that it had', 'honoured | action enqueue | ', 'honoured | action allocate | ',
    ]])
  })

  it('tell factors of overcommit below 1, and those of queues, which are off in Volcano', () => {
    const { findings } = made(queue('a', '{}').replace('{ name: a }', '{ name: a, annotations: { volcano.sh/overcommit-factor: "1.5", volcano.sh/colour: red, team: x } }'), inMap.replace('factor: 1.5', 'factor: 0.5'))
    expect(findings.filter(({ setting }) => /^a |factor$/.test(setting)).map(({ verdict, setting, value, note }) => [verdict, setting, value, note])).toEqual([
      ['ignored', 'a volcano.sh/overcommit-factor', '1.5', 'off in Volcano without its gate QueueScopedOvercommit, and not simulated'],
      ['ignored', 'a volcano.sh/colour', 'red', 'not simulated'],
      ['honoured', 'overcommit overcommit-factor', '0.5', 'below 1: Volcano takes 1.2 then'],
    ])
  })

  it('have a waiting time after which jobs are enqueued', () => {
    const told = (text: string) => {
      const { options: { tiers }, findings } = made(queue('a', '{}'), `actions: "enqueue, allocate"\ntiers:\n- plugins:\n  - name: sla\n    arguments: { sla-waiting-time: ${text} }\n`)
      return [tiers, findings.filter(({ setting }) => setting.startsWith('sla')).map(({ verdict, setting }) => `${verdict} ${setting}`)]
    }
    expect(told('1h2m3s4ms')).toEqual([[{ plugins: [{ name: 'sla', arguments: { 'sla-waiting-time': 3723.004 } }] }], ['honoured sla', 'honoured sla sla-waiting-time']])
    for (const text of ['0s', 'soon']) expect(told(text)).toEqual([[{ plugins: [{ name: 'sla' }] }], ['honoured sla', 'ignored sla sla-waiting-time']])
  })

  it('have zones with hours, and a time between evictions', () => {
    const { options: { actions, tiers }, findings } = made(queue('a', '{}'), `actions: "allocate, shuffle"
tiers:
- plugins:
  - name: tdm
    enableVictim: false
    arguments: { tdm.revocable-zone.rz1: 10:00-21:00, tdm.revocable-zone.rz2: "0:00", tdm.evict.period: 90s, tdm.evict.max-step: 5% }
`)
    expect([actions, tiers]).toEqual([['allocate', 'shuffle'], [{ plugins: [{ name: 'tdm', arguments: { 'tdm.evict.period': 90 }, revocableZones: { rz1: '10:00-21:00' } }] }]])
    expect(findings.filter(({ setting }) => setting.startsWith('tdm')).map(({ verdict, setting, note }) => [verdict, setting, note])).toEqual([
      ['honoured', 'tdm', ''],
      ['ignored', 'tdm enableVictim', 'it cannot be switched off'],
      ['honoured', 'tdm tdm.revocable-zone.rz1', ''],
      ['ignored', 'tdm tdm.revocable-zone.rz2', 'no hours of the day (10:00-21:00): the zone is never open'],
      ['honoured', 'tdm tdm.evict.period', ''],
      ['ignored', 'tdm tdm.evict.max-step', 'not simulated'],
    ])
  })

  it('are a tree with their settings, and differ in those and in the plug-ins', () => {
    const read = (weight: number, plugins: string) => {
      const file = readQueues(source(queue('b', `{ parent: a, weight: ${weight} }`), queue('a', '{ capability: { cpu: 4, memory: 8Gi } }'), queue('root', '{}'), `actions: allocate\ntiers:\n- plugins: [${plugins}]\n`))
      return { file, table: queueTable(file) }
    }
    const [before, after] = [read(1, '{ name: gang }'), read(2, '{ name: gang, enableJobOrder: false }, { name: drf }')]
    expect(before.table.rows.map(({ path, depth, isParent, settings }) => [path, depth, isParent, settings])).toEqual([['a', 0, true, { capability: 'cpu=4 memory=8Gi' }], ['a.b', 1, false, { weight: '1' }]])
    expect(compareQueues(before, after).changed).toEqual([
      { path: '', setting: 'plug-in gang', before: 'tier 1', after: 'tier 1 enableJobOrder=false' },
      { path: '', setting: 'plug-in drf', before: undefined, after: 'tier 1' },
      { path: 'a.b', setting: 'weight', before: '1', after: '2' },
    ])
  })

  it.each([
    [queue('a', '{ parent: b }'), '"volcano.yaml" line 4 spec.parent: names the queue "b", which is not there.'],
    [queue('a', '{ parent: a }'), '"volcano.yaml" line 4 spec.parent: queue "a" lies in itself: a around a.'],
    [`${queue('a', '{}')}---\n${queue('a', '{}')}`, '"volcano.yaml" line 8 metadata.name: queue "a" was declared before.'],
    [queue('a', '{ weight: 0 }'), '"volcano.yaml" line 4 spec.weight: found 0, expected a whole number above 0. Correct it, or leave it out for the default.'],
    [queue('a', '{ dequeueStrategy: fivo }'), 'found "fivo", expected traverse, fifo or priorityfifo. Did you mean "fifo"?'],
    [queue('a', '{ capability: { cpu: many } }'), 'spec.capability.cpu: found "many", expected a quantity'],
    [queue('a', '{}', 'status: { state: Ajar }\n'), 'status.state: found "Ajar", expected Open, Closed, Closing or Unknown. Write one of these.'],
    ['actions: allocat\ntiers: []\n', '"volcano.yaml" line 1 actions: no action is called "allocat". Did you mean "allocate"?'],
    ['actions: [enqueue, allocat]\ntiers: []\n', '"volcano.yaml" line 1 actions[1]: no action is called "allocat". Did you mean "allocate"?'],
    ['tiers: []\nactions: enqueue, backfill\n', '"volcano.yaml" line 2 actions: are without allocate: nothing ever starts. Add it.'],
    ['actions: allocate\ntiers:\n- plugins:\n  - name: gang\n- plugins:\n  - name: gang\n', '"volcano.yaml" line 6 tiers[1].plugins[0]: plug-in "gang" is there twice. Name each once.'],
    ['actions: allocate\ntiers:\n- plugins:\n  - name: proportion\n  - name: capacity\n', '"volcano.yaml" line 5 tiers[0].plugins[1]: the plug-ins proportion and capacity divide the cluster in different ways. Take one of them away.'],
    ['actions: []\ntiers: []\n', '"volcano.yaml" line 1 actions: found [], expected actions. Write them with commas'],
    ['actions: allocate\ntiers:\n- plugins:\n  - enableJobOrder: true\n', '"volcano.yaml" line 4 tiers[0].plugins[0]: is a plug-in without a name.'],
    ['actions: allocate\ntiers:\n- plugins:\n  - name: gang\n    enableJobOrder: maybe\n', '"volcano.yaml" line 5 tiers[0].plugins[0].enableJobOrder: found "maybe", expected true or false. Correct it, or leave it out for the default.'],
    ['actions: allocate\ntiers:\n- plugins:\n  - name: proportion\n  - name: drf\n    enableHierarchy: true\n', '"volcano.yaml" line 6 tiers[0].plugins[1].enableHierarchy: stands in one tier with proportion, and Volcano refuses that. Leave one of them out.'],
    ['actions: allocate\ntiers: gang\n', '"volcano.yaml" line 2 tiers: found "gang", expected a list. Write - before each element, or [] around them.'],
    [conf.replace('binpack.cpu: 5', 'binpack.cpu: much'), 'found "much", expected a number. Correct it, or leave it out for the default.'],
    [inMap.replace('1.5', 'much'), '"volcano.yaml" line 16 tiers[1].plugins[0].arguments.overcommit-factor: found "much", expected a number of at least 0.'],
    [inMap.replace('- plugins:', '- plugins: ['), '"volcano.yaml" line '],
    [inOneLine(conf.replace('1.5', 'much')), '"volcano.yaml" line 5 tiers[1].plugins[0].arguments.overcommit-factor: found "much", expected a number of at least 0.'],
    [inOneLine(conf.replace('- plugins:', '- plugins: [')), '"volcano.yaml" line 5 data.volcano-scheduler.conf: '],
    [`${inMap}---\n${conf}`, 'is a second configuration of the scheduler.'],
    [queue('a', '{}').replace('kind: Queue', 'kind: PodGroup'), 'has objects of Volcano, and neither a Queue nor the configuration of its scheduler.'],
  ])('are answered where they are wrong (%#)', (text, message) => {
    expect(messageOf(() => made(text))).toContain(message)
  })
})
