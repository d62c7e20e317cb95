import { dispatcher } from '@sched/cluster'
import type { Constraints, PlacementRule } from '@sched/core'
import { fifo, greedy } from '@sched/policies'
import { job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { weighted } from '../../src/index.js'
import { having, mayBeOn, TAINTED, to, type Nodes, type Pod } from './pods.js'

const foo = { foo: '' }
const zones: Nodes = { a: { zone: 'zone1', node: 'a' }, b: { zone: 'zone1', node: 'b' }, x: { zone: 'zone2', node: 'x' }, y: { zone: 'zone2', node: 'y' } }
const abc: Nodes = { a: { node: 'a' }, b: { node: 'b' }, c: { node: 'c' } }
/** Rules are over labels: `node` itself is another kind of group here, of which these nodes are the same. */
const even = (maxSkew: number, over: string, key = 'foo', minDomains?: number): PlacementRule => ({ kind: 'spread', of: having(key), over, maxSkew, ...(minDomains !== undefined && { minDomains }) })
const many = (counts: Readonly<Record<string, number>>, tags: Readonly<Record<string, string>> = foo): Pod[] => Object.entries(counts).flatMap(([node, count]) => Array.from({ length: count }, () => ({ on: node, tags })))
const inNode = (operator: 'In' | 'NotIn', ...values: string[]): Constraints => ({ nodeSelectorTerms: [{ matchExpressions: [{ key: 'node', operator, values }] }] })

describe('required spreading is that of TestSingleConstraint of kube-scheduler', () => {
  it.each<[string, Nodes, readonly Pod[], Pod, string]>([
    ['no pods', zones, [], { rules: [even(1, 'zone')] }, 'a b x y'],
    ['no pods, and it is none of them itself', zones, [], { rules: [even(1, 'zone', 'bar')] }, 'a b x y'],
    ['pods of other namespaces do not count', zones, [{ on: 'a', tags: foo, namespace: 'ns1' }, { on: 'a', tags: foo, namespace: 'ns2' }, ...many({ x: 1, y: 1 })], { rules: [even(1, 'zone')] }, 'a b'],
    ['3/3 by zone', zones, many({ a: 2, b: 1, y: 3 }), { rules: [even(1, 'zone')] }, 'a b x y'],
    ['1/2 by zone, since a node has no such label', { ...zones, b: { zon: 'zone1' } }, many({ a: 1, b: 1, x: 1, y: 1 }), { rules: [even(1, 'zone')] }, 'a'],
    ['2/1/0/3 by node', zones, many({ a: 2, b: 1, y: 3 }), { rules: [even(1, 'node')] }, 'x'],
    ['2/1/0/3 by node, maxSkew 2', zones, many({ a: 2, b: 1, y: 3 }), { rules: [even(2, 'node')] }, 'b x'],
    ['2/1/0/3 by node, and it is none of them', zones, many({ a: 2, b: 1, y: 3 }), { tags: { bar: '' }, rules: [even(1, 'node')] }, 'b x'],
    ['2/~1~/~0~/3: it may be on two of the nodes alone', zones, many({ a: 2, b: 1, y: 3 }), { rules: [even(1, 'node')], constraints: inNode('In', 'a', 'y') }, 'a b x'], // nodes are not asked for labels here
    ['0/~2~/0/1 by zone', zones, many({ b: 2, y: 1 }), { rules: [even(1, 'zone')], constraints: inNode('NotIn', 'b') }, 'a b'],
    ['2/2/1, maxSkew 2, fewer nodes than minDomains', abc, many({ a: 2, b: 2, c: 1 }), { rules: [even(2, 'node', 'foo', 4)] }, 'c'],
    ['2/2/1, maxSkew 2, more', abc, many({ a: 2, b: 2, c: 1 }), { rules: [even(2, 'node', 'foo', 2)] }, 'a b c'],
    ['2/1 by zone, maxSkew 2, fewer zones than minDomains', zones, many({ a: 1, b: 1, y: 1 }), { rules: [even(2, 'zone', 'foo', 3)] }, 'x y'],
    ['2/1 by zone, maxSkew 2, more', zones, many({ a: 1, b: 1, y: 1 }), { rules: [even(2, 'zone', 'foo', 1)] }, 'a b x y'],
  ])('%s', (_, nodes, pods, one, expected) => {
    expect(mayBeOn(nodes, pods, { tags: foo, ...one, rules: [to(having('nobody'), 'zone', 1), ...(one.rules ?? [])] }).join(' ')).toBe(expected)
  })
})

describe('nodes that count in spreading are those of TestSingleConstraint of kube-scheduler', () => {
  const nodes: Nodes = { a: { zone: 'zone1', foo: '' }, b: { zone: 'zone1', foo: '' }, x: { zone: 'zone2' }, y: { zone: 'zone2', foo: '' } }
  const onFoo: Constraints = { nodeSelectorTerms: [{ matchExpressions: [{ key: 'foo', operator: 'Exists' }] }] }
  const byZone = (nodeAffinityPolicy?: 'Honor' | 'Ignore'): PlacementRule => ({ ...even(1, 'zone'), ...(nodeAffinityPolicy !== undefined && { nodeAffinityPolicy }) })
  it.each<[string, Record<string, number>, 'Honor' | 'Ignore' | undefined, Constraints, string]>([
    ['nodeAffinityPolicy honoured, 2/~1~', { a: 1, b: 1, x: 1, y: 1 }, 'Honor', onFoo, 'x y'], // x lacks the label: it is not asked for here
    ['the same by default, for labels that are required', { a: 1, b: 1, x: 1, y: 1 }, undefined, { require: { foo: '' } }, 'x y'],
    ['nodeAffinityPolicy ignored, 1/~2~', { a: 1, x: 1, y: 1 }, 'Ignore', onFoo, 'a b'],
    ['the same for labels that are required', { a: 1, x: 1, y: 1 }, 'Ignore', { require: { foo: '' } }, 'a b'],
  ])('%s', (_, counts, policy, constraints, expected) => {
    expect(mayBeOn(nodes, many(counts), { tags: foo, rules: [byZone(policy)], constraints }).join(' ')).toBe(expected)
  })

  it.each<['Honor' | 'Ignore' | undefined, boolean, string]>([['Honor', false, 'y'], ['Honor', true, 'a'], ['Ignore', false, 'a'], [undefined, false, 'a']])('nodeTaintsPolicy %s, tolerated: %s', (nodeTaintsPolicy, isTolerated, expected) => {
    const taint = { key: 'own', effect: 'NoSchedule' as const }
    const cluster = { nodes: Object.entries(nodes).map(([host, { zone = '' }]) => ({ count: 1, names: [host], resources: { cpu: 9 }, labels: { host, zone }, ...(host === 'x' && { taints: [taint] }) })) }
    const control = dispatcher({ cluster, policy: greedy(fifo(), weighted({ scores: {} })) })
    const tolerations = [{ key: 'own', operator: 'Exists' as const }]
    for (const host of Object.keys(nodes)) control.submit(job({ id: host, tags: foo, stages: [{ name: 's', tasks: 1, demand: { cpu: 1 }, duration: 9, constraints: { require: { host }, tolerations } }] }))
    expect(control.pass(0).start).toHaveLength(4)
    const rule: PlacementRule = { kind: 'spread', of: { tags: foo }, over: 'zone', maxSkew: 1, ...(nodeTaintsPolicy !== undefined && { nodeTaintsPolicy }) }
    control.submit(job({ id: 'p', tags: foo, placementRules: [rule], stages: [{ name: 's', tasks: 1, demand: { cpu: 1 }, duration: 9, ...(isTolerated && { constraints: { tolerations } }) }] }))
    expect(control.pass(1).start.map(({ node }) => node)).toEqual([expected]) // 2/~1~ or 2/2
  })
})

describe('several required spreadings are those of TestMultipleConstraints of kube-scheduler', () => {
  const foobar = { foo: '', bar: '' }
  const zoneAndNode = [even(1, 'zone'), even(1, 'node')]
  const other = [even(1, 'zone'), even(1, 'node', 'bar')]
  const named: Nodes = { a: { zone: 'zone1', name: 'a' }, b: { zone: 'zone1', name: 'b' }, x: { zone: 'zone2' }, y: { zone: 'zone2', name: 'y' } }
  const zoneAndName = (maxSkew: number) => [even(1, 'zone'), even(maxSkew, 'name')]
  const twice = [even(1, 'zone', 'bar'), even(1, 'zone')]
  it.each<[string, Nodes, readonly Pod[], readonly PlacementRule[], string]>([
    ['3/3 by zone, 2/1/0/3 by node', zones, many({ a: 2, b: 1, y: 3 }), zoneAndNode, 'x'],
    ['3/4 by zone, 2/1/0/4 by node: another for each', zones, many({ a: 2, b: 1, y: 4 }), zoneAndNode, ''],
    ['of other pods, 1/0 by zone, 1/0/0/1 by node', zones, [...many({ b: 1 }), ...many({ a: 1, y: 1 }, { bar: '' })], other, 'x'],
    ['of other pods, 1/0 by zone, 0/0/1/1 by node: another for each', zones, [...many({ a: 1 }), ...many({ x: 1, y: 1 }, { bar: '' })], other, ''],
    ['of other pods, 2/3 by zone, 1/0/0/1 by node', zones, [...many({ a: 2, y: 3 }), ...many({ a: 1, y: 1 }, { bar: '' })], other, 'b'],
    ['1/1 by zone, 1/0/?/1 by name, of which one node has none', named, many({ a: 1, y: 1 }), zoneAndName(1), 'b'],
    ['1/1 by zone, since what runs on a node without a name does not count', named, many({ a: 1, x: 1, y: 1 }), zoneAndName(5), 'a b y'],
    ['twice by zone, 2/1 of other pods and 3/3', zones, [...many({ a: 1, y: 2 }), ...many({ a: 1, b: 1, y: 1 }, foobar)], twice, 'x y'],
    ['twice by zone, 2/1 of other pods and 3/4: another for each', zones, [...many({ a: 1, y: 3 }), ...many({ a: 1, b: 1, y: 1 }, foobar)], twice, ''],
  ])('%s', (_, nodes, pods, rules, expected) => {
    expect(mayBeOn(nodes, pods, { tags: foobar, rules }).join(' ')).toBe(expected)
  })

  // Whether the labels of a node and its taints are those of the pod is asked by others.
  type Policies = Partial<Pick<Extract<PlacementRule, { kind: 'spread' }>, 'nodeAffinityPolicy' | 'nodeTaintsPolicy'>>
  const labelled = (without: readonly string[], tainted: readonly string[]): Nodes => Object.fromEntries(Object.entries(zones).map(([node, labels]) => [node, { ...labels, ...(!without.includes(node) && foo), ...(tainted.includes(node) && { [TAINTED]: '' }) }]))
  const here = { tolerations: [{ key: TAINTED, operator: 'Exists' as const }] }
  const one = (counts: Readonly<Record<string, number>>): Pod[] => many(counts).map((pod) => ({ ...pod, constraints: here }))
  const [aby, abxy] = [{ a: 1, b: 1, y: 1 }, { a: 1, b: 1, x: 1, y: 1 }]
  const ignoring: Policies = { nodeAffinityPolicy: 'Ignore' }
  const heeding: Policies = { nodeTaintsPolicy: 'Honor' }
  it.each<[string, Nodes, Record<string, number>, Policies, Policies, boolean, string]>([
    ['2/~0~ by zone, 1/1/0/~1~ by node', labelled(['y'], []), aby, {}, ignoring, true, 'x'],
    ['2/0 by zone, 1/1/0/~1~ by node', labelled([], ['y']), aby, heeding, {}, false, 'x'],
    ['1/~1~ by zone, 1/?/0/~1~ by node', labelled(['b'], ['y']), aby, {}, {}, true, 'b x'],
    ['1/0 by zone, 1/~1~/0/~1~ by node', labelled(['b'], ['y']), aby, heeding, ignoring, true, 'x'],
    ['2/~1~ by zone, 1/1/?/1 by node (TestPodTopologySpreadFilter)', labelled(['x'], ['b']), abxy, {}, {}, true, 'x y'],
    ['2/2 by zone, 1/?/?/1 by node (TestPodTopologySpreadFilter)', labelled(['x'], ['b']), abxy, ignoring, heeding, true, 'a b x y'],
  ])('nodes that count for each: %s', (_, nodes, pods, ofZone, ofNode, selects, expected) => {
    const rules = [{ ...even(1, 'zone'), ...ofZone }, { ...even(1, 'node'), ...ofNode }]
    expect(mayBeOn(nodes, one(pods), { tags: foo, rules, ...(selects && { constraints: { require: foo } }) }).join(' ')).toBe(expected)
  })
})

describe('spreading', () => {
  it('does not count groups of which all nodes are away', () => {
    const cluster = { nodes: ['a', 'b'].map((zone) => ({ count: 1, names: [zone], resources: { cpu: 9 }, labels: { zone } })) }
    const control = dispatcher({ cluster, policy: greedy(fifo(), weighted({ scores: {} })) })
    control.nodeDown('b')
    control.submit(job({ tasks: 4, demand: { cpu: 1 }, placementRules: [{ kind: 'spread', of: { job: 'own' }, over: 'zone', maxSkew: 1 }] }))
    expect(control.pass(0).start.map(({ node }) => node)).toEqual(['a', 'a', 'a', 'a'])
    control.submit(job({ id: 'next', tasks: 4, demand: { cpu: 1 }, placementRules: [{ kind: 'spread', of: { job: 'own' }, over: 'zone', maxSkew: 1 }] }))
    control.nodeUp('b')
    expect(control.pass(1).start.map(({ node }) => node)).toEqual(['a', 'b', 'a', 'b'])
  })

  it('counts them again when one is back, and what runs there', () => {
    const cluster = { nodes: [{ count: 1, names: ['a'], resources: { cpu: 1 } }, { count: 1, names: ['b'], resources: { cpu: 9 } }] }
    const control = dispatcher({ cluster, policy: greedy(fifo(), weighted({ scores: {} })) })
    control.nodeDown('b')
    control.submit(job({ tasks: 9, demand: { cpu: 1 }, placementRules: [{ kind: 'spread', of: { job: 'own' }, over: 'node', maxSkew: 1 }] }))
    const passes = [0, 1, 2].map((now) => {
      if (now === 1) control.nodeUp('b')
      if (now === 2) control.nodeDown('a') // its task runs on, and b is all there is
      return control.pass(now).start.map(({ node }) => node)
    })
    expect(passes).toEqual([['a'], ['b', 'b'], ['b', 'b', 'b', 'b', 'b', 'b']])
  })
})
