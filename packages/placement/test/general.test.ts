import { dispatcher, readCluster } from '@sched/cluster'
import { SchedError, type Demand, type PlacementRule, type Plug, type Taint, type Toleration } from '@sched/core'
import { fifo, greedy } from '@sched/policies'
import { job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { bestFit, dotProduct, firstFit, locality, nodeUsage, pack, roundRobin, spread, weighted, worstFit, type WeightedOptions } from '../src/index.js'
import { Play } from './world.js'

type Scores = NonNullable<WeightedOptions['scores']>
type Cluster = ConstructorParameters<typeof Play>[0]

const equal = { nodes: [{ count: 3, resources: { cpu: 10 } }] }
const racks = { nodes: [{ count: 6, racks: 3, slots: { slot: 2 } }] } // nodes 0 1 | 2 3 | 4 5

/** Three nodes of 10 with 4, 7 and 5 free, then tasks of 4. */
function afterSome(placement: Plug<'placement'>): number[] {
  const play = new Play(equal, placement)
  for (const [node, cpu] of [6, 3, 5].entries()) play.use(node, { cpu })
  return play.place(3, { cpu: 4 })
}

describe('placements by what is free', () => {
  it('take the lowest node, the fullest, or the emptiest that holds the task', () => {
    // free 4, 7, 5: each node holds one task of 4
    expect(afterSome(firstFit())).toEqual([0, 1, 2])
    expect(afterSome(bestFit())).toEqual([0, 2, 1])
    expect(afterSome(worstFit())).toEqual([1, 2, 0])
  })

  it('fill node after node, or deal tasks out', () => {
    expect(new Play(equal, bestFit()).place(5, { cpu: 4 })).toEqual([0, 0, 1, 1, 2])
    expect(new Play(equal, worstFit()).place(5, { cpu: 4 })).toEqual([0, 1, 2, 0, 1])
    expect(new Play(equal, roundRobin()).place(5, { cpu: 4 })).toEqual([0, 1, 2, 0, 1])
  })

  it('go on in turn after a restart', () => {
    const begin = (names: string[]) => dispatcher({ cluster: { nodes: [{ count: names.length, names, resources: { cpu: 10 } }] }, policy: greedy(fifo(), roundRobin()) })
    const one = (id: string) => job({ id, demand: { cpu: 1 } })
    const before = begin(['a', 'b', 'c'])
    for (const id of ['x', 'y']) before.submit(one(id), 0)
    expect(before.pass(0).start.map(({ node }) => node)).toEqual(['a', 'b'])
    const next = (names: string[]) => {
      const after = begin(names)
      for (const id of ['x', 'y']) after.submit(one(id), 0)
      for (const [id, node] of [['x', 'a'], ['y', 'b']] as const) if (names.includes(node)) after.adopt({ job: id, node }, 0)
      after.recall(before.memory())
      after.submit(one('z'), 1)
      return after.pass(1).start.map(({ node }) => node)
    }
    expect(next(['a', 'b', 'c'])).toEqual(['c'])
    expect(next(['a', 'c'])).toEqual(['a', 'c']) // b has gone, and y runs no more
  })

  it('compare the free part of unlike nodes in worst fit, and amounts in best fit', () => {
    const unlike = { nodes: [{ name: 'big', count: 1, resources: { cpu: 20 } }, { name: 'small', count: 1, resources: { cpu: 10 } }] }
    const used = (placement: Plug<'placement'>) => {
      const play = new Play(unlike, placement)
      play.use(0, { cpu: 8 }) // 12 of 20 free on the big node, 10 of 10 on the small one
      return play.places(1, { cpu: 1 })
    }
    expect(used(worstFit())).toEqual(['small-0'])
    expect(used(bestFit())).toEqual(['small-0'])
    expect(new Play(unlike, worstFit()).places(1, { cpu: 1 })).toEqual(['big-0']) // both whole: the lower
  })

  it('compare the used parts of nodes by the weights of resources', () => {
    // YuniKorn's documents: 90 % of the CPUs and 50 % of the memory are 70 %, or 82 % where CPUs count four times
    const nodes = { nodes: [{ name: 'a', count: 1, resources: { cpu: 100, memory: 100 } }, { name: 'b', count: 1, resources: { cpu: 100, memory: 100 } }] }
    const first = (used: number, ...options: Parameters<typeof nodeUsage>) => {
      const play = new Play(nodes, nodeUsage(...options))
      play.use(0, { cpu: 90, memory: 50 })
      play.use(1, { cpu: used, memory: used })
      return play.places(1, { cpu: 1 })[0]
    }
    expect([69, 71].map((used) => first(used))).toEqual(['b-0', 'a-0'])
    expect([81, 83].map((used) => first(used, { resourceWeights: { cpu: 4, memory: 1 } }))).toEqual(['b-0', 'a-0'])
    expect([69, 71].map((used) => first(used, { prefer: 'most' }))).toEqual(['a-0', 'b-0'])
    expect([49, 51].map((used) => first(used, { resourceWeights: { cpu: 0 } }))).toEqual(['b-0', 'a-0'])
    expect(() => new Play(nodes, nodeUsage({ resourceWeights: { cpus: 1 } }))).toThrow(/no resource "cpus".*Did you mean "?cpu/)
  })
  it('compare by the weights where nodes lack different resources (TestSortPolicyWeighting of YuniKorn)', () => {
    // 25 % of the CPUs and 75 % of the memory are 35 %; the other way round they are 65 %
    const nodes = { nodes: ['a', 'b'].map((name) => ({ name, count: 1, resources: { cpu: 100, memory: 100 } })) }
    const first = (...options: Parameters<typeof nodeUsage>) => {
      const play = new Play(nodes, nodeUsage(...options))
      play.use(0, { cpu: 75, memory: 25 })
      play.use(1, { cpu: 25, memory: 75 })
      return play.places(1, { cpu: 1 })[0]
    }
    const resourceWeights = { cpu: 4, memory: 1 }
    expect([first({ resourceWeights }), first({ resourceWeights, prefer: 'most' }), first({ resourceWeights: { cpu: 1, memory: 4 } })]).toEqual(['b-0', 'a-0', 'a-0'])
  })
  it.each<[string, Record<string, number>, readonly [number, Record<string, number>][], readonly number[]]>([
    ['TestSetNodeSortingPolicy', { cpu: 1000, memory: 15 }, [[4, { cpu: 800, memory: 10 }], [2, { cpu: 400, memory: 10 }], [1, { cpu: 200, memory: 10 }], [3, { cpu: 600, memory: 10 }]], [1, 2, 3, 4]],
    ['TestGetNodeSortingPolicy', { cpu: 600 }, [1, 2, 3, 4].map((id) => [id, { cpu: 100 * id }]), [1, 2, 3, 4]],
    ['TestGetNodeIterator', { cpu: 1000 }, [1, 2, 3, 4].map((id) => [id, { cpu: 100 * id }]), [1, 2, 3, 4]],
  ])('go through the nodes as YuniKorn does: %s', (_, resources, used, fair) => {
    const nodes = { nodes: used.map(([id]) => ({ name: `node-${id}`, names: [`node-${id}`], count: 1, resources })) }
    const order = (prefer: 'least' | 'most') => {
      const left = new Map(used.map(([id, amounts], node) => [`node-${id}`, { node, amounts }]))
      const play = new Play(nodes, nodeUsage({ prefer }))
      for (const { node, amounts } of left.values()) play.use(node, amounts)
      return used.map(() => {
        const [name] = play.places(1, { cpu: 1 }) as [string]
        const { node, amounts } = left.get(name) as { node: number; amounts: Record<string, number> }
        play.use(node, { cpu: (resources['cpu'] as number) - (amounts['cpu'] as number) - 1 }) // no room for another task
        return Number(name.slice(-1))
      })
    }
    expect([order('least'), order('most')]).toEqual([fair, [...fair].reverse()])
  })

  it('match the shape of the demand to that of the rest: dot product', () => {
    const nodes = { nodes: [{ name: 'a', count: 1, resources: { cpu: 16, memory: 4 } }, { name: 'b', count: 1, resources: { cpu: 4, memory: 16 } }] }
    const play = new Play(nodes, dotProduct())
    play.dispatcher.submit({ id: 'cpu', submit: 0, stages: [{ name: 's', tasks: 1, demand: { cpu: 3, memory: 1 }, duration: 1 }] })
    play.dispatcher.submit({ id: 'memory', submit: 0, stages: [{ name: 's', tasks: 1, demand: { cpu: 1, memory: 3 }, duration: 1 }] })
    expect(play.dispatcher.pass(0).start.map(({ job, node }) => [job, node])).toEqual([['cpu', 'a-0'], ['memory', 'b-0']])
  })
})

describe('round robin', () => {
  it('goes on after the node used last, whatever has become free below it', () => {
    const play = new Play({ nodes: [{ count: 4, slots: { slot: 1 } }] }, roundRobin())
    expect(play.place(2, { slot: 1 })).toEqual([0, 1])
    expect(play.place(1, { slot: 1 })).toEqual([2])
    expect(play.place(1, { slot: 1 })).toEqual([3])
  })

  it('stays on the node used last while tasks fit there, with `stay`: next fit', () => {
    const play = new Play(equal, roundRobin({ stay: true })) // three nodes of 10
    expect(play.place(3, { cpu: 4 })).toEqual([0, 0, 1])
    expect(play.place(1, { cpu: 8 })).toEqual([2])
    expect(play.place(2, { cpu: 4 })).toEqual([1]) // 2, 2 and 6 free before, the search begins at node 2
  })
})

describe('placements by rack and data', () => {
  it('pack a job into a rack, then its neighbours, or spread it over racks', () => {
    expect(new Play(racks, pack()).place(5, { slot: 1 })).toEqual([0, 0, 1, 1, 2])
    expect(new Play(racks, spread()).place(5, { slot: 1 })).toEqual([0, 2, 4, 1, 3])
  })

  it('count the tasks of all lanes, the rack before the node, also as one score', () => {
    // node 4 has 3 maps of the job alone in its rack, nodes 0-3 one each in theirs
    const node = { map: 1, reduce: 1 }
    const slots = { nodes: [{ name: 'n', names: ['n-0', 'n-1', 'n-2', 'n-3'], count: 4, racks: ['r0'], slots: node }, { name: 'm', names: ['n-4'], count: 1, racks: ['r1'], slots: { ...node, map: 3 } }] }
    const stages = [{ name: 'map', tasks: 7, demand: { map: 1 }, duration: 1 }, { name: 'reduce', tasks: 1, demand: { reduce: 1 }, duration: 1 }]
    for (const placement of [pack(), weighted({ scores: { pack: 1 } })]) expect(new Play(slots, placement).place(1, {}, { stages })).toEqual([0, 1, 2, 3, 4, 4, 4, 0])
  })

  it('know the jobs apart', () => {
    const play = new Play(racks, spread())
    expect(play.place(2, { slot: 1 })).toEqual([0, 2])
    expect(play.place(2, { slot: 1 })).toEqual([0, 2])
  })

  it('go to the data: its node, else its rack, else anywhere', () => {
    const data = { hosts: [['node-4'], ['node-4'], ['node-4'], ['node-4'], ['node-4'], ['node-4']] }
    // two slots on node 4, two in its rack on node 5, then the lowest
    expect(new Play(racks, locality()).place(6, { slot: 1 }, { data })).toEqual([4, 4, 5, 5, 0, 0])
  })
})

const soft = (taint: string): Taint[] => {
  const [key = '', value] = taint.split('=')
  return [{ key, ...(value !== undefined && { value }), effect: 'PreferNoSchedule' }]
}

describe('weighted scores', () => {
  it.each<[name: string, score: string, nodes: Record<string, number>[], taken: string]>([
    ['leastAllocated strategy', 'least-allocated', [{ cpu: 2000, mem: 4096 }, { cpu: 4000, mem: 8192 }], 'n-2'],
    ['mostAllocated strategy', 'most-allocated', [{ cpu: 2000, mem: 4096 }, { cpu: 4000, mem: 8192 }], 'n-1'],
    ['balanced allocation prefers balanced node', 'balanced-allocation', [{ cpu: 4000, mem: 2048 }, { cpu: 2000, mem: 2048 }], 'n-2'],
    ['taint toleration prefers non-tainted node', 'taint-toleration', [{ cpu: 2000, mem: 4096 }, { cpu: 2000, mem: 4096 }], 'n-2'],
  ])('scores nodes as in TestNodeOrderPlugin of Volcano: %s', (_, score, nodes, taken) => {
    const cluster = { nodes: nodes.map((resources, i) => ({ name: `n${i + 1}`, names: [`n-${i + 1}`], count: 1, resources, ...(i === 0 && { taints: soft('key1=value1') }) })) }
    expect(new Play(cluster, weighted({ scores: { [score]: 10 } })).places(1, { cpu: 1000, mem: 1024 })).toEqual([taken])
  })
  it.each<[string, string, readonly number[], PlacementRule, string]>([
    ['node affinity prefers matching node', 'node-affinity', [], { kind: 'nodes', term: { matchExpressions: [{ key: 'host', operator: 'In', values: ['n2'] }] }, weight: 100 }, 'n2-0'],
    ['pod affinity prefers node with matching pod', 'inter-pod-affinity', [1], { kind: 'affinity', of: { tags: { app: 'foo' } }, over: 'node', weight: 100 }, 'n2-0'],
    ['pod topology spread prefers node to reduce skew', 'pod-topology-spread', [0, 0, 1], { kind: 'spread', of: { tags: { app: 'foo' } }, over: 'zone', maxSkew: 1, weight: 1 }, 'n3-0'],
  ])('and by what pods prefer, as there: %s', (_, score, running, rule, taken) => {
    const nodes = ['n1', 'n2', 'n3'].map((name) => ({ name, count: 1, resources: { cpu: 4 }, labels: { host: name, zone: `zone of ${name}` } }))
    const play = new Play({ nodes }, weighted({ scores: { [score]: 10 } }))
    for (const node of running) play.places(1, { cpu: 1 }, { tags: { app: 'foo' }, stages: [{ name: 's', tasks: 1, demand: { cpu: 1 }, duration: 1, constraints: { require: { host: nodes[node]?.name as string } } }] })
    expect(play.places(1, { cpu: 1 }, { tags: { app: 'foo' }, placementRules: [rule] })).toEqual([taken])
  })
  it('packs bins by what a task asks, as in TestNode of Volcano\'s binpack', () => {
    // n0 has 2 CPUs and 4 GB, n1 4 and 16 with 4 GPUs; with 1 CPU and 1 GB in use on n0, the same again makes it (2 x 2/2 + 3 x 2/4) / 5 full, and n1 (2 x 1/4 + 3 x 1/16) / 5
    const nodes = [{ name: 'n0', names: ['n-0'], count: 1, resources: { cpu: 2, mem: 4, gpu: 0 } }, { name: 'n1', names: ['n-1'], count: 1, resources: { cpu: 4, mem: 16, gpu: 4 } }]
    const play = new Play({ nodes }, weighted({ scores: { binpack: 10 }, resourceWeights: { cpu: 2, mem: 3, gpu: 7 } }))
    expect(play.place(1, { cpu: 1, mem: 1 })).toEqual([0]) // (2 x 1/2 + 3 x 1/4) / 5
    expect(play.place(1, { cpu: 1, mem: 1 })).toEqual([0])
    expect(play.place(1, { cpu: 2, mem: 10, gpu: 2 })).toEqual([1])
  })

  it('packs bins by weights of resources', () => {
    const chosen = (cpu: number, mem: number, demand: Record<string, number>) => {
      const nodes = ['n-0', 'n-1'].map((name) => ({ name, names: [name], count: 1, resources: { cpu: 10, mem: 10 } }))
      const play = new Play({ nodes }, weighted({ scores: { binpack: 1 }, resourceWeights: { cpu, mem } }))
      // n-0 has 7 CPUs and 2 GB in use, n-1 1 and 9
      play.place(1, { cpu: 7, mem: 2 })
      play.place(1, { cpu: 1, mem: 9 })
      return play.place(1, demand)
    }
    expect(chosen(1, 1, { cpu: 1, mem: 1 })).toEqual([1]) // 8 + 3 against 2 + 10
    expect(chosen(2, 1, { cpu: 1, mem: 1 })).toEqual([0]) // 16 + 3 against 4 + 10
    expect(chosen(1, 1, { cpu: 1 })).toEqual([0])
    expect(() => new Play({ nodes: [{ count: 1, resources: { cpu: 2 } }] }, weighted({ resourceWeights: { cpus: 2 } }))).toThrow('the cluster has no resource "cpus"')
  })

  describe('of kube-scheduler', () => {
    const pair = (small: Record<string, number>, large: Record<string, number>) => ({ nodes: [['small', small], ['large', large]].map(([name, resources]) => ({ name: name as string, count: 1, resources: resources as Record<string, number> })) })
    const chosen = (scores: Scores, cluster: Cluster, used: readonly Demand[], asked: Demand, resourceWeights = {}) => {
      const play = new Play(cluster, weighted({ scores, resourceWeights }))
      for (const [node, demand] of used.entries()) if (Object.keys(demand).length > 0) play.use(node, demand)
      return play.places(1, asked)[0]
    }
    const [least, most, balanced]: [Scores, Scores, Scores] = [{ 'least-allocated': 1 }, { 'most-allocated': 1 }, { 'balanced-allocation': 1 }]

    it.each<[string, Scores | undefined, Cluster, Demand[], Demand, string, object?]>([
      // TestLeastAllocatedScoringStrategy: (25 + 50) / 2 = 37 against (50 + 50) / 2
      ['least allocated goes by what would be left', least, pair({ cpu: 4000, mem: 10000 }, { cpu: 6000, mem: 10000 }), [], { cpu: 3000, mem: 5000 }, 'large-0'],
      // (40 + 75) / 2 = 57 against (40 + 80) / 2 = 60; by parts that are free now, 0.85 against 0.8, it would be the first
      ['and not by what is free', least, pair({ cpu: 10000, mem: 20000 }, { cpu: 10000, mem: 50000 }), [{ cpu: 3000 }, { cpu: 3000, mem: 5000 }], { cpu: 3000, mem: 5000 }, 'large-0'],
      // (25 + 100) / 2 = 62 against (50 + 70) / 2 = 60; with CPUs three times (75 + 100) / 4 = 43 against (150 + 70) / 4 = 55
      ['by resource weights', least, pair({ cpu: 4000, mem: 10000 }, { cpu: 6000, mem: 10000 }), [{}, { mem: 3000 }], { cpu: 3000 }, 'small-0'],
      ['by other resource weights', least, pair({ cpu: 4000, mem: 10000 }, { cpu: 6000, mem: 10000 }), [{}, { mem: 3000 }], { cpu: 3000 }, 'large-0', { cpu: 3 }],
      // TestMostAllocatedScoringStrategy: (75 + 50) / 2 = 62 against 50; (60 + 25) / 2 = 42 against (60 + 50) / 2
      ['most allocated goes by what would be in use', most, pair({ cpu: 4000, mem: 10000 }, { cpu: 6000, mem: 10000 }), [], { cpu: 3000, mem: 5000 }, 'small-0'],
      ['also of others', most, pair({ cpu: 10000, mem: 20000 }, { cpu: 10000, mem: 20000 }), [{ cpu: 3000 }, { cpu: 3000, mem: 5000 }], { cpu: 3000, mem: 5000 }, 'large-0'],
      // TestFitScore: 67 against 36, 67 against 45 where a sidecar is the difference; 32 against 63, 32 against 55; 2 of 3 free against 1 of 2
      ['most allocated (TestFitScore)', most, pair({ cpu: 4000, mem: 10000 }, { cpu: 6000, mem: 10000 }), [{ cpu: 2000, mem: 4000 }, { cpu: 1000, mem: 2000 }], { cpu: 1000, mem: 2000 }, 'small-0'],
      ['most allocated with sidecar container', most, pair({ cpu: 4000, mem: 10000 }, { cpu: 4000, mem: 10000 }), [{ cpu: 1000, mem: 2000 }, { cpu: 2000, mem: 4000 }], { cpu: 1000, mem: 2000 }, 'large-0'],
      ['least allocated (TestFitScore)', least, pair({ cpu: 4000, mem: 10000 }, { cpu: 6000, mem: 10000 }), [{ cpu: 2000, mem: 4000 }, { cpu: 1000, mem: 2000 }], { cpu: 1000, mem: 2000 }, 'large-0'],
      ['least allocated with sidecar container', least, pair({ cpu: 4000, mem: 10000 }, { cpu: 4000, mem: 10000 }), [{ cpu: 2000, mem: 4000 }, { cpu: 1000, mem: 2000 }], { cpu: 1000, mem: 2000 }, 'large-0'],
      ['least allocated with Extended resources', least, pair({ gpu: 2 }, { gpu: 3 }), [], { gpu: 1 }, 'large-0'],
      // TestNodeResourcesBalancedAllocation: 1 - (0.75 - 0.5) / 2 = 0.87 against 1; 1 - (0.6 - 0.25) / 2 = 0.82 against 1 - (0.6 - 0.2) / 2 = 0.8
      ['balanced allocation goes by the deviation', balanced, pair({ cpu: 4000, mem: 10000 }, { cpu: 6000, mem: 10000 }), [], { cpu: 3000, mem: 5000 }, 'large-0'],
      ['of what would be in use', balanced, pair({ cpu: 10000, mem: 20000 }, { cpu: 10000, mem: 50000 }), [{ cpu: 3000 }, { cpu: 3000, mem: 5000 }], { cpu: 3000, mem: 5000 }, 'small-0'],
      // 0.857, 0.125 and 4/8 or 1/8: 0.70 against 0.65
      ['of all resources', balanced, pair({ cpu: 3500, mem: 40000, gpu: 8 }, { cpu: 3500, mem: 40000, gpu: 8 }), [{ cpu: 2999, mem: 5000 }, { cpu: 2999, mem: 5000, gpu: 3 }], { cpu: 1, gpu: 1 }, 'large-0'],
      ['that count', balanced, pair({ cpu: 3500, mem: 40000, gpu: 8 }, { cpu: 3500, mem: 40000, gpu: 8 }), [{ cpu: 2999, mem: 5000 }, { cpu: 2999, mem: 5000, gpu: 3 }], { cpu: 1, gpu: 1 }, 'small-0', { gpu: 0 }],
      // 37 and 87 against 36 and 89: the percentages are added as they are
      ['sums are of percentages', { 'least-allocated': 1, 'balanced-allocation': 1 }, pair({ cpu: 100, mem: 100 }, { cpu: 100, mem: 100 }), [{ cpu: 74, mem: 49 }, { cpu: 73, mem: 52 }], { cpu: 1, mem: 1 }, 'large-0'],
      // 85 and 95 against 81 and 99: as parts of 1 the second sum would be larger by its last bit
      ['equal sums are equal: the lower node', { 'least-allocated': 1, 'balanced-allocation': 1 }, pair({ cpu: 100, mem: 100 }, { cpu: 100, mem: 100 }), [{ cpu: 9, mem: 18 }, { cpu: 17, mem: 18 }], { cpu: 1, mem: 1 }, 'small-0'],
      ['which weights compare', { 'least-allocated': 3, 'balanced-allocation': 1 }, pair({ cpu: 100, mem: 100 }, { cpu: 100, mem: 100 }), [{ cpu: 74, mem: 49 }, { cpu: 73, mem: 52 }], { cpu: 1, mem: 1 }, 'small-0'],
    ])('%s', (_, scores, cluster, used, asked, expected, resourceWeights) => {
      expect(chosen(scores as Scores, cluster, used, asked, resourceWeights)).toBe(expected)
    })

    it('goes by how much a task improves the balance, as kube-scheduler does since kubernetes#135573', () => {
      // 60 and 80 percent of the first would be in use, 90 as before; 80 and 50 of the second, 85 after 65: 50 + (50 + 0) / 2 against 50 + (50 + 20) / 2
      const placed = (scores: Scores) => chosen(scores, pair({ cpu: 100, mem: 100 }, { cpu: 100, mem: 100 }), [{ cpu: 60, mem: 40 }, { cpu: 80, mem: 10 }], { mem: 40 })
      expect([balanced, { 'balance-improvement': 1 }].map(placed)).toEqual(['small-0', 'large-0'])
      expect(placed({ 'balance-improvement': 1, 'most-allocated': 3 })).toBe('small-0') // 75 + 3 x 70 against 85 + 3 x 65
    })

    const tolerated = (effect: 'NoSchedule' | 'PreferNoSchedule'): Toleration[] => [{ key: 'cpu-type', value: 'arm64', effect }, { key: 'disk-type', value: 'ssd', effect }]
    it.each<[string, Toleration[], string[][], string]>([
      ['node with taints tolerated by the pod, gets a higher score', [{ key: 'foo', operator: 'Equal', value: 'bar', effect: 'PreferNoSchedule' }], [['foo=blah'], ['foo=bar']], 'n1-0'],
      ['the count of taints that are tolerated does not matter', tolerated('PreferNoSchedule'), [['cpu-type=arm64', 'disk-type=ssd'], ['cpu-type=arm64'], []], 'n0-0'],
      ['the more intolerable taints a node has, the lower score it gets', [{ key: 'foo', value: 'bar' }], [['cpu-type=arm64', 'disk-type=ssd'], ['cpu-type=arm64']], 'n1-0'],
      ['only taints and tolerations that have effect PreferNoSchedule are checked', tolerated('NoSchedule'), [['cpu-type=arm64', 'disk-type=ssd'], []], 'n1-0'],
      ['No taints and tolerations, lands on node with no taints', [], [['cpu-type=arm64'], []], 'n1-0'],
    ])('goes by taints as in TestTaintTolerationScore: %s', (_, tolerations, taints, expected) => {
      const nodes = taints.map((own, i) => ({ name: `n${i}`, count: 1, resources: { cpu: 4 }, taints: own.flatMap((each) => soft(each)) }))
      const placed = (scores: Scores) => new Play({ nodes }, weighted({ scores })).places(1, { cpu: 1 }, { stages: [{ name: 's', tasks: 1, demand: { cpu: 1 }, duration: 1, constraints: { tolerations } }] })[0]
      expect(placed({ 'taint-toleration': 1 })).toBe(expected)
    })
    it('brings the most taints to 0 and none to 100, which it adds to the percentages', () => {
      const nodes = [['a', 'b'], ['a'], []].map((own, i) => ({ name: `n${i}`, count: 1, resources: { cpu: 100 }, taints: own.flatMap((each) => soft(each)) }))
      const chosen = (taints: number, used: number[], scores: Scores = {}, tolerations: Toleration[] = []) => {
        const play = new Play({ nodes }, weighted({ scores: { 'least-allocated': 1, 'taint-toleration': taints, ...scores } }))
        for (const [node, cpu] of used.entries()) if (cpu > 0) play.use(node, { cpu })
        return play.places(1, { cpu: 1 }, { stages: [{ name: 's', tasks: 1, demand: { cpu: 1 }, duration: 1, constraints: { tolerations } }] })[0]
      }
      // 99 + 0, 74 + 50 and 24 + 100 are left: the lowest of equals
      expect(chosen(1, [0, 25, 75])).toBe('n1-0')
      expect(chosen(1, [0, 26, 75])).toBe('n2-0')
      expect(chosen(1, [0, 25, 76])).toBe('n1-0')
      expect(chosen(0, [0, 25, 75])).toBe('n0-0')
      expect(chosen(1, [20, 10, 0], { spread: 1 })).toBe('n2-0')
      // of the nodes in question alone: n2 is full, and so the first has 0 and the second 50
      expect(chosen(1, [10, 60, 100])).toBe('n0-0')
      expect(chosen(1, [10, 59, 100])).toBe('n1-0')
      // who tolerates all of them goes by what is free
      expect(chosen(3, [10, 5, 20], {}, [{ operator: 'Exists' }])).toBe('n1-0')
    })

    it('balances other resources than count in the strategy', () => {
      // 75 and 50 percent of the first would be in use, 50 and 50 of the second: it counts GPUs alone, of which each has as many
      const cluster = pair({ cpu: 4000, mem: 10000, gpu: 4 }, { cpu: 6000, mem: 10000, gpu: 4 })
      const placed = (resourceWeightsOf: WeightedOptions['resourceWeightsOf'] = {}) => {
        const play = new Play(cluster, weighted({ scores: { ...most, ...balanced }, resourceWeights: { cpu: 0, mem: 0 }, resourceWeightsOf }))
        return play.places(1, { cpu: 3000, mem: 5000, gpu: 1 })[0]
      }
      expect([{}, { 'balanced-allocation': { gpu: 0 } }, { 'balanced-allocation': { cpu: 0, gpu: 0 } }].map(placed)).toEqual(['small-0', 'large-0', 'small-0'])
      expect(() => placed({ 'balanced-allocation': { cpus: 0 } })).toThrow('the cluster has no resource "cpus"')
    })

    it('adds how full nodes would be in percent, and not from the worst of them to the best', () => {
      // 60 and 64 percent full, and 40 and 36 left: as parts of what they differ by both count the same, in percent 60 + 2 x 40 are more than 64 + 2 x 36
      const placed = (scores: Scores) => chosen(scores, pair({ cpu: 100 }, { cpu: 100 }), [{ cpu: 50 }, { cpu: 54 }], { cpu: 10 })
      expect([{ 'binpack-percentage': 1, 'least-allocated': 2 }, { 'binpack-percentage': 2, 'least-allocated': 1 }, { binpack: 1, 'least-allocated': 2 }].map(placed)).toEqual(['small-0', 'large-0', 'large-0'])
    })

    it('bypasses devices that a task does not ask', () => {
      // with the devices the first would be (50 + 50 + 0) / 3 full, and the second (50 + 40) / 2
      const nodes = [{ name: 'with', count: 1, resources: { cpu: 10, mem: 10 }, devices: { gpu: { count: 2, milli: 1000 } } }, { name: 'without', count: 1, resources: { cpu: 10, mem: 10 } }]
      expect(chosen({ 'most-allocated': 1 }, readCluster({ nodes }), [{ mem: 1 }, {}], { cpu: 5, mem: 4 })).toBe('with-0')
    })
  })

  it('keep to nodes with a label', () => {
    const play = new Play({ nodes: [{ count: 2, resources: { cpu: 2 }, labels: { disk: 'hdd' } }, { name: 'fast', count: 1, resources: { cpu: 2 }, labels: { disk: 'ssd' } }] }, weighted({ labels: { disk: 'ssd' } }))
    expect(play.places(4, { cpu: 1 })).toEqual(['fast-0', 'fast-0'])
  })

  it('keep tasks of one job apart', () => {
    expect(new Play(equal, weighted({ antiAffinity: 'job' })).place(5, { cpu: 1 })).toEqual([0, 1, 2])
  })

  it('add up: the larger weight decides', () => {
    // two tasks in a rack of two nodes: packing wants the first node again, the emptiest is the other one
    expect(new Play(racks, weighted({ scores: { pack: 3, 'worst-fit': 1 } })).place(2, { slot: 1 })).toEqual([0, 0])
    expect(new Play(racks, weighted({ scores: { pack: 1, 'worst-fit': 3 } })).place(2, { slot: 1 })).toEqual([0, 1])
  })

  it('are of some nodes only, in turn, where that is enough', () => {
    // 150 slow nodes, then 50 fast ones: 100 are looked at at a time, so every second search sees no fast one
    const nodes = [{ name: 'slow', count: 150, resources: { cpu: 9 } }, { name: 'fast', count: 50, resources: { cpu: 9 }, speed: 2 }]
    const places = (percentageOfNodesToScore: number) => new Play({ nodes }, weighted({ scores: { speed: 1 }, percentageOfNodesToScore })).places(4, { cpu: 1 })
    expect(places(1)).toEqual(['slow-0', 'fast-0', 'slow-0', 'fast-0'])
    expect(places(75)).toEqual(['slow-0', 'fast-0', 'fast-0', 'fast-0']) // nodes 0 to 149, 150 to 99, 100 to 49, 50 to 199
    expect(places(100)).toEqual(['fast-0', 'fast-0', 'fast-0', 'fast-0'])
    expect(places(0)).toEqual(places(49)) // 50 - 200 / 125; less than 100 nodes
  })

  it.each([[10, 0, 10], [10, 40, 10], [1000, 0, 420], [1000, 40, 400], [6000, 0, 300], [6000, 40, 2400]])('are, of %i nodes and %i percent, of %i (TestNumFeasibleNodesToFind)', (all, percentageOfNodesToScore, enough) => {
    const sees = (node: number) => {
      const groups = [{ name: 'slow', count: node, resources: { cpu: 1 } }, { name: 'fast', count: 1, resources: { cpu: 1 }, speed: 2 }, { name: 'last', count: all - node - 1, resources: { cpu: 1 } }]
      return new Play({ nodes: groups.filter(({ count }) => count > 0) }, weighted({ scores: { speed: 1 }, percentageOfNodesToScore })).places(1, { cpu: 1 })[0] === 'fast-0'
    }
    expect(sees(enough - 1)).toBe(true)
    if (enough < all) expect(sees(enough)).toBe(false)
  })

  it('pass over full nodes to find enough, and look at all of a small cluster', () => {
    // the first 80 nodes hold one task each: from node 0 on the hundredth that has room is node 179, and the next search begins on 180, that after it on 160
    const nodes = [{ name: 'small', count: 80, resources: { cpu: 1 } }, { name: 'large', count: 120, resources: { cpu: 9 } }]
    const play = new Play({ nodes }, weighted({ scores: { 'worst-fit': 1 }, percentageOfNodesToScore: 1 }))
    for (let node = 0; node < 80; node++) play.use(node, { cpu: 1 })
    expect(play.places(3, { cpu: 1 })).toEqual(['large-0', 'large-100', 'large-80'])
    expect(new Play(equal, weighted({ scores: { 'best-fit': 1 }, percentageOfNodesToScore: 1 })).place(4, { cpu: 5 })).toEqual([0, 0, 1, 1]) // 3 nodes
  })

  it('refuse labels that no node has, or no node together', () => {
    const nodes = [{ count: 1, resources: { cpu: 1 }, labels: { disk: 'hdd', gpu: 'T4' } }, { count: 1, name: 'b', resources: { cpu: 1 }, labels: { disk: 'ssd' } }]
    const play = (labels: Record<string, string>) => () => new Play({ nodes }, weighted({ labels }))
    expect(play({ disc: 'ssd' })).toThrow('no node has a label "disc". Did you mean "disk"?')
    expect(play({ disk: 'ssd', gpu: 'T4' })).toThrow('no node has the labels disk = ssd, gpu = T4. Choose values that nodes have.')
    expect(() => new Play(equal, weighted({ labels: { disk: 'ssd' } }))).toThrow('no node has a label "disk". Give the nodes `labels`.')
  })

  it('refuse an unknown score with the nearest known', () => {
    expect(() => weighted({ scores: { 'worst-fitt': 1 } as never })).toThrow(SchedError)
  })
})
