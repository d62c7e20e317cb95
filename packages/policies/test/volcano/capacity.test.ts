import type { JobSpec } from '@sched/core'
import type { VolcanoOptions } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { both, outcome, wants, world, type Amounts, type Nodes } from './world.js'

// Cases of Volcano's own tests of the plug-in capacity (capacity_test.go), without pods that may not be preempted. Amounts of memory are in Gi.

type Queues = NonNullable<VolcanoOptions['queues']>
const amounts = (cpu: number, mem: number, more: Amounts = {}): Amounts => ({ cpu, mem, ...more })

describe('capacity (OnSessionOpenWithoutHierarchy)', () => {
  const options = (queues: Queues): VolcanoOptions => ({ queues, actions: ['allocate', 'reclaim'], tiers: [{ plugins: ['capacity', { name: 'gang', enableJobOrder: false, enablePreemptable: false, enableReclaimable: false }] }] })
  const nodes: Nodes = { n1: amounts(2, 4), n2: amounts(2, 4) }
  const gpus: Nodes = { n3: amounts(2, 4, { gpu: 10 }), n4: amounts(2, 4, { gpu: 10 }) }
  const unit = amounts(1, 1)
  type Case = readonly [name: string, nodes: Nodes, queues: Queues, held: readonly JobSpec[], coming: readonly JobSpec[], expected: readonly string[]]
  it.each<Case>([
    ['case0: starts a task below the capability', nodes, { q1: { capability: both(2) } }, [wants('p1', 'q1', unit)], [wants('p2', 'q1', unit)], ['+p2@n1']],
    ['case1: and none above it', nodes, { q2: { capability: both(1.5) } }, [wants('p3', 'q2', unit)], [wants('p4', 'q2', unit)], []],
    [
      'case2: takes back what the queue deserves', nodes, { q3: { deserved: amounts(2, 4) }, q4: { deserved: amounts(2, 4) } },
      [wants('p5', 'q3', amounts(2, 4), { tasks: 2 })], [wants('p7', 'q4', amounts(2, 4))], ['-p5', '+p7@n1'],
    ],
    [
      'case3: takes GPUs of which it has less, though it has more of all else', gpus, { q5: { deserved: amounts(2, 4, { gpu: 10 }) }, q6: { deserved: amounts(2, 4, { gpu: 10 }) } },
      [wants('p8', 'q5', { gpu: 10 }, { tasks: 2 }), wants('p10', 'q6', amounts(2, 4), { tasks: 2 })], [wants('p12', 'q6', { gpu: 10 })], ['-p8', '+p12@n3'],
    ],
    [
      'case4: goes by the priority of queues', { n5: amounts(2, 4), n6: amounts(2, 4) },
      { q7: { priority: 5, capability: amounts(2, 4) }, q8: { priority: 1, capability: amounts(2, 4) }, q9: { priority: 10, capability: amounts(2, 4) } },
      [wants('p13', 'q7', amounts(2, 4))], [wants('p14', 'q8', amounts(2, 4)), wants('p15', 'q9', amounts(2, 4))], ['+p15@n6'],
    ],
    [
      'case5: takes back where it stays within what it deserves of one resource', { n1: amounts(2, 4) },
      { q10: { deserved: both(2), capability: both(4) }, q11: { deserved: both(0), capability: both(2) } },
      [wants('p16', 'q10', amounts(1, 3)), wants('p18', 'q11', unit)], [wants('p17', 'q10', unit)], ['-p18', '+p17@n1'],
    ],
    [
      'case6: and not where it would have more of all', { n1: amounts(2, 4) },
      { q12: { deserved: amounts(1, 2), capability: both(4) }, q13: { deserved: both(0), capability: both(2) } },
      [wants('p19', 'q12', unit), wants('p21', 'q13', unit)], [wants('p20', 'q12', amounts(1, 2))], [],
    ],
    [
      'case7: not from a queue that has just what it deserves, and none of the GPUs that it deserves besides', { n7: amounts(4, 8, { gpu: 4 }) },
      { q14: { deserved: amounts(2, 4, { gpu: 2 }) }, q15: {}, q16: { deserved: amounts(2, 4, { gpu: 2 }) } },
      [wants('p22', 'q14', amounts(2, 4)), wants('p23', 'q15', { gpu: 1 }), wants('p24', 'q16', amounts(2, 1, { gpu: 1 }))], [wants('p25', 'q16', amounts(2, 3, { gpu: 1 }))], [],
    ],
    [
      'case8: only from who holds what is asked', { n8: amounts(4, 8, { gpu: 1 }) }, { q17: { deserved: both(2) }, q18: { deserved: amounts(2, 4, { gpu: 1 }) } },
      [wants('p26', 'q17', { mem: 4 }), wants('p27', 'q17', { cpu: 1 }), wants('p28', 'q17', { gpu: 1 }), wants('p29', 'q18', amounts(2, 4))],
      [wants('p30', 'q18', { cpu: 1, gpu: 1 })], ['-p28', '+p30@n8'],
    ],
    [
      'case9: not from a queue that deserves GPUs alone and has no more of these', { n8: amounts(4, 8, { gpu: 1 }) }, { q19: { deserved: { gpu: 1 } }, q20: { deserved: both(2) } },
      [wants('p31', 'q19', amounts(4, 4, { gpu: 1 }))], [wants('p32', 'q20', both(1))], [],
    ],
    [
      'case10: not beyond the capability', { n9: amounts(8, 100), n10: amounts(8, 100) }, { q21: { deserved: amounts(8, 100), capability: amounts(8, 100) }, q22: { capability: amounts(2, 5) } },
      [wants('p33', 'q21', amounts(7, 90), { on: 'n9' }), wants('p35', 'q22', amounts(2, 5), { on: 'n10' })], [wants('p34', 'q21', amounts(2, 5))], [],
    ],
  ])('%s', (_, on, queues, held, coming, expected) => {
    expect(outcome(on, options(queues), held, ...coming)).toEqual(expected)
  })
})

describe('capacity, whose turn it is', () => {
  const turns = (queues: Queues, held: readonly JobSpec[]) => outcome({ n1: amounts(16, 16) }, { queues, actions: ['allocate'], tiers: [{ plugins: ['capacity'] }] }, held, ...['a', 'b'].map((queue) => wants(queue, queue, both(1))))
  // the shares of Test_updateQueueAttrShare, of b, which holds something, against that of a, which holds nothing
  it.each<[what: string, a: Queues[string], b: Queues[string], held: Amounts, first: string]>([
    ['a queue that deserves nothing counts as full, though it has nothing', {}, { deserved: both(2) }, both(1), 'b'],
    ['and comes after one that is full', {}, { deserved: both(2) }, both(2), 'b'],
    ['but before one that has more than it deserves', {}, { deserved: both(2) }, amounts(3, 2), 'a'],
    ['the memory may be what it has most of', {}, { deserved: amounts(2, 4) }, amounts(1, 5), 'a'],
    ['nothing that it deserves is as if nothing were said', { deserved: both(0) }, { deserved: both(2) }, both(2), 'b'],
  ])('%s', (_, a, b, held, first) => {
    expect(turns({ a, b }, [wants('held', 'b', held)])[0]).toBe(`+${first}@n1`)
  })
  it('does not count resources of which the queue deserves nothing (Resource.ResourceNames)', () => {
    const nodes: Nodes = { n1: amounts(8, 8) }
    const options: VolcanoOptions = { queues: { a: { deserved: both(2) }, b: { deserved: { cpu: 8 } } }, actions: ['allocate'], tiers: [{ plugins: ['capacity'] }] }
    // a has a half of what it deserves; b has an eighth of its CPUs, and memory, of which it deserves none
    expect(outcome(nodes, options, [wants('a1', 'a', both(1)), wants('b1', 'b', both(1))], wants('a2', 'a', both(1)), wants('b2', 'b', both(1)))).toEqual(['+b2@n1', '+a2@n1'])
  })
})

describe('capacity, who is enqueued (TestEnqueueAndAllocatable)', () => {
  const options: VolcanoOptions = {
    queues: { q1: { deserved: both(2), capability: { cpu: 2, mem: 3 } }, q2: { deserved: both(2), capability: both(3) }, q3: { capability: both(3), state: 'Closed' } },
    actions: ['enqueue', 'allocate'],
    tiers: [{ plugins: ['capacity'] }],
  }
  // there q1 has 3 G of memory, which its capability of 2 forbids a job that comes: here it is 3
  const nodes: Nodes = { n1: both(3), n2: both(3) }
  const held = [wants('p1', 'q1', { cpu: 1, mem: 3 }), wants('p2', 'q2', { cpu: 3, mem: 1 })]
  it('case0 to case2: what is not asked does not count', () => {
    expect(outcome(nodes, options, held, wants('p3', 'q1', { cpu: 1 }))).toEqual(['+p3@n1'])
    expect(outcome(nodes, options, held, wants('p4', 'q2', { mem: 1 }))).toEqual(['+p4@n2'])
    expect(outcome(nodes, options, held, wants('p5', 'q1', both(1)))).toEqual([])
  })
  it('case4: a queue that is closed takes no job', () => {
    expect(() => world(nodes, options).come(wants('p6', 'q3', both(1)))).toThrow('queue q3 is closed')
  })
})

describe('capacity with queues in queues (OnSessionOpenWithHierarchy)', () => {
  /** With `enqueue` only where the groups are not enqueued before. */
  const options = (queues: Queues, isEnqueued: boolean): VolcanoOptions => ({
    queues, actions: [...(isEnqueued ? [] : ['enqueue' as const]), 'reclaim', 'allocate'],
    tiers: [{ plugins: [{ name: 'capacity', enableHierarchy: true }, { name: 'gang', enableJobOrder: false, enablePreemptable: false, enableReclaimable: false }] }],
  })
  const nodes: Nodes = { n1: both(8) }
  const q3: Queues = {
    q3: { deserved: both(4), capability: both(4) }, q4: { deserved: both(2), capability: both(4) },
    q31: { parent: 'q3', deserved: both(2), capability: both(4) }, q32: { parent: 'q3', deserved: both(2), capability: both(4) }, q33: { parent: 'q3', deserved: both(0), capability: both(4) },
  }
  const q1: Queues = { q1: { capability: both(4) }, q2: { capability: both(4) }, q11: { parent: 'q1', capability: both(1) }, q12: { parent: 'q1', capability: both(3) } }
  type Case = readonly [name: string, nodes: Nodes, queues: Queues, held: readonly JobSpec[], coming: readonly JobSpec[], expected: readonly string[]]
  it.each<Case>([
    ['case0: starts a task of a queue that holds jobs', nodes, q1, [], [wants('p1', 'q11', both(1))], ['+p1@n1']],
    ['case1: and none of a queue in which others lie', nodes, q1, [], [wants('p2', 'q1', both(1))], []],
    ['case2: starts a gang below the capability', nodes, q3, [], [wants('p3', 'q31', both(2), { tasks: 2, min: 2 })], ['+p3@n1', '+p3@n1']],
    [
      'case3: takes back of the queue beside it before others', nodes, q3,
      [wants('p5', 'q4', both(4)), wants('p6', 'q31', both(2)), wants('p7', 'q31', both(2))], [wants('p8', 'q32', both(2))], ['-p7', '+p8@n1'],
    ],
    ['case4: starts nothing beyond what a queue around it may have', nodes, q3, [wants('p6', 'q31', both(2)), wants('p9', 'q32', both(2))], [wants('p10', 'q33', both(3))], []],
    ['case5: takes the capability of the queue around it where it has none of a resource', nodes, { q5: { capability: { mem: 4 } }, q51: { parent: 'q5', capability: { mem: 2 } } }, [], [wants('p11', 'q51', { cpu: 1 })], ['+p11@n1']],
    ['case6: enqueues as much as the queue around it may have', nodes, { q6: { capability: amounts(2, 4) }, q61: { parent: 'q6' }, q62: { parent: 'q6' } }, [], [wants('p12', 'q61', amounts(2, 4)), wants('p13', 'q62', amounts(2, 4))], ['+p12@n1']],
    [
      'case8, case9: starts what asks a resource that is deserved', { gpu: amounts(8, 8, { gpu: 8 }) },
      { q8: { deserved: amounts(4, 4, { gpu: 8 }) }, q81: { parent: 'q8', deserved: amounts(2, 2, { gpu: 4 }) } }, [], [wants('p12', 'q81', amounts(2, 2, { gpu: 1 }))], ['+p12@gpu'],
    ],
    [
      'case11: takes the capability of GPUs of the queue around it', { n2: amounts(8, 8, { gpu: 8 }) },
      { c1: {}, c11: { parent: 'c1', capability: amounts(4, 4, { gpu: 4 }) }, c12: { parent: 'c1', capability: amounts(4, 4, { gpu: 4 }) } },
      [], [wants('p14', 'c11', amounts(1, 1, { gpu: 4 })), wants('p15', 'c12', amounts(1, 1, { gpu: 4 }))], ['+p14@n2', '+p15@n2'],
    ],
    [
      'case12: takes back where it stays within what it deserves of one resource', { n3: amounts(16, 16, { gpu: 5 }) },
      { c1: { deserved: { gpu: 2 } }, c11: { parent: 'c1', deserved: { gpu: 2 } }, c12: { parent: 'c1' } },
      [wants('p18', 'c12', amounts(1, 1, { gpu: 2 })), wants('p17', 'c12', amounts(1, 1, { gpu: 2 }))], [wants('p16', 'c11', amounts(1, 1, { gpu: 2 }))], ['-p17', '+p16@n3'],
    ],
  ])('%s', (name, on, queues, held, coming, expected) => {
    const isEnqueued = !/^case[16]:/.test(name)
    expect(outcome(on, options(queues, isEnqueued), held, ...coming)).toEqual(expected)
  })
  it('enqueues and takes back though the cluster is full, unless the root has a capability of its own (buildHierarchicalQueueAttrs)', () => {
    const queues: Queues = { around: { deserved: { cpu: 100 } }, leaf1: { parent: 'around', deserved: { cpu: 60 } }, leaf2: { parent: 'around', deserved: { cpu: 40 } } }
    const taken = (root: Queues) => outcome({ n1: { cpu: 100 } }, options({ ...root, ...queues }, false), [wants('a', 'leaf1', { cpu: 60 }), wants('b', 'leaf1', { cpu: 40 })], wants('c', 'leaf2', { cpu: 40 }))
    expect(taken({})).toEqual(['-b', '+c@n1'])
    expect(taken({ root: { capability: { cpu: 100 } } })).toEqual([])
  })
})

describe('guarantees of capacity (capacity.go: realCapability, checkGuaranteeConstraint)', () => {
  const options = (queues: Queues): VolcanoOptions => ({ queues, actions: ['allocate', 'reclaim'], tiers: [{ plugins: ['gang', 'capacity'].map((name) => ({ name: name as 'gang', ...(name === 'gang' && { enableReclaimable: false }) })) }] })
  it('bound what each other queue has: several together use them, and the one with most of what it deserves gives them back', () => {
    // of 12 CPUs q1 is guaranteed 1 and q2 3: others may have 12 - 4 = 8, and q1 9
    const { come } = world({ n1: { cpu: 12 } }, options({ q0: { deserved: { cpu: 2 } }, q1: { deserved: { cpu: 1 }, guarantee: { cpu: 1 } }, q2: { deserved: { cpu: 4 }, guarantee: { cpu: 3 } } }))
    const cpus = (id: string, cpu: number) => come(wants(id, id.split('-')[0] as string, { cpu }))
    for (const [id, cpu] of [['q1-1', 2], ['q1-2', 2], ['q1-3', 2], ['q1-4', 2], ['q1-5', 1]] as const) expect(cpus(id, cpu).started).toEqual([`${id}@n1`])
    expect(cpus('q1-6', 1)).toEqual({ started: [], killed: [] })
    expect(cpus('q0-7', 3)).toEqual({ started: ['q0-7@n1'], killed: [] })
    expect(cpus('q2-8', 3)).toEqual({ started: ['q2-8@n1'], killed: ['q1-4', 'q1-5'] })
  })
  it('keep the last task of a queue', () => {
    const lent = (guarantee: number) => outcome({ n1: { cpu: 5 } }, options({ q0: { deserved: { cpu: 5 } }, q1: { deserved: { cpu: 1 }, guarantee: { cpu: guarantee } } }), [wants('a', 'q1', { cpu: 3 })], wants('b', 'q0', { cpu: 4 }))
    expect(lent(1)).toEqual([])
    expect(lent(0)).toEqual(['-a', '+b@n1'])
  })
})

describe('capacity in a tree', () => {
  it('serves the queue whose outermost queue has the smaller part of what it deserves', () => {
    const queues: Queues = { left: { deserved: { cpu: 6 } }, right: { deserved: { cpu: 4 } }, l1: { parent: 'left', deserved: { cpu: 3 } }, l2: { parent: 'left', deserved: { cpu: 3 } }, r1: { parent: 'right', deserved: { cpu: 4 } } }
    const started = (enableHierarchy: boolean) => outcome({ n1: { cpu: 10 } }, { queues, actions: ['allocate'], tiers: [{ plugins: [{ name: 'capacity', enableHierarchy }] }] }, [wants('a', 'l1', { cpu: 3 })], wants('b', 'r1', { cpu: 1 }, { tasks: 2 }), wants('c', 'l2', { cpu: 1 }))
    // left has 3 of 6 and right nothing: right is served until it has 2 of 4, when l2 goes by its name
    expect(started(true)).toEqual(['+b@n1', '+b@n1', '+c@n1'])
    expect(started(false)).toEqual(['+c@n1', '+b@n1', '+b@n1'])
  })
  it.each([
    ['A', 'B', ['z', 'm', 'a']],
    ['B', 'A', ['m', 'z', 'a']],
    ['P', 'P0', ['z', 'm', 'a']],
  ])('goes by name where %s and %s, in which the queues lie, have equal parts', (first, second, expected) => {
    // a and z lie in one queue, m in the other: both have 2 of 4. z has nothing and comes before a; by their own names a comes before m, and m before z.
    const queues: VolcanoOptions['queues'] = { [first]: { deserved: { cpu: 4 } }, [second]: { deserved: { cpu: 4 } }, a: { parent: first, deserved: { cpu: 2 } }, z: { parent: first, deserved: { cpu: 2 } }, m: { parent: second, deserved: { cpu: 4 } } }
    const started = outcome({ n1: { cpu: 7 } }, { queues, actions: ['allocate'], tiers: [{ plugins: [{ name: 'capacity', enableHierarchy: true }] }] }, [wants('a0', 'a', { cpu: 2 }), wants('m0', 'm', { cpu: 2 })], ...['a', 'm', 'z'].map((queue) => wants(queue, queue, { cpu: 1 })))
    expect(started).toEqual(expected.map((id) => `+${id}@n1`))
  })
})
