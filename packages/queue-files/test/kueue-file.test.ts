import { describe, expect, it } from 'vitest'
import { compareQueues, queuePolicy, queueTable, readQueues, type ClusterFacts, type KueuePolicy } from '../src/index.js'
import { placeInKueue } from '../src/kueue/place-jobs.js'
import { messageOf } from './message-of.js'

const facts: ClusterFacts = { resources: ['cpu', 'mem', 'gpu'], nodes: 1, heartbeat: false }
/** The resources that lines of a flavor name. */
const namesIn = (lines: readonly string[]): string => [...new Set(lines.flatMap((line) => [...line.matchAll(/name: ([^ ,}]+)/g)].map(([, name]) => name)))].join(', ')
/** A ClusterQueue of line `at` with 8 CPUs and 32 GiB, and further lines of its spec. */
const queue = (name: string, spec: readonly string[] = [], resources = ['{ name: cpu, nominalQuota: 8 }', '{ name: memory, nominalQuota: 32Gi }']) => [
  'apiVersion: kueue.x-k8s.io/v1beta1', 'kind: ClusterQueue', `metadata: { name: ${name} }`, 'spec:', ...spec.map((line) => `  ${line}`),
  '  resourceGroups:', `  - coveredResources: [${namesIn(resources)}]`, '    flavors:', '    - name: default', '      resources:', ...resources.map((each) => `      - ${each}`),
].join('\n')
const object = (kind: string, name: string, spec: string) => `apiVersion: kueue.x-k8s.io/v1beta1\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: ${spec}`
const file = (...objects: string[]) => ({ file: 'kueue.yaml', text: objects.join('\n---\n') })
const made = (objects: readonly string[], cluster = facts) => {
  const policy = queuePolicy(readQueues(file(...objects)), cluster)
  if (policy.kind !== 'kueue') throw new Error('of another kind')
  return policy
}
/** Without those of what a queue leaves out. */
const told = <T extends { readonly setting: string }>(findings: readonly T[]): T[] => findings.filter(({ setting }) => !setting.endsWith(' namespaceSelector'))
const options = (...objects: string[]) => made(objects).options as Record<string, never>
const message = (...objects: string[]) => messageOf(() => made(objects))

describe('manifests of Kueue', () => {
  it('are the queues of the policy, in millicores, MiB and thousandths of GPUs; what a queue does not cover it does not admit', () => {
    expect(made([queue('a', ['cohort: all', 'queueingStrategy: StrictFIFO'], ['{ name: cpu, nominalQuota: 1500m, borrowingLimit: 4, lendingLimit: 1 }', '{ name: nvidia.com/gpu, nominalQuota: "2" }'])]).policy).toEqual({
      kueue: {
        queues: { a: { cohort: 'all', queueingStrategy: 'StrictFIFO', nominalQuota: { cpu: 1500, mem: 0, gpu: 2000 }, borrowingLimit: { cpu: 4000 }, lendingLimit: { cpu: 1000 } } },
        defaults: { nominalQuota: { cpu: 0, mem: 0, gpu: 0 } },
        partialAdmission: true,
      },
    })
  })

  it('say which quota is more than all nodes have together: they count in other units, then', () => {
    const { findings } = made([queue('a')], { ...facts, totals: { cpu: 160, mem: 65_536, gpu: 0 } })
    expect(told(findings).map(({ setting, verdict, note }) => [setting, verdict, note])).toEqual([
      ['a nominalQuota of cpu', 'honoured', 'more than all nodes have together, 160 cpu; it counts in millicores'], ['a nominalQuota of memory', 'honoured', ''],
    ])
    expect(made([queue('a')], { ...facts, resources: ['cpu', 'memory'] }).findings[2]).toMatchObject({ verdict: 'ignored', note: 'the cluster has no mem (in MiB)' })
  })

  it('have flavors of their own by resource group, where flavors are told apart; what no group covers is not admitted', () => {
    const flavors = [object('ResourceFlavor', 'default', '{ nodeLabels: { type: spot } }'), object('ResourceFlavor', 'a100', '{ nodeLabels: { model: a100 } }')]
    const grouped = (...covered: string[]) => `${queue('a', [], covered)}\n  - coveredResources: [nvidia.com/gpu]\n    flavors: [{ name: a100, resources: [{ name: nvidia.com/gpu, nominalQuota: 1 }] }]`
    const nominalQuota = { default: { cpu: 8000, mem: 0 }, a100: { gpu: 1000 } }
    expect(options(...flavors, grouped('{ name: cpu, nominalQuota: 8 }'))['queues']).toEqual({ a: { nominalQuota, resourceGroups: [['cpu'], ['gpu']] } })
    const withoutGpus = made([...flavors, grouped('{ name: cpu, nominalQuota: 8 }')], { ...facts, resources: ['cpu', 'mem'] })
    expect(withoutGpus.options.queues).toEqual({ a: { nominalQuota: { default: { cpu: 8000, mem: 0 } } } })
    const aside = grouped('{ name: ephemeral-storage, nominalQuota: 8Gi }') // nothing is known of it: one group is left
    expect(options(...flavors, aside)['queues']).toEqual({ a: { nominalQuota: { a100: { cpu: 0, mem: 0, gpu: 1000 } } } })
  })

  it('place jobs by the Topology that a flavor names, with the profile of the gates that are open', () => {
    const topology = object('Topology', 'network', '{ levels: [{ nodeLabel: block }, { nodeLabel: rack }] }')
    const flavor = (name: string) => object('ResourceFlavor', 'default', `{ nodeLabels: { pool: a }, topologyName: ${name} }`)
    const gates = (text: string) => `apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nfeatureGates: ${text}`
    const of = (...objects: readonly string[]) => {
      const { policy, findings } = made([...objects, queue('a')], { ...facts, racks: 4 })
      return [(policy as Record<string, Record<string, unknown>>)['kueue']?.['placement'], ...findings.filter(({ setting }) => /opology|featureGates/.test(setting)).map(({ setting, verdict, note }) => `${setting}: ${verdict} ${note}`.trim())]
    }
    const both = ['default topologyName: honoured', 'Topology network: honoured']
    expect(of(flavor('network'), topology)).toEqual([{ 'topology-aware': { profile: 'mixed' } }, ...both])
    const profiles = ['TASProfileMixed: false', 'TASProfileLeastFreeCapacity: true', 'TASProfileMostFreeCapacity: true, TopologyAwareScheduling: true', 'TASBalancedPlacement: true']
    expect(profiles.map((gate) => of(flavor('network'), topology, gates(`{ ${gate} }`))[0])).toEqual(['best-fit', 'least-free-capacity', 'most-free-capacity', 'balanced'].map((profile) => ({ 'topology-aware': { profile } })))
    expect(of(flavor('network'), topology, gates('{ TopologyAwareScheduling: false }')).slice(0, 2)).toEqual([undefined, 'default topologyName: ignored the gate TopologyAwareScheduling is closed'])
    expect(of(flavor('other'), topology)).toEqual([undefined, 'default topologyName: ignored the file has no Topology of this name', 'Topology network: ignored no ResourceFlavor names it'])
    expect(made([flavor('network'), topology, queue('a')]).findings.find(({ setting }) => setting === 'Topology network')?.note).toContain('the nodes here stand in no racks')
  })

  it('have preemption, fungibility, weights and the mode of admission; names of v1beta2 too', () => {
    const spec = [
      'cohortName: all', 'preemption: { withinClusterQueue: LowerPriority, reclaimWithinCohort: Any, borrowWithinCohort: { policy: LowerPriority, maxPriorityThreshold: 100 } }',
      'flavorFungibility: { whenCanBorrow: TryNextFlavor, whenCanPreempt: Preempt }', 'fairSharing: { weight: "0.5" }', 'admissionScope: { admissionMode: UsageBasedAdmissionFairSharing }',
    ]
    const config = 'apiVersion: config.kueue.x-k8s.io/v1beta1\nkind: Configuration\nfairSharing: { enable: true, preemptionStrategies: [LessThanInitialShare] }\nadmissionFairSharing: {}\nwaitForPodsReady: { enable: true }'
    expect(options(queue('a', spec), object('Cohort', 'all', '{ parentName: company, fairSharing: { weight: 2 } }'), config)).toMatchObject({
      queues: {
        a: {
          cohort: 'all', preemption: { withinClusterQueue: 'LowerPriority', reclaimWithinCohort: 'Any', borrowWithinCohort: {} },
          flavorFungibility: { whenCanBorrow: 'TryNextFlavor', whenCanPreempt: 'Preempt' }, weight: 0.5, admissionMode: 'UsageBasedAdmissionFairSharing', nominalQuota: { cpu: 8000, mem: 32_768, gpu: 0 },
        },
      },
      cohorts: { all: { parent: 'company', weight: 2 } },
      fairSharing: { preemptionStrategies: ['LessThanInitialShare'] },
    })
  })

  it('have no weights without fair sharing, and say so', () => {
    const weighted = queue('a', ['fairSharing: { weight: 2 }'])
    for (const [config, expected] of [['', ['ignored', 'fair sharing is off: a Configuration with `fairSharing` turns it on']], ['{ enable: false }', ['ignored', expect.anything()]], ['{ enable: true }', ['honoured', '']]] as const) {
      const { findings } = made([weighted, ...(config === '' ? [] : [`apiVersion: config.kueue.x-k8s.io/v1beta1\nkind: Configuration\nfairSharing: ${config}`])])
      expect(findings.filter(({ setting }) => setting === 'a fairSharing.weight').map(({ verdict, note }) => [verdict, note])).toEqual([expected])
    }
  })

  it('are shared fairly where a Configuration says so: in v1beta1 by `enable`, in v1beta2 by saying anything', () => {
    const of = (version: string, sharing: string) => made([queue('a'), `apiVersion: config.kueue.x-k8s.io/${version}\nkind: Configuration\nfairSharing: ${sharing}`])
    const strategies = '{ preemptionStrategies: [LessThanInitialShare] }'
    expect([of('v1beta1', strategies), of('v1beta2', strategies), of('v1beta2', '{}'), of('v1beta2', '')].map(({ options: { fairSharing } }) => fairSharing)).toEqual([
      undefined, { preemptionStrategies: ['LessThanInitialShare'] }, true, undefined,
    ])
    expect(of('v1beta1', strategies).findings.find(({ setting }) => setting === 'fairSharing')?.note).toBe('off: v1beta1 wants `enable: true`')
  })

  it('bring further workloads into a running cycle with the gate FairSharingRefill', () => {
    const of = (sharing: string, gate: string) => made([queue('a'), configuration('v1beta2', `fairSharing: ${sharing}`, `featureGates: { FairSharingRefill: ${gate} }`)])
    expect([of('{}', 'true'), of('{ preemptionStrategies: [LessThanInitialShare] }', 'true'), of('{}', 'false'), of('{ enable: false }', 'true')].map(({ options: { fairSharing } }) => fairSharing)).toEqual([
      { refill: 8 }, { preemptionStrategies: ['LessThanInitialShare'], refill: 8 }, true, undefined,
    ])
    const told = ({ findings }: ReturnType<typeof of>) => findings.filter(({ setting }) => setting.startsWith('featureGates')).map(({ verdict, setting, note }) => [verdict, setting, note])
    expect([of('{}', 'true'), of('{}', 'false'), of('{ enable: false }', 'true')].map(told)).toEqual([[['honoured', 'featureGates.FairSharingRefill', '']], [], [['ignored', 'featureGates.FairSharingRefill', 'fair sharing is off']]])
  })

  it.each<[string, unknown]>([
    ['[LessThanOrEqualToFinalShare]', { preemptionStrategies: ['LessThanOrEqualToFinalShare'] }],
    ['[LessThanOrEqualToFinalShare, LessThanInitialShare]', { preemptionStrategies: ['LessThanOrEqualToFinalShare', 'LessThanInitialShare'] }],
    ['[]', true], // both, as where none is given
    ...[['[UNKNOWN]', '["UNKNOWN"]'], ['[LessThanInitialShare, LessThanOrEqualToFinalShare]', '["LessThanInitialShare","LessThanOrEqualToFinalShare"]'], ['[LessThanInitialShare, LessThanInitialShare]', '["LessThanInitialShare","LessThanInitialShare"]']].map(([given, found]): [string, unknown] =>
      [given as string, `"kueue.yaml" line 15 fairSharing.preemptionStrategies: found ${found}, expected [LessThanOrEqualToFinalShare] or [LessThanInitialShare] or [LessThanOrEqualToFinalShare, LessThanInitialShare]. Write one of these lists, or leave it out.`]),
    ['LessThanInitialShare', '"kueue.yaml" line 15 fairSharing.preemptionStrategies: found "LessThanInitialShare", expected a list. Write - before each element, or [] around them.'],
  ])('are shared by strategies in the order that Kueue takes, and by no others: %s (TestValidate of its configuration)', (given, expected) => {
    const objects = [queue('a'), `apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nfairSharing: { preemptionStrategies: ${given} }`]
    expect(typeof expected === 'string' ? message(...objects) : made(objects).options.fairSharing).toEqual(expected)
  })

  const configuration = (version: string, ...settings: string[]) => [`apiVersion: config.kueue.x-k8s.io/${version}`, 'kind: Configuration', ...settings].join('\n')

  it.each([
    ['waitForPodsReady: { enable: true, timeout: -1s }', 'waitForPodsReady.timeout: found "-1s", expected a duration such as 5m30s. Correct it, or leave it out for the default.'],
    ['waitForPodsReady: { enable: true, recoveryTimeout: -1s }', 'waitForPodsReady.recoveryTimeout: found "-1s", expected a duration such as 5m30s. Correct it, or leave it out for the default.'],
    ['waitForPodsReady: { enable: true, requeuingStrategy: { timestamp: NoSupported } }', 'waitForPodsReady.requeuingStrategy.timestamp: found "NoSupported", expected Creation or Eviction. Write one of these.'],
    ...['backoffLimitCount', 'backoffBaseSeconds', 'backoffMaxSeconds'].map((name) => [`waitForPodsReady: { enable: true, requeuingStrategy: { ${name}: -1 } }`, `waitForPodsReady.requeuingStrategy.${name}: found -1, expected a whole number from 0 on. Correct it, or leave it out for the default.`]),
    ['resources: { transformations: [{ input: example.com/mig, strategy: invalid }] }', 'resources.transformations[0].strategy: found "invalid", expected Retain or Replace. Write one of these.'],
    ['resources: { transformations: [{ input: example.com/mig, strategy: Retain }, { input: example.com/mig, strategy: Replace }] }', 'resources.transformations[1].input: resource "example.com/mig" was given before. Give every one once.'],
    ['managedJobsNamespaceSelector: { matchExpressions: [{ key: team, operator: BadOperator, values: [a] }] }', 'managedJobsNamespaceSelector.matchExpressions[0].operator: found "BadOperator", expected In, NotIn, Exists or DoesNotExist. Write one of these.'],
    ...[['{}', 'kube-system'], ['{ matchLabels: { kubernetes.io/metadata.name: kube-system } }', 'kube-system'], ['{ matchExpressions: [{ key: kubernetes.io/metadata.name, operator: NotIn, values: [kube-system] }] }', 'kueue-system']].map(([selector, name]) =>
      [`integrations: { frameworks: [pod] }\nmanagedJobsNamespaceSelector: ${selector}`, `managedJobsNamespaceSelector: selects the namespace "${name}", which Kueue refuses with the framework pod. Leave it out: { key: kubernetes.io/metadata.name, operator: NotIn, values: [${name}] }`]),
  ])('are not read beside a Configuration with which Kueue does not start: %s (TestValidate of its configuration)', (setting = '', expected) => {
    const line = setting.includes('\n') ? 16 : 15
    expect(message(queue('a'), configuration('v1beta1', setting))).toBe(`"kueue.yaml" line ${line} ${expected}`)
  })

  it.each([
    'waitForPodsReady: { enable: false, timeout: -1s }', 'waitForPodsReady: { timeout: -1s }', 'waitForPodsReady: { enable: true, timeout: 5m, requeuingStrategy: { timestamp: Creation, backoffLimitCount: null } }',
    'resources: { excludeResourcePrefixes: [example.com], transformations: [{ input: example.com/a, strategy: Replace }, { input: example.com/b }] }',
    'managedJobsNamespaceSelector: {}', 'integrations: { frameworks: [pod] }\nmanagedJobsNamespaceSelector: { matchExpressions: [{ key: kubernetes.io/metadata.name, operator: NotIn, values: [kube-system, kueue-system] }] }',
    'integrations: { frameworks: [pod] }\nmanagedJobsNamespaceSelector: { matchLabels: { team: a } }',
  ])('are read beside a Configuration with which it starts: %s', (setting) => {
    expect(made([queue('a'), configuration('v1beta1', setting)]).findings.filter(({ line = 0 }) => line >= 15).map(({ verdict }) => verdict)).not.toContain('honoured')
  })

  it('may call a flavor as what all objects of JavaScript know', () => {
    const flavor = object('ResourceFlavor', 'constructor', '{ nodeLabels: { type: spot } }')
    expect(options(flavor, queue('a').replace('name: default', 'name: constructor'))['queues']).toEqual({ a: { nominalQuota: { constructor: { cpu: 8000, mem: 32_768, gpu: 0 } } } })
    expect(Object).not.toHaveProperty('cpu')
  })

  const heroes = (...rules: string[]) => ['apiVersion: kueue.x-k8s.io/v1alpha1', 'kind: PreemptionConfig', 'metadata: { name: heroes }', 'spec:', '  rules:', ...rules.map((each) => `  - ${each}`)].join('\n')
  const uses = queue('a').replace('metadata: { name: a }', "metadata: { name: a, labels: { tier: vital }, annotations: { kueue.x-k8s.io/preemption-config-name: heroes } }")
  const opened = configuration('v1beta2', 'featureGates: { ConfigurablePreemptions: true }', 'integrations: { labelKeysToCopy: [nodes] }')

  it('have the rules of PreemptionConfigs, if the gate is open', () => {
    const rule = '{ name: all, activationPolicy: { trigger: InsufficientQuota }, preemptorSelector: { matchLabels: { nodes: "8" } }, candidateSelectors: [{ scope: WithinCohortTree, priority: { mode: Base, comparison: LessThan }, clusterQueueSelector: { matchExpressions: [{ key: tier, operator: NotIn, values: [vital] }] }, numericLabels: [{ key: nodes, comparison: LessThan, fallbackValue: -1, maxValue: 4 }] }] }'
    const found = made([uses, heroes(rule), opened])
    expect(found.options).toMatchObject({
      queues: { a: { preemptionConfig: 'heroes', labels: { tier: 'vital' } } },
      labelKeysToCopy: ['nodes'],
      preemptionConfigs: { heroes: { rules: [{
        name: 'all', activationPolicy: { trigger: 'InsufficientQuota' }, preemptorSelector: { matchLabels: { nodes: '8' } },
        candidateSelectors: [{ scope: 'WithinCohortTree', priority: { mode: 'Base', comparison: 'LessThan' }, clusterQueueSelector: { matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['vital'] }] }, numericLabels: [{ key: 'nodes', comparison: 'LessThan', fallbackValue: -1, maxValue: 4 }] }],
      }] } },
    })
    const said = ({ findings }: typeof found) => told(findings).filter(({ setting }) => /onfig|labelKeys/.test(setting)).map(({ verdict, setting, value, note }) => [verdict, setting, value, note])
    expect(said(found)).toEqual([
      ['honoured', 'a kueue.x-k8s.io/preemption-config-name', 'heroes', ''], ['honoured', 'PreemptionConfig heroes rule', 'all', ''],
      ['honoured', 'featureGates.ConfigurablePreemptions', 'true', ''], ['honoured', 'integrations.labelKeysToCopy', 'nodes', ''],
    ])
    const off = 'off: `featureGates: { ConfigurablePreemptions: true }` turns it on'
    const closed = made([uses, heroes(rule)])
    expect(said(closed)).toEqual([['ignored', 'a kueue.x-k8s.io/preemption-config-name', 'heroes', off], ['ignored', 'PreemptionConfig heroes rule', 'all', off]])
    expect(closed.options).toEqual(options(queue('a')))
    expect(said(made([uses, opened]))[0]).toEqual(['ignored', 'a kueue.x-k8s.io/preemption-config-name', 'heroes', 'no PreemptionConfig has this name: it has no rules'])
  })

  it('say which rules of PreemptionConfigs see no workload, and go by priority classes', () => {
    const [by, to] = ['{ activationPolicy: { trigger: Always }, candidateSelectors: [{ scope: AnyClusterQueue', '}] }']
    const { options: found, findings } = made([uses, opened, heroes(`${by}, labelSelector: { matchLabels: { team: a } }${to}`, `${by}, priority: { matchNames: [low] }${to}`, `{ activationPolicy: { trigger: Always }, preemptorPriorityClassSelector: { matchNames: [low] } }`)])
    expect(findings.filter(({ setting }) => setting.endsWith(' rule')).map(({ verdict, value, note }) => [verdict, value, note])).toEqual([
      ['honoured', '0', 'no workload has the label team: put it into integrations.labelKeysToCopy'], ['honoured', '1', ''], ['honoured', '2', ''],
    ])
    const [, ofCandidates, ofPreemptors] = found.preemptionConfigs?.['heroes']?.rules ?? []
    expect([ofCandidates?.candidateSelectors?.[0]?.priority, ofPreemptors?.preemptorPriorityClassSelector]).toEqual([{ matchNames: ['low'] }, { matchNames: ['low'] }])
  })

  it.each([
    ['{ activationPolicy: { trigger: Sometimes } }', 'spec.rules[0].activationPolicy.trigger'],
    ['{ activationPolicy: { trigger: Always }, candidateSelectors: [{ scope: Near }] }', 'spec.rules[0].candidateSelectors[0].scope'],
    ['{ activationPolicy: { trigger: Always }, candidateSelectors: [{ scope: AnyClusterQueue, priority: { mode: Base } }] }', 'candidateSelectors[0].priority.comparison'],
    ['{ activationPolicy: { trigger: Always }, candidateSelectors: [{ scope: AnyClusterQueue, numericLabels: [{ comparison: LessThan }] }] }', 'numericLabels[0].key'],
    ['{ activationPolicy: { trigger: Always }, candidateSelectors: [{ scope: AnyClusterQueue, numericLabels: [{ key: n, minValue: 3, maxValue: 2 }] }] }', 'numericLabels[0].minValue'],
    ['{ activationPolicy: { trigger: Always }, preemptorSelector: { matchExpressions: [{ key: a, operator: Like }] } }', 'preemptorSelector.matchExpressions[0].operator'],
  ])('refuse %s in a PreemptionConfig', (rule, field) => {
    expect(message(uses, opened, heroes(rule))).toContain(field)
  })

  it('have what other gates open and close', () => {
    const of = (gates: string, ...more: string[]) => {
      const { options: { queues, defaults, ...found }, findings } = made([queue('a'), configuration('v1beta2', `featureGates: ${gates}`, ...more)])
      expect(queues).toEqual(options(queue('a'))['queues'])
      expect(defaults).toEqual(options(queue('a'))['defaults'])
      return [found, told(findings).filter(({ setting }) => /^(featureGates|scheduler)/.test(setting)).map(({ verdict, setting, value, note }) => [verdict, setting, value, note].join(' ').trim())]
    }
    const usual = { partialAdmission: true }
    expect([
      of('{ PrioritySortingWithinCohort: false }'), of('{ PrioritySortingWithinCohort: true }'), of('{}', 'scheduler: { crossClusterQueueOrdering: Timestamp }'), of('{}', 'scheduler: { crossClusterQueueOrdering: Priority, other: 1 }'),
      of('{ SchedulerTimestampPreemptionBuffer: true }'), of('{ PartialAdmission: false }'), of('{ PrioritizePreemptorWorkloads: true }'),
    ]).toEqual([
      [{ ...usual, crossClusterQueueOrdering: 'Timestamp' }, ['honoured featureGates.PrioritySortingWithinCohort false']], [usual, ['honoured featureGates.PrioritySortingWithinCohort true']],
      [{ ...usual, crossClusterQueueOrdering: 'Timestamp' }, ['honoured scheduler.crossClusterQueueOrdering Timestamp']], [usual, ['ignored scheduler.other  not simulated', 'honoured scheduler.crossClusterQueueOrdering Priority']],
      [{ ...usual, timestampPreemptionBuffer: 300 }, ['honoured featureGates.SchedulerTimestampPreemptionBuffer true']], [{ partialAdmission: false }, ['honoured featureGates.PartialAdmission false']],
      [usual, ['honoured featureGates.PrioritizePreemptorWorkloads true it changes nothing: who is preempted is gone at once']],
    ])
    expect(of('{ FairSharingPreemptWithinNominal: false, FairSharingReevaluatePreemptionCandidates: true }', 'fairSharing: {}')).toEqual([
      { ...usual, fairSharing: { preemptWithinNominal: false, reevaluate: true } }, ['honoured featureGates.FairSharingPreemptWithinNominal false', 'honoured featureGates.FairSharingReevaluatePreemptionCandidates true'],
    ])
    expect(of('{ FairSharingVerifyFinalTargets: true, FairSharingPrioritizeNonBorrowing: false }')).toEqual([
      usual, ['ignored featureGates.FairSharingPrioritizeNonBorrowing false fair sharing is off', 'ignored featureGates.FairSharingVerifyFinalTargets true fair sharing is off'],
    ])
    expect(message(queue('a'), configuration('v1beta2', 'scheduler: { crossClusterQueueOrdering: Age }'))).toContain('scheduler.crossClusterQueueOrdering')
  })

  it('have turns of workloads from the configuration of kueue-priority-booster', () => {
    const booster = (...lines: string[]) => ['apiVersion: v1', 'kind: ConfigMap', 'metadata: { name: kueue-priority-booster-config }', 'data:', '  controller_manager_config.yaml: |', ...lines.map((line) => `    ${line}`)].join('\n')
    const gates = configuration('v1beta2', 'featureGates: { PriorityBoost: true }')
    const of = (...objects: string[]) => {
      const { options: found, findings } = made([queue('a'), ...objects])
      return [found.timeSharing, ...told(findings).filter(({ setting }) => /timeSharing|Boost|Priority|Selector/.test(setting)).map(({ verdict, setting, value, note }) => [verdict, setting, value, note].join(' ').trim())]
    }
    expect(of(booster('timeSharing: { interval: 30m }', 'maxWorkloadPriority: 5'), gates)).toEqual([{ interval: 1800, maxWorkloadPriority: 5 }, 'honoured timeSharing.interval 30m', 'honoured maxWorkloadPriority 5', 'honoured featureGates.PriorityBoost true'])
    expect(of(booster('timeSharing: { interval: "0", negativeBoost: 7 }', 'workloadSelector: {}'), gates)).toEqual([undefined, 'honoured timeSharing.interval 0', 'honoured timeSharing.negativeBoost 7', 'ignored workloadSelector  not simulated: it is about all workloads here', 'honoured featureGates.PriorityBoost true'])
    expect(of(booster('timeSharing: { interval: 1h }'))).toEqual([undefined, 'ignored timeSharing.interval 1h off: `featureGates: { PriorityBoost: true }` turns it on'])
    expect(of(gates)).toEqual([undefined, 'ignored featureGates.PriorityBoost true annotations that change priorities are not read, and there is no configuration of kueue-priority-booster'])
    expect(message(queue('a'), booster('timeSharing: { interval: soon }'), gates)).toContain('timeSharing.interval')
  })

  const counting = (objects: readonly string[], resources: string, gates = '{}') => {
    const { options: { queues, defaults }, findings } = made([...objects, configuration('v1beta2', `resources: ${resources}`, `featureGates: ${gates}`)])
    const lines = findings.filter(({ setting }) => setting.startsWith('resources') || setting.includes('nominalQuota')).map(({ verdict, setting, note }) => `${verdict} ${setting}${note === '' ? '' : `: ${note}`}`)
    return { nominal: Object.values(queues ?? {}).map((each) => each.nominalQuota), lending: Object.values(queues ?? {}).map((each) => each.lendingLimit), defaults: defaults?.nominalQuota, lines }
  }
  const cpuAlone = queue('a', [], ['{ name: cpu, nominalQuota: 8 }'])
  const nothing = { cpu: 0, mem: 0, gpu: 0 }
  const unlimited = Number.MAX_SAFE_INTEGER

  it('count no resources that a queue does not cover with IgnoreUndeclared (quota_check_strategy_test.go)', () => {
    expect(counting([cpuAlone], '{ quotaCheckStrategy: IgnoreUndeclared }')).toEqual({ nominal: [{ cpu: 8000, mem: unlimited, gpu: unlimited }], lending: [undefined], defaults: nothing, lines: ['honoured a nominalQuota of cpu', 'honoured resources.quotaCheckStrategy'] })
    expect(counting([cpuAlone], '{ quotaCheckStrategy: BlockUndeclared }').nominal).toEqual([{ ...nothing, cpu: 8000 }])
    expect(counting([cpuAlone], '{ quotaCheckStrategy: IgnoreUndeclared }', '{ QuotaCheckStrategy: false }')).toEqual({
      nominal: [{ ...nothing, cpu: 8000 }], lending: [undefined], defaults: nothing, lines: ['honoured a nominalQuota of cpu', 'ignored resources.quotaCheckStrategy: off: the gate QuotaCheckStrategy is closed'],
    })
    expect(message(cpuAlone, configuration('v1beta2', 'resources: { quotaCheckStrategy: Never }'))).toContain('resources.quotaCheckStrategy: found "Never", expected BlockUndeclared or IgnoreUndeclared.')
  })

  it('lend nothing of what does not count, by flavor where quotas are', () => {
    const queues = [queue('a', ['cohort: all'], ['{ name: cpu, nominalQuota: 8, lendingLimit: 4 }']), queue('b', ['cohort: all'])]
    const ignoring = '{ quotaCheckStrategy: IgnoreUndeclared }'
    expect(counting(queues, ignoring)).toMatchObject({ nominal: [{ cpu: 8000, mem: unlimited, gpu: unlimited }, { cpu: 8000, mem: 32768, gpu: unlimited }], lending: [{ cpu: 4000, mem: 0, gpu: 0 }, { gpu: 0 }] })
    const spot = object('ResourceFlavor', 'default', '{ nodeLabels: { type: spot } }')
    expect(counting([spot, ...queues], ignoring)).toMatchObject({
      nominal: [{ default: { cpu: 8000, mem: unlimited, gpu: unlimited } }, { default: { cpu: 8000, mem: 32768, gpu: unlimited } }], lending: [{ default: { cpu: 4000, mem: 0, gpu: 0 } }, { default: { gpu: 0 } }],
    })
    expect(made([queue('a'), configuration('v1beta2', 'admissionFairSharing: {}', 'resources: { excludeResourcePrefixes: [memory] }')]).options.admissionFairSharing?.resourceWeights).toEqual({ cpu: 1 / 1000, mem: 0, gpu: 1 / 1000 })
  })

  it('count no resources that excludeResourcePrefixes names, whether queues cover them or not (excluderesources/scheduler_test.go)', () => {
    const all = queue('a', [], ['{ name: cpu, nominalQuota: 8 }', '{ name: memory, nominalQuota: 32Gi }', '{ name: nvidia.com/gpu, nominalQuota: 2 }'])
    expect(counting([all], '{ excludeResourcePrefixes: [nvidia.com/, networking.example.com/] }')).toEqual({
      nominal: [{ cpu: 8000, mem: 32768, gpu: unlimited }], lending: [undefined], defaults: nothing,
      lines: ['honoured a nominalQuota of cpu', 'honoured a nominalQuota of memory', 'ignored a nominalQuota of nvidia.com/gpu: excludeResourcePrefixes leaves it out', 'honoured resources.excludeResourcePrefixes'],
    })
    expect(counting([cpuAlone], '{ excludeResourcePrefixes: [mem] }').nominal).toEqual([{ cpu: 8000, mem: unlimited, gpu: 0 }])
    expect(counting([cpuAlone], '{ excludeResourcePrefixes: [networking.example.com/, storage.example.com/], transformations: [{ input: example.com/mig }] }')).toEqual({
      nominal: [{ ...nothing, cpu: 8000 }], lending: [undefined], defaults: nothing,
      lines: ['honoured a nominalQuota of cpu', 'ignored resources.excludeResourcePrefixes: jobs ask for CPU, memory and GPUs', 'ignored resources.transformations of example.com/mig: jobs ask for CPU, memory and GPUs'],
    })
  })

  it('count resources as others by transformations, of which queues may have quotas', () => {
    const credits = queue('a', [], ['{ name: cpu, nominalQuota: 8 }', '{ name: example.com/credits, nominalQuota: 7500m }'])
    const given = '[{ input: cpu, outputs: { example.com/credits: 1500m } }, { input: nvidia.com/gpu, strategy: Replace, outputs: { memory: 40Gi, example.com/credits: 100 } }, { input: memory, strategy: Replace, multiplyBy: nvidia.com/gpu }]'
    const of = (resources: string, ...gates: string[]) => made([credits, configuration('v1beta2', `resources: ${resources}`, ...gates)]).options
    const { queues, defaults, transformations } = of(`{ transformations: ${given} }`)
    expect(transformations).toEqual([
      { input: 'cpu', strategy: 'Retain', units: { cpu: 1000 }, outputs: { 'example.com/credits': 1.5 } },
      { input: 'gpu', strategy: 'Replace', units: { gpu: 1000 }, outputs: { mem: 40 * 1024, 'example.com/credits': 100 } },
      { input: 'mem', strategy: 'Replace', units: { mem: 2 ** -20, gpu: 1000 }, multiplyBy: 'gpu', outputs: {} },
    ])
    expect([queues?.['a']?.nominalQuota, defaults?.nominalQuota]).toEqual([{ ...nothing, cpu: 8000, 'example.com/credits': 8 }, { ...nothing, 'example.com/credits': 0 }])
    expect(counting([credits], `{ transformations: ${given} }`).lines).toEqual([
      'honoured a nominalQuota of cpu', 'honoured a nominalQuota of example.com/credits',
      ...['cpu', 'nvidia.com/gpu', 'memory'].map((name) => `honoured resources.transformations of ${name}`),
    ])
    expect(of(`{ transformations: ${given} }`, 'featureGates: { ConfigurableResourceTransformations: false }').transformations).toBeUndefined()
    expect(of('{ excludeResourcePrefixes: [cpu], transformations: [{ input: cpu, outputs: { example.com/credits: 1 } }] }').transformations).toBeUndefined() // left out first
    expect(of('{ transformations: [{ input: cpu, outputs: { constructor: 2 } }] }').transformations).toMatchObject([{ outputs: { constructor: 2 } }])
    expect(of('{ quotaCheckStrategy: IgnoreUndeclared, transformations: [{ input: cpu, outputs: { example.com/other: 1 } }] }').queues?.['a']?.nominalQuota).not.toHaveProperty(['example.com/other'])
  })

  it.each([
    ['[{ input: cpu, outputs: { example.com/credits: much } }]', 'resources.transformations[0].outputs.example.com/credits: found "much"'],
    ['[{ input: cpu, outputs: { pods: 1 } }]', 'resources.transformations[0].outputs.pods: found 1, expected no amount of pods, which are the pods of a workload. Call it something else.'],
  ])('are refused with transformations that Kueue refuses: %s', (given, expected) => {
    expect(message(queue('a'), configuration('v1beta2', `resources: { transformations: ${given} }`))).toContain(expected)
  })

  it('have quotas of what is made of others by flavor, in a group of its own (KEP-2937, story 2)', () => {
    const spec = `resourceGroups:
  - coveredResources: [cpu]
    flavors: [{ name: spot, resources: [{ name: cpu, nominalQuota: 10 }] }, { name: on-demand, resources: [{ name: cpu, nominalQuota: 18 }] }]
  - coveredResources: [example.com/credits]
    flavors: [{ name: budget, resources: [{ name: example.com/credits, nominalQuota: 750 }] }]`
    const flavors = [object('ResourceFlavor', 'spot', '{ nodeLabels: { type: spot } }'), object('ResourceFlavor', 'on-demand', '{ nodeLabels: { type: on-demand } }'), object('ResourceFlavor', 'budget', '{}')]
    const { queues } = made([...flavors, `apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: { name: team }\nspec:\n  ${spec}`, configuration('v1beta2', 'resources: { transformations: [{ input: cpu, outputs: { example.com/credits: 1 } }] }')]).options
    expect(queues?.['team']).toEqual({
      resourceGroups: [['cpu'], ['example.com/credits']],
      nominalQuota: { spot: { cpu: 10_000, mem: 0, gpu: 0 }, 'on-demand': { cpu: 18_000, mem: 0, gpu: 0 }, budget: { 'example.com/credits': 750 } },
    })
  })

  it('take the jobs of no namespace in Kueue where they do not say of which, and say so', () => {
    const of = (...spec: string[]) => made([queue('a', spec)]).findings.filter(({ setting }) => setting === 'a namespaceSelector').map(({ verdict, line, value, note }) => [verdict, line, value, note])
    const none = [['ignored', 3, 'none', 'Kueue admits nobody to it then: `{}` are all namespaces, as here']]
    expect([of(), of('namespaceSelector: null'), of('namespaceSelector: {}'), of('namespaceSelector: { matchLabels: { team: ml } }')]).toEqual([
      none, none, [['honoured', 5, '{}', '']], [['ignored', 5, '', 'labels of namespaces are not known: jobs of all of them are admitted. Put Namespaces into the file: kubectl get namespaces -o yaml']],
    ])
  })

  const local = (namespace: string) => `apiVersion: kueue.x-k8s.io/v1beta1\nkind: LocalQueue\nmetadata: { name: ${namespace}-queue, namespace: ${namespace} }\nspec: { clusterQueue: a }`
  const namespace = (name: string, labels: string) => `apiVersion: v1\nkind: Namespace\nmetadata: { name: ${name}, labels: ${labels} }`

  it.each<[string, string, readonly string[], readonly unknown[]]>([
    ['by its name, which all have as a label', '{ matchLabels: { kubernetes.io/metadata.name: ml } }', ['web', 'qa'], ['honoured', '']],
    ['by several names', '{ matchExpressions: [{ key: kubernetes.io/metadata.name, operator: NotIn, values: [web] }] }', ['web'], ['honoured', '']],
    ['by labels, as far as they are known', '{ matchLabels: { team: ml } }', ['web'], ['approximated', 'labels of qa are not known: jobs of these are admitted. Put Namespaces into the file: kubectl get namespaces -o yaml']],
    ['by labels that are there, and by the name where the others are not known', '{ matchLabels: { kubernetes.io/metadata.name: ml }, matchExpressions: [{ key: team, operator: Exists }] }', ['web', 'qa'], ['honoured', '']],
    ['by labels that are not there', '{ matchExpressions: [{ key: team, operator: DoesNotExist }, { key: kubernetes.io/metadata.name, operator: In, values: [ml, web] }] }', ['ml', 'qa'], ['honoured', '']],
  ])('admit the jobs of a namespace that their selector selects %s', (_, selector, refused, verdict) => {
    const policy = made([queue('a', [`namespaceSelector: ${selector}`]), ...['ml', 'web', 'qa'].map(local), namespace('ml', '{ team: ml }'), namespace('web', '{}')])
    const place = placeInKueue(policy)
    expect(['ml', 'web', 'qa', 'ann'].filter((user) => place({ id: '', submit: 0, stages: [], queue: 'a', user }).refused !== undefined)).toEqual(refused)
    expect(place({ id: '', submit: 0, stages: [], queue: `${refused[0]}-queue`, user: refused[0] as string }).refused).toBe(`the namespaceSelector of ClusterQueue "a" does not select its namespace ${refused[0]}`)
    expect(policy.findings.filter(({ setting }) => setting.includes('amespace')).map((each) => [each.verdict, each.note])).toEqual([verdict])
  })

  it('have no selector that Kubernetes would refuse', () => {
    expect(message(queue('a', ['namespaceSelector: { matchExpressions: [{ key: team, operator: Is }] }']))).toBe('"kueue.yaml" line 5 spec.namespaceSelector.matchExpressions[0].operator: found "Is", expected In, NotIn, Exists or DoesNotExist. Did you mean "In"?')
  })

  it('do not preempt while they borrow with fair sharing, nor without reclaiming: Kueue refuses both', () => {
    const borrows = (reclaim: string) => queue('a', ['cohort: all', `preemption: { ${reclaim}borrowWithinCohort: { policy: LowerPriority, maxPriorityThreshold: 100 } }`])
    const refused = '"kueue.yaml" line 6 spec.preemption.borrowWithinCohort: stands beside reclaimWithinCohort: Never, and Kueue refuses that. Write reclaimWithinCohort: LowerPriority or Any, too.'
    expect([message(borrows('')), message(borrows('reclaimWithinCohort: Never, '))]).toEqual([refused, refused])
    const preemption = (...objects: string[]) => (options(...objects)['queues'] as unknown as Record<string, { preemption: unknown }>)['a']?.preemption
    const any = borrows('reclaimWithinCohort: Any, ')
    const fair = [any, configuration('v1beta2', 'fairSharing: {}')]
    expect([preemption(any), preemption(...fair)]).toEqual([
      { reclaimWithinCohort: 'Any', borrowWithinCohort: { policy: 'LowerPriority', maxPriorityThreshold: 100 } }, { reclaimWithinCohort: 'Any', borrowWithinCohort: {} },
    ])
    const note = 'with fair sharing shares decide whom a workload may preempt: it changes nothing'
    expect(made(fair).findings.filter(({ setting }) => setting.includes('borrowWithinCohort')).map(({ verdict, setting, note: why }) => [verdict, setting, why])).toEqual([
      ['ignored', 'a preemption.borrowWithinCohort.policy', note], ['ignored', 'a preemption.borrowWithinCohort.maxPriorityThreshold', note],
    ])
  })

  it('have the Configuration of Kueue from its ConfigMap, with its lines, and not those of others', () => {
    const inMap = (...lines: string[]) => ['apiVersion: v1', 'kind: ConfigMap', 'metadata: { name: kueue-manager-config }', 'data:', '  controller_manager_config.yaml: |', ...lines.map((line) => `    ${line}`)].join('\n')
    const { options: found, findings } = made([queue('a'), inMap('apiVersion: config.kueue.x-k8s.io/v1beta2', 'kind: Configuration', 'fairSharing: {}', 'health: {}')])
    expect(found.fairSharing).toBe(true)
    expect(findings.slice(-2).map(({ verdict, line, setting }) => [verdict, line, setting])).toEqual([['honoured', 20, 'fairSharing'], ['ignored', 21, 'health']])
    const other = inMap('apiVersion: config.lws.x-k8s.io/v1alpha1', 'kind: Configuration', 'fairSharing: {}')
    expect(made([queue('a'), other]).findings.at(-1)).toMatchObject({ verdict: 'ignored', setting: 'ConfigMap' })
    expect(options(queue('a'), 'apiVersion: config.lws.x-k8s.io/v1alpha1\nkind: Configuration\nfairSharing: {}')['fairSharing']).toBeUndefined()
    expect(message(queue('a'), configuration('v1beta2'), inMap('apiVersion: config.kueue.x-k8s.io/v1beta2', 'kind: Configuration'))).toContain('is a second Configuration of Kueue.')
  })

  it('have the Configuration from a file beside them, or from values of Helm, in any order, each with its lines', () => {
    const lines = ['apiVersion: config.kueue.x-k8s.io/v1beta2', 'kind: Configuration', 'fairSharing: {}', 'health: {}']
    const values = ['managerConfig:', '  controllerManagerConfigYaml: |-', ...lines.map((line) => `    ${line}`)].join('\n')
    const [queues, ...besides] = [queue('a'), lines.join('\n'), values, `kueue:\n${values.replace(/^/gm, '  ')}`].map((text, i) => ({ file: `file-${i}.yaml`, text }))
    const read = (...sources: { file: string; text: string }[]) => queuePolicy(readQueues(sources[0]!, ...sources.slice(1)), facts) as KueuePolicy
    for (const [i, beside] of besides.entries())
      for (const { options: found, findings } of [read(queues!, beside), read(beside, queues!)]) {
        expect(found.fairSharing).toBe(true)
        const health = findings.find(({ setting }) => setting === 'health')
        expect([health?.file, health?.line]).toEqual([beside.file, i === 0 ? 4 : i === 1 ? 6 : 7])
        expect(new Set(findings.map(({ file }) => file))).toEqual(new Set(['file-0.yaml', beside.file]))
      }
    const refused = (text: string) => messageOf(() => read(queues!, { file: 'other.yaml', text }))
    expect(refused('NodeName=n1\nPartitionName=p Nodes=n1')).toBe('"other.yaml": stands beside manifests of Kueue. Beside them stand manifests of the same scheduler, or values of its Helm chart, alone: queues.yaml+config.yaml.')
    expect(refused('apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: { name: a }')).toContain('stands beside manifests of Kueue.')
    expect(refused(queue('a'))).toBe('"other.yaml" line 3 metadata.name: ClusterQueue "a" was declared before. Give every one once.')
  })

  it('spare workloads from other queues as long as a Configuration says, with the gate open that Kueue has closed', () => {
    const rules = 'preemptionProtection: { fairSharing: { minAdmitDuration: 1h }, reclaimWithinCohort: { minAdmitDuration: 1m30s } }'
    const of = (...settings: string[]) => {
      const { options: found, findings } = made([queue('a'), configuration('v1beta2', rules, ...settings)])
      return [found.preemptionProtection, ...findings.filter(({ setting }) => setting.startsWith('pre') || setting === 'featureGates').map(({ verdict, value, note }) => [verdict, value, note])]
    }
    const open = 'featureGates: { PreemptionProtection: true }'
    const closed = 'off: `featureGates: { PreemptionProtection: true }` turns it on'
    expect(of('fairSharing: {}', open)).toEqual([{ fairSharing: { minAdmitDuration: 3600 }, reclaimWithinCohort: { minAdmitDuration: 90 } }, ['honoured', '1h', ''], ['honoured', '1m30s', '']])
    expect(of(open)).toEqual([{ reclaimWithinCohort: { minAdmitDuration: 90 } }, ['ignored', '1h', 'fair sharing is off'], ['honoured', '1m30s', '']])
    expect(of('fairSharing: {}')).toEqual([undefined, ['ignored', '1h', closed], ['ignored', '1m30s', closed]])
    expect(of('fairSharing: {}', 'featureGates: { MultiKueue: true }')).toEqual([undefined, ['ignored', '1h', closed], ['ignored', '1m30s', closed], ['ignored', '', 'not simulated']])
    expect(message(queue('a'), configuration('v1beta2', 'preemptionProtection: { fairSharing: { minAdmitDuration: 0s } }'))).toContain('preemptionProtection.fairSharing.minAdmitDuration: found "0s", expected a duration above 0 such as 1h or 5m30s')
  })

  it('let gangs run on that lost a pod and find no node for it, with the gate closed that Kueue has open', () => {
    const of = (gate: string) => {
      const { options: found, findings } = made([queue('a'), configuration('v1beta2', `featureGates: { TASFailedNodeReplacementFailFast: ${gate} }`)])
      return [found.failedNodeReplacementFailFast, findings.filter(({ setting }) => setting.startsWith('featureGates')).map(({ verdict, setting, value }) => `${verdict} ${setting} ${value}`)]
    }
    expect([of('false'), of('true')]).toEqual([[false, ['honoured featureGates.TASFailedNodeReplacementFailFast false']], [undefined, ['honoured featureGates.TASFailedNodeReplacementFailFast true']]])
  })

  it('begin with the first flavor again when they were passed by, with the gate closed that Kueue has open', () => {
    const of = (gate: string) => made([queue('a'), configuration('v1beta2', `featureGates: { FlavorFungibilityPreserveScanProgress: ${gate} }`)]).options.preserveScanProgress
    expect([of('false'), of('true')]).toEqual([false, undefined])
  })

  it('go by past usage where a Configuration says how it is counted, as Kueue counts it: in cores, bytes and devices', () => {
    const byUsage = queue('a', ['admissionScope: { admissionMode: UsageBasedAdmissionFairSharing }'])
    const later = queue('b', ['admissionScope: { admissionMode: NoAdmissionFairSharing }', 'fairSharing: { admissionFairSharing: { mode: UsageBasedAdmissionFairSharing } }'])
    const local = (namespace: string, name: string, weight: string) => `apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: { name: ${name}, namespace: ${namespace} }\nspec: { clusterQueue: a${weight} }`
    const locals = [local('ml', 'x', ', fairSharing: { weight: "2" }'), local('web', 'y', ', fairSharing: { weight: 3 }'), local('web', 'z', ''), local('qa', 'u', ', fairSharing: { weight: 500m }'), local('qa', 'v', ', fairSharing: { weight: 0.5 }')]
    const { options: found, findings } = made([byUsage, later, ...locals, configuration('v1beta2', 'admissionFairSharing:', '  usageHalfLifeTime: 168h', '  usageSamplingInterval: 5m30s', '  resourceWeights: { cpu: 2, memory: 0.5, ephemeral-storage: 1, pods: 3 }')])
    expect(found).toMatchObject({ queues: { a: { admissionMode: 'UsageBasedAdmissionFairSharing' }, b: { admissionMode: 'UsageBasedAdmissionFairSharing' } } })
    expect(found.admissionFairSharing).toEqual({
      usageHalfLifeTime: 604_800, usageSamplingInterval: 330, resourceWeights: { cpu: 0.002, mem: 2 ** 19, gpu: 0.001, pods: 3 }, users: { ml: { weight: 2 }, qa: { weight: 0.5 } },
    })
    expect(findings.filter(({ setting }) => /^admissionFairSharing|\.weight$/.test(setting)).map(({ verdict, setting, value, note }) => [verdict, setting, value, note])).toEqual([
      ['honoured', 'LocalQueue x fairSharing.weight', '2', ''],
      ['ignored', 'LocalQueue y fairSharing.weight', '3', 'usage is counted by user, its namespace, whose LocalQueues have different weights'],
      ['approximated', 'LocalQueue u fairSharing.weight', '500m', 'usage is counted by user, its namespace, of all its LocalQueues together'],
      ['approximated', 'LocalQueue v fairSharing.weight', '0.5', 'usage is counted by user, its namespace, of all its LocalQueues together'],
      ['honoured', 'admissionFairSharing.usageHalfLifeTime', '168h', ''], ['honoured', 'admissionFairSharing.usageSamplingInterval', '5m30s', ''],
      ['honoured', 'admissionFairSharing weight of cpu', '2', ''], ['honoured', 'admissionFairSharing weight of memory', '0.5', ''],
      ['ignored', 'admissionFairSharing weight of ephemeral-storage', '1', 'jobs ask for CPU, memory and GPUs'], ['honoured', 'admissionFairSharing weight of pods', '3', ''],
    ])
    expect(options(byUsage, configuration('v1beta1', 'admissionFairSharing: { usageSamplingInterval: 0s }'))['admissionFairSharing']).toMatchObject({ usageHalfLifeTime: 0, usageSamplingInterval: 300 })
    const off = made([byUsage, later])
    expect([off.options.queues?.['a'], off.options.queues?.['b']].map((each) => each?.admissionMode)).toEqual([undefined, undefined])
    expect(off.findings.filter(({ setting }) => /[mM]ode$/.test(setting)).map(({ verdict, setting, note }) => [verdict, setting, note.slice(0, 29)])).toEqual([
      ['ignored', 'a admissionScope.admissionMode', 'admission fair sharing is off'], ['ignored', 'b admissionScope.admissionMode', 'admission fair sharing is off'],
      ['ignored', 'b fairSharing.admissionFairSharing.mode', 'admission fair sharing is off'],
    ])
    expect(message(queue('a'), configuration('v1beta2', 'admissionFairSharing: { usageHalfLifeTime: 168 }'))).toBe('"kueue.yaml" line 15 admissionFairSharing.usageHalfLifeTime: found 168, expected a duration such as 168h or 5m30s. Correct it, or leave it out for the default.')
  })

  it('have quotas by flavor where flavors are of certain nodes', () => {
    const flavors = [object('ResourceFlavor', 'default', '{ nodeLabels: { type: spot } }'), object('ResourceFlavor', 'other', '{}')]
    const credits = '\n  - flavors: [{ name: other, resources: [{ name: credits, nominalQuota: 14 }] }]' // of what jobs do not ask for
    expect(options(...flavors, queue('a', ['cohort: all']) + credits)).toMatchObject({
      flavors: { default: { type: 'spot' }, other: {} }, queues: { a: { nominalQuota: { default: { cpu: 8000, mem: 32_768, gpu: 0 } } } }, defaults: { nominalQuota: { default: { cpu: 0, mem: 0, gpu: 0 } } },
    })
  })

  it('have jobs tolerate what their flavors do, and say whether the nodes of a flavor have its taints', () => {
    const flavors = [
      object('ResourceFlavor', 'default', "{ nodeLabels: { type: spot }, nodeTaints: [{ key: spot, value: 'yes', effect: NoSchedule }], tolerations: [{ key: spot, operator: Exists }] }"),
      object('ResourceFlavor', 'other', '{ nodeLabels: { type: other }, nodeTaints: [{ key: slow, effect: NoExecute }, { key: busy, effect: PreferNoSchedule }], tolerations: [{ key: slow, effect: NoExecute }] }'),
    ]
    const both = queue('b').replace('    - name: default', '    - name: other\n      resources: [{ name: cpu, nominalQuota: 8 }, { name: memory, nominalQuota: 0 }]\n    - name: default')
    const taintsOf = ({ type }: Readonly<Record<string, string>>) => (type === 'spot' ? ['spot=yes:NoSchedule', 'gpu:NoSchedule'] : [])
    const of = (objects: readonly string[], cluster = facts) => made(objects, cluster).findings.filter(({ setting }) => /nodeTaints|tolerations/.test(setting)).map(({ line, setting, value, verdict, note }) => [line, setting, value, verdict, note])
    expect(of([...flavors, queue('a')], { ...facts, taintsOf })).toEqual([
      [4, 'default nodeTaints', 'spot=yes:NoSchedule', 'honoured', ''],
      [4, 'default tolerations', 'spot', 'honoured', ''],
      [9, 'other nodeTaints', 'slow:NoExecute', 'ignored', 'not all of its nodes have this taint; the taints of the nodes count'],
      [9, 'other tolerations', 'slow=:NoExecute', 'honoured', ''],
    ])
    expect(of([...flavors, queue('a'), both]).map(([, setting, , ...rest]) => [setting, ...rest])).toEqual([
      ['default nodeTaints', 'approximated', 'the taints of its nodes count'], ['default tolerations', 'approximated', 'jobs of its queues have this toleration in all their flavors'],
      ['other nodeTaints', 'approximated', 'the taints of its nodes count'], ['other tolerations', 'approximated', 'jobs of its queues have this toleration in all their flavors'],
    ])
    const { tolerations } = made([...flavors, queue('a'), both])
    expect([...tolerations]).toEqual([['a', [{ key: 'spot', operator: 'Exists' }]], ['b', [{ key: 'slow', effect: 'NoExecute' }, { key: 'spot', operator: 'Exists' }]]])
    expect(message(object('ResourceFlavor', 'default', '{ tolerations: [{ key: spot, operator: Has }] }'), queue('a'))).toContain('"kueue.yaml" line 4 spec.tolerations[0].operator: found "Has", expected Equal, Exists, Gt, Lt.')
  })

  it('have quotas by flavor where a cohort has a resource in several: none of them lends to another', () => {
    const small = (name: string, flavor: string, spec: string[]) => queue(name, spec, ['{ name: cpu, nominalQuota: 8 }']).replace('name: default', `name: ${flavor}`)
    const flavors = [object('ResourceFlavor', 'x', '{}'), object('ResourceFlavor', 'y', '{}')]
    const quota = (flavor: string) => ({ nominalQuota: { [flavor]: { cpu: 8000, mem: 0, gpu: 0 } } })
    expect(options(...flavors, small('a', 'x', ['cohort: all']), small('b', 'y', ['cohort: all']))).toMatchObject({ flavors: { x: {}, y: {} }, queues: { a: quota('x'), b: quota('y') } })
    expect(options(...flavors, small('a', 'x', ['cohort: all']), small('b', 'y', []))['flavors']).toBeUndefined()
    expect(message(small('a', 'x', ['cohort: all']), small('b', 'y', ['cohort: all']))).toContain('no ResourceFlavor is called "x". Put its manifest into the file.')
  })

  it('share nothing without a cohort, whatever limits say', () => {
    const limits = ['{ name: cpu, nominalQuota: 8, borrowingLimit: 2, lendingLimit: 1 }']
    const cohort = (name: string, parent: string) => object('Cohort', name, `{ ${parent}resourceGroups: [{ flavors: [{ name: default, resources: [{ name: cpu, nominalQuota: 4, lendingLimit: 1 }] }] }] }`)
    const { options: found, findings } = made([queue('a', [], limits), queue('b', ['cohortName: top'], limits), cohort('top', ''), cohort('low', 'parentName: top, ')])
    expect(found.queues).toMatchObject({ a: { nominalQuota: { cpu: 8000 } }, b: { borrowingLimit: { cpu: 2000 }, lendingLimit: { cpu: 1000 } } })
    expect(found.queues!['a']).not.toHaveProperty('borrowingLimit')
    expect(found.cohorts!['low']).toHaveProperty('lendingLimit')
    expect(told(findings).filter(({ verdict }) => verdict === 'ignored').map(({ setting, note }) => [setting, note])).toEqual([
      ['a borrowingLimit of cpu', 'it is in no cohort, with which it could share; Kueue refuses that'], ['a lendingLimit of cpu', 'it is in no cohort, with which it could share; Kueue refuses that'],
      ['top lendingLimit of cpu', 'it is in no other cohort, with which it could share; Kueue refuses that'],
    ])
  })

  it('are refused where a flavor or a resource is given twice, and tell what they lend beyond their own (TestValidateClusterQueue)', () => {
    const groups = (...given: readonly string[]) => `apiVersion: kueue.x-k8s.io/v1beta1\nkind: ClusterQueue\nmetadata: { name: a }\nspec:\n  resourceGroups:\n${given.map((each) => `  - { flavors: [${each}] }`).join('\n')}`
    const flavor = (name: string, ...resources: readonly string[]) => `{ name: ${name}, resources: [${resources.map((each) => `{ name: ${each}, nominalQuota: 0 }`).join(', ')}] }`
    expect(message(groups(flavor('alpha', 'cpu', 'memory'), flavor('beta', 'memory')))).toBe('"kueue.yaml" line 7 spec.resourceGroups[1].flavors[0].resources[0].name: resource "memory" was given before. Kueue wants each flavor, and each resource, in one place.')
    expect(message(groups(`${flavor('alpha', 'cpu')}, ${flavor('beta', 'cpu')}`, flavor('beta', 'memory')))).toContain('line 7 spec.resourceGroups[1].flavors[0].name: flavor "beta" was given before.')
    expect(message(groups(flavor('alpha', 'cpu', 'cpu')))).toContain('resource "cpu" was given before.')
    expect(message(groups(flavor('alpha', 'cpu', 'memory'), flavor('beta', 'nvidia.com/gpu')))).toBe('no error')
    const lends = (limit: number) => made([queue('a', ['cohort: all'], [`{ name: cpu, nominalQuota: 1, lendingLimit: ${limit} }`])]).findings.find(({ setting }) => setting === 'a lendingLimit of cpu')?.note
    expect([lends(1), lends(2)]).toEqual(['', 'more than its nominal quota: Kueue refuses that'])
  })

  it('may have an empty queueing strategy, which is the usual one (TestValidateClusterQueue)', () => {
    expect(made([queue('a', ['queueingStrategy: ""'])]).options.queues).toEqual(made([queue('a')]).options.queues)
  })

  it('tell of each line what becomes of it', () => {
    const { findings } = made([queue('a', ['namespaceSelector: {}', 'stopPolicy: Hold', 'cohrt: all'], ['{ name: cpu, nominalQuota: 8 }', '{ name: ephemeral-storage, nominalQuota: 5Gi }']), object('WorkloadPriorityClass', 'high', '{}')])
    expect(findings.map(({ verdict, line, setting, value, note }) => [verdict, line, setting, value, note])).toEqual([
      ['honoured', 5, 'a namespaceSelector', '{}', ''],
      ['approximated', 6, 'a stopPolicy', 'Hold', 'its jobs are refused, in Kueue they wait; those that run go on'],
      ['ignored', 7, 'a cohrt', 'all', 'not simulated; did you mean cohort?'],
      ['honoured', 13, 'a nominalQuota of cpu', '8', ''],
      ['ignored', 14, 'a nominalQuota of ephemeral-storage', '5Gi', 'jobs ask for CPU, memory and GPUs'],
      ['ignored', 16, 'WorkloadPriorityClass', '', 'classes are read with the jobs: put them into the file of --trace'],
    ])
  })

  it('have quotas of pods, in one group with others, alone, or with flavors of its own', () => {
    const pods = '{ name: pods, nominalQuota: 5, borrowingLimit: 2 }'
    const together = made([queue('a', ['cohort: all'], ['{ name: cpu, nominalQuota: 8 }', pods]), queue('b')])
    expect(together.options.queues).toEqual({
      a: { cohort: 'all', nominalQuota: { cpu: 8000, mem: 0, gpu: 0, pods: 5 }, borrowingLimit: { pods: 2 } }, b: { nominalQuota: { cpu: 8000, mem: 32_768, gpu: 0 } },
    })
    expect(together.findings.filter(({ setting }) => setting.includes('pods')).map(({ verdict, note }) => [verdict, note])).toEqual([['honoured', ''], ['honoured', '']])
    const alone = '\n  - coveredResources: [pods]\n    flavors: [{ name: many, resources: [{ name: pods, nominalQuota: 5 }] }]'
    expect(options(queue('a') + alone)['queues']).toEqual({ a: { nominalQuota: { cpu: 8000, mem: 32_768, gpu: 0, pods: 5 } } })
    const flavors = [object('ResourceFlavor', 'default', '{ nodeLabels: { type: spot } }'), object('ResourceFlavor', 'many', '{}')]
    expect(options(...flavors, queue('a') + alone)['queues']).toEqual({ a: { nominalQuota: { default: { cpu: 8000, mem: 32_768, gpu: 0 }, many: { pods: 5 } }, resourceGroups: [['cpu', 'mem'], ['pods']] } })
  })

  it('count GPUs of all makers together, as nodes do', () => {
    const { options: { queues }, findings } = made([queue('a', [], ['{ name: nvidia.com/gpu, nominalQuota: 8 }', '{ name: amd.com/gpu, nominalQuota: 4 }'])])
    expect(queues?.['a']?.nominalQuota).toEqual({ cpu: 0, mem: 0, gpu: 12_000 })
    expect(told(findings).map(({ setting, verdict }) => [setting, verdict])).toEqual([['a nominalQuota of nvidia.com/gpu', 'honoured'], ['a nominalQuota of amd.com/gpu', 'approximated']])
  })

  it('refuse a word where fields belong, which would count as not there', () => {
    expect(message(queue('a', ['cohort: c', 'preemption: { borrowWithinCohort: LowerPriority }']))).toBe('"kueue.yaml" line 6 spec.preemption.borrowWithinCohort: found "LowerPriority", expected fields. Known: policy, maxPriorityThreshold.')
    expect(message(queue('a', ['preemption: Any']))).toMatch(/found "Any", expected fields/)
  })

  it('refuse a resource without a name, and a LocalQueue without its ClusterQueue', () => {
    expect(message(queue('a', [], ['{ nominalQuota: 8 }']))).toBe('"kueue.yaml" line 10 spec.resourceGroups[0].flavors[0].resources[0]: a resource has no name. Write `- name: cpu`, memory or nvidia.com/gpu, and its quotas.')
    expect(message(queue('a'), object('LocalQueue', 'l', '{}'))).toContain('line 16 spec.clusterQueue: LocalQueue "l" names no ClusterQueue. Give it clusterQueue: a.')
  })

  it('know no field that is called as something every object has', () => {
    expect(told(made([queue('a', ['constructor: 1'])]).findings).filter(({ verdict }) => verdict === 'ignored').map(({ setting, note }) => [setting, note])).toEqual([['a constructor', 'not simulated']])
  })

  it('refuse flavors of a group that differ in their resources, as Kueue does', () => {
    const group = (covered: string) => `apiVersion: kueue.x-k8s.io/v1beta1\nkind: ClusterQueue\nmetadata: { name: a }\nspec:\n  resourceGroups:\n  - { ${covered}flavors: [{ name: default, resources: [{ name: cpu, nominalQuota: 8 }, { name: memory, nominalQuota: 8 }] }`
    expect(message(`${group('')}, { name: gpu, resources: [{ name: nvidia.com/gpu, nominalQuota: 8 }] }] }`)).toMatch(/flavor "gpu" is of nvidia.com\/gpu, and "default" in the same group of cpu, memory\. Give both the same resources/)
    // of TestValidateClusterQueue and of its tests on a cluster, which have too few, too many, and others
    const covered = (names: string) => message(`${group(`coveredResources: [${names}], `)}] }`)
    const refused = (names: string) => `"kueue.yaml" line 6 spec.resourceGroups[0].flavors[0]: flavor "default" has quotas of cpu, memory, and coveredResources of its group are ${names}. Kueue wants both to be the same, in the same order: 0 where there is no quota.`
    const others = ['cpu', 'cpu, memory, nvidia.com/gpu', 'memory, cpu', 'cpu, pods']
    expect([covered('cpu, memory'), ...others.map(covered), covered('')]).toEqual(['no error', ...others.map(refused), refused('none')])
  })

  it('say whose file it is that has no queues', () => {
    const read = (text: string) => messageOf(() => readQueues({ file: 'x.yaml', text }))
    expect(read(object('WorkloadPriorityClass', 'high', '{}'))).toMatch(/has objects of Kueue, and no ClusterQueue/)
  })

  it('leave out what the cluster does not have', () => {
    const { options: found, findings } = made([queue('a')], { ...facts, resources: ['cpu'] })
    expect(found.queues).toEqual({ a: { nominalQuota: { cpu: 8000 } } })
    expect(findings.at(-1)).toMatchObject({ verdict: 'ignored', setting: 'a nominalQuota of memory', note: 'the cluster has no mem (in MiB)' })
  })

  it('say which ClusterQueue a LocalQueue is of, unless two have one name', () => {
    const local = (name: string, of: string) => object('LocalQueue', name, `{ clusterQueue: ${of} }`)
    const { localQueues } = made([queue('a'), queue('b'), local('x', 'a'), local('y', 'a'), local('y', 'b'), local('a', 'b')])
    expect([...localQueues]).toEqual([['x', 'a']])
  })

  it('tell LocalQueues of one name apart by their namespaces', () => {
    const local = (namespace: string, name: string, of: string) => `apiVersion: kueue.x-k8s.io/v1beta1\nkind: LocalQueue\nmetadata: { name: ${name}, namespace: ${namespace} }\nspec: { clusterQueue: ${of} }\n`
    const { localQueues, findings } = made([queue('a'), queue('b'), local('ml', 'default', 'a'), local('web', 'default', 'b'), local('web', 'a', 'b')])
    expect([...localQueues]).toEqual([['ml/default', 'a'], ['web/default', 'b'], ['web/a', 'b']])
    expect(findings.filter(({ setting }) => setting.startsWith('LocalQueue')).map(({ verdict, note }) => [verdict, note])).toEqual([
      ['honoured', 'of jobs of the user ml, its namespace: another one has this name'], ['honoured', 'of jobs of the user web, its namespace: another one has this name'], ['honoured', 'of jobs of the user web, its namespace: a ClusterQueue has this name']])
  })

  it('tell objects of other kinds once each', () => {
    const { findings } = made([queue('a'), object('Node', 'n1', '{}'), object('Node', 'n2', '{}'), object('Service', 's', '{}')])
    expect(findings.filter(({ setting }) => ['Node', 'Service'].includes(setting)).map(({ setting, note }) => [setting, note])).toEqual([['Node', 'nodes are read by --nodes FILE (2 of them)'], ['Service', 'no part of the scheduling here']])
  })

  it('tell what else a LocalQueue says', () => {
    const { findings } = made([queue('a'), object('LocalQueue', 'x', '{ clusterQueue: a, stopPolicy: Hold, fairSharing: { weight: 2 } }'), object('LocalQueue', 'y', '{ clusterQueue: a, stopPolicy: None }')])
    expect(findings.filter(({ line }) => line > 12).map(({ verdict, setting, value, note }) => [verdict, setting, value, note])).toEqual([
      ['honoured', 'LocalQueue x', 'a', ''],
      ['ignored', 'LocalQueue x fairSharing.weight', '2', 'admission fair sharing is off: a Configuration with `admissionFairSharing` turns it on'],
      ['approximated', 'LocalQueue x stopPolicy', 'Hold', 'its jobs are refused, in Kueue they wait; those that run go on'],
      ['honoured', 'LocalQueue y', 'a', ''],
      ['honoured', 'LocalQueue y stopPolicy', 'None', ''],
    ])
  })

  it('admit nobody while they are stopped, but go on with who runs already where they are only held', () => {
    const local = (namespace: string, name: string, spec: string) => object('LocalQueue', name, spec).replace('metadata: {', `metadata: { namespace: ${namespace},`)
    const policy = made([
      queue('a'), queue('held', ['stopPolicy: Hold']), queue('drained', ['stopPolicy: HoldAndDrain']),
      local('ml', 'x', '{ clusterQueue: a, stopPolicy: Hold }'), local('web', 'x', '{ clusterQueue: a }'), local('web', 'y', '{ clusterQueue: a, stopPolicy: HoldAndDrain }'), local('web', 'z', '{ clusterQueue: held }'),
    ])
    const place = placeInKueue(policy)
    const why = (user: string, name: string, status: 'running' | 'pending' = 'pending') => place({ id: 'j', submit: 0, stages: [], user, queue: name, recorded: { status } }).refused
    const stop = (name: string, by: string) => `${name} is stopped (stopPolicy: ${by}), so nobody is admitted to it`
    expect([why('ml', 'a'), why('ml', 'held'), why('ml', 'drained')]).toEqual([undefined, stop('ClusterQueue "held"', 'Hold'), stop('ClusterQueue "drained"', 'HoldAndDrain')])
    expect([why('ml', 'x'), why('web', 'x'), why('qa', 'x')]).toEqual([stop('LocalQueue "ml/x"', 'Hold'), undefined, undefined])
    expect([why('web', 'y'), why('qa', 'y'), why('web', 'z')]).toEqual([stop('LocalQueue "web/y"', 'HoldAndDrain'), stop('LocalQueue "y"', 'HoldAndDrain'), stop('ClusterQueue "held"', 'Hold')])
    expect([why('ml', 'held', 'running'), why('ml', 'x', 'running'), why('ml', 'drained', 'running')]).toEqual([undefined, undefined, stop('ClusterQueue "drained"', 'HoldAndDrain')])
    expect(Object.keys(policy.options.queues ?? {})).toEqual(['a', 'held', 'drained']) // their quota is lent
  })

  it('are not stopped in a way that there is not', () => {
    expect(message(queue('a', ['stopPolicy: Drain']))).toBe('"kueue.yaml" line 5 spec.stopPolicy: found "Drain", expected None, Hold or HoldAndDrain. Write one of these.')
  })

  it('may be a list in JSON, and have rows that are compared', () => {
    const list = { kind: 'List', apiVersion: 'v1', items: [{ apiVersion: 'kueue.x-k8s.io/v1beta1', kind: 'ClusterQueue', metadata: { name: 'a' }, spec: { cohort: 'all', resourceGroups: [{ flavors: [{ name: 'f', resources: [{ name: 'cpu', nominalQuota: '8' }] }] }] } }] }
    const side = (text: string) => {
      const read = readQueues({ file: 'k', text })
      return { file: read, table: queueTable(read) }
    }
    const before = side(JSON.stringify(list))
    expect(before.table.rows).toEqual([{ path: 'a', depth: 0, isParent: false, settings: { cohort: 'all', nominalQuota: 'f cpu=8' }, shares: {} }])
    expect(compareQueues(before, side(JSON.stringify(list).replace('"8"', '"9"'))).changed).toEqual([{ path: 'a', setting: 'nominalQuota', before: 'f cpu=8', after: 'f cpu=9' }])
  })

  it.each([
    ['a word that Kueue does not take', [queue('a', ['queueingStrategy: StrictFifo'])], '"kueue.yaml" line 5 spec.queueingStrategy: found "StrictFifo", expected BestEffortFIFO or StrictFIFO. Did you mean "StrictFIFO'],
    ['a quantity that is none', [queue('a', [], ['{ name: cpu, nominalQuota: lots }'])], '"kueue.yaml" line 10 spec.resourceGroups[0].flavors[0].resources[0].nominalQuota: found "lots", expected a quantity such as 8, 7910m or 16Gi.'],
    ['a resource without its quota', [queue('a', [], ['{ name: cpu, borrowingLimit: 8 }'])], '"kueue.yaml" line 10 spec.resourceGroups[0].flavors[0].resources[0]: resource "cpu" has no nominalQuota. Kueue wants one: 0 where there is none.'],
    ['a weight that would be 0 (TestValidateClusterQueue)', [queue('a', ['fairSharing: { weight: "0.000000001" }']), 'apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nfairSharing: {}'], '"kueue.yaml" line 5 spec.fairSharing.weight: found "0.000000001", expected 0, or more than 1e-9.'],
    // of TestValidateClusterQueue and TestValidateResourceFlavor
    ['a resource with a name that none may have', [queue('a', [], ['{ name: "@cpu", nominalQuota: 1 }'])], '"kueue.yaml" line 10 spec.resourceGroups[0].flavors[0].resources[0]: no resource can be called "@cpu".'],
    ['two ways of admission checks', [queue('a', ['admissionChecks: [x]', 'admissionChecksStrategy: { admissionChecks: [] }'])], '"kueue.yaml" line 6 spec.admissionChecksStrategy: stands beside admissionChecks, and Kueue refuses that.'],
    ['a label that is none', [queue('a', ['namespaceSelector: { matchLabels: { "nospecialchars^=@": bar } }'])], '"kueue.yaml" line 5 spec.namespaceSelector.matchLabels.nospecialchars^=@: found "bar", expected a label. No label can be called "nospecialchars^=@".'],
    ['a selector without values', [queue('a', ['namespaceSelector: { matchExpressions: [{ key: key, operator: In }] }'])], '"kueue.yaml" line 5 spec.namespaceSelector.matchExpressions[0].values: found null, expected values to compare with In.'],
    ['a selector with values that are not compared', [queue('a', ['namespaceSelector: { matchExpressions: [{ key: key, operator: Exists, values: [x] }] }'])], '"kueue.yaml" line 5 spec.namespaceSelector.matchExpressions[0].values: found ["x"], expected none beside Exists.'],
    ['a flavor with a label that is none', [object('ResourceFlavor', 'default', '{ nodeLabels: { "@abc": foo } }'), queue('a')], '"kueue.yaml" line 4 spec.nodeLabels.@abc: found "foo", expected a label.'],
    ['a flavor with a value that is none', [object('ResourceFlavor', 'default', '{ nodeLabels: { foo: "@abc" } }'), queue('a')], '"kueue.yaml" line 4 spec.nodeLabels.foo: found "@abc", expected the value of a label. Values have letters, digits'],
    ['a toleration of no taint', [object('ResourceFlavor', 'default', '{ tolerations: [{ key: "@abc", operator: Equal, value: v }] }'), queue('a')], '"kueue.yaml" line 4 spec.tolerations[0].key: no taint can be called "@abc".'],
    ['a toleration with a value that is not compared', [object('ResourceFlavor', 'default', '{ tolerations: [{ key: abc, operator: Exists, value: v }] }'), queue('a')], '"kueue.yaml" line 4 spec.tolerations[0].value: found "v" beside the operator Exists, which compares no values.'],
    ['a threshold that is none', [queue('a', ['preemption: { borrowWithinCohort: { maxPriorityThreshold: high } }'])], '"kueue.yaml" line 5 spec.preemption.borrowWithinCohort.maxPriorityThreshold: found "high", expected a whole number.'],
    ['a queue declared twice', [queue('a'), queue('a')], '"kueue.yaml" line 15 metadata.name: ClusterQueue "a" was declared before. Give every one once.'],
    ['a queue without a name', [queue('""')], '"kueue.yaml" line 3 metadata.name: is missing.'],
    ['a LocalQueue of no queue', [queue('a'), object('LocalQueue', 'x', '{ clusterQueue: b }')], '"kueue.yaml" line 16 spec.clusterQueue: names ClusterQueue "b", which is not there.'],
    ['groups that are none', [object('ClusterQueue', 'a', '{ resourceGroups: [...] }')], '"kueue.yaml" line 4 spec.resourceGroups[0]: found "...", expected fields. Write `- name: ...` and what belongs to it.'],
    ['flavors that are no list', [object('ClusterQueue', 'a', '{ resourceGroups: [{ flavors: { name: f } }] }')], '"kueue.yaml" line 4 spec.resourceGroups[0].flavors: found {"name":"f"}, expected a list.'],
    ['a flavor that is not declared', [object('ResourceFlavor', 'spot', '{ nodeLabels: { type: spot } }'), queue('a')], '"kueue.yaml" line 13 spec.resourceGroups[0].flavors[0].name: no ResourceFlavor is called "default". Put its manifest into the file.'],
    ['cohorts alone', [object('Cohort', 'all', '{}')], '"kueue.yaml": has no ClusterQueue.'],
    ['GPUs in two groups', [object('ResourceFlavor', 'default', '{ nodeLabels: { type: spot } }'), `${queue('a', [], ['{ name: amd.com/gpu, nominalQuota: 8 }'])}\n  - flavors: [{ name: other, resources: [{ name: nvidia.com/gpu, nominalQuota: 1 }] }]`], '"kueue.yaml" line 11 spec.resourceGroups: ClusterQueue "a" has GPUs in two resource groups, and nodes have them as one resource. Put them in one group, with a flavor for each kind.'],
  ])('answer %s', (_, objects, begins) => {
    expect(message(...objects).slice(0, begins.length)).toBe(begins)
  })
})

describe('queues of other schedulers on Kubernetes', () => {
  it.each([
    ['scheduler-plugins', 'apiVersion: scheduling.x-k8s.io/v1alpha1\nkind: ElasticQuota\nspec: { min: { cpu: 4 } }'],
  ])('of %s are not read, and the message says where they go', (name, text) => {
    expect(() => readQueues({ file: 'queues.yaml', text })).toThrow(`"queues.yaml": has queues of ${name}, which are not read. Write them as options of a policy: docs/kubernetes.md says of which.`)
  })
})
