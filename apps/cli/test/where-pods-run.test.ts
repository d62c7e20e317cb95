import { buildCluster, CellState, kubernetesNodes, readCluster, Shapes } from '@sched/cluster'
import { randomStream, type Constraints, type NodeId } from '@sched/core'
import { jobsOf, parseTrace, writeWorkload } from '@sched/workload'
import { describe, expect, it } from 'vitest'

type Json = Readonly<Record<string, unknown>>
interface NodeMarks {
  readonly name?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly taints?: readonly Taint[]
}
type Taint = { readonly key: string; readonly value?: string; readonly effect: string }
type Requirement = { readonly key: string; readonly operator: string; readonly values?: readonly string[] }
type Toleration = { readonly key?: string; readonly operator?: string; readonly value?: string; readonly effect?: string }

const list = (items: readonly Json[]) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 1)
const at = '2024-01-31T10:00:00Z'

/** What the reader of pods makes of a pod with that spec. */
function constraintsOf(spec: Json): Constraints | undefined {
  const ended = [{ state: { terminated: { finishedAt: at } } }]
  const pod = {
    apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', creationTimestamp: at },
    spec: { containers: [{ resources: { requests: { cpu: '1' } } }], ...spec }, status: { phase: 'Succeeded', startTime: at, containerStatuses: ended },
  }
  const trace = parseTrace(new TextEncoder().encode(list([pod])), { file: 'pods.json' })
  const [again] = jobsOf(parseTrace(new TextEncoder().encode([...writeWorkload(trace)].join('')), { file: 'pods.jsonl' }))
  const [job] = jobsOf(trace)
  expect(again).toEqual(job)
  return job?.stages[0]?.constraints
}

/** The nodes, as the reader of nodes and the cluster have them, on which a pod may be. */
function nodesFor(spec: Json, nodes: readonly NodeMarks[]): number[] {
  const items = nodes.map(({ name, labels, taints }, i) => ({
    apiVersion: 'v1', kind: 'Node', metadata: { name: name ?? `n${i}`, labels: { ...labels } }, spec: { taints }, status: { allocatable: { cpu: '4', memory: '8Gi' } },
  }))
  const model = buildCluster(readCluster(kubernetesNodes(list(items), 'nodes.json')))
  const shapes = new Shapes(model)
  const cell = new CellState(model, shapes, { validate: true })
  const constraints = constraintsOf(spec)
  const shape = shapes.intern({ cpu: 1000 }, constraints)
  const ids = nodes.map((_, i) => i as NodeId)
  const fitting = ids.filter((node) => cell.fits(shape, node))
  expect(ids.filter((node) => cell.keepsOff(constraints, node) === undefined)).toEqual(fitting)
  return fitting
}
const mayRun = (spec: Json, node: NodeMarks): boolean => nodesFor(spec, [node]).length === 1

const affine = (...terms: readonly Json[]): Json => ({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } } })
const labels = (...matchExpressions: readonly Requirement[]): Json => ({ matchExpressions })
const fields = (...values: readonly string[]): Json => ({ matchFields: [{ key: 'metadata.name', operator: 'In', values }] })
const is = (key: string, ...values: readonly string[]): Requirement => ({ key, operator: 'In', values })
const foo = { labels: { foo: 'bar' } }
const gpu = { labels: { GPU: 'NVIDIA-GRID-K1' } }
const hasGpu: Requirement = { key: 'GPU', operator: 'Exists' }

describe('where pods may run by node affinity is as in Kubernetes', () => {
  it.each<[string, Json, NodeMarks, boolean]>([
    ['no selector', {}, {}, true],
    ['missing labels', { nodeSelector: { foo: 'bar' } }, {}, false],
    ['same labels', { nodeSelector: { foo: 'bar' } }, foo, true],
    ['node labels are superset', { nodeSelector: { foo: 'bar' } }, { labels: { foo: 'bar', baz: 'blah' } }, true],
    ['node labels are subset', { nodeSelector: { foo: 'bar', baz: 'blah' } }, foo, false],
    ['In', affine(labels(is('foo', 'bar', 'value2'))), foo, true],
    ['Gt', affine(labels({ key: 'kernel-version', operator: 'Gt', values: ['0204'] })), { labels: { 'kernel-version': '0206' } }, true],
    ['NotIn', affine(labels({ key: 'mem-type', operator: 'NotIn', values: ['DDR', 'DDR2'] })), { labels: { 'mem-type': 'DDR3' } }, true],
    ['Exists', affine(labels(hasGpu)), gpu, true],
    ['affinity that does not match', affine(labels(is('foo', 'value1', 'value2'))), foo, false],
    ['nil terms', { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: null } } } }, foo, false],
    ['empty terms', affine(), foo, false],
    ['empty matchExpressions', affine(labels()), foo, false],
    ['no affinity', {}, foo, true],
    ['nil node selector', { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: null } } }, foo, true],
    ['expressions ANDed that match', affine(labels(hasGpu, { key: 'GPU', operator: 'NotIn', values: ['AMD', 'INTER'] })), gpu, true],
    ['expressions ANDed that do not', affine(labels(hasGpu, is('GPU', 'AMD', 'INTER'))), gpu, false],
    ['terms ORed', affine(labels(is('foo', 'bar', 'value2')), labels(is('diffkey', 'wrong', 'value2'))), foo, true],
    ['affinity and nodeSelector', { nodeSelector: { foo: 'bar' }, ...affine(labels({ key: 'foo', operator: 'Exists' })) }, foo, true],
    ['affinity, but not nodeSelector', { nodeSelector: { foo: 'bar' }, ...affine(labels({ key: 'foo', operator: 'Exists' })) }, { labels: { foo: 'barrrrrr' } }, false],
    ['an invalid value', affine(labels({ key: 'foo', operator: 'NotIn', values: ['invalid value: ___@#$%^'] })), foo, false],
    ['matchFields that match', affine(fields('node_1')), { name: 'node_1' }, true],
    ['matchFields that do not', affine(fields('node_1')), { name: 'node_2' }, false],
    ['two terms, of which labels match', affine(fields('node_1'), labels(is('foo', 'bar'))), { name: 'node_2', ...foo }, true],
    ['one term, of which labels match', affine({ ...fields('node_1'), ...labels(is('foo', 'bar')) }), { name: 'node_2', ...foo }, false],
    ['one term, of which both match', affine({ ...fields('node_1'), ...labels(is('foo', 'bar')) }), { name: 'node_1', ...foo }, true],
    ['two terms that do not match', affine(fields('node_1'), labels(is('foo', 'not-match-to-bar'))), { name: 'node_2', ...foo }, false],
  ])('TestPodMatchesNodeSelectorAndAffinityTerms: %s', (_, spec, node, expected) => {
    expect(mayRun(spec, node)).toBe(expected)
  })

  const label1 = labels(is('label_1', 'label_1_val'))
  const host1: NodeMarks = { name: 'host_1', labels: { label_1: 'label_1_val' } }
  it.each<[string, Json, NodeMarks, boolean]>([
    ['TestNodeSelectorMatch: fields, but not labels', affine({ ...label1, ...fields('host_1') }), { name: 'host_1' }, false],
    ['TestNodeSelectorMatch: fields and labels', affine({ ...label1, ...fields('host_1') }), host1, true],
    ['TestNodeSelectorMatch: second term', affine(label1, fields('host_1')), { name: 'host_1' }, true],
    ['TestNodeSelectorRequirementsAsSelector: values of Exists', affine(labels({ key: 'foo', operator: 'Exists', values: ['bar', 'baz'] })), foo, false],
    ['TestMatchNodeSelectorTerms: labels', affine(label1), { labels: { label_1: 'label_1_val' } }, true],
    ['TestMatchNodeSelectorTerms: field', affine(fields('host_1')), { name: 'host_1' }, true],
    ['TestMatchNodeSelectorTerms: two values of a field', affine(fields('host_1', 'host_2')), { name: 'host_1' }, false],
    ['TestMatchNodeSelectorTerms: a label called as the field', affine(fields('host_1')), { name: 'not_host_1', labels: { 'metadata.name': 'host_1' } }, false],
    ['TestMatchNodeSelectorTerms: a field as a label', affine(labels(is('metadata.name', 'host_1'))), { name: 'host_1' }, false],
    ['TestMatchNodeSelectorTerms: one mismatched', affine({ ...label1, ...fields('host_1') }), { name: 'host_1', labels: { label_1: 'label_1_val-failed' } }, false],
    ['TestMatchNodeSelectorTerms: one of two mismatched', affine(label1, fields('host_1')), { name: 'host_1', labels: { label_1: 'label_1_val-failed' } }, true],
  ])('%s', (_, spec, node, expected) => {
    expect(mayRun(spec, node)).toBe(expected)
  })
})

/** `key=value:effect`, each part but the key may be missing. */
const taint = (text: string): Taint => {
  const [, key = '', value, effect = ''] = /^([^=:]+)(?:=([^:]*))?:(.*)$/.exec(text) ?? []
  return { key, ...(value !== undefined && { value }), effect }
}
const sla = (operator: string, value: string): Toleration => ({ key: 'node.kubernetes.io/sla', operator, value, effect: 'NoSchedule' })

describe('where pods may run by taints is as in Kubernetes', () => {
  const fooExists: Toleration = { key: 'foo', operator: 'Exists', effect: 'NoSchedule' }
  const user2: Toleration = { key: 'dedicated', operator: 'Equal', value: 'user2', effect: 'NoSchedule' }
  it.each<[string, readonly Toleration[], readonly string[], boolean]>([
    ['TestTaintTolerationFilter: none', [], ['dedicated=user1:NoSchedule'], false],
    ['TestTaintTolerationFilter: the same', [{ key: 'dedicated', value: 'user1', effect: 'NoSchedule' }], ['dedicated=user1:NoSchedule'], true],
    ['TestTaintTolerationFilter: another value', [user2], ['dedicated=user1:NoSchedule'], false],
    ['TestTaintTolerationFilter: Exists', [fooExists], ['foo=bar:NoSchedule'], true],
    ['TestTaintTolerationFilter: several', [user2, fooExists], ['dedicated=user2:NoSchedule', 'foo=bar:NoSchedule'], true],
    ['TestTaintTolerationFilter: another effect', [{ key: 'foo', operator: 'Equal', value: 'bar', effect: 'PreferNoSchedule' }], ['foo=bar:NoSchedule'], false],
    ['TestTaintTolerationFilter: no effect', [{ key: 'foo', operator: 'Equal', value: 'bar' }], ['foo=bar:NoSchedule'], true],
    ['TestTaintTolerationFilter: another value of a soft taint', [user2], ['dedicated=user1:PreferNoSchedule'], true],
    ['TestTaintTolerationFilter: a soft taint', [], ['dedicated=user1:PreferNoSchedule'], true],
    ['TestTaintTolerationFilter: Gt, lower', [{ ...sla('Gt', '950'), key: 'node.example.com/priority-level' }], ['node.example.com/priority-level=800:NoSchedule'], false],
    ['TestTaintTolerationFilter: Gt, higher', [sla('Gt', '750')], ['node.kubernetes.io/sla=950:NoSchedule'], true],
    ['TestTaintTolerationFilter: Lt, higher', [{ ...sla('Lt', '800'), key: 'node.example.com/priority-level' }], ['node.example.com/priority-level=950:NoSchedule'], false],
    ['TestTaintTolerationFilter: Lt, lower', [sla('Lt', '950')], ['node.kubernetes.io/sla=800:NoSchedule'], true],
    ['TestTaintTolerationFilter: Gt, no number', [sla('Gt', '950')], ['node.kubernetes.io/sla=high:NoSchedule'], false],
    ['TestTolerationToleratesTaint: Exists, no value', [fooExists], ['foo:NoSchedule'], true],
    ['TestTolerationToleratesTaint: no key', [{ key: '', operator: 'Exists', effect: 'NoSchedule' }], ['foo=bar:NoSchedule'], true],
    ['TestTolerationToleratesTaint: Equal', [{ key: 'foo', operator: 'Equal', value: 'bar', effect: 'NoSchedule' }], ['foo=bar:NoSchedule'], true],
    ['TestTolerationToleratesTaint: other values', [{ key: 'foo', operator: 'Equal', value: 'value1', effect: 'NoSchedule' }], ['foo=value2:NoSchedule'], false],
    ['TestTolerationToleratesTaint: other effects', [{ key: 'foo', operator: 'Equal', value: 'bar', effect: 'NoSchedule' }], ['foo=bar:NoExecute'], false],
    ['TestTolerationToleratesTaint: Gt, equal', [sla('Gt', '950')], ['node.kubernetes.io/sla=950:NoSchedule'], false],
    ['TestTolerationToleratesTaint: Gt, negative', [{ ...sla('Gt', '-100'), key: 'test-key' }], ['test-key=-200:NoSchedule'], false],
    ['TestTolerationToleratesTaint: Gt, large', [{ ...sla('Gt', '9223372036854775806'), key: 'test-key' }], ['test-key=100:NoSchedule'], false],
    ['TestFindMatchingUntoleratedTaint: neither', [], [], true],
    ['TestFindMatchingUntoleratedTaint: no taint', [fooExists], [], true],
    ['TestFindMatchingUntoleratedTaint: another key', [fooExists], ['bar:NoSchedule'], false],
    ['TestFindMatchingUntoleratedTaint: a later one matches', [sla('Gt', '950'), { ...sla('Exists', ''), value: undefined }] as Toleration[], ['node.kubernetes.io/sla=high:NoSchedule'], true],
  ])('%s', (_, tolerations, taints, expected) => {
    expect(mayRun({ tolerations }, { taints: taints.map(taint) })).toBe(expected)
  })
})

/** A plain evaluator, written from the text of the API alone: of a term that cannot be read nothing holds. */
const plainly = {
  value: (text: string | undefined) => (text !== undefined && /^\d+$/.test(text) ? BigInt(text) : undefined),
  requirement: ({ key, operator, values = [] }: Requirement, marks: Readonly<Record<string, string>>): boolean | undefined => {
    const [value, is] = [marks[key], Object.hasOwn(marks, key)]
    if (operator === 'Exists' || operator === 'DoesNotExist') return values.length > 0 ? undefined : is === (operator === 'Exists')
    if (operator === 'In' || operator === 'NotIn') return values.length === 0 ? undefined : (is && values.includes(value as string)) === (operator === 'In')
    const bound = values.length === 1 ? plainly.value(values[0]) : undefined
    if (bound === undefined) return undefined
    const number = plainly.value(value)
    return number !== undefined && (operator === 'Gt' ? number > bound : number < bound)
  },
  tolerated: ({ key, value = '', effect }: Taint, { key: asked = '', operator = 'Equal', value: wanted = '', effect: only = '' }: Toleration): boolean =>
    (asked === '' || asked === key) && (only === '' || only === effect) && (operator === 'Exists' || value === wanted),
  mayRun: (pod: Pod, { name = '', labels = {}, taints = [] }: NodeMarks): boolean => {
    const marks = { 'kubernetes.io/hostname': name, ...labels }
    for (const [key, value] of Object.entries(pod.selector)) if (!Object.hasOwn(marks, key) || (marks as Readonly<Record<string, string>>)[key] !== value) return false
    const held = (term: Term) => {
      const all = [...term.labels.map((each) => plainly.requirement(each, marks)), ...term.names.map((each) => (each.values?.length === 1 ? plainly.requirement(each, { 'metadata.name': name }) : undefined))]
      return all.length > 0 && all.every((each) => each === true)
    }
    if (pod.terms !== undefined && !pod.terms.some(held)) return false
    return taints.every((each) => each.effect === 'PreferNoSchedule' || pod.tolerations.some((toleration) => plainly.tolerated(each, toleration)))
  },
}
interface Term {
  readonly labels: readonly Requirement[]
  readonly names: readonly Requirement[]
}
interface Pod {
  readonly selector: Readonly<Record<string, string>>
  readonly terms: readonly Term[] | undefined
  readonly tolerations: readonly Toleration[]
}

const KEYS = ['a', 'b', 'c', 'kubernetes.io/hostname']
const VALUES = ['', 'x', 'y', '3', '5', '10']

class Drawn {
  constructor(private readonly random: () => number) {}
  one<T>(of: readonly T[]): T {
    return of[Math.floor(this.random() * of.length)] as T
  }
  some<T>(most: number, make: () => T): T[] {
    return Array.from({ length: Math.floor(this.random() * (most + 1)) }, make)
  }
  is(part: number): boolean {
    return this.random() < part
  }

  node(i: number): NodeMarks {
    const labels = Object.fromEntries(this.some(3, () => [this.one(KEYS.slice(0, this.is(0.1) ? 4 : 3)), this.one(VALUES)]))
    return { name: `n${i}`, labels, taints: this.some(2, () => ({ key: this.one(['t', 'u']), ...(this.is(0.5) && { value: this.one(['', 'v', 'w']) }), effect: this.one(['NoSchedule', 'NoExecute', 'PreferNoSchedule']) })) }
  }
  requirement(keys: readonly string[], values: readonly string[]): Requirement {
    const operator = this.one(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'])
    const fitting: Readonly<Record<string, () => string[]>> = {
      In: () => [this.one(values), ...this.some(1, () => this.one(values))], NotIn: () => [this.one(values)],
      Gt: () => [this.one(['3', '4', '9'])], Lt: () => [this.one(['3', '4', '9'])],
    }
    const given = this.is(0.1) ? this.some(2, () => this.one(values)) : (fitting[operator]?.() ?? [])
    return { key: this.one(keys), operator, ...(given.length > 0 && { values: given }) }
  }
  term(): Term {
    const names = this.is(0.3) ? [{ key: 'metadata.name', operator: this.one(['In', 'NotIn']), values: [this.one(['n0', 'n1', 'n2'])] }] : []
    return { labels: this.some(2, () => this.requirement(KEYS, [...VALUES, 'n0', 'n1'])), names }
  }
  pod(): Pod {
    return {
      selector: this.is(0.2) ? { [this.one(KEYS)]: this.one([...VALUES, 'n0']) } : {},
      terms: this.is(0.5) ? this.some(3, () => this.term()) : undefined,
      tolerations: this.some(3, () => ({
        ...(this.is(0.8) && { key: this.one(['t', 'u']) }), ...(this.is(0.7) && { operator: this.one(['Exists', 'Equal']) }),
        ...(this.is(0.5) && { value: this.one(['v', 'w']) }), ...(this.is(0.3) && { effect: this.one(['NoSchedule', 'NoExecute', 'PreferNoSchedule']) }),
      })),
    }
  }
}

it('pods may be where a plain evaluator has them, whatever they ask and nodes are', { tags: 'long' }, () => {
  const drawn = new Drawn(randomStream(20_264, 'pods'))
  let [allowed, asked] = [0, 0]
  for (let world = 0; world < 100; world++) {
    const nodes = Array.from({ length: 6 }, (_, i) => drawn.node(i))
    for (let i = 0; i < 4; i++) {
      const pod = drawn.pod()
      const terms = pod.terms?.map((term) => ({ matchExpressions: term.labels, ...(term.names.length > 0 && { matchFields: term.names }) }))
      const spec = { nodeSelector: pod.selector, tolerations: pod.tolerations, ...(terms !== undefined && affine(...terms)) }
      const expected = nodes.flatMap((node, n) => (plainly.mayRun(pod, node) ? [n] : []))
      expect(nodesFor(spec, nodes), JSON.stringify({ world, spec, nodes })).toEqual(expected)
      allowed += expected.length
      asked += nodes.length
    }
  }
  expect(allowed / asked).toBeGreaterThan(0.1) // neither everywhere nor nowhere
  expect(allowed / asked).toBeLessThan(0.6)
})
