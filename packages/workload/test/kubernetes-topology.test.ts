import { describe, expect, it } from 'vitest'
import { jobsOf, parseTrace } from '../src/index.js'
import { bytesOf } from './reading.js'

type Json = Readonly<Record<string, unknown>>
const at = (seconds: number) => new Date(Date.UTC(2024, 0, 31, 10) + seconds * 1000).toISOString().replace('.000', '')
const containers = (cpu: string) => [{ name: 'main', resources: { requests: { cpu } } }]
const metadata = (name: string, change: Json = {}) => ({ name, namespace: 'ml', creationTimestamp: at(0), ...change })
const owned = (kind: string, name: string) => ({ ownerReferences: [{ apiVersion: 'v1', kind, name, controller: true }] })

const BLOCK = 'example.com/block'
const RACK = 'example.com/rack'
const HOST = 'kubernetes.io/hostname'
const topology = (...labels: readonly string[]) => ({ apiVersion: 'kueue.x-k8s.io/v1beta1', kind: 'Topology', metadata: { name: 'default' }, spec: { levels: labels.map((nodeLabel) => ({ nodeLabel })) } })
const levels = topology(BLOCK, RACK, HOST)

/** A Job of two pods that ran from 60 to 160, whose pods have annotations. */
const job = (annotations: Json, own: Json = {}) => ({
  apiVersion: 'batch/v1', kind: 'Job', metadata: metadata('train', { labels: { 'kueue.x-k8s.io/queue-name': 'q' }, annotations: own }),
  spec: { parallelism: 2, completions: 2, template: { metadata: { annotations }, spec: { containers: containers('2') } } }, status: { startTime: at(60), completionTime: at(160) },
})
const pod = (name: string, annotations: Json, cpu: string, change: Json) => ({
  apiVersion: 'v1', kind: 'Pod', metadata: metadata(name, { annotations, ...change }), spec: { containers: containers(cpu) },
  status: { phase: 'Succeeded', startTime: at(60), containerStatuses: [{ name: 'main', state: { terminated: { finishedAt: at(160) } } }] },
})
const workload = (...requests: readonly (Json | undefined)[]) => ({
  apiVersion: 'kueue.x-k8s.io/v1beta1', kind: 'Workload', metadata: metadata('w'),
  spec: { podSets: requests.map((topologyRequest, i) => ({ name: `${i}`, count: i + 1, topologyRequest, template: { spec: { containers: containers('1') } } })) },
  status: { conditions: [['Admitted', 50], ['Finished', 160]].map(([type, seconds]) => ({ type, status: 'True', lastTransitionTime: at(seconds as number) })) },
})
const group = (apiVersion: string, spec: Json) => ({ apiVersion, kind: 'PodGroup', metadata: metadata('g'), spec })
const inGroup = { annotations: { 'pod-group-name': 'g' } }

/** What the job and each of its stages ask. */
const asked = (...items: readonly object[]) => {
  const trace = parseTrace(bytesOf(JSON.stringify({ apiVersion: 'v1', kind: 'List', items })), { file: 'cluster.json', options: {} })
  const [first] = [...jobsOf(trace)]
  return [first?.topology, ...(first?.stages ?? []).map((stage) => stage.topology)]
}
const NONE = [undefined, undefined]

describe('the topology that Kubernetes asks for', () => {
  it('is that of Kueue by annotations of pods, with levels of a Topology wherever it stands in the file', () => {
    const required = 'kueue.x-k8s.io/podset-required-topology'
    expect(asked(levels, job({ [required]: RACK }))).toEqual([{ required: 1 }, undefined])
    expect(asked(job({ [required]: BLOCK }), levels)).toEqual([{ required: 2 }, undefined])
    expect(asked(job({ [required]: HOST }))).toEqual([{ required: 0 }, undefined])
    expect(asked(topology(BLOCK, RACK), job({ 'kueue.x-k8s.io/podset-preferred-topology': BLOCK }))).toEqual([{ preferred: 2 }, undefined])
    expect(asked(levels, job({ 'kueue.x-k8s.io/podset-unconstrained-topology': 'true' }))).toEqual(NONE)
    expect(asked(levels, pod('one', { [required]: RACK }, '1', {}))).toEqual([{ required: 1 }, undefined])
  })

  it('has slices by annotations, by labels of the levels of nodes', () => {
    const [slice, size] = ['kueue.x-k8s.io/podset-slice-required-topology', 'kueue.x-k8s.io/podset-slice-size']
    expect(asked(levels, job({ 'kueue.x-k8s.io/podset-required-topology': BLOCK, [slice]: RACK, [size]: '2' }))).toEqual([{ required: 2, slices: [{ level: 1, size: 2 }] }, undefined])
    expect(asked(levels, job({ [slice]: HOST, [size]: '1' }))).toEqual([{ slices: [{ level: 0, size: 1 }] }, undefined])
    const layers = JSON.stringify([{ topology: BLOCK, size: 2 }, { topology: HOST, size: 1 }])
    expect(asked(levels, job({ 'kueue.x-k8s.io/podset-slice-required-topology-constraints': layers }))).toEqual([{ slices: [{ level: 2, size: 2 }, { level: 0, size: 1 }] }, undefined])
    expect(asked(levels, job({ [slice]: 'other', [size]: '1' }))).toEqual(NONE)
  })

  it('has slices of each pod set of a Workload, of single pods of one job, too', () => {
    const slices = { podSetSliceRequiredTopology: RACK, podSetSliceSize: 2 }
    expect(asked(levels, workload({ required: BLOCK }, { preferred: BLOCK, ...slices }))).toEqual([undefined, { required: 2 }, { preferred: 2, slices: [{ level: 1, size: 2 }] }])
    expect(asked(levels, workload({ podsetSliceRequiredTopologyConstraints: [{ topology: RACK, size: 4 }, { topology: HOST, size: 2 }] }))).toEqual([{ slices: [{ level: 1, size: 4 }, { level: 0, size: 2 }] }, undefined])
    const ofAll = { 'kueue.x-k8s.io/podset-slice-required-topology': RACK, 'kueue.x-k8s.io/podset-slice-size': '2' }
    const each = (name: string, cpu: string) => pod(name, {}, cpu, owned('Job', 'train'))
    expect(asked(levels, job({}, ofAll), each('a', '1'), each('b', '2'))).toEqual([undefined, { slices: [{ level: 1, size: 2 }] }, { slices: [{ level: 1, size: 2 }] }])
    expect(() => asked(levels, workload({ podSetSliceRequiredTopology: RACK }))).toThrow('spec.podSets[0].topologyRequest.podSetSliceSize: is missing.')
  })

  const podset = (name: string) => `kueue.x-k8s.io/podset-${name}`
  const layers = podset('slice-required-topology-constraints')
  const [slice, size, groupName, required] = ['slice-required-topology', 'slice-size', 'group-name', 'required-topology'].map(podset) as [string, string, string, string]
  it.each<readonly [object, string]>([
    [{ [required]: RACK, [podset('preferred-topology')]: RACK }, `${podset('preferred-topology')}: may not be set when '${required}' is specified.`],
    [{ [slice]: RACK }, `${size}: must be set when '${slice}' is specified.`],
    [{ [size]: '2' }, `${size}: may not be set when '${slice}' is not specified.`],
    [{ [slice]: RACK, [size]: 'two' }, `${size}: must be a numeric value.`],
    [{ [slice]: RACK, [size]: '0' }, `${size}: must be greater than or equal to 1.`],
    [{ [slice]: RACK, [size]: '3' }, `${size}: must not be greater than pod set count 2.`],
    [{ [groupName]: 'g' }, `${groupName}: may not be set when neither '${podset('preferred-topology')}' nor '${required}' is specified.`],
    [{ [groupName]: '7', [required]: RACK }, `${groupName}: must not be a number.`],
    [{ [layers]: '[]', [slice]: RACK }, `${layers}: may not be set when '${slice}' is specified.`],
    [{ [layers]: 'none' }, `${layers}: must be a valid JSON array.`],
    [{ [layers]: '[]' }, `${layers}: must have 1 to 3 entries.`],
    [{ [layers]: '[{"size":1}]' }, `${layers}: [0].topology is missing.`],
    [{ [layers]: '[{"topology":"a","size":0}]' }, `${layers}: [0].size must be greater than or equal to 1.`],
    [{ [layers]: '[{"topology":"a","size":2},{"topology":"a","size":1}]' }, `${layers}: [1].topology is a duplicate.`],
    [{ [layers]: '[{"topology":"b","size":2},{"topology":"a","size":3}]' }, `${layers}: [1].size must evenly divide the parent layer size 2.`],
    [{ [layers]: '[{"topology":"b","size":4}]' }, `${layers}: must not be greater than pod set count 2.`],
  ])('is refused where Kueue refuses it: %j', (annotations, message) => {
    expect(() => asked(levels, job({ ...annotations }))).toThrow(message)
  })

  it('is nothing where no Topology has the level', () => {
    expect(asked(topology('zone'), job({ 'kueue.x-k8s.io/podset-required-topology': RACK }))).toEqual(NONE)
    const trace = parseTrace(bytesOf(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [job({ 'kueue.x-k8s.io/podset-required-topology': RACK })] })), { file: 'cluster.json', options: {} })
    expect(JSON.stringify(trace.report.rules)).toContain('that ask for a topology level that no Topology lists: ignored')
  })

  it('is of each pod set of a Workload, or of all of those of one group', () => {
    expect(asked(levels, workload({ required: RACK }, { preferred: RACK }))).toEqual([undefined, { required: 1 }, { preferred: 1 }])
    expect(asked(levels, workload({ required: RACK, podSetGroupName: 'a' }, { required: RACK, podSetGroupName: 'a' }))).toEqual([{ required: 1 }, undefined, undefined])
    const sliced = { podSetSliceRequiredTopology: HOST, podSetSliceSize: 2 } // of the workers, beside their leader (TASGroupedPodSetSlicing)
    expect(asked(levels, workload({ required: BLOCK, podSetGroupName: 'a', ...sliced }, { required: BLOCK, podSetGroupName: 'a' }))).toEqual([{ required: 2, slices: [{ level: 0, size: 2 }] }, undefined, undefined])
    expect(asked(levels, workload({ required: RACK }, undefined))).toEqual([undefined, { required: 1 }, undefined])
    expect(asked(levels, workload({ required: RACK }))).toEqual([{ required: 1 }, undefined])
  })

  it('tells pods of a job apart that ask for different levels', () => {
    const of = (name: string, level: string) => pod(name, { 'kueue.x-k8s.io/podset-required-topology': level }, '1', owned('Job', 'train'))
    expect(asked(levels, job({}), of('a', RACK), of('b', BLOCK))).toEqual([undefined, { required: 1 }, { required: 2 }])
  })

  it('is that of KAI for all of a job', () => {
    const marks = { 'kai.scheduler/topology-required-placement': BLOCK, 'kai.scheduler/topology-preferred-placement': RACK }
    expect(asked(levels, job({}, marks))).toEqual([{ required: 2, preferred: 1 }, undefined])
    const ofGroup = group('scheduling.run.ai/v2alpha2', { topologyConstraint: { topology: 'default', requiredTopologyLevel: RACK } })
    expect(asked(levels, ofGroup, pod('a', inGroup.annotations, '1', {}), pod('b', inGroup.annotations, '2', {}))).toEqual([{ required: 1 }, undefined, undefined])
  })

  it('is that of Volcano by tiers', () => {
    const of = (networkTopology: Json) => asked(group('scheduling.volcano.sh/v1beta1', { networkTopology }), pod('a', { 'scheduling.k8s.io/group-name': 'g' }, '1', {}))
    expect([of({ mode: 'hard', highestTierAllowed: 2 }), of({ highestTierAllowed: 1 }), of({ mode: 'soft' })]).toEqual([[{ required: 2, preferred: 1 }, undefined], [{ required: 1, preferred: 1 }, undefined], [{ preferred: 1 }, undefined]])
    const hyperNode = (tier: number) => ({ apiVersion: 'topology.volcano.sh/v1alpha1', kind: 'HyperNode', metadata: { name: `s${tier}` }, spec: { tier, members: [] } })
    const withTiers = (highestTierAllowed: number) => asked(hyperNode(4), hyperNode(2), group('scheduling.volcano.sh/v1beta1', { networkTopology: { mode: 'hard', highestTierAllowed } }), pod('a', { 'scheduling.k8s.io/group-name': 'g' }, '1', {}))[0]
    expect([withTiers(2), withTiers(3), withTiers(4)]).toEqual([{ required: 1, preferred: 1 }, { required: 1, preferred: 1 }, { required: 2, preferred: 1 }])
  })

  it('is that of Volcano by names of tiers, which its HyperNodes say (TestSession_adjustNetworkTopologySpec)', () => {
    const hyperNode = (tier: number, tierName: string) => ({ apiVersion: 'topology.volcano.sh/v1alpha1', kind: 'HyperNode', metadata: { name: `s${tier}` }, spec: { tier, tierName, members: [] } })
    const of = (networkTopology: Json) => asked(hyperNode(4, 'volcano.sh/hypercluster'), hyperNode(2, 'volcano.sh/hypernode'), group('scheduling.volcano.sh/v1beta1', { networkTopology }), pod('a', { 'scheduling.k8s.io/group-name': 'g' }, '1', {}))[0]
    expect(['hypernode', 'hypercluster', 'hypercluster-test'].map((name) => of({ mode: 'hard', highestTierName: `volcano.sh/${name}` }))).toEqual([{ required: 1, preferred: 1 }, { required: 2, preferred: 1 }, { preferred: 1 }])
    expect(() => of({ mode: 'hard', highestTierName: 'volcano.sh/hypernode', highestTierAllowed: 2 })).toThrow('spec.networkTopology.highestTierName: is given beside highestTierAllowed.')
  })

  it('is that of KAI by aliases of levels, too', () => {
    const aliases = { apiVersion: 'kai.scheduler/v1alpha1', kind: 'Topology', metadata: { name: 'default' }, spec: { levels: [{ nodeLabel: BLOCK }, { nodeLabel: RACK, alias: 'rack' }, { nodeLabel: HOST, alias: 'node' }] } }
    const of = (requiredTopologyLevel: string) => asked(aliases, group('scheduling.run.ai/v2alpha2', { topologyConstraint: { topology: 'default', requiredTopologyLevel } }), pod('a', inGroup.annotations, '1', {}))[0]
    expect(['rack', RACK, BLOCK, 'node', 'zone'].map(of)).toEqual([{ required: 1 }, { required: 1 }, { required: 2 }, { required: 0 }, undefined])
  })

  it('is that of each subgroup of KAI, of which each is a stage', () => {
    const of = (own: Json, ...constraints: readonly (Json | undefined)[]) => asked(
      levels, group('scheduling.run.ai/v2alpha2', { ...own, subGroups: constraints.map((topologyConstraint, i) => ({ name: `s${i}`, minMember: 1, topologyConstraint })) }),
      ...constraints.map((_, i) => pod(`p${i}`, inGroup.annotations, '1', { labels: { 'kai.scheduler/subgroup-name': `s${i}` } })),
    )
    const [rack, block] = [{ topology: 'default', requiredTopologyLevel: RACK }, { topology: 'default', requiredTopologyLevel: BLOCK, preferredTopologyLevel: RACK }]
    expect(of({}, rack, block)).toEqual([undefined, { required: 1 }, { required: 2, preferred: 1 }])
    expect(of({}, rack, rack, undefined)).toEqual([undefined, { required: 1 }, { required: 1 }, undefined])
    expect(of({}, rack, rack)).toEqual([undefined, { required: 1 }, { required: 1 }])
    expect(of({ topologyConstraint: block }, rack, rack)).toEqual([{ required: 2, preferred: 1 }, undefined, undefined])
  })
})
