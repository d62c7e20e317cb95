import { describe, expect, it } from 'vitest'
import { worldOf, type Running, type World } from './world.js'

// Cases of YuniKorn's own tests of preemption (preemption_test.go, queue_test.go), in numbers of ours; each is named after its test there.

const first = (amount: number) => ({ first: amount })
const siblings = (parent: object, child1: object, child2: object): World['queues'] => ({ parent, 'parent.child1': child1, 'parent.child2': child2 })
/** An older and a younger task of one queue. */
const two = (has: Running['has'], nodes: readonly [string, string], queue = 'parent.child1'): World['running'] => ({ older: { queue, node: nodes[0], has, age: 2 }, younger: { queue, node: nodes[1], has, age: 1 } })

describe('who asks within what is guaranteed', () => {
  const guaranteedFive = (parent: object, child2: object): World => ({ nodes: { n1: first(20) }, queues: siblings(parent, { guaranteed: first(5) }, child2), running: two(first(5), ['n1', 'n1']) })
  it.each<[string, object, object, number, boolean]>([
    ['CheckPreemptionQueueGuarantees', { guaranteed: first(10) }, { guaranteed: first(5) }, 5, true],
    ['CheckPreemptionQueueGuarantees, too large', { guaranteed: first(10) }, { guaranteed: first(5) }, 25, false],
    ['NoGuaranteedResources: nothing', {}, {}, 5, false],
    ['NoGuaranteedResources: the parent', { guaranteed: first(10) }, {}, 5, true],
    ['NoGuaranteedResources: the child', {}, { guaranteed: first(5) }, 5, true],
    ['NoGuaranteedResources: both', { guaranteed: first(10) }, { guaranteed: first(5) }, 5, true],
  ])('takes: %s', (_, parent, child2, asks, expected) => {
    expect(worldOf(guaranteedFive(parent, child2)).take('parent.child2', first(asks)) !== undefined).toBe(expected)
  })
})

describe('whom it takes', () => {
  const full = { first: 5, pods: 1 }
  const ask = { first: 5, pods: 1 }
  const guaranteed = siblings({ max: first(20), guaranteed: first(10) }, { max: first(10), guaranteed: first(5) }, { max: first(10), guaranteed: first(5) })
  const ofApp3 = { queue: 'parent.child3', node: 'n2', has: first(5), age: 0 }
  const threeQueues = { parent: { max: first(18) }, 'parent.child1': {}, 'parent.child2': { guaranteed: first(15) }, 'parent.child3': {} }

  it.each<[string, World, Parameters<ReturnType<typeof worldOf>['take']>, ReturnType<ReturnType<typeof worldOf>['take']>]>([
    ['OnNode', { nodes: { n1: full, n2: full }, queues: guaranteed, running: two(ask, ['n1', 'n2']) }, ['parent.child2', ask, { on: ['n2'] }], { on: 'n2', taken: ['younger'] }],
    [
      'NodeWithCapacityLesserThanAsk',
      { nodes: { n1: full, n2: full }, queues: { ...guaranteed, 'parent.child2': { max: first(10), guaranteed: first(6) } }, running: two(ask, ['n1', 'n2']) },
      ['parent.child2', { first: 6, pods: 1 }], undefined,
    ],
    [
      'OnNodeWithOGParentAndUGPreemptor',
      {
        nodes: { n1: first(3), n2: first(3) }, queues: siblings({ max: first(20), guaranteed: first(2) }, {}, { max: first(10), guaranteed: first(1) }),
        running: Object.fromEntries([1, 2, 3, 4, 5, 6].map((i) => [`alloc${i}`, { queue: 'parent.child1', node: i % 2 === 0 ? 'n1' : 'n2', has: first(1), age: i }])),
      },
      ['parent.child2', first(1), { on: ['n2'] }], { on: 'n2', taken: ['alloc1'] },
    ],
    [
      'OnQueue',
      { nodes: { n1: { first: 10, pods: 2 }, n2: { first: 10, pods: 2 } }, queues: siblings({ max: first(10) }, { guaranteed: first(5) }, { guaranteed: first(5) }), running: two(ask, ['n1', 'n2']) },
      ['parent.child2', ask, { on: ['n2'] }], { on: 'n2', taken: ['younger'] },
    ],
    [
      'VictimsAvailable_InsufficientResource',
      { nodes: { n1: { first: 10, pods: 2 }, n2: { first: 10, pods: 2 } }, queues: siblings({ max: first(8) }, {}, { guaranteed: first(5) }), running: two({ first: 2, pods: 1 }, ['n1', 'n2']) },
      ['parent.child2', first(5)], undefined,
    ],
    [
      'VictimsOnDifferentNodes_InsufficientResource',
      { nodes: { n1: full, n2: full }, queues: siblings({ max: first(6) }, {}, { guaranteed: first(5) }), running: two({ first: 2, pods: 1 }, ['n1', 'n2']) },
      ['parent.child2', first(5)], undefined,
    ],
    [
      'VictimsAvailableOnDifferentNodes',
      {
        nodes: { n1: full, n2: { first: 4, pods: 1 } }, queues: siblings({ max: first(6) }, {}, { guaranteed: first(5) }),
        running: { older: { queue: 'parent.child1', node: 'n1', has: { first: 4, pods: 1 }, age: 2 }, younger: { queue: 'parent.child1', node: 'n2', has: { first: 2, pods: 1 }, age: 1 } },
      },
      ['parent.child2', first(5)], undefined,
    ],
    [
      'OnQueue_VictimsOnDifferentNodes',
      { nodes: { n1: first(30), n2: first(30) }, queues: threeQueues, running: { ...two(first(5), ['n1', 'n2']), other: ofApp3 } },
      ['parent.child2', first(10), { on: ['n2'] }], { on: 'n2', taken: ['other', 'younger'] },
    ],
    [
      'OnQueue_VictimsAvailable_LowerPriority',
      { nodes: { n1: first(30), n2: first(30) }, queues: threeQueues, running: { ...two(first(5), ['n1', 'n1']), other: { ...ofApp3, priority: 1000 } } },
      ['parent.child2', first(10), { on: ['n1'] }], { on: 'n1', taken: ['older', 'younger'] },
    ],
  ])('%s', (_, world, asked, expected) => {
    expect(worldOf(world).take(...asked)).toEqual(expected)
  })

  // a tree of two levels: parent1 holds who asks, parent2 whom it may take
  const cores = (amount: number) => ({ vcores: amount })
  const deep = (parent1: object, child1: object, child2: object, parent: object = {}) => ({ parent, 'parent.parent1': parent1, 'parent.parent2': {}, 'parent.parent1.child1': child1, 'parent.parent2.child2': child2, 'parent.parent2.child3': {} })
  const inChild2 = (has: Running['has'], age: number): Running => ({ queue: 'parent.parent2.child2', node: 'n1', has, age })
  const twoThere = { older: inChild2({ vcores: 1, mem: 200 }, 2), younger: inChild2({ vcores: 1, mem: 200 }, 1) }
  const three = (has: Running['has'], others: Running['has']) => ({ ...Object.fromEntries([5, 6, 7].map((i) => [`other${i}`, inChild2(others, 3)])), a1: inChild2(has, 2), a2: inChild2(has, 1), a3: inChild2(has, 1) })
  const lacksNone = { vcores: 5, mem: 900, gpu: 900 }

  it.each<[string, World, object, readonly string[]]>([
    ['AskResTypesDifferent_GuaranteedSetOnPreemptorSide', { nodes: { n1: { vcores: 3, mem: 400 } }, queues: deep({ guaranteed: cores(1) }, {}, {}, { max: cores(2) }), running: twoThere }, cores(1), ['younger']],
    ['OnNode_AskResTypesDifferent_GuaranteedSetOnPreemptorSide', { nodes: { n1: { vcores: 2, mem: 400 } }, queues: deep({ guaranteed: cores(1) }, {}, {}, { max: cores(2) }), running: twoThere }, cores(1), ['younger']],
    [
      'AskResTypesDifferent_GuaranteedSetOnVictimAndPreemptorSides',
      { nodes: { n1: { vcores: 5, mem: 700 } }, queues: deep({}, { guaranteed: cores(2) }, { guaranteed: cores(1) }, { max: cores(3) }), running: three({ vcores: 1, mem: 100 }, { mem: 100 }) }, cores(2), ['a2', 'a3'],
    ],
    [
      'OnNode_AskResTypesDifferent_GuaranteedSetOnVictimAndPreemptorSides',
      { nodes: { n1: { vcores: 3, mem: 600 } }, queues: deep({}, { guaranteed: cores(2) }, { guaranteed: cores(1) }, { max: cores(3) }), running: three({ vcores: 1, mem: 100 }, { mem: 100 }) }, cores(2), ['a2', 'a3'],
    ],
    ['AskResTypesSame_GuaranteedSetOnPreemptorSide', { nodes: { n1: lacksNone }, queues: deep({}, { guaranteed: cores(2) }, {}), running: three(cores(1), { gpu: 100 }) }, { vcores: 2, mem: 200 }, ['a2', 'a3']],
    ['OnNode_AskResTypesSame_GuaranteedSetOnPreemptorSide', { nodes: { n1: { vcores: 3, gpu: 300, mem: 200 } }, queues: deep({}, { guaranteed: cores(2) }, {}), running: three(cores(1), { gpu: 100 }) }, { vcores: 2, mem: 200 }, ['a2', 'a3']],
    ['AskResTypesSame_GuaranteedSetOnVictimAndPreemptorSides', { nodes: { n1: lacksNone }, queues: deep({}, { guaranteed: cores(2) }, { guaranteed: cores(1) }), running: three(cores(1), { gpu: 100 }) }, { vcores: 2, mem: 200 }, ['a2', 'a3']],
    [
      'OnNode_AskResTypesSame_GuaranteedSetOnVictimAndPreemptorSides',
      { nodes: { n1: { vcores: 3, gpu: 700, mem: 200 } }, queues: deep({}, { guaranteed: cores(2) }, { guaranteed: cores(1) }), running: three(cores(1), { gpu: 100 }) }, { vcores: 2, mem: 200 }, ['a2', 'a3'],
    ],
  ])('%s', (_, world, asks, taken) => {
    expect(worldOf(world).take('parent.parent1.child1', asks as Running['has'])).toEqual({ on: 'n1', taken })
  })

  it.each<[string, object, object, readonly string[] | undefined]>([
    ['UGParent_With_UGPreemptorChild_GNotSetOnVictimChild_As_Siblings', {}, { guaranteed: cores(1) }, ['younger']],
    ['UGParent_With_GNotSetOnBothChilds', {}, {}, undefined],
    ['UGParent_With_UGPreemptorChild_OGVictimChild_As_Siblings', { guaranteed: cores(1) }, { guaranteed: cores(1) }, ['younger']],
  ])('OnNode_%s', (_, child1, child2, taken) => {
    const queues = { parent: { max: cores(20) }, 'parent.parent1': { guaranteed: cores(10) }, 'parent.parent1.child1': child1, 'parent.parent1.child2': child2 }
    const world = worldOf({ nodes: { n1: cores(2) }, queues, running: two(cores(1), ['n1', 'n1'], 'parent.parent1.child1') })
    expect(world.take('parent.parent1.child2', cores(1))).toEqual(taken && { on: 'n1', taken })
  })

  it('rather takes two tasks than one without which a job would end', () => {
    const world = worldOf({
      nodes: { n1: first(2), n2: first(2) }, queues: { a: {}, b: { guaranteed: first(2) } },
      running: { master: { queue: 'a', node: 'n1', has: first(2), age: 1, isMaster: true }, one: { queue: 'a', node: 'n2', has: first(1), age: 2 }, other: { queue: 'a', node: 'n2', has: first(1), age: 3 } },
    })
    expect(world.take('b', first(2))).toEqual({ on: 'n2', taken: ['one', 'other'] })
  })

  it('takes those that ask not to be last, after masters (TestSolutionScoring), but takes them', () => {
    const running = (more: World['running']): World => ({ nodes: { n1: first(2), n2: first(2) }, queues: { a: {}, b: { guaranteed: first(2) } }, running: { unwilling: { queue: 'a', node: 'n1', has: first(2), age: 0, isUnwilling: true }, ...more } })
    const take = (more: World['running'] = {}) => worldOf(running(more)).take('b', first(2), { on: Object.keys(more).length > 0 ? ['n1', 'n2'] : ['n1'] })
    expect(take({ master: { queue: 'a', node: 'n2', has: first(2), age: 5, isMaster: true } })).toEqual({ on: 'n2', taken: ['master'] })
    expect(take()).toEqual({ on: 'n1', taken: ['unwilling'] })
    const beside = { ...running({}), nodes: { n1: first(3) }, running: { unwilling: { queue: 'a', node: 'n1', has: first(1), age: 0, isUnwilling: true }, old: { queue: 'a', node: 'n1', has: first(1), age: 9 }, master: { queue: 'a', node: 'n1', has: first(1), age: 1, isMaster: true } } }
    expect(worldOf(beside).take('b', first(1))).toEqual({ on: 'n1', taken: ['old'] })
    expect(worldOf(beside).take('b', first(2))).toEqual({ on: 'n1', taken: ['master', 'old'] })
  })
})

describe('which queues may give (FindEligiblePreemptionVictims)', () => {
  const memory = (amount: number) => ({ mem: amount })
  const task = (age: number): Running => ({ queue: 'parent2.leaf2', node: 'n1', has: memory(100), age, priority: -1000 })
  const bounds = { max: memory(200), guaranteed: memory(100) }
  const given = (change: World['queues'] = {}, running: World['running'] = { one: task(2), other: task(1) }) => {
    const queues = Object.fromEntries(['parent1', 'parent2', 'parent1.leaf1', 'parent2.leaf2'].map((path) => [path, { ...(path.includes('.') ? {} : bounds), ...change[path] }]))
    const most = worldOf({ nodes: { n1: memory(1000) }, queues, running }).givers('parent1.leaf1')['parent2.leaf2']
    return most !== undefined && most >= -1000
  }
  it.each<[string, boolean, World['queues'], World['running']?]>([
    ['nobody, where nothing runs', false, {}, {}],
    ['lower priorities', true, {}],
    ['not where preemption is disabled', false, { 'parent2.leaf2': { preemptionPolicy: 'disabled' } }],
    ['not from outside a fence around who asks', false, { parent1: { preemptionPolicy: 'fence' } }],
    ['not from outside a fence that is its own', false, { 'parent1.leaf1': { preemptionPolicy: 'fence' } }],
    ['through a fence around others', true, { parent2: { preemptionPolicy: 'fence' } }],
    ['through a fence that is theirs', true, { 'parent2.leaf2': { preemptionPolicy: 'fence' } }],
    ['not from outside a queue that has all of its maximum', false, {}, { one: task(2), other: task(1), own: { queue: 'parent1.leaf1', node: 'n1', has: memory(200), age: 3 } }],
    ['not with an offset that makes them more important', false, { parent2: { priorityOffset: 1001 } }],
    ['not behind a fence of priorities with a higher offset', false, { parent2: { priorityOffset: 1, priorityPolicy: 'fence' } }],
    ['behind one with a lower offset', true, { parent2: { priorityOffset: -1, priorityPolicy: 'fence' } }],
    ['as important ones, behind a fence around who asks', true, { parent1: { priorityOffset: -1000, priorityPolicy: 'fence' } }],
    ['not more important ones, behind a fence around who asks', false, { parent1: { priorityOffset: -1001, priorityPolicy: 'fence' } }],
    ['not what is within its guarantee', false, { parent2: { guaranteed: memory(200) } }],
  ])('%s', (_, expected, change, running) => {
    expect(given(change, running)).toBe(expected)
  })
})
