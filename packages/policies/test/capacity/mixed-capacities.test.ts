import { dispatcher } from '@sched/cluster'
import { capacityScheduler, mixedCapacities, mixedLimit, type CapacitySchedulerOptions } from '@sched/policies'
import { cluster, job } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

type Queues = NonNullable<CapacitySchedulerOptions['queues']>
type Amounts = readonly [mem: number, cpu: number]
type Capacity = number | string
const vector = (mem: Capacity, cpu: Capacity) => ({ mem, cpu })

/** The largest task that each leaf takes, of one node: what its maximum is, or its guarantee where it is not elastic. */
function largest([mem, cpu]: Amounts, queues: Queues, options: CapacitySchedulerOptions = {}): Record<string, Amounts> {
  const master = dispatcher({ cluster: cluster({ nodes: [{ name: 'n', count: 1, resources: { mem, cpu } }] }), policy: capacityScheduler({ queues, legacyQueueMode: false, resourceCalculator: 'dominant', ...options }) })
  let count = 0
  const takes = (queue: string, demand: Record<string, number>): boolean => {
    try {
      master.submit(job({ id: `job${count++}`, queue, user: 'ann', tasks: 1, demand }))
      return true
    } catch {
      return false
    }
  }
  const most = (queue: string, resource: string, top: number): number => {
    let [least, above] = [0, top + 1] // by halves
    while (above - least > 1) {
      const middle = Math.floor((least + above) / 2)
      if (takes(queue, { [resource]: middle })) least = middle
      else above = middle
    }
    return least
  }
  const leaves = Object.keys(queues).filter((path) => !Object.keys(queues).some((other) => other.startsWith(`${path}.`)))
  return Object.fromEntries(leaves.map((path) => [path, [most(path, 'mem', mem), most(path, 'cpu', cpu)]]))
}
const rigid = (queues: Queues): Queues => Object.fromEntries(Object.entries(queues).map(([path, own]) => [path, { ...own, elastic: false }]))

// as TestMixedQueueResourceCalculation of Hadoop 3.5; what queues around others have shows in what these have
describe('capacities of several kinds', () => {
  it('are amounts first, then percentages, then weights, of each resource (testComplexHierarchyWithoutRemainingResource)', () => {
    const queues: Queues = {
      a: { capacity: vector('30%', '6w') }, 'a.a1': { capacity: vector('3w', '100%') }, 'a.a2': { capacity: vector('1w', 4) }, 'a.a2.a21': { capacity: vector('35%', '25%') }, 'a.a2.a22': { capacity: vector('65%', '75%') },
      b: { capacity: vector(8095, '30%') }, 'b.b1': { capacity: vector('5w', 3) }, c: { capacity: vector('3w', 4) },
    }
    // memory: b 8095, a 0.3 * 8289 = 2486, c the other 5803; of a's, a1 0.75 * 2486 = 1864.5, to the nearest 1865, a2 the other 621. cpu: c 4, b 0.3 * 12 = 3, a 9
    expect(largest([16_384, 16], rigid(queues))).toEqual({ 'a.a1': [1865, 5], 'a.a2.a21': [217, 1], 'a.a2.a22': [403, 3], 'b.b1': [8095, 3], c: [5803, 4] })
  })

  it('scale amounts down, and give nothing to a queue for which no memory is left (testComplexHierarchyWithWarnings, testZeroResourceIfNoMemory)', () => {
    const queues: Queues = {
      a: { capacity: vector('100%', '6w') }, 'a.a1': { capacity: vector(2048, 4) }, 'a.a1.a11': { capacity: vector('1w', 4) }, 'a.a1.a12': { capacity: vector('100%', '100%') }, 'a.a2': { capacity: vector(2048, '100%') },
      b: { capacity: vector(8096, '30%') }, 'b.b1': { capacity: vector(10_256, 3) }, c: { capacity: vector('3w', 4) },
    }
    expect(largest([16_384, 16], rigid(queues))).toEqual({ 'a.a1.a11': [0, 0], 'a.a1.a12': [2048, 4], 'a.a2': [2048, 8], 'b.b1': [8096, 3], c: [0, 0] })
    expect(largest([16_384, 16], rigid({ a: { capacity: vector('100%', '6w') }, b: { capacity: vector(16_384, 8) } }))).toEqual({ a: [0, 0], b: [16_384, 8] })
  })

  it('leave weights what the other kinds leave, and percentages of nothing nothing (testNodeLabels, each of its partitions as a cluster)', () => {
    const inX: Queues = { a: { capacity: vector('50%', '3w') }, 'a.a1': { capacity: vector(20_480, '10%') }, 'a.a2': { capacity: vector(10_240, 30) }, b: { capacity: vector('50%', '50%') } }
    expect(largest([61_440, 60], rigid(inX))).toEqual({ 'a.a1': [20_480, 0], 'a.a2': [10_240, 30], b: [30_720, 30] })
    const inY: Queues = { a: { capacity: vector(8096, '1w') }, 'a.a1': { capacity: vector(6186, '3w') }, 'a.a2': { capacity: vector('3w', '3w') }, b: { capacity: vector('100%', '30%') } }
    expect(largest([20_480, 60], rigid(inY))).toEqual({ 'a.a1': [6186, 21], 'a.a2': [1910, 21], b: [12_384, 18] })
    const inZ: Queues = { a: { capacity: vector('70%', 11) }, 'a.a1': { capacity: vector('90%', '40%') }, 'a.a2': { capacity: vector('10%', '4w') }, b: { capacity: vector('30%', 4) } }
    expect(largest([10_240, 15], rigid(inZ))).toEqual({ 'a.a1': [6451, 4], 'a.a2': [716, 7], b: [3072, 4] })
  })

  it('are of the nodes of a partition, where they are said of it', () => {
    const nodes = [{ name: 'x', count: 1, resources: { mem: 200, cpu: 20 }, labels: { partition: 'x' } }, { name: 'n', count: 1, resources: { mem: 1000, cpu: 100 } }]
    const queues: Queues = { a: { capacity: 50, labels: { x: { capacity: vector('30%', '1w'), maximumCapacity: vector('40%', 5) } } }, b: { capacity: 50, labels: { x: { capacity: '1w' } } } }
    const refusal = (mem: number, cpu: number) => {
      const master = dispatcher({ cluster: cluster({ nodes }), policy: capacityScheduler({ queues, legacyQueueMode: false, resourceCalculator: 'dominant' }) })
      const stages = [{ name: 's', tasks: 1, demand: { mem, cpu }, duration: 1, constraints: { require: { partition: 'x' } } }]
      try {
        master.submit({ id: 'j', submit: 0, queue: 'a', user: 'ann', stages })
        return 'none'
      } catch (error) {
        return String(error)
      }
    }
    expect(refusal(80, 5)).toBe('none')
    expect(refusal(81, 5)).toContain('81 of mem, more than 80, the maximum of queue root.a in partition x')
    expect(refusal(80, 6)).toContain('6 of cpu, more than 5, the maximum of queue root.a in partition x')
  })

  it('have maxima of any kind but weights, of which 0 is none, and which bound the guarantees (testDifferentMinimumAndMaximumCapacityTypes, testMaximumResourceWarnings)', () => {
    const ab: Queues = { a: { capacity: vector('50%', 8), maximumCapacity: vector(16_384, '80%') }, b: { capacity: vector('6w', '100%'), maximumCapacity: vector(0, 8) } }
    expect(largest([16_384, 16], ab)).toEqual({ a: [16_384, 12], b: [16_384, 8] })
    expect(largest([16_384, 16], rigid(ab))).toEqual({ a: [8192, 8], b: [8192, 8] })
    const inside: Queues = { a: { capacity: 100, maximumCapacity: vector(8192, '100%') }, 'a.x': { capacity: vector('50%', '100%'), maximumCapacity: vector(16_384, '10%') }, 'a.y': { capacity: vector('50%', '0%') } }
    expect(largest([16_384, 16], inside)).toEqual({ 'a.x': [8192, 1], 'a.y': [8192, 16] })
    expect(() => capacityScheduler({ legacyQueueMode: false, queues: { a: { maximumCapacity: vector('3w', 1) } } })).toThrow('a percentage such as "50%"')
  })

  it('may be one number for all resources beside others, and need not sum to 100', () => {
    const queues: Queues = { a: { capacity: 40 }, b: { capacity: '1w' }, c: { capacity: '3w' }, d: { capacity: vector(200, 2) } }
    // 800 and 18 are left: a 320 and 7; b a quarter of 480 and 11, 120 and 3, c 360 and 8
    expect(largest([1000, 20], rigid(queues))).toEqual({ a: [320, 7], b: [120, 3], c: [360, 8], d: [200, 2] })
    expect(largest([1000, 20], rigid({ a: { capacity: 30 }, b: { capacity: 50 } }))).toEqual({ a: [300, 6], b: [500, 10] })
    expect(largest([1000, 20], rigid({ a: { capacity: 70 }, b: { capacity: 50 } }))).toEqual({ a: [700, 14], b: [300, 6] }) // what is too much is cut off from the last
  })

  it('are of queues made at first use, too, which divide anew what is left (testMixedFlexibleConfiguration)', () => {
    const counts = (names: readonly string[], options: CapacitySchedulerOptions) => {
      const policy = capacityScheduler({ legacyQueueMode: false, maximumOffswitchAssignments: 999, maximumContainerAssignments: -1, defaults: { userLimitFactor: -1 }, ...options })
      const master = dispatcher({ cluster: cluster({ nodes: [{ name: 'n', count: 1, resources: { mem: 320 } }] }), policy })
      for (const queue of names) master.submit(job({ id: queue, queue: `root.${queue}`, user: queue, tasks: 320, demand: { mem: 1 } }))
      const found: Record<string, number> = {}
      for (const { job: id } of master.heartbeat('n-0', 0).start) found[id] = (found[id] ?? 0) + 1
      return found
    }
    const mem = (capacity: Capacity) => ({ capacity: { mem: capacity } })
    const options: CapacitySchedulerOptions = {
      queues: { root: { autoCreate: true, template: mem('2w'), parentTemplate: mem('2w') }, a: { ...mem('10%'), autoCreate: true }, 'a.a1': mem('100%'), b: mem(20), d: { ...mem('10%'), autoCreate: true, template: mem(10) } },
      templates: { 'root.*': { template: mem(20) } },
    }
    // b has 20, a and d 10 % of 300 each, and c what is left; of a, a2 has 20 and a1 the other 10; e divides the 240 of c
    expect(counts(['a.a1', 'b', 'c', 'd.d1'], options)).toEqual({ 'a.a1': 30, b: 20, c: 240, 'd.d1': 30 })
    expect(counts(['a.a1', 'a.a2', 'b', 'c', 'd.d1', 'e.e1'], options)).toEqual({ 'a.a1': 10, 'a.a2': 20, b: 20, c: 120, 'd.d1': 30, 'e.e1': 120 })
    const percentages = (legacyQueueMode: boolean) => counts(['p.x', 'p.y', 'p.z'], { legacyQueueMode, queues: { p: { capacity: 100, autoCreate: true, template: { capacity: 40 } } } })
    expect(percentages(false)).toEqual({ 'p.x': 128, 'p.y': 128, 'p.z': 64 })
    expect(percentages(true)['p.z']).toBeUndefined() // 20 % are left of 40
  })

  it.each<[string, (leaf: number, weight: number, amounts: Amounts) => NonNullable<Queues[string]>['capacity'], Amounts, Record<string, Amounts>]>([
    // 60,000 and 15 of a, of which a.x has two fifths, 24,000 and 6: 9,230.8 and 2.3 and 14,769.2 and 3.7, to the nearest
    ['testWeightResourceCalculation', (_, weight) => `${weight}w`, [180_000, 45], { 'a.x.p': [9231, 2], 'a.x.q': [14_769, 4], 'a.y': [36_000, 9], b: [120_000, 30] }],
    // 6,144 and 12 of a, of which a.x has 1,044.5 and 2.04, rounded down, as all is
    ['testPercentageResourceCalculation', (percent) => percent, [20_480, 40], { 'a.x.p': [261, 0], 'a.x.q': [783, 1], 'a.y': [5099, 9], b: [14_336, 28] }],
    ['testAbsoluteResourceCalculation', (...[, , [mem, cpu]]) => ({ mem, cpu }), [500, 80], { 'a.x.p': [80, 4], 'a.x.q': [20, 4], 'a.y': [60, 12], b: [340, 60] }],
    ['testAbsoluteResourceCalculation: half of them of half the cluster', (...[, , [mem, cpu]]) => ({ mem, cpu }), [250, 40], { 'a.x.p': [40, 2], 'a.x.q': [10, 2], 'a.y': [30, 6], b: [170, 30] }],
  ])('are what Hadoop makes of those of one kind (TestUniformQueueResourceCalculation.%s)', (_, of, total, expected) => {
    const queues: Queues = {
      a: { capacity: of(30, 3, [160, 20]) }, 'a.x': { capacity: of(17, 2, [100, 8]) }, 'a.x.p': { capacity: of(25, 5, [80, 4]) }, 'a.x.q': { capacity: of(75, 8, [20, 4]) },
      'a.y': { capacity: of(83, 3, [60, 12]) }, b: { capacity: of(70, 6, [340, 60]) },
    }
    expect(largest(total, rigid(queues))).toEqual(expected)
  })

  it.each<[string, NonNullable<Queues[string]>['capacity'], NonNullable<Queues[string]>['capacity'], NonNullable<Queues[string]>['capacity']]>([
    ['testBasicPercentageConfiguration', 25, 6.25, vector('25%', '50%')],
    ['testBasicAbsoluteConfiguration', vector(8000, 8), vector(2000, 2), vector(2000, 4)],
  ])('are of queues made at first use what their templates say (TestCapacitySchedulerNewQueueAutoCreationWithCapacityVectors.%s)', (_, a, made, inA) => {
    // of 32,000 and 32, b is to have 2,000 and 2, and a.x 2,000 and 4 of a's 8,000 and 8; a user may have that, and a task more
    const template = (capacity: typeof a) => ({ autoCreate: true, template: { capacity, userLimitFactor: 1 } })
    const queues: Queues = { root: template(made), a: { capacity: a, ...template(inA) } }
    const starts = (queue: string, demand: Record<string, number>) => {
      const master = dispatcher({ cluster: cluster({ nodes: [{ name: 'n', count: 1, resources: { mem: 32_000, cpu: 32 } }] }), policy: capacityScheduler({ queues, legacyQueueMode: false, resourceCalculator: 'dominant', maximumOffswitchAssignments: 99 }) })
      master.submit(job({ id: 'j', queue, user: 'ann', tasks: 32, demand }))
      return master.heartbeat('n-0', 0).start.length
    }
    expect([starts('root.b', { mem: 1000 }), starts('root.b', { cpu: 1 }), starts('root.a.x', { cpu: 1 })]).toEqual([3, 3, 5])
  })

  it('are of two resources of queues made at first use, at two levels (TestCapacitySchedulerNewQueueAutoCreationMixedMode.testAutoCreateQueueRefresh)', () => {
    const of = (mem: Capacity, cpu: Capacity) => ({ capacity: vector(mem, cpu), userLimitFactor: 1 })
    const queues: Queues = {
      root: { autoCreate: true, template: of('2w', '5w'), parentTemplate: { capacity: vector('2w', 10) } },
      a: { capacity: vector('10%', 2), autoCreate: true }, 'a.a1': of('100%', '100%'), b: of(2500, '10%'), d: { capacity: vector('10%', '10%'), autoCreate: true, template: of(1000, 1) },
    }
    const started = (queue: string, others: readonly string[]) => {
      const policy = capacityScheduler({ queues, templates: { 'root.*': { template: of(2500, 2) } }, legacyQueueMode: false, resourceCalculator: 'dominant', maximumOffswitchAssignments: 99, maximumContainerAssignments: -1 })
      const master = dispatcher({ cluster: cluster({ nodes: [{ name: 'n', count: 1, resources: { mem: 40_000, cpu: 40 } }] }), policy })
      for (const other of others) if (other !== queue) master.submit(job({ id: other, queue: `root.${other}`, user: other, tasks: 1, demand: { mem: 1 } }))
      master.submit(job({ id: 'j', queue: `root.${queue}`, user: 'ann', tasks: 99, demand: { cpu: 1 } }))
      return master.heartbeat('n-0', 0).start.filter((task) => task.job === 'j').length
    }
    // one task more than the larger share of the queue. b has 2,500 and 3, a and d 3,750 each, and 2 and 3, c the other 30,000 and 32
    expect(['b', 'c'].map((queue) => started(queue, ['c']))).toEqual([4, 33])
    // a2 has 2,500 and 2, a1 the other 1,250 and 0; d1 1,000 and 1
    expect(['a.a1', 'a.a2', 'd.d1'].map((queue) => started(queue, ['c', 'a.a2', 'd.d1']))).toEqual([2, 3, 2])
    // e has 10 cpu, so b and d have 2 each and c 24; c and e 15,000 each, of which e1 has 2,500 and 2
    expect(['b', 'c', 'e.e1'].map((queue) => started(queue, ['c', 'e.e1']))).toEqual([3, 25, 3])
  })

  it('are of one kind in the legacy mode, which is the default', () => {
    expect(() => capacityScheduler({ queues: { a: { capacity: vector('50%', 4) } } })).toThrow('an amount; "50%" of one resource needs `legacyQueueMode: false`')
    expect(() => capacityScheduler({ queues: { a: { capacity: 100, labels: { gpu: { capacity: 100, maximumCapacity: { mem: '50%' } } } } } })).toThrow('labels.gpu.maximumCapacity.mem')
    expect(() => capacityScheduler({ queues: { a: { capacity: 100, autoCreate: true, template: { capacity: { mem: '2w' } } } } })).toThrow('template.capacity.mem')
    expect(() => capacityScheduler({ queues: { a: { capacity: 40 }, b: { capacity: '1w' } } })).toThrow('not several of these. Write a percentage here, too.')
  })

  it('never guarantee more than there is, nor than the limit, and whole amounts', () => {
    const capacityOf = fc.oneof(fc.nat({ max: 200 }), fc.nat({ max: 120 }).map((value) => `${value}%`), fc.nat({ max: 9 }).map((value) => `${value}w`))
    fc.assert(
      fc.property(fc.array(fc.tuple(capacityOf, fc.nat({ max: 300 })), { minLength: 1, maxLength: 6 }), fc.nat({ max: 250 }), (queues, available) => {
        const limits = queues.map(([, limit]) => limit)
        const amounts = mixedCapacities(queues.map(([capacity]) => capacity), available, limits)
        expect(amounts.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(available)
        for (const [i, amount] of amounts.entries()) expect(Number.isInteger(amount) && amount >= 0 && amount <= (limits[i] ?? 0)).toBe(true)
      }),
    )
    expect(mixedLimit('33%', 10)).toBe(3)
  })
})
