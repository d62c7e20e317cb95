import type { ClusterDescription } from '@sched/cluster'
import type { JobSpec } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { balanced } from '../src/autoscale/similar-groups.js'
import type { AutoscalerOptions } from '../src/index.js'
import { group, tasks, told } from './scaled-world.js'

// Cases of Cluster Autoscaler's own tests of jobs of low priority, similar groups, prices and limits in sum.

describe('jobs with a priority below the cutoff', () => {
  const asked = (priorities: readonly (number | undefined)[], autoscaler: AutoscalerOptions) => {
    const jobs = priorities.map((priority, i): JobSpec => ({ ...tasks(`p${i}`, 1, 1, { cpu: 4 }, 10), ...(priority !== undefined && { priority }) }))
    return told([group(9, { cpu: 4 }), { count: 1, resources: { cpu: 4 } }], [{ ...tasks('fill', 0, 1, { cpu: 4 }, 2000), priority: 9 }, ...jobs], { scaleDownEnabled: false, ...autoscaler }).sizes
  }
  it.each<[string, readonly (number | undefined)[], AutoscalerOptions, readonly string[]]>([
    ['single non-expendable pod', [undefined], {}, ['10 0: 1']],
    ['non-expendable pods with priority >= to cutoff priority', [2, 3], { expendablePodsPriorityCutoff: 2 }, ['10 0: 2']],
    ['single expendable pod', [2], { expendablePodsPriorityCutoff: 3 }, []],
    ['mixed expendable and non-expendable pods', [3, 4, 1, undefined], { expendablePodsPriorityCutoff: 2 }, ['10 0: 3']],
    ['the default', [-10, -11, -10.5], {}, ['10 0: 1']],
  ])('ask for no nodes (TestFilterOutExpendable: %s)', (_, priorities, autoscaler, sizes) => {
    expect(asked(priorities, autoscaler)).toEqual(sizes)
  })

  it('count for nothing where they run: there is room where they are, and their node goes as an idle one', () => {
    const low = { ...tasks('low', 0, 1, { cpu: 4 }, 100), priority: -20, movable: false }
    // the policy does not preempt, so the other waits for the end of `low` at 100 s
    expect(told([group(3, { cpu: 4 }, { initial: 1 })], [low, tasks('next', 1, 1, { cpu: 4 }, 10)], { scaleDownEnabled: false }).sizes).toEqual([])
    expect(told([group(3, { cpu: 4 }, { initial: 1 })], [{ ...low, priority: 0 }, tasks('next', 1, 1, { cpu: 4 }, 10)], { scaleDownEnabled: false }).sizes).toEqual(['10 0: 2'])
    const gone = (priority: number) => {
      const nodes = [group(1, { cpu: 4 }, { initial: 1 }), { count: 1, resources: { cpu: 4 } }]
      const { downs, log } = told(nodes, [{ ...tasks('low', 0, 1, { cpu: 4 }, 300), priority, movable: false }, tasks('end', 0, 1, { cpu: 1 }, 900)], { scaleDownUnneededTime: 30, maxDrainParallelism: 0 })
      return [downs[0], log.lines.filter((line) => line.includes('evicted'))]
    }
    expect(gone(-20)).toEqual(['50 0', ['50 evicted low on 0']])
    expect(gone(0)[1]).toEqual([])
  })

  it('give back their devices in what is counted', () => {
    const gpus = { devices: { gpu: { count: 2, milli: 1000 } } }
    const jobs = [{ ...tasks('low', 0, 1, { gpu: 2000 }, 200), priority: -20 }, tasks('next', 1, 2, { gpu: 600 }, 10)]
    expect(told([group(3, { cpu: 4 }, { initial: 1 }, gpus)], jobs, { scaleDownEnabled: false }).sizes).toEqual([])
    expect(told([group(3, { cpu: 4 }, { initial: 1 }, gpus)], jobs, { scaleDownEnabled: false, expendablePodsPriorityCutoff: -30 }).sizes).toEqual(['40 0: 2'])
  })
})

describe('new nodes divided among groups', () => {
  it.each<[string, readonly (readonly [most: number, size: number])[], number, readonly (readonly [group: number, nodes: number])[]]>([
    ['TestBalanceSingleGroup', [[10, 1]], 1, [[0, 1]]],
    ['TestBalanceSingleGroup', [[10, 1]], 4, [[0, 4]]],
    ['TestBalanceUnderMaxSize', [[10, 1], [10, 3], [10, 5], [10, 5]], 1, [[0, 1]]],
    ['TestBalanceUnderMaxSize', [[10, 1], [10, 3], [10, 5], [10, 5]], 2, [[0, 2]]],
    ['TestBalanceUnderMaxSize', [[10, 1], [10, 3], [10, 5], [10, 5]], 4, [[0, 3], [1, 1]]],
    ['TestBalanceUnderMaxSize', [[10, 1], [10, 3], [10, 5], [10, 5]], 5, [[0, 4], [1, 1]]],
    ['TestBalanceUnderMaxSize', [[10, 1], [10, 3], [10, 5], [10, 5]], 10, [[0, 5], [1, 3], [2, 1], [3, 1]]],
    ['TestBalanceHittingMaxSize', [[1, 1]], 1, []],
    ['TestBalanceHittingMaxSize', [[1, 1], [3, 1]], 1, [[1, 1]]],
    ['TestBalanceHittingMaxSize', [[1, 1], [3, 1]], 5, [[1, 2]]],
    ['TestBalanceHittingMaxSize', [[3, 1], [10, 3]], 4, [[0, 2], [1, 2]]],
    ['TestBalanceHittingMaxSize', [[3, 1], [10, 3], [7, 5]], 9, [[0, 2], [1, 5], [2, 2]]],
    ['TestBalanceHittingMaxSize', [[3, 1], [10, 3], [7, 5]], 900, [[0, 2], [1, 7], [2, 2]]],
    ['TestBalanceHittingMaxSize', [[3, 1], [3, 6]], 1, [[0, 1]]],
  ])('are of the smallest by then: %s %j, %i nodes', (_, groups, nodes, added) => {
    expect(balanced(groups.map(([most, size], group) => ({ group, most, size })), nodes).map((each) => [each.group, each.nodes])).toEqual(added)
  })

  /** Whether four nodes are divided among the first two groups. */
  const areDivided = (first: ClusterDescription['nodes'][number], second: ClusterDescription['nodes'][number], change: AutoscalerOptions = {}) =>
    told([first, second], [tasks('a', 1, 4, { cpu: 700 })], { scaleDownEnabled: false, expander: 'priority', balanceSimilarNodeGroups: true, ...change }).sizes
  const node = (resources: Record<string, number>, more: Partial<ClusterDescription['nodes'][number]> = {}, priority = 0) => group(10, { cpu: 1000, mem: 2000, ...resources }, { priority }, more)
  const zone = (name: string) => ({ labels: { 'topology.kubernetes.io/zone': name, pool: 'a' } })

  it.each<[string, boolean, Record<string, number>, Partial<ClusterDescription['nodes'][number]>, Partial<ClusterDescription['nodes'][number]>?]>([
    ['TestIdenticalNodesSimilar', true, {}, {}],
    ['TestNodesSimilarVariousRequirements: different CPU capacity', false, { cpu: 1001 }, {}],
    ['TestNodesSimilarVariousRequirements: one with GPU, one without', false, {}, { devices: { gpu: { count: 1, milli: 1000 } } }],
    ['TestNodesSimilarVariousMemoryRequirements: within tolerance', true, { mem: 1970 }, {}],
    ['TestNodesSimilarVariousMemoryRequirements: exceeds tolerance', false, { mem: 1969 }, {}],
    ['TestNodesSimilarVariousLabels: a missing label', false, {}, { labels: { character: 'winnie the pooh' } }],
    ['TestNodesSimilarVariousLabels: different zones', true, {}, zone('mars-olympus-mons1-b'), zone('us-houston1-a')],
    ['TestNodesSimilarVariousLabels: another value', false, {}, { labels: { pool: 'a' } }, { labels: { pool: 'b' } }],
  ])('are so if their nodes are alike: %s', (_, isAlike, resources, more, own = {}) => {
    expect(areDivided(node({}, own, 1), node(resources, more))).toEqual(isAlike ? ['10 0: 2', '10 1: 2'] : ['10 0: 4'])
  })

  it('are so up to the most of each (TestScaleUpBalanceGroups), not unless that is asked, and not where the tasks may not run', () => {
    expect(areDivided(node({}, {}, 1), node({}), { balanceSimilarNodeGroups: false })).toEqual(['10 0: 4'])
    expect(areDivided(group(1, { cpu: 1000, mem: 2000 }, { priority: 1 }), node({}))).toEqual(['10 0: 1', '10 1: 3'])
    const tainted = { taints: [{ key: 'x', value: 'y', effect: 'NoSchedule' as const }] }
    expect(areDivided(node({}, {}, 1), node({}, tainted))).toEqual(['10 0: 4'])
    // of an odd number the larger part is of the group that is smaller by then, here as large
    expect(told([group(9, { cpu: 4 }, { initial: 2, priority: 1 }), group(9, { cpu: 4 }, { min: 0 })], [tasks('a', 1, 7, { cpu: 4 })], { scaleDownEnabled: false, expander: 'priority', balanceSimilarNodeGroups: true }).sizes).toEqual(['10 1: 4', '10 0: 3'])
  })
})

describe('the expander price', () => {
  // tasks of 1000 and 500 of cpu, as there; nodes of 1000 hold one each, those of 4000 all
  const chosen = (small: number, large: number, more: Partial<ClusterDescription['nodes'][number]> = {}, jobs = [tasks('p1', 1, 1, { cpu: 1000 }), tasks('p2', 1, 1, { cpu: 500 })]) =>
    told([group(10, { cpu: 1000 }, { price: small }), group(10, { cpu: 4000 }, { price: large }, more)], jobs, { scaleDownEnabled: false, expander: 'price' }).sizes[0]
  it('chooses the group whose nodes cost the least for what would start there (TestPriceExpander)', () => {
    expect(chosen(20, 200)).toBe('10 0: 2')
    expect(chosen(200, 100)).toBe('10 1: 1')
    // equally expensive, and one has room for more of what waits
    expect(chosen(200, 200, {}, [tasks('p1', 1, 1, { cpu: 1000 }), tasks('wide', 1, 1, { cpu: 3000 })])).toBe('10 1: 1')
  })

  it('takes nodes that cost nothing before all others, and compares the others as if these were not there', () => {
    const groups = [3, 2, 0].map((price) => group(1, { cpu: 1000 }, { price }))
    const sizes = [1, 2, 3, 4].map((seed) => told(groups, [1, 101, 201].map((submit) => tasks(`p${submit}`, submit, 1, { cpu: 1000 })), { scaleDownEnabled: false, expander: 'price' }, { seed }).sizes)
    expect(sizes).toEqual(sizes.map(() => ['10 2: 1', '110 1: 1', '210 0: 1']))
  })

  it('leaves nodes with devices to tasks that need them', () => {
    const gpus = { devices: { gpu: { count: 1, milli: 1000 } } }
    expect([chosen(200, 1), chosen(200, 1, gpus)]).toEqual(['10 1: 1', '10 0: 2'])
    expect(chosen(200, 1, gpus, [tasks('g', 1, 1, { gpu: 1000 })])).toBe('40 1: 1')
  })
})

describe('limits in sum', () => {
  const sizes = (resourcesTotal: Record<string, number>, change: AutoscalerOptions = {}) =>
    told([group(9, { cpu: 4, mem: 8 }, { min: 1, priority: 1 }), group(9, { cpu: 2, mem: 8 }), { count: 1, resources: { cpu: 2, mem: 2 } }], [tasks('a', 1, 12, { cpu: 2 })], { scaleDownEnabled: false, expander: 'priority', ...change, resourcesTotal }).sizes
  it('cap what is asked for (TestScaleUpMaxCoresLimitHit, TestScaleUpMaxMemoryLimitHit), and leave out groups whose nodes are too large', () => {
    // 12 tasks: three have room; nine need five of the first group. Its node and the one that is always there have 6 processors and 10 of memory
    expect(sizes({})).toEqual(['10 0: 6'])
    expect(sizes({ cpu: 18 })).toEqual(['10 0: 4'])
    expect(sizes({ cpu: 19 })).toEqual(['10 0: 4'])
    expect(sizes({ cpu: 20 })).toEqual(['10 0: 4', '20 1: 1'])
    expect(sizes({ mem: 26 })).toEqual(['10 0: 3'])
    expect(sizes({ cpu: 20, mem: 26 })).toEqual(['10 0: 3'])
    expect(sizes({ cpu: 7 })).toEqual([])
  })

  it('count for all groups among which nodes are divided', () => {
    const alike = [0, 0, 0].map((priority, i) => group(9, { cpu: 4 }, { priority: priority - i }))
    expect(told(alike, [tasks('a', 1, 8, { cpu: 4 })], { scaleDownEnabled: false, expander: 'priority', balanceSimilarNodeGroups: true, resourcesTotal: { cpu: 20 } }).sizes).toEqual(['10 0: 2', '10 1: 2', '10 2: 1'])
  })
})
