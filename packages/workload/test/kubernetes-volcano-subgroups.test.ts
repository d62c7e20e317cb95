import { describe, expect, it } from 'vitest'
import { jobsOf, parseTrace } from '../src/index.js'
import { bytesOf } from './reading.js'

type Json = Readonly<Record<string, unknown>>
type Labels = Readonly<Record<string, string>>

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 31, 10) + seconds * 1000).toISOString()
const containers = [{ name: 'main', resources: { requests: { cpu: '1' } } }]
const pod = (name: string, labels: Labels, metadata: Json = {}) => ({
  apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'ml', creationTimestamp: at(0), labels, annotations: { 'scheduling.k8s.io/group-name': 'pg' }, ...metadata }, spec: { containers },
  status: { phase: 'Succeeded', startTime: at(60), containerStatuses: [{ name: 'main', state: { terminated: { finishedAt: at(160) } } }] },
})
const group = (spec: Json) => ({ apiVersion: 'scheduling.volcano.sh/v1beta1', kind: 'PodGroup', metadata: { name: 'pg', namespace: 'ml', creationTimestamp: at(0) }, spec })
const jobOf = (...items: readonly object[]) => [...jobsOf(parseTrace(bytesOf(JSON.stringify({ apiVersion: 'v1', kind: 'List', items })), { file: 'cluster.json' }))][0]
/** Of each stage: its pods, how many must start together, and `?` where the gang does without. */
const stagesOf = (...items: readonly object[]) => jobOf(...items)?.stages.map(({ tasks, gang, minTasks = tasks, optionalGroup }) => `${tasks}${gang === true ? ` of ${minTasks}` : ''}${optionalGroup === undefined ? '' : ` ? ${optionalGroup}`}`).join(', ')

/** Pods of which so many have each value of the label `id`. */
const pods = (counts: Readonly<Record<string, number>>, more: Labels = { role: 'worker' }) =>
  Object.entries(counts).flatMap(([id, count]) => Array.from({ length: count }, (_, i) => pod(`${more['role'] ?? 'pod'}-${id}-${i}`, { ...more, ...(id !== '' && { id }) })))
const workers = (more: Json = {}) => ({ name: 'worker', labelSelector: { matchLabels: { role: 'worker' } }, matchLabelKeys: ['id'], ...more })

describe('subgroups of Volcano', () => {
  it('are as many as the group needs; each of the others starts as a whole', () => {
    expect(stagesOf(group({ minMember: 4, subGroupPolicy: [workers({ subGroupSize: 2, minSubGroups: 2 })] }), ...pods({ 10: 2, 9: 2, 1: 2 }))).toBe('2 of 2, 2 of 2, 2 of 2 ? worker-10') // by number
    expect(jobOf(group({ subGroupPolicy: [workers({ subGroupSize: 2, minSubGroups: 1 })] }), ...pods({ b: 2, a: 2 }))?.stages.map(({ optionalGroup }) => optionalGroup)).toEqual([undefined, 'worker-b'])
  })

  it('are those first that have enough pods', () => {
    expect(stagesOf(group({ minMember: 3, subGroupPolicy: [workers({ subGroupSize: 3, minSubGroups: 1 })] }), ...pods({ 0: 2, 1: 3 }))).toBe('3 of 3, 2 of 2 ? worker-0')
  })

  it('have pods beyond their size that follow one by one', () => {
    expect(stagesOf(group({ minMember: 2, subGroupPolicy: [workers({ subGroupSize: 2, minSubGroups: 1 })] }), ...pods({ 0: 3 }))).toBe('3 of 2')
    expect(stagesOf(group({ minMember: 1, subGroupPolicy: [workers({ minSubGroups: 1 })] }), ...pods({ 0: 3 }))).toBe('3 of 1') // one pod each, if they do not say
  })

  it('are more where the group needs more pods', () => {
    const policy = workers({ subGroupSize: 2, minSubGroups: 1 })
    expect([2, 3, 4, 5, 6, 8].map((minMember) => stagesOf(group({ minMember, subGroupPolicy: [policy] }), ...pods({ 0: 3, 1: 3, 2: 2 })))).toEqual([
      '3 of 2, 3 of 2 ? worker-1, 2 of 2 ? worker-2', '3 of 3, 3 of 2 ? worker-1, 2 of 2 ? worker-2', '3 of 3, 3 of 2, 2 of 2 ? worker-2',
      '3 of 3, 3 of 2, 2 of 2 ? worker-2', '3 of 3, 3 of 3, 2 of 2 ? worker-2', '3 of 3, 3 of 3, 2 of 2',
    ])
    expect(stagesOf(group({ subGroupPolicy: [workers({ subGroupSize: 2 })] }), ...pods({ 0: 2, 1: 2 }))).toBe('2 of 2, 2 of 2 ? worker-1') // at least one pod
  })

  it('leave other pods to their tasks', () => {
    const head = pod('head', { role: 'head' }, { annotations: { 'scheduling.k8s.io/group-name': 'pg', 'volcano.sh/task-spec': 'head' } })
    const policies = [workers({ subGroupSize: 2, minSubGroups: 1 })]
    expect(stagesOf(group({ minMember: 3, minTaskMember: { head: 1 }, subGroupPolicy: policies }), ...pods({ 0: 2, 1: 2 }), head)).toBe('2 of 2, 1 of 1, 2 of 2 ? worker-1')
    expect(stagesOf(group({ minMember: 2, subGroupPolicy: policies }), ...pods({ 0: 2 }), head)).toBe('2 of 2, 1')
  })

  it('are of several policies, of which the first that selects a pod counts', () => {
    const heads = { name: 'head', subGroupSize: 1, minSubGroups: 1, labelSelector: { matchLabels: { role: 'head' } } }
    const all = { name: 'all', subGroupSize: 2 }
    expect(stagesOf(group({ minMember: 2, subGroupPolicy: [heads, all] }), ...pods({ 0: 1 }, { role: 'head' }), ...pods({ 0: 2 }))).toBe('1 of 1, 2 of 2')
  })

  it.each<[string, Json, Labels, boolean]>([
    ['a selector and values', { labelSelector: { matchLabels: { app: 'test' } }, matchLabelKeys: ['version', 'env'] }, { app: 'test', version: 'v1', env: 'dev' }, true],
    ['values alone', { matchLabelKeys: ['zone'] }, { zone: 'zone-1' }, true],
    ['a selector alone', { labelSelector: { matchLabels: { app: 'test' } } }, { app: 'test' }, true],
    ['an empty selector', { labelSelector: {}, matchLabelKeys: ['key'] }, { key: 'value' }, true],
    ['an expression', { labelSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['test', 'demo'] }] }, matchLabelKeys: ['app'] }, { app: 'demo' }, true],
    ['an empty value', { matchLabelKeys: ['a', 'b'] }, { a: '', b: 'val' }, false],
    ['an unknown operator', { labelSelector: { matchExpressions: [{ key: 'app', operator: 'invalid' }] } }, { app: 'test' }, false],
    ['another label', { labelSelector: { matchLabels: { app: 'test' } }, matchLabelKeys: ['version'] }, { app: 'prod' }, false],
    ['a label that it lacks', { matchLabelKeys: ['missing'] }, { existing: 'value' }, false],
  ])('have a pod by %s, or not (TestGetSubJobMatchValues)', (_, policy, labels, isIn) => {
    // pods in a subgroup must be two at once
    expect(stagesOf(group({ minMember: 1, subGroupPolicy: [{ name: 's', subGroupSize: 2, minSubGroups: 1, ...policy }] }), pod('a', labels), pod('b', labels), pod('c', labels))).toBe(isIn ? '3 of 2' : '3 of 1')
  })

  it('are each in the HyperNode that their policy asks for', () => {
    const hard = (highestTierAllowed: number) => ({ networkTopology: { mode: 'hard', highestTierAllowed } })
    const topologies = (spec: Json) => {
      const job = jobOf(group(spec), ...pods({ 0: 2, 1: 2 }))
      return [job?.topology, ...(job?.stages.map(({ topology }) => topology) ?? [])]
    }
    const own = { required: 1, preferred: 1 }
    expect(topologies({ subGroupPolicy: [workers({ subGroupSize: 2, minSubGroups: 2, ...hard(1) })] })).toEqual([undefined, own, own])
    expect(topologies({ networkTopology: { mode: 'soft' }, subGroupPolicy: [workers({ subGroupSize: 2, minSubGroups: 2, ...hard(1) })] })).toEqual([undefined, own, own]) // TestAllocateWithPartitionPolicyNetworkTopology
    expect(topologies({ ...hard(2), subGroupPolicy: [workers({ subGroupSize: 2, minSubGroups: 2, networkTopology: { mode: 'soft' } })] })).toEqual([{ required: 2, preferred: 1 }, undefined, undefined])
    expect(topologies({ ...hard(2), subGroupPolicy: [workers({ subGroupSize: 2, minSubGroups: 2, ...hard(1) })] })).toEqual([{ required: 2, preferred: 1 }, undefined, undefined])
  })
})

describe('partitions of a task of a job of Volcano', () => {
  const task = (name: string, replicas: number, partitionPolicy?: Json) => ({ name, replicas, template: { spec: { containers } }, partitionPolicy })
  const job = (minAvailable: number, ...tasks: readonly Json[]) => ({
    apiVersion: 'batch.volcano.sh/v1alpha1', kind: 'Job', metadata: { name: 'vj', namespace: 'ml', creationTimestamp: at(0) }, spec: { minAvailable, tasks },
    status: { state: { phase: 'Completed', lastTransitionTime: at(660) }, conditions: [{ status: 'Running', lastTransitionTime: at(60) }] },
  })
  const halves = { totalPartitions: 3, partitionSize: 2, minPartitions: 2 }

  it('are subgroups, of listed pods and of those that are gone', () => {
    const listed = [...Array(6).keys()].map((i) => pod(`w-${i}`, { 'volcano.sh/task-spec': 'worker', 'volcano.sh/partition-id': `${Math.floor(i / 2)}` }, { ownerReferences: [{ apiVersion: 'v1', kind: 'Job', name: 'vj', controller: true }] }))
    const both = [job(5, task('worker', 6, halves), task('ps', 1)), job(4, task('worker', 6, halves))]
    expect(both.map((each) => stagesOf(each))).toEqual(['2 of 2, 2 of 2, 1 of 1, 2 of 2 ? worker-2', '2 of 2, 2 of 2, 2 of 2 ? worker-2'])
    expect(stagesOf(both[1] as object, ...listed)).toBe('2 of 2, 2 of 2, 2 of 2 ? worker-2')
  })

  it('are all needed where the task does not say how many', () => {
    expect(stagesOf(job(6, task('worker', 6, { totalPartitions: 3, partitionSize: 2 })))).toBe('2 of 2, 2 of 2, 2 of 2')
  })

  it('are each in the HyperNode that the task asks for', () => {
    const found = jobOf(job(6, task('worker', 6, { ...halves, minPartitions: 3, networkTopology: { mode: 'hard', highestTierAllowed: 1 } })))
    expect(found?.stages.map(({ topology }) => topology)).toEqual(Array(3).fill({ required: 1, preferred: 1 }))
  })
})
