import type { NodeId, NodeSelectorTerm, PlacementRule } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { affinityPercentages, Preferences, spreadPercentages } from '../../src/rules/preferences.js'
import type { Mates } from '../../src/rules/mates.js'
import { weighted } from '../../src/index.js'
import { Play } from '../world.js'
import { all, beside, from, having, TAINTED, to, without, type Nodes, type Pod } from './pods.js'

type Score = (mates: Mates, nodes: readonly NodeId[]) => readonly number[]

const china = { region: 'China' }
const india = { region: 'India' }
const az1 = { az: 'az1' }
const az2 = { az: 'az2' }
const both = { ...china, ...az1 }
const s1 = { security: 'S1' }
const s2 = { security: 'S2' }
const s1InRegion = to(having('security', 'S1'), 'region', 5)
const s2InRegion = to(having('security', 'S2'), 'region', 6)
const notS1InAz = from(having('security', 'S1'), 'az', 5)
const notS2InAz = from(having('security', 'S2'), 'az', 5)
const s1InRegionNotS2InAz = [to(having('security', 'S1'), 'region', 8), notS2InAz]
const hard = [to(having('security', 'S1', 'value2'), 'region'), to(all(having('security'), without('wrongkey')), 'region')]
const teams = { ...having('security', 'S1'), users: ['subteam1.team1', 'subteam2.team1', 'subteam2.team2'] } // as its namespaces select them

/** Scores by node; `candidates`: those that are scored. */
const scoresOf = (score: Score, nodes: Nodes, pods: readonly Pod[], one: Pod, candidates = Object.keys(nodes)): number[] =>
  beside(nodes, pods, { ...one, rules: one.rules ?? [to(having('nobody'), 'zone', 1)] }, ({ mates, nodes: ids }) => [...score(mates, ids.filter((_, i) => candidates.includes(Object.keys(nodes)[i] as string)))])

const on = (node: string, tags: Readonly<Record<string, string>>, ...rules: PlacementRule[]): Pod => ({ on: node, tags, rules })

describe('the score inter-pod-affinity is that of TestPreferredAffinity of kube-scheduler', () => {
  const three: Nodes = { n1: china, n2: india, n3: az1 }
  const regions: Nodes = { n1: china, n2: india, n3: china, n4: china, n5: india }
  it.each<[string, Nodes, readonly Pod[], Pod, number[]]>([
    ['pods in the region', three, [on('n1', s1), on('n2', s2), on('n3', s1)], { tags: s1, rules: [s1InRegion] }, [100, 0, 0]],
    ['all nodes of the region', { n1: china, n2: both, n3: india }, [on('n1', s1)], { rules: [s1InRegion] }, [100, 100, 0]],
    ['the region that has more of them', regions, [on('n1', s2), on('n1', s2), on('n2', s2), on('n3', s2), on('n4', s2), on('n5', s2)], { tags: s1, rules: [s2InRegion] }, [100, 0, 100, 100, 0]],
    [
      'several operators', three, [on('n1', s1), on('n2', s2), on('n3', s1)],
      { tags: s1, rules: [to(all(without('security', 'S1'), having('security', 'S2')), 'region', 8), to(all(having('security'), without('wrongkey')), 'region', 2)] }, [20, 100, 0],
    ],
    ['symmetry of preferred affinity', three, [on('n1', s1, s1InRegion), on('n2', s2, s2InRegion)], { tags: s2 }, [0, 100, 0]],
    ['symmetry of affinity to namespaces', three, [on('n1', s1, to(teams, 'region', 5)), on('n2', s2, s2InRegion)], { tags: s1, namespace: 'subteam1.team1' }, [100, 0, 0]],
    ['symmetry of anti-affinity to namespaces', three, [on('n1', s1, from(teams, 'region', 5)), on('n2', s2, s2InRegion)], { tags: s1, namespace: 'subteam1.team1' }, [0, 100, 100]],
    ['symmetry of required affinity', three, [on('n1', s1, ...hard), on('n2', s2, ...hard)], { tags: s1 }, [100, 100, 0]],
    ['away from pods', { n1: az1, n2: china }, [on('n1', s1), on('n2', s2)], { tags: s1, rules: [notS1InAz] }, [0, 100]],
    ['away from pods, on a node without the label', { n1: az1, n2: china }, [on('n1', s1), on('n2', s1)], { tags: s1, rules: [notS1InAz] }, [0, 100]],
    ['away from more pods', { n1: az1, n2: india }, [on('n1', s1), on('n1', s1), on('n2', s2)], { tags: s1, rules: [notS1InAz] }, [0, 100]],
    ['symmetry of preferred anti-affinity', { n1: az1, n2: az2 }, [on('n1', s1, notS2InAz), on('n2', s2, notS1InAz)], { tags: s2 }, [0, 100]],
    ['affinity and anti-affinity', { n1: china, n2: az1 }, [on('n1', s1), on('n2', s1)], { tags: s1, rules: s1InRegionNotS2InAz }, [100, 0]],
    [
      'affinity and anti-affinity among pods of one kind', { ...regions, n1: both }, [on('n1', s1), on('n1', s1), on('n2', s1), on('n3', s1), on('n3', s1), on('n4', s1), on('n5', s1)],
      { tags: s1, rules: s1InRegionNotS2InAz }, [100, 0, 100, 100, 0],
    ],
    // affinity 8 0 0 0, anti-affinity 0 -5 0 0, symmetry of affinity 0 0 8 0, symmetry of anti-affinity 0 0 0 -5
    ['all of it together', { n1: china, n2: az1, n3: india, n4: az2 }, [on('n1', s1), on('n2', s2), on('n3', {}, ...s1InRegionNotS2InAz), on('n4', {}, notS1InAz)], { tags: s1, rules: s1InRegionNotS2InAz }, [100, 0, 100, 0]],
    ['one region for all', { n1: china, n2: china }, [on('n1', s1), on('n2', {}, ...s1InRegionNotS2InAz)], { tags: s1 }, [0, 0]],
    ['pods of other namespaces', three, [{ ...on('n1', s1), namespace: 'subteam1.team2' }, { ...on('n2', s1), namespace: 'subteam2.team1' }], { tags: s1, namespace: 'subteam1.team1', rules: [to(teams, 'region', 5)] }, [0, 100, 0]],
  ])('%s', (_, nodes, pods, one, expected) => {
    expect(scoresOf(affinityPercentages, nodes, pods, one)).toEqual(expected)
  })
})

const foo = { foo: '' }
const bar = { bar: '' }
type Spread = Extract<PlacementRule, { kind: 'spread' }>
const HOST = 'kubernetes.io/hostname'
const softly = (maxSkew: number, over: string, key = 'foo'): Spread => ({ kind: 'spread', of: having(key), over, maxSkew, weight: 1 })
/** So many pods on each node. */
const many = (counts: Readonly<Record<string, number>>, tags = foo): Pod[] => Object.entries(counts).flatMap(([node, count]) => Array.from({ length: count }, () => ({ on: node, tags })))

describe('the score pod-topology-spread is that of TestPodTopologySpreadScore of kube-scheduler', () => {
  const hosts: Nodes = { a: {}, b: {}, c: {}, d: {} }
  const zones: Nodes = { a: { zone: 'zone1' }, b: { zone: 'zone1' }, x: { zone: 'zone2' }, y: { zone: 'zone2' } }
  const fooBar = { ...foo, ...bar }
  const selected: Nodes = { a: { zone: 'zone1', foo: '' }, b: { zone: 'zone1', foo: '', [TAINTED]: '' }, x: { zone: 'zone2', foo: '' }, y: { zone: 'zone2' } }
  const away: Nodes = { a: { node: 'a', foo: '' }, b: { node: 'b', foo: '' }, c: { node: 'c', [TAINTED]: '' } }
  const tolerating = (pods: readonly Pod[]): Pod[] => pods.map((pod) => ({ ...pod, constraints: { tolerations: [{ operator: 'Exists' as const }] } }))
  const [tolerant, three] = [tolerating(many({ a: 1, b: 2, y: 1 })), tolerating(many({ a: 2, b: 1, c: 1 }))]
  const byBoth = [softly(1, 'zone'), softly(1, HOST, 'bar')]
  it.each<[string, Nodes, readonly Pod[], Pod, number[], string?]>([
    ['no pods', { a: {}, b: {} }, [], { rules: [softly(1, HOST)] }, [100, 100]],
    ['one candidate', { a: {}, b: {} }, many({ a: 2, b: 1 }), { rules: [softly(1, HOST)] }, [100], 'a'],
    ['equal numbers', { a: {}, b: {} }, many({ a: 1, b: 1 }), { rules: [softly(1, HOST)] }, [100, 100]],
    ['2/1/0/3', hosts, many({ a: 2, b: 1, d: 3 }), { rules: [softly(1, HOST)] }, [20, 60, 100, 0]],
    ['2/1/0/3, maxSkew 2', hosts, many({ a: 2, b: 1, d: 3 }), { rules: [softly(2, HOST)] }, [33, 66, 100, 16]],
    ['4/3/2/1, maxSkew 3', hosts, many({ a: 4, b: 3, c: 2, d: 1 }), { rules: [softly(3, HOST)] }, [44, 66, 77, 100]],
    ['4/2/1/~3~', hosts, many({ a: 4, b: 2, c: 1, d: 3 }), { rules: [softly(1, HOST)] }, [33, 83, 100], 'abc'],
    ['4/?2?/1/~3~', { a: { host: 'a' }, b: {}, c: { host: 'c' }, d: { host: 'd' } }, many({ a: 4, b: 2, c: 1, d: 3 }), { rules: [softly(1, 'host')] }, [16, 0, 100], 'abc'],
    ['by zone, 4/2/1/~3~', zones, many({ a: 4, b: 2, x: 1, y: 3 }), { rules: [softly(1, 'zone')] }, [75, 75, 100], 'abx'],
    ['by zone and node, 2/~1~/2/~4~', zones, many({ a: 2, b: 1, x: 2, y: 4 }), { rules: [softly(1, 'zone'), softly(1, HOST)] }, [100, 63], 'ax'],
    [
      'twice by zone, of other pods', zones, [...many({ a: 1, b: 1, y: 1 }, fooBar), ...many({ a: 1, y: 2 })], { rules: [softly(1, 'zone'), softly(1, 'zone', 'bar')] }, [85, 100], 'ax',
    ],
    ['of other pods by zone and node', zones, [...many({ a: 1, y: 1 }), ...many({ b: 1 }, fooBar), ...many({ y: 1 }, bar as never)], { rules: byBoth }, [60, 20, 100, 60]],
    ['of other pods, some nodes have none', zones, [...many({ b: 1 }, bar as never), ...many({ x: 1 }), ...many({ y: 1 }, fooBar)], { rules: byBoth }, [100, 60, 40, 0]],
    ['of other pods, three candidates', zones, [...many({ a: 1, y: 1 }), ...many({ b: 1 }, fooBar), ...many({ y: 1 }, bar as never)], { rules: byBoth }, [50, 25, 100], 'abx'],
    ['pods of another namespace', { a: {}, b: {} }, [{ on: 'a', tags: foo, namespace: 'ns1' }, ...many({ a: 1, b: 2 })], { rules: [softly(1, HOST)] }, [100, 33]],
    ['2/2/1, maxSkew 2, by a label', { a: { node: 'a' }, b: { node: 'b' }, c: { node: 'c' } }, many({ a: 2, b: 2, c: 1 }), { rules: [softly(2, HOST)] }, [75, 75, 100]],
    [
      'nodes where the pod may not be do not count', { a: { node: 'a', foo: '' }, b: { node: 'b', foo: '' }, c: { node: 'c' } }, many({ a: 2, b: 1, c: 1 }),
      { rules: [softly(1, HOST)], constraints: { require: { foo: '' } } }, [0, 33, 100],
    ],
    ['they do where affinity is ignored', away, three, { rules: [{ ...softly(1, 'node'), nodeAffinityPolicy: 'Ignore' }], constraints: { require: foo } }, [66, 100, 100]],
    ['nodes with taints do not count where these do', away, three, { rules: [{ ...softly(1, 'node'), nodeTaintsPolicy: 'Honor' }] }, [0, 33, 100]],
    ['they do by default', away, three, { rules: [softly(1, 'node')] }, [66, 100, 100]],
    ['by zone 3/0, by node 1/2/0 (TestPodTopologySpreadScoring)', selected, tolerant, { rules: [softly(1, 'zone'), softly(1, 'node')], constraints: { require: foo } }, [0, 100], 'ax'],
    [
      'by zone 3/1 of all nodes, by node 1/0 of those without taints (TestPodTopologySpreadScoring)', selected, tolerant,
      { rules: [{ ...softly(1, 'zone'), nodeAffinityPolicy: 'Ignore' }, { ...softly(1, 'node'), nodeTaintsPolicy: 'Honor' }], constraints: { require: foo } }, [16, 100], 'ax',
    ],
  ])('%s', (_, nodes, pods, one, expected, candidates) => {
    expect(scoresOf(spreadPercentages, nodes, pods, { tags: fooBar, ...one }, candidates?.split(''))).toEqual(expected)
  })
})

describe('the score node-affinity is that of TestNodeAffinityPriority of kube-scheduler', () => {
  const term = (labels: Record<string, string>): NodeSelectorTerm => ({ matchExpressions: Object.entries(labels).map(([key, value]) => ({ key, operator: 'In' as const, values: [value] })) })
  const prefer = (weight: number, labels: Record<string, string>): PlacementRule => ({ kind: 'nodes', term: term(labels), weight })
  const fooBar = { foo: 'bar' }
  const key = { key: 'value' }
  const several = [prefer(2, fooBar), prefer(4, key), prefer(5, { ...fooBar, ...key, az: 'az1' })]
  it.each<[string, Nodes, readonly PlacementRule[], number[]]>([
    ['no node has the label', { a: { abc: 'az11', def: 'az22' }, b: key, c: { az: 'az1' } }, [prefer(2, fooBar)], [0, 0, 0]],
    ['one has', { a: fooBar, b: key, c: { az: 'az1' } }, [prefer(2, fooBar)], [100, 0, 0]],
    ['several terms, 2 + 4 + 5', { a: fooBar, b: { ...fooBar, ...key, az: 'az1' }, c: key }, several, [18, 100, 36]],
    ['a term without requirements', { a: fooBar, b: {} }, [prefer(2, {})], [0, 0]],
  ])('%s', (_, nodes, rules, expected) => {
    const scores = beside(nodes, [], { rules }, ({ mates, nodes: ids, cluster }) => new Preferences(cluster, { affinity: 0, spread: 0, nodes: 1 }).sums(mates, ids))
    expect(scores).toEqual(expected)
  })
})

describe('weighted', () => {
  const named = (name: string, zone: string) => ({ count: 1, names: [name], resources: { cpu: 10 }, labels: { zone } })
  const cluster = { nodes: [named('n-0', 'a'), named('n-1', 'b'), named('n-2', 'b')] }
  const away: PlacementRule = { kind: 'antiAffinity', of: { job: 'own' }, over: 'zone', weight: 1 }
  const nodesOf = (scores: object, rules: PlacementRule[], tasks = 3) => new Play(cluster, weighted({ scores })).place(tasks, { cpu: 1 }, { placementRules: rules })

  it('counts what jobs prefer by the weights of the scores', () => {
    expect(nodesOf({ 'inter-pod-affinity': 1 }, [away])).toEqual([0, 1, 0])
    expect(nodesOf({ 'most-allocated': 1, 'inter-pod-affinity': 0 }, [away])).toEqual([0, 0, 0])
    expect(nodesOf({ 'most-allocated': 20, 'inter-pod-affinity': 1 }, [away])).toEqual([0, 0, 0])
    expect(nodesOf({ 'most-allocated': 1, 'inter-pod-affinity': 1 }, [away])).toEqual([0, 1, 0])
    expect(nodesOf({ 'pod-topology-spread': 2 }, [{ kind: 'spread', of: { job: 'own' }, over: 'node', maxSkew: 1, weight: 1 }])).toEqual([0, 1, 2])
    expect(nodesOf({ 'node-affinity': 2 }, [{ kind: 'nodes', term: { matchExpressions: [{ key: 'zone', operator: 'In', values: ['b'] }] }, weight: 1 }])).toEqual([1, 1, 1])
    expect(nodesOf({ pack: 1, 'node-affinity': 2 }, [{ kind: 'nodes', term: { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n-2'] }] }, weight: 1 }])).toEqual([2, 2, 2])
  })
})
