import { dispatcher } from '@sched/cluster'
import type { StageSpec, Topology } from '@sched/core'
import { volcano } from '@sched/policies'
import { job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { topologyAware, topologyTree } from '../src/index.js'

// Cases of Volcano's own tests of the action allocate with HyperNodes (TestAllocateWithNetWorkTopologies): a master and workers of two CPUs, on nodes of as many.

/** Nodes by the HyperNodes that they are in, tier by tier. */
type Tiers = Readonly<Record<string, readonly string[]>>
type Where = readonly [stage: number, node: string]

const two: Tiers = { a1: ['s0', 's2'], a2: ['s0', 's2'], b1: ['s1', 's2'], b2: ['s1', 's2'] }
const three: Tiers = Object.fromEntries(['s3 s1', 's4 s1', 's5 s2', 's6 s2'].flatMap((each) => [1, 2].map((i) => [`${each.slice(0, 2)}-${i}`, [...each.split(' '), 's0']])))
const hard = (tier: number): Topology => ({ required: tier, preferred: 1 })
const soft: Topology = { preferred: 1 }
const placements = { 'topology-tree': topologyTree(), 'topology-aware': topologyAware() }

/** Where what waits of the job starts beside those of it that run: a master and so many workers, of which the job must have so many in all. */
function starts(placement: keyof typeof placements, tiers: Tiers, topology: Topology, [workers, least]: readonly [number, number], running: readonly Where[], taken: readonly string[] = []): string {
  const nodes = Object.entries(tiers).map(([name, racks]) => ({ names: [name], count: 1, racks, resources: { cpu: 2 } }))
  const master = dispatcher({ cluster: { nodes }, policy: volcano({ actions: ['allocate'], tiers: [{ plugins: ['gang'] }] }, placements[placement]) })
  for (const node of taken) {
    master.submit(job({ id: node, demand: { cpu: 2 } }), 0)
    master.adopt({ job: node, stage: 0, task: 0, node }, 0)
  }
  const kind = (name: string, tasks: number, minTasks: number): StageSpec => ({ name, tasks, gang: minTasks > 0, ...(minTasks > 0 && minTasks < tasks && { minTasks }), demand: { cpu: 2 }, duration: 9 })
  master.submit({ ...job({ id: 'job' }), gang: true, topology, stages: [kind('master', 1, 1), kind('worker', workers, least - 1)] }, 1)
  const next = [0, 0]
  for (const [stage, node] of running) master.adopt({ job: 'job', stage, task: next[stage]!++, node }, 1)
  return master.pass(2).start.map(({ node }) => tiers[node]?.[0]).join(' ')
}

describe.each(['topology-tree', 'topology-aware'] as const)('a job of Volcano by HyperNodes, %s', (placement) => {
  it.each<[string, Tiers, Topology, readonly [number, number], readonly Where[], string]>([
    ['soft and rescheduled', two, soft, [2, 2], [[0, 'a1'], [1, 'a2']], 's1'],
    ['soft and rescheduled, three tiers', three, soft, [2, 2], [[0, 's3-1'], [1, 's3-2']], 's4'],
    ['hard, when highestTierAllowed not reached', two, hard(2), [2, 3], [], 's0 s0 s1'],
    ['hard, multi hyperNodes are available', two, hard(1), [1, 2], [], 's0 s0'],
    ['hard, minavailable < replicas', two, hard(1), [1, 1], [], 's0 s0'],
    ['hard and rescheduled, when highestTierAllowed not reached', two, hard(2), [2, 2], [[0, 'a1'], [1, 'a2']], 's1'],
    ['the same, minavailable = replicas', two, hard(2), [2, 3], [[0, 'a1'], [1, 'a2']], 's1'],
    ['the same, three tiers', three, hard(2), [2, 2], [[0, 's3-1'], [1, 's3-2']], 's4'],
    ['hard and rescheduled, when cross highestTierAllowed', two, hard(1), [2, 2], [[0, 'a1'], [1, 'a2']], ''],
    ['the same, three tiers', three, hard(1), [2, 2], [[0, 's3-1'], [1, 's3-2']], ''],
  ])('%s', (_, tiers, topology, counts, running, expected) => {
    expect(starts(placement, tiers, topology, counts, running)).toBe(expected)
  })
  it('has each subgroup in one HyperNode (TestAllocateWithPartitionPolicyNetworkTopology)', () => {
    /** Of two subgroups the numbers of tasks, and the fewest that start; where what waits of them starts. */
    const play = (tiers: Tiers, counts: readonly (readonly [tasks: number, least: number])[], running: readonly Where[]) => {
      const nodes = Object.entries(tiers).map(([name, racks]) => ({ names: [name], count: 1, racks, resources: { cpu: 2 } }))
      const master = dispatcher({ cluster: { nodes }, policy: volcano({ actions: ['allocate'], tiers: [{ plugins: ['gang'] }] }, placements[placement]) })
      const stages = counts.map(([tasks, least], i): StageSpec => ({ name: `${i}`, tasks, gang: true, ...(least < tasks && { minTasks: least }), demand: { cpu: 2 }, duration: 9, topology: hard(1) }))
      master.submit({ ...job({ id: 'job' }), gang: true, stages }, 1)
      const next = [0, 0]
      for (const [stage, node] of running) master.adopt({ job: 'job', stage, task: next[stage]!++, node }, 1)
      return master.pass(2).start.map(({ stage, node }) => `${stage} ${tiers[node]?.[0]}`).join(', ')
    }
    expect(play({ a1: ['s0', 's2'], a2: ['s0', 's2'], b1: ['s1', 's2'] }, [[2, 2], [1, 1]], [])).toBe('0 s0, 0 s0, 1 s1')
    expect(play(two, [[1, 1], [2, 1]], [[0, 'a1'], [1, 'b1']])).toBe('1 s1')
    expect(play({ ...two, b3: ['s1', 's2'] }, [[1, 1], [3, 1]], [[0, 'a1'], [1, 'b1']])).toBe('1 s1, 1 s1')
    expect(play(two, [[2, 2], [2, 2]], [])).toBe('0 s0, 0 s0, 1 s1, 1 s1')
  })
  it('goes no tier further, though there is room', () => {
    const running: readonly Where[] = [[0, 's3-1'], [1, 's3-2']]
    expect([hard(2), hard(3)].map((topology) => starts(placement, three, topology, [2, 2], running, ['s4-1', 's4-2']))).toEqual(['', 's5'])
  })
  it.each(['gangpreempt', 'gangreclaim'] as const)('takes only in one HyperNode that gives enough, and not where less would go (%s)', (action) => {
    const nodes = Object.entries(two).map(([name, racks]) => ({ names: [name], count: 1, racks, resources: { cpu: 2 } }))
    const plugins = action === 'gangpreempt' ? (['priority', 'gang'] as const) : (['priority', 'gang', 'proportion'] as const)
    const master = dispatcher({ cluster: { nodes }, policy: volcano({ actions: ['allocate', action], tiers: [{ plugins: [...plugins] }] }, placements[placement]) })
    const held = (node: string, priority: number, preemptible: boolean) => {
      master.submit(job({ id: node, demand: { cpu: 2 }, queue: action === 'gangpreempt' ? 'q' : 'other', priority, preemptible }), 0)
      master.adopt({ job: node, stage: 0, task: 0, node }, 0)
    }
    held('a1', 1, false)
    held('a2', 1, true)
    held('b1', 2, true)
    held('b2', 3, true)
    master.submit({ ...job({ id: 'in', queue: 'q', priority: 9 }), topology: hard(1), stages: [{ name: 'pods', tasks: 2, gang: true, demand: { cpu: 2 }, duration: 9 }] }, 1)
    const { start, kill } = master.pass(2)
    expect([kill.map((each) => each.job), start.map(({ node }) => node)]).toEqual([['b1', 'b2'], ['b1', 'b2']])
  })
  it('is refused where no HyperNode could hold it, where it waits for ever in Volcano', () => {
    expect(() => starts(placement, two, hard(1), [2, 3], [])).toThrow('more than any rack has room for')
  })
})
