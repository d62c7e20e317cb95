import { describe, expect, it } from 'vitest'
import { jobsOf, parseTrace } from '../src/index.js'
import { bytesOf, messageOf } from './reading.js'

type Json = Readonly<Record<string, unknown>>

const at = (seconds: number) => new Date(Date.UTC(2024, 0, 31, 10) + seconds * 1000).toISOString().replace('.000', '')
const controller = (kind: string, name: string) => ({ ownerReferences: [{ apiVersion: 'batch/v1', kind, name, controller: true }] })

/** A pod of the Job `train`, created at 0, scheduled at 60 and ended at 660, changed in some of its parts. */
const pod = (name: string, { metadata = {}, spec = {}, status = {} }: { metadata?: Json; spec?: Json; status?: Json } = {}) => ({
  apiVersion: 'v1', kind: 'Pod',
  metadata: { name, namespace: 'ml', creationTimestamp: at(0), ...controller('Job', 'train'), ...metadata },
  spec: { containers: [{ name: 'main', resources: { requests: { cpu: '1500m', memory: '4Gi', 'nvidia.com/gpu': '1' }, limits: { memory: '8Gi' } } }], ...spec },
  status: {
    phase: 'Succeeded', startTime: at(61), conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: at(60) }],
    containerStatuses: [{ name: 'main', state: { terminated: { exitCode: 0, startedAt: at(70), finishedAt: at(660) } } }], ...status,
  },
})
const job = (name: string, { metadata = {}, spec = {}, status = {} }: { metadata?: Json; spec?: Json; status?: Json } = {}) => ({
  apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace: 'ml', creationTimestamp: at(-300), ...metadata },
  spec: { parallelism: 2, completions: 4, template: { spec: { containers: [{ name: 'main', resources: { requests: { cpu: 2, memory: '1Gi' } } }] } }, ...spec },
  status: { startTime: at(0), completionTime: at(200), succeeded: 4, ...status },
})
const list = (...items: readonly object[]) => JSON.stringify({ apiVersion: 'v1', items, kind: 'List' }, null, 4)
const read = (text: string, options: object = {}) => parseTrace(bytesOf(text), { file: 'pods.json', options })
const jobs = (items: readonly object[], options?: object) => [...jobsOf(read(list(...items), options))]

describe('kubernetes', () => {
  it('makes a job of the pods of a Job: from its creation, each from its scheduling to the end of its last container', () => {
    const longer = { containerStatuses: [{ state: { terminated: { finishedAt: at(660) } } }, { state: { terminated: { finishedAt: at(700) } } }] }
    expect(jobs([pod('train-0'), pod('train-1', { status: longer })])).toEqual([{
      id: 'ml/train', submit: 0, user: 'ml', queue: 'ml', recorded: { wait: 60, status: 'completed' },
      stages: [{ name: 'pods', tasks: 2, demand: { cpu: 1500, mem: 4096, gpu: 1000 }, duration: [600, 640] }],
    }])
  })

  it('takes the Job for when it was submitted, which Kueue holds back before it has pods, and all its pods for a gang then', () => {
    const queued = job('train', { metadata: { labels: { 'kueue.x-k8s.io/queue-name': 'gpus' } }, spec: { parallelism: 2, completions: 2, activeDeadlineSeconds: 3600 } })
    const [found] = jobs([queued, pod('train-0'), pod('train-1')])
    expect([found?.submit, found?.queue, found?.estimate, found?.recorded, found?.stages[0]?.gang]).toEqual([0, 'gpus', 3600, { wait: 360, status: 'completed' }, true])
    expect(jobs([queued, pod('train-0'), pod('train-1')], { queue: 'namespace', gang: 'none' })[0]).toMatchObject({ queue: 'ml', stages: [{ tasks: 2 }] })
    expect(jobs([pod('train-0'), pod('train-1')], { gang: 'jobs' })[0]?.stages[0]?.gang).toBe(true)
  })

  it('makes the tasks of a Job whose pods are gone of its completions: 4, two at a time in 200 s, are 100 s each', () => {
    expect(jobs([job('sweep')])).toEqual([{
      id: 'ml/sweep', submit: 0, user: 'ml', queue: 'ml', recorded: { wait: 300, status: 'completed' }, stages: [{ name: 'pods', tasks: 4, demand: { cpu: 2000, mem: 1024 }, duration: 100 }],
    }])
    expect(jobs([job('bad', { status: { completionTime: undefined, conditions: [{ type: 'Failed', status: 'True', lastTransitionTime: at(100) }] } })])[0]).toMatchObject({ recorded: { status: 'failed' }, stages: [{ duration: 50 }] })
  })

  it('counts of further resources those that are named, in MiB or by number, and tells of the others', () => {
    const requests = { cpu: 1, 'google.com/tpu': '4', 'ephemeral-storage': '10Gi', 'hugepages-2Mi': '64Mi', 'nvidia.com/mig-1g.5gb': 1 }
    const init = { name: 'load', resources: { requests: { 'google.com/tpu': 8 } } }
    const asking = pod('train-0', { spec: { containers: [{ resources: { requests } }, { resources: { limits: { 'google.com/tpu': 1 } } }], initContainers: [init] } })
    const demandOf = (resources?: readonly string[]) => jobs([asking], resources && { resources })[0]?.stages[0]?.demand
    expect(demandOf()).toEqual({ cpu: 1000 })
    expect(demandOf(['google.com/tpu'])).toEqual({ cpu: 1000, 'google.com/tpu': 8 })
    expect(demandOf(['ephemeral-storage', 'hugepages-2Mi', 'nvidia.com/mig-1g.5gb', 'pods'])).toEqual({ cpu: 1000, 'ephemeral-storage': 10_240, 'hugepages-2Mi': 64, 'nvidia.com/mig-1g.5gb': 1, pods: 1 })
    const trace = read(list(asking, pod('train-1')), { resources: ['hugepages-2Mi', 'nvidia.com/mig-1g.5gb'] })
    expect([...jobsOf(trace)]).toHaveLength(1)
    expect(trace.report.notes?.join()).toContain("1 pod that ask for ephemeral-storage, google.com/tpu: not counted, unless `--option 'resources=[ephemeral-storage, google.com/tpu]'` names them (resources)")
  })

  it('takes huge pages of a whole pod in place of those of its containers, as CPU and memory', () => {
    const spec = { resources: { requests: { 'hugepages-2Mi': '128Mi' } }, containers: [{ resources: { requests: { cpu: 1, 'hugepages-2Mi': '64Mi' } } }] }
    expect(jobs([pod('train-0', { spec })], { resources: ['hugepages-2Mi'] })[0]?.stages[0]?.demand).toEqual({ cpu: 1000, 'hugepages-2Mi': 128 })
  })

  it('takes priorities from classes, where pods have no number', () => {
    const klass = (name: string, value: unknown, more: Json = {}) => ({ apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name, creationTimestamp: at(0) }, value, ...more })
    const of = (spec: Json, ...items: readonly object[]) => jobs([pod('train-0', { spec }), ...items])[0]?.priority
    const classes = [klass('high', 1000), klass('usual', 10, { globalDefault: true })]
    expect([of({ priorityClassName: 'high' }, ...classes), of({ priorityClassName: 'high', priority: 7 }, ...classes), of({}, ...classes), of({})]).toEqual([1000, 7, 10, undefined])
    expect(of({ priorityClassName: 'system-node-critical' })).toBe(2_000_001_000)
    const template = { spec: { priorityClassName: 'high', containers: [] } }
    expect(jobs([job('sweep', { spec: { template } }), ...classes])[0]?.priority).toBe(1000)
    const unknown = read(list(pod('train-0', { spec: { priorityClassName: 'other' } }), ...classes))
    expect([...jobsOf(unknown)][0]?.priority).toBeUndefined()
    expect(unknown.report.rules).toMatchObject([{ rule: 'classes', jobs: 1 }])
    expect(messageOf(() => jobs([pod('train-0'), klass('broken', undefined)]))).toMatch(/value/)
  })

  it.each<[string, Json, unknown]>([
    ['the largest of init containers, which run one after another', { initContainers: [{ resources: { requests: { cpu: '2' } } }, { resources: { requests: { cpu: '1', memory: '8Gi' } } }] }, { cpu: 2000, mem: 8192, gpu: 1000 }],
    ['a sidecar beside the containers', { initContainers: [{ restartPolicy: 'Always', resources: { requests: { cpu: '1' } } }, { resources: { requests: { cpu: '1200m' } } }] }, { cpu: 2500, mem: 4096, gpu: 1000 }],
    ['the overhead of a runtime', { overhead: { cpu: '250m', memory: '120Mi' } }, { cpu: 1750, mem: 4216, gpu: 1000 }],
    ['a sidecar beside the init containers behind it, not before it', { initContainers: [{ resources: { requests: { cpu: '1' } } }, { restartPolicy: 'Always', resources: { requests: { cpu: '500m' } } }, { resources: { requests: { cpu: '1800m' } } }] }, { cpu: 2300, mem: 4096, gpu: 1000 }],
    ['micro- and nanounits, as Kubernetes prints fractions of a millicore', { containers: [{ resources: { requests: { cpu: '1500u', memory: '1Gi' } } }, { resources: { requests: { cpu: '250000n' } } }] }, { cpu: 2, mem: 1024 }],
    ['of what the pod is limited to that of which no container requests any (SetDefaults_Pod)', { resources: { limits: { cpu: '9', memory: '9Gi' } }, containers: [{ resources: { requests: { cpu: '1' } } }] }, { cpu: 1000, mem: 9216 }],
    ['of pods no devices', { resources: { requests: { cpu: '3', 'nvidia.com/gpu': '4' } } }, { cpu: 3000, mem: 4096, gpu: 1000 }],
    ['what is requested for the pod', { resources: { requests: { cpu: '3' } } }, { cpu: 3000, mem: 4096, gpu: 1000 }],
    ['limits where nothing is requested', { containers: [{ resources: { limits: { cpu: '1', 'amd.com/gpu': 2 } } }] }, { cpu: 1000, gpu: 2000 }],
    ['a millicore where nothing is said', { containers: [{}] }, { cpu: 1 }],
  ])('counts %s', (_, spec, demand) => {
    expect(jobs([pod('a', { spec })])[0]?.stages[0]?.demand).toEqual(demand)
  })

  describe('reads shares of GPUs (KAI: gpu-fraction, gpu-memory)', () => {
    const shared = (annotations: Json, limits: Json = {}) => pod('a', { metadata: { annotations }, spec: { containers: [{ resources: { requests: { cpu: '1' }, limits } }] } })
    const gpuOf = (annotations: Json, options?: object, limits?: Json) => jobs([shared(annotations, limits)], options)[0]?.stages[0]?.demand['gpu']

    it('in thousandths, of memory where it is said how much a GPU has', () => {
      expect([gpuOf({ 'gpu-fraction': '0.5' }), gpuOf({ 'gpu-fraction': '0.3333' }), gpuOf({ 'gpu-memory': '2000' }, { gpuMemory: 16_000 }), gpuOf({ 'gpu-memory': '20000' }, { gpuMemory: 16_000 }), gpuOf({})]).toEqual([500, 334, 125, 1000, undefined])
      expect([gpuOf({ 'gpu-fraction': 'half' }), gpuOf({ 'gpu-fraction': '0.5' }, {}, { 'nvidia.com/gpu': 2 })]).toEqual([undefined, 2000])
      const template = { metadata: { annotations: { 'gpu-fraction': '0.25' } }, spec: { containers: [] } }
      expect(jobs([job('sweep', { spec: { template } })])[0]?.stages[0]?.demand).toEqual({ gpu: 250 })
    })

    it('of several GPUs together, in whole ones beyond one, and a whole one of which memory is asked that is not known; both are told', () => {
      const several = (fraction: string) => ({ 'gpu-fraction': fraction, 'gpu-fraction-num-devices': '2' })
      expect([gpuOf(several('0.3')), gpuOf(several('0.6')), gpuOf({ 'gpu-memory': '2000' })]).toEqual([600, 2000, 1000])
      expect(read(list(shared(several('0.3')))).report.rules).toMatchObject([{ rule: 'gpuShares', jobs: 1 }])
      expect(read(list(shared({ 'gpu-memory': '2000' }))).report.rules).toMatchObject([{ rule: 'gpuMemory', jobs: 1 }])
    })
  })

  it('tells apart pods that ask differently, requires labels of nodes, and takes pods of services and pod groups for what they are', () => {
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'model', operator: 'In', values: ['a100', 'h100'] }] }] } } }
    const selected = { nodeSelector: { pool: 'gpu', 'kubernetes.io/hostname': 'n1' }, affinity, priority: 1000 }
    const grouped = { ownerReferences: [], annotations: { 'scheduling.k8s.io/group-name': 'pg' }, labels: { 'volcano.sh/queue-name': 'low' } }
    const found = jobs([
      pod('train-0'), pod('train-1', { spec: selected }), pod('web-1', { metadata: controller('ReplicaSet', 'web') }), pod('web-2', { metadata: controller('ReplicaSet', 'web') }),
      pod('x', { metadata: grouped }), pod('y', { metadata: grouped }),
    ])
    expect(found.map(({ id, queue, stages }) => [id, queue, stages.map(({ tasks, gang }) => (gang === true ? -tasks : tasks))])).toEqual([['ml/train', 'ml', [1, 1]], ['ml/web-1', 'ml', [1]], ['ml/web-2', 'ml', [1]], ['ml/pg', 'low', [-2]]])
    expect(found[0]?.stages[1]).toMatchObject({ name: 'pods-2', constraints: { require: { model: ['a100', 'h100'], pool: 'gpu', 'kubernetes.io/hostname': 'n1' } } })
    expect(jobs([pod('train-1', { spec: selected })], { nodeSelector: 'ignore' })[0]).toMatchObject({ priority: 1000, stages: [{ name: 'pods', tasks: 1, demand: { cpu: 1500, mem: 4096, gpu: 1000 }, duration: [600] }] })
  })

  it('takes the pods of an application of YuniKorn for one job, named by a label or an annotation', () => {
    const of = (name: string, labels: Json, annotations: Json = {}, schedulerName = 'yunikorn') => pod(name, { metadata: { ownerReferences: [], labels, annotations }, spec: { schedulerName } })
    const named = (...items: readonly object[]) => jobs(items).map(({ id, stages }) => [id, stages.reduce((sum, { tasks }) => sum + tasks, 0)])
    const [canonical, old, spark] = ['yunikorn.apache.org/app-id', 'applicationId', 'spark-app-selector']
    expect(named(of('a', { [canonical]: 'x' }), of('b', {}, { [canonical]: 'x' }), of('c', { [old]: 'x' }), of('d', { [spark]: 'x' }), of('e', { [spark]: 'y' }))).toEqual([['ml/x', 4], ['ml/y', 1]])
    // the first of these names it, `applicationId` only as a label; other schedulers know none, and pods without one are for themselves
    expect(named(of('a', { [spark]: 'y', [old]: 'x' }), of('b', { [old]: 'y', [canonical]: 'x' }), of('c', {}, { [old]: 'x' }), of('d', { [old]: 'x' }, {}, 'default-scheduler'), of('e', {}))).toEqual([
      ['ml/x', 2], ['ml/c', 1], ['ml/d', 1], ['ml/e', 1],
    ])
    // Jobs, whose pods are told of twice, and an executor that its driver controls
    const ofJob = pod('train-0', { metadata: { labels: { [old]: 'x' } }, spec: { schedulerName: 'yunikorn' } })
    const executor = pod('exec-1', { metadata: { ...controller('Pod', 'driver'), labels: { [spark]: 'x' } }, spec: { schedulerName: 'yunikorn' } })
    expect(named(ofJob, job('train'), of('driver', { [spark]: 'x' }), executor)).toEqual([['ml/x', 3]])
  })

  it('requires any affinity as terms, of which one that cannot hold is none, and says which taints a pod tolerates beside those that every pod does', () => {
    const constraints = (spec: Json, options: object = {}) => jobs([pod('train-0', { spec })], options)[0]?.stages[0]?.constraints
    const affine = (...terms: object[]) => ({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } } })
    const exists = { key: 'gpu', operator: 'Exists' }
    const byName = { key: 'metadata.name', operator: 'In', values: ['n1'] }
    const isA = { key: 'pool', operator: 'In', values: ['a', ''] }
    expect(constraints({ nodeSelector: { zone: '' }, ...affine({ matchExpressions: [exists], matchFields: [byName] }, { matchExpressions: [isA] }) })).toEqual({
      require: { zone: '' }, nodeSelectorTerms: [{ matchExpressions: [exists], matchFields: [byName] }, { matchExpressions: [isA] }],
    })
    expect(constraints({ nodeSelector: { pool: 'b' }, ...affine({ matchExpressions: [isA] }) })).toEqual({ require: { pool: 'b' }, nodeSelectorTerms: [{ matchExpressions: [isA] }] })
    expect(constraints(affine({ matchExpressions: [isA, { ...isA, values: ['c'] }] }))?.nodeSelectorTerms).toHaveLength(1)
    const odd = [
      {}, { matchExpressions: [{ ...exists, values: ['b'] }] }, { matchExpressions: [{ ...isA, values: [] }] }, { matchExpressions: [{ ...isA, operator: 'Has' }] },
      { matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1', '2'] }] }, { matchExpressions: [{ key: 'a', operator: 'Lt', values: ['x'] }] },
      { matchExpressions: [{ key: 'a b', operator: 'Exists' }] }, { matchExpressions: [{ ...isA, values: ['a b'] }] },
      { matchFields: [{ ...byName, values: ['n1', 'n2'] }] }, { matchFields: [{ ...byName, key: 'metadata.uid' }] }, { matchFields: [{ ...byName, operator: 'Exists', values: [] }] },
    ]
    expect(constraints(affine(...odd))).toEqual({ nodeSelectorTerms: [] })
    const given = [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }, { key: 'busy', operator: 'Exists', effect: 'PreferNoSchedule' }]
    const tolerations = [given[1]!, { key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }, { key: 'spot', value: 'yes' }]
    expect([constraints({ tolerations: given }), constraints({ tolerations: [given[0], ...tolerations] })]).toEqual([{ tolerations: [given[1]] }, { tolerations }])
    expect(constraints({ ...affine({ matchExpressions: [exists] }), tolerations }, { nodeSelector: 'ignore' })).toEqual({ tolerations })
  })

  it.each<[string, Json, boolean]>([
    ['pods of its own labels', { labelSelector: { matchLabels: { app: 'train' } } }, true],
    ['pods by expressions', { labelSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['train', 'x'] }, { key: 'old', operator: 'DoesNotExist' }] } }, true],
    ['all pods', { labelSelector: {} }, true],
    ['all pods of all namespaces', { labelSelector: {}, namespaceSelector: {} }, true],
    ['all pods of its own namespace among others', { labelSelector: {}, namespaces: ['web', 'ml'] }, true],
    ['pods of other labels', { labelSelector: { matchLabels: { app: 'web' } } }, false],
    ['pods with a label that it has not', { labelSelector: { matchExpressions: [{ key: 'old', operator: 'Exists' }] } }, false],
    ['pods without its own label', { labelSelector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['train'] }] } }, false],
    ['other values of a label', { labelSelector: {}, mismatchLabelKeys: ['app'] }, false],
    ['all pods, whatever the value of a label that it has not', { labelSelector: {}, mismatchLabelKeys: ['old'] }, true],
    ['pods of other namespaces', { labelSelector: {}, namespaces: ['web'] }, false],
    ['pods of namespaces with a label', { labelSelector: {}, namespaceSelector: { matchLabels: { team: 'x' } } }, false],
    ['nobody', {}, false],
    ['pods in its zone', { labelSelector: {}, topologyKey: 'topology.kubernetes.io/zone' }, false],
  ])('keeps the pods of a job apart by a required anti-affinity over hostnames against %s or not', (_, term, expected) => {
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'kubernetes.io/hostname', ...term }] } }
    const labels = { app: 'train' }
    const constraints = expected ? { distinctNodes: true } : undefined
    expect(jobs([pod('train-0', { metadata: { labels }, spec: { affinity } })])[0]?.stages[0]?.constraints).toEqual(constraints)
    const template = { metadata: { labels }, spec: { affinity, containers: [] } }
    expect(jobs([job('sweep', { spec: { template } })])[0]?.stages[0]?.constraints).toEqual(constraints)
  })

  describe('rules of pods', () => {
    const affine = (kind: string, term: Json, weight?: number) => ({
      affinity: { [kind]: weight === undefined ? { requiredDuringSchedulingIgnoredDuringExecution: [term] } : { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm: term }] } },
    })
    const zone = 'topology.kubernetes.io/zone'
    const web = { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: zone }
    const spread = (change: Json) => ({ topologySpreadConstraints: [{ ...web, maxSkew: 2, whenUnsatisfiable: 'DoNotSchedule', ...change }] })
    const of = { tags: { app: 'web' }, users: ['ml'] }
    const rulesOf = (spec: Json, options: object = {}) => jobs([pod('train-0', { metadata: { labels: { app: 'train', tier: 'a' } }, spec })], options)[0]?.stages[0]?.placementRules

    it.each<[string, Json, object | undefined]>([
      ['required affinity', affine('podAffinity', web), { kind: 'affinity', of, over: zone }],
      ['required anti-affinity', affine('podAntiAffinity', web), { kind: 'antiAffinity', of, over: zone }],
      ['preferred affinity', affine('podAffinity', web, 7), { kind: 'affinity', of, over: zone, weight: 7 }],
      ['preferred anti-affinity', affine('podAntiAffinity', web, 7), { kind: 'antiAffinity', of, over: zone, weight: 7 }],
      ['other namespaces', affine('podAffinity', { ...web, namespaces: ['a', 'b'] }), { kind: 'affinity', of: { ...of, users: ['a', 'b'] }, over: zone }],
      ['all namespaces', affine('podAffinity', { ...web, namespaceSelector: {} }), { kind: 'affinity', of: { tags: of.tags }, over: zone }],
      [
        'expressions', affine('podAffinity', { ...web, labelSelector: { matchExpressions: [{ key: 'old', operator: 'DoesNotExist' }, { key: 'app', operator: 'In', values: ['x', 'y'] }] } }),
        { kind: 'affinity', of: { matchExpressions: [{ key: 'old', operator: 'DoesNotExist' }, { key: 'app', operator: 'In', values: ['x', 'y'] }], users: ['ml'] }, over: zone },
      ],
      [
        'values of its own', affine('podAffinity', { ...web, matchLabelKeys: ['tier', 'none'], mismatchLabelKeys: ['app'] }),
        { kind: 'affinity', of: { ...of, matchExpressions: [{ key: 'tier', operator: 'In', values: ['a'] }, { key: 'app', operator: 'NotIn', values: ['train'] }] }, over: zone },
      ],
      ['a label of nodes called as a group', affine('podAffinity', { ...web, topologyKey: 'rack' }), { kind: 'affinity', of, over: 'label:rack' }],
      ['spreading', spread({ minDomains: 3 }), { kind: 'spread', of, over: zone, maxSkew: 2, minDomains: 3 }],
      ['spreading that is a preference', spread({ whenUnsatisfiable: 'ScheduleAnyway' }), { kind: 'spread', of, over: zone, maxSkew: 2, weight: 1 }],
      [
        'nodes that it prefers', { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 3, preference: { matchExpressions: [{ key: 'disk', operator: 'Exists' }] } }, { weight: 1, preference: {} }] } } },
        { kind: 'nodes', term: { matchExpressions: [{ key: 'disk', operator: 'Exists' }] }, weight: 3 },
      ],
      ['nobody, without a selector', affine('podAffinity', { topologyKey: zone }), undefined],
      ['namespaces by labels that are not known', affine('podAffinity', { ...web, namespaceSelector: { matchLabels: { team: 'x' } } }), undefined],
      ['a namespace by the label with its name', affine('podAffinity', { ...web, namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ml' } } }), { kind: 'affinity', of, over: zone }],
      ['nodes that count', spread({ nodeAffinityPolicy: 'Ignore', nodeTaintsPolicy: 'Honor' }), { kind: 'spread', of, over: zone, maxSkew: 2, nodeAffinityPolicy: 'Ignore', nodeTaintsPolicy: 'Honor' }],
      ['nodes that count by default', spread({ nodeAffinityPolicy: 'Honor', nodeTaintsPolicy: 'Ignore' }), { kind: 'spread', of, over: zone, maxSkew: 2 }],
    ])('are of %s', (_, spec, expected) => {
      expect(rulesOf(spec)).toEqual(expected && [expected])
    })

    it('are of templates, too, and of nodes only where their labels are asked for', () => {
      const template = { metadata: { labels: { app: 'web' } }, spec: { ...affine('podAntiAffinity', web), containers: [] } }
      expect(jobs([job('sweep', { spec: { template } })])[0]?.stages[0]).toMatchObject({ tags: { app: 'web' }, placementRules: [{ kind: 'antiAffinity' }] })
      expect(rulesOf({ affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 3, preference: { matchExpressions: [{ key: 'disk', operator: 'Exists' }] } }] } } }, { nodeSelector: 'ignore' })).toBeUndefined()
    })

    it('keep of the labels of pods those by which any rule selects pods, and tell pods apart by these alone', () => {
      const items = [
        ...['0', '1'].map((index) => pod(`train-${index}`, { metadata: { labels: { app: 'train', 'batch.kubernetes.io/job-completion-index': index } } })),
        pod('web-1', { metadata: { ...controller('ReplicaSet', 'web'), labels: { app: 'web', hash: 'x' } }, spec: affine('podAffinity', { ...web, labelSelector: { matchLabels: { app: 'train' } } }) }),
      ]
      expect(jobs(items).map(({ stages }) => stages.map(({ tasks, tags }) => [tasks, tags]))).toEqual([[[2, { app: 'train' }]], [[1, { app: 'web' }]]])
      expect(jobs(items.slice(0, 2)).map(({ stages }) => stages.map(({ tasks, tags }) => [tasks, tags]))).toEqual([[[2, undefined]]])
    })

    it('keep those by which rules of a PreemptionConfig select workloads, which have those of their Job', () => {
      const config = {
        apiVersion: 'kueue.x-k8s.io/v1alpha1', kind: 'PreemptionConfig', metadata: { name: 'c' },
        spec: { rules: [{ preemptorSelector: { matchLabels: { team: 'a' } }, candidateSelectors: [{ labelSelector: { matchExpressions: [{ key: 'tier', operator: 'Exists' }] }, clusterQueueSelector: { matchLabels: { other: 'x' } } }, { numericLabels: [{ key: 'nodes' }] }] }] },
      }
      const labels = { team: 'a', tier: 'low', nodes: '4', other: 'x' }
      const [found] = jobs([job('train', { metadata: { labels } }), config])
      expect([found?.tags, found?.stages[0]?.tags]).toEqual([{ team: 'a', tier: 'low', nodes: '4' }, undefined])
      expect(jobs([job('train', { metadata: { labels } })])[0]?.tags).toBeUndefined()
      const [ofPods] = jobs([pod('train-0', { metadata: { labels: { team: 'b', other: 'x' } } }), config])
      expect(ofPods?.stages[0]?.tags).toEqual({ team: 'b' })
      const workload = { apiVersion: 'kueue.x-k8s.io/v1beta2', kind: 'Workload', metadata: { name: 'w', namespace: 'ml', creationTimestamp: at(0), labels: { nodes: '2' } }, spec: { podSets: [{ name: 'main', count: 1, template: { spec: { containers: [] } } }] }, status: { conditions: [{ type: 'Admitted', status: 'True', lastTransitionTime: at(1) }, { type: 'Finished', status: 'True', lastTransitionTime: at(9) }] } }
      expect(jobs([workload, config])[0]?.tags).toEqual({ nodes: '2' })
    })

    it('name the priority class of a Job, of Kueue or not, where rules of a PreemptionConfig select workloads by it', () => {
      const config = (rule: Json) => ({ apiVersion: 'kueue.x-k8s.io/v1alpha1', kind: 'PreemptionConfig', metadata: { name: 'c' }, spec: { rules: [rule] } })
      const byClass = config({ candidateSelectors: [{ priority: { notMatchNames: ['high'] } }] })
      const label = 'kueue.x-k8s.io/priority-class'
      const usual = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'usual' }, value: 1, globalDefault: true }
      const high = { apiVersion: 'kueue.x-k8s.io/v1beta2', kind: 'WorkloadPriorityClass', metadata: { name: 'high' }, value: 9 }
      const named = job('train', { metadata: { labels: { [label]: 'high' } } })
      expect(jobs([named, high, byClass])[0]?.tags).toEqual({ [label]: 'high' })
      expect(jobs([named, high, config({ preemptorPriorityClassSelector: { matchNames: ['high'] } })])[0]?.tags).toEqual({ [label]: 'high' })
      expect(jobs([job('train', {}), usual, byClass])[0]?.tags).toEqual({ [label]: 'usual' })
      const workload = (spec: Json) => ({ apiVersion: 'kueue.x-k8s.io/v1beta2', kind: 'Workload', metadata: { name: 'w', namespace: 'ml', creationTimestamp: at(0) }, spec: { priority: 9, ...spec, podSets: [{ name: 'main', count: 1, template: { spec: { containers: [] } } }] }, status: { conditions: [{ type: 'Admitted', status: 'True', lastTransitionTime: at(1) }, { type: 'Finished', status: 'True', lastTransitionTime: at(9) }] } })
      const refs = [{ priorityClassRef: { kind: 'WorkloadPriorityClass', name: 'high' } }, { priorityClassName: 'high', priorityClassSource: 'kueue.x-k8s.io/workloadpriorityclass' }, { priorityClassRef: { kind: 'PriorityClass', name: 'high' } }]
      expect(refs.map((spec) => jobs([workload(spec), byClass])[0]?.tags)).toEqual(refs.map(() => ({ [label]: 'high' })))
      expect([jobs([job('train', {}), byClass])[0]?.tags, jobs([named, high, config({})])[0]?.tags]).toEqual([undefined, undefined])
    })

    it('keep those by which a PodDisruptionBudget selects pods, too', () => {
      const budget = (selector: Json) => ({ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'b', namespace: 'ml', creationTimestamp: at(0) }, spec: { maxUnavailable: 1, selector } })
      const labelled = pod('train-0', { metadata: { labels: { app: 'train', tier: 'a', hash: 'x' } } })
      const selector = { matchLabels: { app: 'train' }, matchExpressions: [{ key: 'tier', operator: 'Exists' }] }
      const trace = read(list(labelled, budget(selector)))
      expect([...jobsOf(trace)].map(({ stages }) => stages[0]?.tags)).toEqual([{ app: 'train', tier: 'a' }])
      expect(trace.report.rules ?? []).toEqual([]) // not one of the other objects
      expect(jobs([budget({}), labelled])[0]?.stages[0]?.tags).toBeUndefined()
    })

    it('are about the namespaces with labels, of those that are listed, wherever in the list, and of those that are named', () => {
      const namespace = (name: string, labels: Json) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, creationTimestamp: at(-900), labels } })
      const usersOf = (namespaceSelector: Json, ...namespaces: string[]) => {
        const spec = affine('podAffinity', { ...web, namespaceSelector, ...(namespaces.length > 0 && { namespaces }) })
        const items = [pod('train-0', { spec }), pod('other', { metadata: { namespace: 'bare', ownerReferences: [] } }), namespace('b', { team: 'x', old: '' }), namespace('a', { team: 'x' }), namespace('ml', { team: 'y' })]
        const trace = read(list(...items))
        const [found] = [...jobsOf(trace)]
        expect(trace.report.rules ?? []).toEqual([]) // Namespaces are none of the other objects
        return found?.stages[0]?.placementRules?.map((rule) => (rule.kind === 'affinity' ? rule.of?.users : rule.kind))
      }
      const teamX = { matchLabels: { team: 'x' } }
      expect(usersOf(teamX)).toEqual([['a', 'b']])
      expect(usersOf(teamX, 'ml')).toEqual([['a', 'b', 'ml']])
      expect(usersOf({ ...teamX, matchExpressions: [{ key: 'old', operator: 'DoesNotExist' }] })).toEqual([['a']])
      expect(usersOf({ matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['x', 'y'] }] })).toEqual([['bare']]) // of which no labels are known
      expect(usersOf({ matchLabels: { team: 'z' } })).toBeUndefined()
    })

    it('that are not looked at are told', () => {
      const unread = (spec: Json) => {
        const trace = read(list(pod('p', { metadata: { labels: { app: 'train' } }, spec })))
        expect([...jobsOf(trace)]).toHaveLength(1)
        return (trace.report.rules ?? []).find(({ rule }) => rule === 'minding')?.jobs
      }
      const told = [affine('podAffinity', { ...web, namespaceSelector: { matchLabels: { team: 'x' } } }), affine('podAffinity', { ...web, labelSelector: { matchExpressions: [{ key: 'a', operator: 'Has' }] } }), affine('podAffinity', { ...web, namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Has' }] } })]
      expect([...told, {}, spread({ nodeTaintsPolicy: 'Honor' }), affine('podAffinity', web)].map(unread)).toEqual([1, 1, 1, undefined, undefined, undefined])
      expect(() => rulesOf(affine('podAffinity', { labelSelector: {} }))).toThrow('topologyKey')
    })
  })

  it('leaves out what has not ended, never started or never ends, and counts it; objects may also stand one on a line', () => {
    const items = [
      pod('train-0', { status: { phase: 'Failed' } }), pod('kube-proxy', { metadata: controller('DaemonSet', 'kube-proxy') }), pod('train-1', { status: { phase: 'Running' } }),
      pod('lost', { metadata: { ownerReferences: [] }, status: { phase: 'Failed', containerStatuses: [] } }), { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' } },
      job('soon', { status: { startTime: undefined } }), pod('idle', { metadata: { ownerReferences: [] }, spec: { containers: [] } }),
    ]
    const trace = read(items.map((item) => JSON.stringify(item)).join('\n'))
    expect([...jobsOf(trace)].map(({ id, recorded }) => [id, recorded?.status])).toEqual([['ml/train', 'failed'], ['ml/idle', 'completed']])
    expect(trace.report.notes).toEqual([
      '1 object other than pods and Jobs: passed over (others)', '1 pod of daemons and of nodes: left out (daemons)', '1 pod still running or pending: left out (going)',
      '1 pod without a known start or end: left out (unknown)', '1 job without an end, and without pods that have ended: left out (empty)', '1 pod without requests: given a millicore (nothing)',
    ])
  })

  it('lets pods that have not ended run for as long as is said, those that wait from when they start', () => {
    const waits = { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', lastTransitionTime: at(1) }], startTime: undefined, containerStatuses: [] }
    const alone = { ownerReferences: [] }
    const items = [pod('train-0'), pod('train-1', { status: { phase: 'Running' } }), pod('soon', { metadata: alone, status: waits }), pod('now', { metadata: alone, status: { phase: 'Running', containerStatuses: [] } })]
    const trace = read(list(...items), { unfinished: 900 })
    expect([...jobsOf(trace)].map(({ id, recorded, stages }) => [id, recorded, stages[0]?.duration])).toEqual([
      ['ml/train', { wait: 60, status: 'running' }, [600, 900]], ['ml/soon', { status: 'pending' }, [900]], ['ml/now', { wait: 60, status: 'running' }, [900]],
    ])
    expect(trace.report.notes).toEqual(['3 pods still running or pending: run 900 s (unfinished)'])
  })

  describe('with pods behind scheduling gates', () => {
    const waits = { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated', lastTransitionTime: at(1) }], startTime: undefined, containerStatuses: [] }
    const gated = (name: string, gate: string, metadata: Json = { ownerReferences: [] }) => pod(name, { metadata, spec: { schedulingGates: [{ name: gate }] }, status: waits })
    const found = (items: readonly object[], options: object) => {
      const trace = read(list(...items), { unfinished: 900, ...options })
      return [[...jobsOf(trace)].map(({ id, startup, recorded, stages }) => [id, startup, recorded?.status, stages[0]?.tasks]), (trace.report.notes ?? []).filter((note) => note.includes('(gated)'))]
    }

    it('leaves them out, since nothing in a list lifts the gates, or lifts these so long after their creation as is said', () => {
      const items = [gated('soon', 'example.com/quota'), pod('train-0')]
      const train = ['ml/train', undefined, 'completed', 1]
      expect(found(items, {})).toEqual([[train], ['1 pod behind scheduling gates, which nothing in a list of pods lifts: left out, since `--option gated=SECONDS` does not say when they are lifted (gated)']])
      expect(found(items, { gated: 300 })).toEqual([
        [['ml/soon', 300, 'pending', 1], train], ['1 pod behind scheduling gates: lifted 300 s after their creation; left out of jobs that have other pods without gates (gated)'],
      ])
    })

    it('leaves them out of jobs that have other pods, which need not wait for them', () => {
      expect(found([gated('train-1', 'example.com/quota', {}), pod('train-0')], { gated: 300 })[0]).toEqual([['ml/train', undefined, 'completed', 1]])
    })

    it('takes gates of Kueue for none, since its policy lifts them, and those of pods that have started for lifted', () => {
      expect(found([gated('soon', 'kueue.x-k8s.io/admission')], {})).toEqual([[['ml/soon', undefined, 'pending', 1]], []])
      expect(found([pod('train-0', { spec: { schedulingGates: [{ name: 'example.com/quota' }] } })], {})).toEqual([[['ml/train', undefined, 'completed', 1]], []])
    })
  })

  it('says what is wrong', () => {
    expect(messageOf(() => read(list({ ...pod('a'), spec: undefined })))).toContain('line 43 spec: in the object that begins on line 4: is missing. Print whole objects: kubectl get jobs,pods -A -o json')
    expect(messageOf(() => read(list(pod('a', { metadata: { creationTimestamp: 'yesterday' } }))))).toContain('metadata.creationTimestamp: in the object that begins on line 4: found "yesterday", expected a time such as 2024-01-31T10:00:00Z.')
    expect(messageOf(() => read(list(pod('a', { spec: { containers: [{ resources: { requests: { cpu: 'many' } } }] } }))))).toContain('cpu: in the object that begins on line 4: found "many"')
  })
})
