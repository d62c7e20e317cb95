import { describe, expect, it } from 'vitest'
import { all, from, having, mayBeOn, to, without, type Nodes, type Pod } from './pods.js'

/** TestRequiredAffinitySingleNode of kube-scheduler (interpodaffinity/filtering_test.go), as of 1.19: its node, and whether the pod may be there. */
const machine: Nodes = { machine1: { region: 'r1', zone: 'z11' }, machine2: {} }
const scan = { service: 'securityscan' }
const security = { security: 'S1' }
const onScan: Pod = { on: 'machine1', tags: scan }
const fits = (pods: readonly Pod[], one: Pod): boolean => mayBeOn(machine, pods, one).includes('machine1')

describe('required rules, on the node of TestRequiredAffinitySingleNode', () => {
  it.each<[string, readonly Pod[], Pod, boolean]>([
    ['a pod without rules', [], {}, true],
    ['affinity with In to the pod there', [onScan], { tags: security, rules: [to(having('service', 'securityscan', 'value2'), 'region')] }, true],
    ['affinity with NotIn', [onScan], { tags: security, rules: [to(without('service', 'securityscan3', 'value3'), 'region')] }, true],
    ['affinity to pods of another namespace', [{ ...onScan, namespace: 'ns' }], { tags: security, rules: [to({ ...having('service', 'securityscan', 'value2'), users: ['DiffNameSpace'] }, 'region')] }, false],
    ['affinity to other pods than that there', [onScan], { tags: scan, rules: [to(having('service', 'antivirusscan', 'value2'), 'region')] }, false],
    [
      'several affinities with several operators', [onScan],
      { tags: security, rules: [to(all(having('service'), without('wrongkey')), 'region'), to(all(having('service', 'securityscan'), without('service', 'WrongValue')), 'region')] }, true,
    ],
    [
      'one of several affinities does not hold', [onScan],
      { tags: security, rules: [to(all(having('service'), without('wrongkey')), 'region'), to(all(having('service', 'securityscan2'), without('service', 'WrongValue')), 'region')] }, false,
    ],
    ['affinity, and anti-affinity to pods that are not there', [onScan], { tags: security, rules: [to(having('service', 'securityscan', 'value2'), 'region'), from(having('service', 'antivirusscan', 'value2'), 'node')] }, true],
    [
      'the pod there has an anti-affinity to others', [{ ...onScan, rules: [from(having('service', 'antivirusscan', 'value2'), 'node')] }],
      { tags: security, rules: [to(having('service', 'securityscan', 'value2'), 'region'), from(having('service', 'antivirusscan', 'value2'), 'node')] }, true,
    ],
    ['affinity and anti-affinity to the same pod', [onScan], { tags: security, rules: [to(having('service', 'securityscan', 'value2'), 'region'), from(having('service', 'securityscan', 'value2'), 'zone')] }, false],
    [
      'the pod there stays away from it', [{ ...onScan, rules: [from(having('service', 'securityscan', 'value2'), 'zone')] }],
      { tags: scan, rules: [to(having('service', 'securityscan', 'value2'), 'region'), from(having('service', 'antivirusscan', 'value2'), 'node')] }, false,
    ],
    ['affinity to others than its like, with a pod of its like on another node', [{ ...onScan, on: 'machine2' }], { tags: scan, rules: [to(without('service', 'securityscan', 'value2'), 'region')] }, false],
    ['the pod there stays away from it, and it has no rules', [{ ...onScan, rules: [from(having('service', 'securityscan', 'value2'), 'zone')] }], { tags: scan }, false],
    ['the pod there stays away from others, and it has no rules', [{ ...onScan, rules: [from(without('service', 'securityscan', 'value2'), 'zone')] }], { tags: scan }, true],
    [
      'it stays away from the pod there, which would not', [{ on: 'machine1', tags: security, rules: [from(having('security'), 'zone')] }],
      { tags: scan, rules: [from(having('service'), 'region'), from(having('security'), 'region')] }, false,
    ],
    ['symmetry a1', [{ on: 'machine1', tags: security, rules: [from(having('security'), 'zone')] }], { tags: scan, rules: [from(having('service'), 'zone'), from(having('security'), 'zone')] }, false],
    ['symmetry a2', [{ on: 'machine1', tags: scan, rules: [from(having('service'), 'zone'), from(having('security'), 'zone')] }], { tags: security, rules: [from(having('security'), 'zone')] }, false],
    ['symmetry b1', [{ on: 'machine1', tags: { def: '', xyz: '' }, rules: [from(having('abc'), 'zone'), from(having('def'), 'zone')] }], { tags: { abc: '', xyz: '' }, rules: [from(having('abc'), 'zone'), from(having('def'), 'zone')] }, false],
    ['symmetry b2', [{ on: 'machine1', tags: { abc: '', xyz: '' }, rules: [from(having('abc'), 'zone'), from(having('def'), 'zone')] }], { tags: { def: '', xyz: '' }, rules: [from(having('abc'), 'zone'), from(having('def'), 'zone')] }, false],
  ])('%s', (_, pods, one, expected) => {
    expect(fits(pods, { rules: [to(having('nobody'), 'zone', 1)], ...one })).toBe(expected) // a preference, so that rules are kept
  })
})

const china = { region: 'China' }
const azChina = { region: 'China', az: 'az1' }
const india = { region: 'India' }
const lands: Nodes = { a: china, b: azChina, c: india }
const twoZones: Nodes = { a: { region: 'r1', zone: 'z1' }, b: { region: 'r1', zone: 'z2' } }
const oneZone: Nodes = { a: { region: 'r1', zone: 'z1' }, b: { region: 'r1', zone: 'z1' } }
const bar = { foo: 'bar' }
const both = { foo: '', bar: '' }

describe('required rules, on the nodes of TestRequiredAffinityMultipleNodes', () => {
  it.each<[string, Nodes, readonly Pod[], Pod, string]>([
    ['all nodes of the region where such a pod is', lands, [{ on: 'a', tags: bar }], { rules: [to(having('foo', 'bar'), 'region')] }, 'a b'],
    [
      'the first of a collection may go anywhere, if none is there that all of its terms select',
      { a: { zone: 'az1' }, b: { zone: 'az2' } }, [{ on: 'a', tags: bar }], { tags: { ...bar, ...scan }, rules: [to(having('foo', 'bar'), 'zone'), to(having('service', 'securityscan'), 'zone')] }, 'a b',
    ],
    ['away from all nodes of the region of such a pod', oneZone, [{ on: 'a', tags: { foo: 'abc' } }], { rules: [from(having('foo', 'abc'), 'region')] }, ''],
    ['any anti-affinity counts', twoZones, [{ on: 'a', tags: { foo: 'abc', ...scan } }], { rules: [from(having('foo', 'abc'), 'region'), from(having('service', 'securityscan'), 'zone')] }, ''],
    ['in the other region', lands, [{ on: 'a', tags: { foo: 'abc' } }], { rules: [from(having('foo', 'abc'), 'region')] }, 'c'],
    [
      'rules of pods of other namespaces are about these', lands, [{ on: 'a', tags: bar, namespace: 'NS1' }, { on: 'c', namespace: 'NS2', rules: [from({ ...having('foo', '123'), users: ['NS2'] }, 'region')] }],
      { tags: { foo: '123' }, namespace: 'NS1', rules: [from({ ...having('foo', 'bar'), users: ['NS1'] }, 'region')] }, 'c',
    ],
    ['a running pod has an anti-affinity over a label that no node has', oneZone, [{ on: 'a', rules: [from(having('foo'), 'invalid-node-label')] }], { tags: { foo: '' } }, 'a b'],
    ['it has one itself', oneZone, [{ on: 'a', tags: { foo: '' } }], { rules: [from(having('foo'), 'invalid-node-label')] }, 'a b'],
    ['running pods stay away from it on all nodes', twoZones, [{ on: 'a', rules: [from(having('foo'), 'zone')] }, { on: 'a', rules: [from(having('bar'), 'region')] }], { tags: both }, ''],
    ['it stays away from one of them on each', twoZones, [{ on: 'a', tags: { foo: '' } }, { on: 'b', tags: { bar: '' } }], { rules: [from(having('foo'), 'zone'), from(having('bar'), 'region')] }, ''],
    ['of a running pod only the rule over a label that nodes have counts', twoZones, [{ on: 'a', rules: [from(having('foo'), 'invalid-node-label'), from(having('bar'), 'zone')] }], { tags: both }, 'b'],
    ['and so its own', twoZones, [{ on: 'a', tags: both }], { rules: [from(having('foo'), 'invalid-node-label'), from(having('bar'), 'zone')] }, 'b'],
    ['of a running pod the wider one counts', twoZones, [{ on: 'a', rules: [from(having('foo'), 'region'), from(having('bar'), 'zone')] }], { tags: both }, ''],
    ['and so its own wider one', twoZones, [{ on: 'a', tags: both }], { rules: [from(having('foo'), 'region'), from(having('bar'), 'zone')] }, ''],
    [
      'one of the rules of each running pod is about it', { ...twoZones, c: { region: 'r1', zone: 'z3' } },
      [{ on: 'a', rules: [from(having('foo'), 'zone'), from(having('labelA'), 'zone')] }, { on: 'b', rules: [from(having('bar'), 'zone'), from(having('labelB'), 'zone')] }], { tags: both }, 'c',
    ],
    ['affinities over several labels', oneZone, [{ on: 'a', tags: both }], { rules: [to(having('foo'), 'region'), to(having('bar'), 'zone')] }, 'a b'],
    ['and one of them does not hold', { a: { region: 'r1', zone: 'z1' }, b: { region: 'r1', zone: 'z2' } }, [{ on: 'a', tags: both }], { rules: [to(having('foo'), 'region'), to(having('bar'), 'zone')] }, 'a'],
    ['the first of a collection only goes where nodes have the label', { a: { zone: 'z1' }, b: {} }, [], { tags: bar, rules: [to(having('foo', 'bar'), 'zone')] }, 'a'],
    ['not the first: others of it run', { a: { zone: 'z1' }, b: { zone: 'z2' } }, [{ on: 'b', tags: bar }], { tags: bar, rules: [to(having('foo', 'bar'), 'zone')] }, 'b'],
    ['others of it run where nodes have no such label: as the first', { a: { zone: 'z1' }, b: {} }, [{ on: 'b', tags: bar }], { tags: bar, rules: [to(having('foo', 'bar'), 'zone')] }, 'a'],
  ])('%s', (_, nodes, pods, one, expected) => {
    expect(mayBeOn(nodes, pods, { rules: [to(having('nobody'), 'zone', 1)], ...one }).join(' ')).toBe(expected)
  })
})
