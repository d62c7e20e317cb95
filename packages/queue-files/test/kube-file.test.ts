import { queuePolicy, queueTable, readQueues, type KubePolicy } from '@sched/queue-files'
import { generalSettings } from '../src/queue-systems.js'
import { describe, expect, it } from 'vitest'
import { messageOf } from './message-of.js'

const read = (text: string) => readQueues({ file: 'config.yaml', text })
const policyOf = (text: string, resources: readonly string[] = ['cpu', 'mem', 'gpu']) =>
  queuePolicy(read(text), { resources, nodes: 3, heartbeat: false }) as KubePolicy
interface Placed {
  readonly 'kube-scheduler': { readonly placement: { readonly weighted: object } }
}
const placementOf = (text: string, resources?: readonly string[]) => (policyOf(text, resources).policy as unknown as Placed)['kube-scheduler'].placement.weighted
const told = (text: string, verdict: string) =>
  policyOf(text)
    .findings.filter((each) => each.verdict === verdict)
    .map(({ line, setting, value }) => `${line} ${setting} = ${value}`)

const head = 'apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n'
const full = `${head}leaderElection: { leaderElect: true }
percentageOfNodesToScore: 40
profiles:
- schedulerName: default-scheduler
  plugins:
    multiPoint: { enabled: [{ name: TaintToleration, weight: 2 }, { name: ImageLocality }, { name: InterPodAffinity, weight: 4 }] }
    score:
      disabled: [{ name: NodeResourcesBalancedAllocation }, { name: PodTopologySpread }]
      enabled: [{ name: NodeResourcesFit, weight: 5 }]
    filter: { disabled: [{ name: NodePorts }] }
  pluginConfig:
  - name: NodeResourcesFit
    args: { scoringStrategy: { type: MostAllocated, resources: [{ name: nvidia.com/gpu, weight: 3 }, { name: cpu }, { name: example.com/fpga, weight: 2 }] } }
  - name: DefaultPreemption
    args: { minCandidateNodesPercentage: 20, minCandidateNodesAbsolute: 7 }
- schedulerName: other
`
/** Weights of what jobs prefer, as kube-scheduler comes. */
const preferences = { 'inter-pod-affinity': 2, 'pod-topology-spread': 2, 'node-affinity': 2 }
const klass = (name: string, value: number, policy = '') =>
  `---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: { name: ${name} }\nvalue: ${value}\n${policy === '' ? '' : `preemptionPolicy: ${policy}\n`}`

describe('the configuration of kube-scheduler', () => {
  it('becomes its policy, with the scores of the first profile', () => {
    expect(policyOf(full).policy).toEqual({
      'kube-scheduler': {
        minCandidateNodesPercentage: 20,
        minCandidateNodesAbsolute: 7,
        placement: { weighted: { scores: { 'most-allocated': 5, 'taint-toleration': 2, 'inter-pod-affinity': 4, 'node-affinity': 2 }, resourceWeights: { cpu: 1, mem: 0, gpu: 3 }, percentageOfNodesToScore: 40 } },
      },
    })
    expect(told(full, 'honoured')).toEqual([
      '4 percentageOfNodesToScore = 40', '8 plugins.multiPoint.enabled = TaintToleration weight 2', '8 plugins.multiPoint.enabled = InterPodAffinity weight 4',
      '10 plugins.score.disabled = NodeResourcesBalancedAllocation', '10 plugins.score.disabled = PodTopologySpread', '11 plugins.score.enabled = NodeResourcesFit weight 5',
      '15 scoringStrategy = MostAllocated', '15 weight of nvidia.com/gpu = 3', '15 weight of cpu = 1', '17 minCandidateNodesPercentage = 20', '17 minCandidateNodesAbsolute = 7',
    ])
    expect(told(full, 'ignored')).toEqual([
      '3 leaderElection = ', '8 plugins.multiPoint.enabled = ImageLocality', '12 plugins.filter = ', '15 weight of example.com/fpga = 2', '18 profiles = 1 more',
    ])
  })

  it('has pods back off where it says how', () => {
    const backoffOf = (text: string) => policyOf(`${head}${text}`).options.backoff
    expect(backoffOf('')).toBe(undefined)
    expect(backoffOf('podInitialBackoffSeconds: 2\n')).toEqual({ podInitialBackoffSeconds: 2 })
    expect(backoffOf('podInitialBackoffSeconds: 20\npodMaxBackoffSeconds: 60\n')).toEqual({ podInitialBackoffSeconds: 20, podMaxBackoffSeconds: 60 })
    expect(told(`${head}podMaxBackoffSeconds: 30\n`, 'honoured')).toEqual(['3 podMaxBackoffSeconds = 30'])
  })

  it('is that of kube-scheduler as it comes where it says nothing', () => {
    expect(placementOf(head)).toEqual({ scores: { 'least-allocated': 1, 'balance-improvement': 1, 'taint-toleration': 3, ...preferences }, resourceWeights: { cpu: 1, mem: 1, gpu: 0 }, percentageOfNodesToScore: 0 })
    expect(placementOf(head, ['memory', 'cpu'])).toMatchObject({ resourceWeights: { memory: 1, cpu: 1 } })
    expect(placementOf(head, ['vcores'])).toMatchObject({ resourceWeights: {} })
  })

  it('takes a weight of 0 for none, which is 1, and no resources for CPUs and memory (SetDefaults_NodeResourcesFitArgs)', () => {
    const fit = (resources: string) => placementOf(`${head}profiles: [{ pluginConfig: [{ name: NodeResourcesFit, args: { scoringStrategy: { type: MostAllocated, resources: ${resources} } } }] }]\n`)
    expect([fit('[]'), fit('[{ name: cpu, weight: 0 }, { name: nvidia.com/gpu, weight: 100 }]')]).toMatchObject([
      { resourceWeights: { cpu: 1, mem: 1, gpu: 0 } }, { resourceWeights: { cpu: 1, mem: 0, gpu: 100 } },
    ])
  })

  it('may take a percentage of the candidates alone (ValidateDefaultPreemptionArgs)', () => {
    expect(policyOf(`${head}profiles: [{ pluginConfig: [{ name: DefaultPreemption, args: { minCandidateNodesAbsolute: 0 } }] }]\n`).options).toEqual({ minCandidateNodesAbsolute: 0 })
  })

  it.each<[string, string, object, boolean]>([
    ['all of a point', 'score: { disabled: [{ name: "*" }] }', {}, true],
    ['everything, and one again', 'multiPoint: { disabled: [{ name: "*" }] }, score: { enabled: [{ name: NodeResourcesBalancedAllocation, weight: 2 }] }', { 'balance-improvement': 2 }, false],
    ['preemption', 'postFilter: { disabled: [{ name: DefaultPreemption }] }', { 'least-allocated': 1, 'balance-improvement': 1, 'taint-toleration': 3, ...preferences }, false],
    ['preemption in one and not in the other', 'multiPoint: { disabled: [{ name: DefaultPreemption }] }, postFilter: { enabled: [{ name: DefaultPreemption }] }', { 'least-allocated': 1, 'balance-improvement': 1, 'taint-toleration': 3, ...preferences }, true],
  ])('switches off %s', (_, plugins, scores, preempts) => {
    const text = `${head}profiles: [{ plugins: { ${plugins} } }]\n`
    expect((placementOf(text) as { scores: object }).scores).toEqual(scores)
    expect(policyOf(text).options.preemption ?? true).toBe(preempts)
  })

  describe('with RequestedToCapacityRatio', () => {
    const shaped = (shape: string) => `${head}profiles: [{ pluginConfig: [{ name: NodeResourcesFit, args: { scoringStrategy: { type: RequestedToCapacityRatio, requestedToCapacityRatio: { shape: ${shape} } } } }] }]\n`

    it('scores nodes by its shape, in which 0 is left out', () => {
      const text = shaped('[{ utilization: 0, score: 10 }, { utilization: 40 }, { utilization: 100, score: 5 }]')
      expect(placementOf(text)).toMatchObject({ scores: { 'requested-to-capacity-ratio': 1, 'balance-improvement': 1 }, shape: [{ utilization: 0, score: 10 }, { utilization: 40, score: 0 }, { utilization: 100, score: 5 }] })
      expect(told(text, 'honoured')).toEqual(['3 scoringStrategy = RequestedToCapacityRatio'])
    })

    it.each([
      ['no points', '[]', 'shape: found [], expected points such as'],
      ['a score above 10', '[{ utilization: 0, score: 11 }]', 'shape[0].score: found 11, expected a whole number from 0 to 10.'],
      ['a utilization above 100', '[{ utilization: 101, score: 1 }]', 'shape[0].utilization: found 101, expected a whole number from 0 to 100.'],
      ['a utilization twice', '[{ utilization: 50, score: 1 }, { utilization: 50, score: 2 }]', 'shape[1].utilization: found 50, expected more than that of the point before, 50.'],
    ])('refuses %s (TestValidateRequestedToCapacityRatioScoringStrategy)', (_, shape, expected) => {
      expect(messageOf(() => policyOf(shaped(shape)))).toContain(expected)
    })
  })

  it('balances CPUs and memory whatever the strategy counts, or what NodeResourcesBalancedAllocation names (SetDefaults_NodeResourcesBalancedAllocationArgs)', () => {
    const args = (fit: string, balanced = '') => `${head}profiles: [{ pluginConfig: [{ name: NodeResourcesFit, args: { scoringStrategy: { type: MostAllocated, resources: [${fit}] } } }${balanced}] }]\n`
    const own = (resources: string) => `, { name: NodeResourcesBalancedAllocation, args: { resources: [${resources}] } }`
    const [gpu, all] = ['{ name: nvidia.com/gpu, weight: 5 }', '{ name: cpu }, { name: memory }']
    const balanced = (text: string) => (placementOf(text) as { resourceWeightsOf?: Record<string, object> }).resourceWeightsOf?.['balance-improvement']
    expect([args(all), args(`${all}, ${gpu}`), args(gpu), args(all, own('{ name: cpu, weight: 1 }')), args(all, own('{ name: cpu }, { name: memory }')), args(all, own(''))].map(balanced)).toEqual([
      undefined, { cpu: 1, mem: 1, gpu: 0 }, { cpu: 1, mem: 1, gpu: 0 }, { cpu: 1, mem: 0, gpu: 0 }, undefined, undefined,
    ])
    expect(placementOf(args(all, own('{ name: example.com/fpga }')))).toMatchObject({ scores: { 'most-allocated': 1 } })
    expect(placementOf(args(all, own('{ name: example.com/fpga }')))).not.toHaveProperty('scores.balance-improvement') // all nodes would score the same
    expect(told(args(all, own('{ name: cpu }, { name: example.com/fpga }')), 'ignored')).toEqual(['3 balance of example.com/fpga = '])
    expect(messageOf(() => policyOf(args(all, own('{ name: cpu, weight: 2 }'))))).toContain('weight: found 2, expected 1, as kube-scheduler wants it.')
  })

  it('has classes from a file beside it', () => {
    const { options, findings } = queuePolicy(readQueues({ file: 'config.yaml', text: head }, { file: 'classes.yaml', text: klass('polite', 500, 'Never') }), { resources: ['cpu'], nodes: 1, heartbeat: false }) as KubePolicy
    expect([options, findings.map(({ file, line }) => `${file} ${line}`)]).toEqual([{ never: [500] }, ['classes.yaml 6']])
  })

  it('tells resources that nodes need not have there', () => {
    expect(told(`${head}profiles: [{ pluginConfig: [{ name: NodeResourcesFit, args: { ignoredResources: [nvidia.com/gpu], ignoredResourceGroups: [example.com] } }] }]\n`, 'ignored')).toEqual(['3 NodeResourcesFit ignoredResources = ', '3 NodeResourcesFit ignoredResourceGroups = '])
  })

  it('has the priorities of classes that preempt nobody, alone or beside it', () => {
    const classes = `${klass('high', 1000)}${klass('polite', 500, 'Never')}${klass('shared', 100, 'Never')}${klass('other', 100, 'PreemptLowerPriority')}`
    expect(policyOf(classes).policy).toEqual({ 'kube-scheduler': { never: [500, 100] } })
    expect(policyOf(head + classes).options).toEqual({ never: [500, 100] })
    expect(told(classes, 'honoured')).toEqual(['11 polite preemptionPolicy = Never'])
    expect(told(classes, 'approximated')).toEqual(['17 shared preemptionPolicy = Never'])
    expect(queueTable(read(classes)).rows.map(({ path, settings }) => [path, settings['value']])).toEqual([['high', '1000'], ['polite', '500'], ['other', '100'], ['shared', '100']])
  })

  describe('with PodDisruptionBudgets', () => {
    const budget = (name: string, spec: string, namespace = 'ml') => `---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: { name: ${name}, namespace: ${namespace} }\nspec: ${spec}\n`
    const web = budget('web', '{ minAvailable: 2, selector: { matchLabels: { app: web } } }')

    it('has their amounts, for the pods of their namespaces that they select', () => {
      const all = web + budget('half', '{ maxUnavailable: 50%, selector: { matchExpressions: [{ key: tier, operator: In, values: [a, b] }, { key: old, operator: DoesNotExist }] } }')
        + budget('every', '{ selector: {} }', 'ops') + budget('nobody', '{ maxUnavailable: 1 }')
      const disruptionBudgets = [
        { of: { tags: { app: 'web' }, users: ['ml'] }, minAvailable: 2 },
        { of: { matchExpressions: [{ key: 'tier', operator: 'In', values: ['a', 'b'] }, { key: 'old', operator: 'DoesNotExist' }], users: ['ml'] }, maxUnavailable: '50%' },
        { of: { users: ['ops'] }, maxUnavailable: 0 },
      ]
      expect([policyOf(all).policy, policyOf(head + all).options]).toEqual([{ 'kube-scheduler': { disruptionBudgets } }, { disruptionBudgets }])
      expect(told(all, 'honoured')).toEqual(['4 web disruption budget = minAvailable 2', '9 half disruption budget = maxUnavailable 50%', '14 every disruption budget = maxUnavailable 0'])
      expect(told(all, 'ignored')).toEqual(['19 nobody disruption budget = maxUnavailable 1'])
    })

    it('selects no pods with a selector of null, and counts an amount of null as not given', () => {
      const all = budget('none', '{ minAvailable: 2, selector: }') + budget('one', '{ minAvailable: null, maxUnavailable: 1, selector: {} }')
      expect(policyOf(all).options).toEqual({ disruptionBudgets: [{ of: { users: ['ml'] }, maxUnavailable: 1 }] })
      expect(told(all, 'ignored')).toEqual(['4 none disruption budget = minAvailable 2'])
    })

    it('tells of them and of others in the order of the lines, also without a configuration', () => {
      const all = budget('web', '{ minAvailable: 2, selector: {} }') + klass('never', 5, 'Never') + budget('db', '{ minAvailable: 1, selector: {} }')
      const lines = policyOf(all).findings.map(({ line }) => line)
      expect(lines).toHaveLength(3)
      expect(lines).toEqual([...lines].sort((a, b) => a - b))
    })

    it.each([
      ['both amounts', '{ minAvailable: 1, maxUnavailable: 1, selector: {} }', 'maxUnavailable: found 1, expected nothing beside `minAvailable`'],
      ['no amount', '{ minAvailable: half, selector: {} }', 'minAvailable: found "half", expected a number of pods or a percentage such as "50%"'],
      ['an operator that there is not', '{ selector: { matchExpressions: [{ key: a, operator: Gt }] } }', 'operator: found "Gt", expected In, NotIn, Exists or DoesNotExist. Write one of these.'],
    ])('refuses %s', (_, spec, expected) => {
      expect(messageOf(() => policyOf(budget('bad', spec)))).toContain(expected)
    })
  })

  it('tells its settings by path', () => {
    expect(generalSettings(read(full))).toMatchObject({ percentageOfNodesToScore: '40', 'profiles[0].plugins.score.enabled[0].weight': '5' })
  })

  const args = (name: string, given: string) => `${head}profiles: [{ pluginConfig: [{ name: ${name}, args: ${given} }] }]\n`
  /** A constraint of which these fields are others; fields written later count. */
  const spread = (change: string) => args('PodTopologySpread', `{ defaultingType: List, defaultConstraints: [{ ${['maxSkew: 1', 'topologyKey: node', 'whenUnsatisfiable: DoNotSchedule'].filter((each) => !change.startsWith(each.split(':')[0] as string)).join(', ')}, ${change} }] }`)
  it('may have such as kube-scheduler takes', () => {
    const taken = [spread('maxSkew: 2'), args('InterPodAffinity', '{ hardPodAffinityWeight: 10 }'), args('NodeResourcesFit', '{ ignoredResources: [example.com/foo], ignoredResourceGroups: [example.com] }'), `${head}parallelism: 8\nprofiles: [{ schedulerName: me }, { schedulerName: other }]\n`]
    expect(taken.map((text) => messageOf(() => policyOf(text)))).toEqual(taken.map(() => 'no error'))
  })

  it.each<[string, string, string]>([
    ['a second one', `${head}---\n${head}`, '"config.yaml" line 4: is a second KubeSchedulerConfiguration.'],
    ['a class twice', `${klass('a', 1)}${klass('a', 2)}`, 'PriorityClass "a" was declared before.'],
    ['a class without a value', klass('a', 1).replace('value: 1', 'value: many'), 'found "many", expected a whole number.'],
    ['a policy that is none', klass('a', 1, 'Sometimes'), 'found "Sometimes", expected Never or PreemptLowerPriority.'],
    ['percentages that are none', `${head}percentageOfNodesToScore: 140\n`, 'found 140, expected a whole number from 0 to 100.'],
    ['a strategy that is none', `${head}profiles: [{ pluginConfig: [{ name: NodeResourcesFit, args: { scoringStrategy: { type: Best } } }] }]\n`, 'found "Best", expected LeastAllocated, MostAllocated or RequestedToCapacityRatio.'],
    ['no candidates', `${head}profiles: [{ pluginConfig: [{ name: DefaultPreemption, args: { minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0 } }] }]\n`, 'found 0, expected a whole number from 1 on beside a percentage of 0.'],
    ['a weight that is none', `${head}profiles: [{ pluginConfig: [{ name: NodeResourcesFit, args: { scoringStrategy: { resources: [{ name: cpu, weight: 101 }] } } }] }]\n`, 'found 101, expected a whole number from 0 to 100.'],
    // of validation_test.go and validation_pluginargs_test.go
    ['no threads', `${head}parallelism: 0\n`, 'parallelism: found 0, expected a whole number from 1 on.'],
    ['waiting times that shrink', `${head}podInitialBackoffSeconds: 10\npodMaxBackoffSeconds: 1\n`, 'podMaxBackoffSeconds: found 1, expected a whole number from 10 on.'],
    ['a first waiting time above the longest', `${head}podInitialBackoffSeconds: 11\n`, 'podInitialBackoffSeconds: found 11, expected at most 10, the default of podMaxBackoffSeconds. Give podMaxBackoffSeconds, too.'],
    ['profiles of one name', `${head}profiles: [{ schedulerName: me }, { schedulerName: me }]\n`, 'profiles[1].schedulerName: profile "me" was given before. Give every one once.'],
    ['a profile without a name', `${head}profiles: [{ schedulerName: me }, {}]\n`, 'profiles[1]: has no schedulerName, beside others.'],
    ['profiles that sort otherwise', `${head}profiles: [{ schedulerName: me, plugins: { queueSort: { enabled: [{ name: CustomSort }] } } }, { schedulerName: other }]\n`, 'profiles[1]: has other queueSort plug-ins than the first one'],
    ['a plug-in twice', `${head}profiles: [{ plugins: { score: { enabled: [{ name: NodeResourcesFit, weight: 2 }, { name: NodeResourcesFit, weight: 3 }] } } }]\n`, 'plug-in "NodeResourcesFit" was given before.'],
    ['arguments twice', `${head}profiles: [{ pluginConfig: [{ name: InterPodAffinity }, { name: InterPodAffinity }] }]\n`, 'profiles[0].pluginConfig[1]: configuration of "InterPodAffinity" was given before.'],
    ['extenders that both bind', `${head}extenders: [{ bindVerb: a }, { bindVerb: b }]\n`, 'extenders[1].bindVerb: binds pods beside another one.'],
    ['an extender without a weight', `${head}extenders: [{ prioritizeVerb: a, weight: -1 }]\n`, 'extenders[0].weight: found -1, expected a whole number from 1 on.'],
    ['a weight of affinities', args('InterPodAffinity', '{ hardPodAffinityWeight: 101 }'), 'args.hardPodAffinityWeight: found 101, expected a whole number from 0 to 100.'],
    ['resources that none are', args('NodeResourcesFit', '{ ignoredResources: ["@foo"] }'), 'args.ignoredResources[0]: found "@foo", expected a resource.'],
    ['groups of resources with a slash', args('NodeResourcesFit', '{ ignoredResourceGroups: [example.com/foo] }'), 'args.ignoredResourceGroups[0]: found "example.com/foo", expected what stands before the slash of resources.'],
    ['a resource twice', args('NodeResourcesBalancedAllocation', '{ resources: [{ name: cpu, weight: 1 }, { name: cpu, weight: 1 }] }'), 'resource "cpu" was given before.'],
    ['a skew of 0', spread('maxSkew: 0'), 'args.defaultConstraints[0].maxSkew: found 0, expected a whole number from 1 on.'],
    ['spreading over nothing', spread('topologyKey: ""'), 'defaultConstraints[0].topologyKey: found "", expected a label of nodes.'],
    ['spreading that is neither', spread('whenUnsatisfiable: unknown action'), 'whenUnsatisfiable: found "unknown action", expected DoNotSchedule or ScheduleAnyway.'],
    ['spreading of its own pods', spread('labelSelector: { matchLabels: { a: b } }'), 'defaultConstraints[0].labelSelector: found {"matchLabels":{"a":"b"}}, expected none, since it is that of each pod.'],
    ['spreading twice', spread('maxSkew: 1 }, { maxSkew: 2, topologyKey: node, whenUnsatisfiable: DoNotSchedule'), 'defaultConstraints[1]: a constraint of "node DoNotSchedule" was given before.'],
    ['spreading beside that of the system', spread('maxSkew: 1').replace('List', 'System'), 'args.defaultConstraints: stand without defaultingType: List.'],
    ['plug-ins that are no list', `${head}profiles: [{ plugins: { score: { enabled: NodeResourcesFit } } }]\n`, 'found "NodeResourcesFit", expected a list.'],
  ])('is refused with %s', (_, text, message) => {
    expect(messageOf(() => policyOf(text))).toContain(message)
  })
})
