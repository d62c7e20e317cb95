import { dispatcher } from '@sched/cluster'
import { randomStream } from '@sched/core'
import { fifo, greedy } from '@sched/policies'
import { job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { nodeSort, placementSets, type NodeSortOptions } from '../src/index.js'

// Tests of OpenPBS: test_multi_sched_node_sort_key (pbs_multi_sched.py); priorities as those of test_conf_resv_stale_vnode.

interface Sizes {
  readonly names: readonly string[]
  readonly cpu: readonly number[]
  readonly mem?: readonly number[]
}

const machine = ({ names, cpu, mem = names.map(() => 100) }: Sizes, options: NodeSortOptions) => dispatcher({
  cluster: { nodes: names.map((name, i) => ({ count: 1, names: [name], resources: { cpu: cpu[i] as number, mem: mem[i] as number, host: 1 } })) }, policy: greedy(fifo(), nodeSort(options)),
})

/** The nodes of tasks of these demands, one after the other. */
function nodesOf(sizes: Sizes, options: NodeSortOptions, ...demands: readonly Readonly<Record<string, number>>[]): string[] {
  const master = machine(sizes, options)
  for (const [i, demand] of demands.entries()) master.submit(job({ id: `j${i}`, demand }), 0)
  return master.pass(0).start.map(({ node }) => node)
}

const abcd = { names: ['a', 'b', 'c', 'd'], cpu: [1, 2, 3, 4] }
const one = { cpu: 1 }

describe('node-sort', () => {
  it('goes by what nodes have (test_multi_sched_node_sort_key)', () => {
    const alone = { cpu: 1, host: 1 } // place=excl
    expect(nodesOf(abcd, { node_sort_key: ['cpu HIGH'] }, alone, alone, alone, alone)).toEqual(['d', 'c', 'b', 'a'])
    expect(nodesOf(abcd, { node_sort_key: ['cpu LOW'] }, alone, alone, alone, alone)).toEqual(['a', 'b', 'c', 'd'])
    expect(nodesOf(abcd, { node_sort_key: ['cpu HIGH total'] }, one, one, one, one, one)).toEqual(['d', 'd', 'd', 'd', 'c']) // a node that is used stays where it is
  })

  it('goes by priorities, by which nodes are sorted where nothing is said', () => {
    const nodes = { a: { Priority: 1 }, c: { Priority: 100 }, d: { Priority: -5 } }
    expect(nodesOf(abcd, { nodes }, ...Array.from({ length: 10 }, () => one))).toEqual(['c', 'c', 'c', 'a', 'b', 'b', 'd', 'd', 'd', 'd'])
    expect(nodesOf(abcd, { nodes, node_sort_key: ['sort_priority low'] }, ...Array.from({ length: 5 }, () => one))).toEqual(['d', 'd', 'd', 'd', 'b'])
    expect(nodesOf(abcd, {}, one, one)).toEqual(['a', 'b'])
    const groups = dispatcher({ cluster: { nodes: [{ name: 'slow', count: 2, resources: one }, { name: 'fast', count: 2, resources: one }] }, policy: greedy(fifo(), nodeSort({ nodes: { fast: { Priority: 2 }, 'slow-1': { Priority: 1 } } })) })
    groups.submit(job({ id: 'j', tasks: 4, demand: one }), 0)
    expect(groups.pass(0).start.map(({ node }) => node)).toEqual(['fast-0', 'fast-1', 'slow-1', 'slow-0'])
  })

  it('goes by what is left or in use, anew after each task', () => {
    const three = { names: ['a', 'b', 'c'], cpu: [4, 6, 5] }
    expect(nodesOf(three, { node_sort_key: ['cpu HIGH unused'] }, one, one, one, one)).toEqual(['b', 'b', 'c', 'a']) // 4 6 5, 4 5 5, 4 4 5, 4 4 4
    expect(nodesOf(three, { node_sort_key: ['cpu LOW unused'] }, { cpu: 5 }, one, one)).toEqual(['c', 'a', 'a']) // 4 6 0: c is full
    expect(nodesOf(three, { node_sort_key: ['cpu HIGH assigned'] }, { cpu: 5 }, { cpu: 5 }, one, one)).toEqual(['b', 'c', 'b', 'a'])
    expect(nodesOf(three, { node_sort_key: ['cpu LOW assigned'] }, one, one, one, one)).toEqual(['a', 'b', 'c', 'a'])
  })

  it('goes on to the next key where the first one leaves nodes alike', () => {
    const four = { names: ['a', 'b', 'c', 'd'], cpu: [4, 4, 2, 4], mem: [10, 30, 90, 20] }
    expect(nodesOf(four, { node_sort_key: ['cpu HIGH', 'mem LOW'] }, { cpu: 4 }, { cpu: 4 }, { cpu: 4 }, one)).toEqual(['a', 'd', 'b', 'c'])
    expect(nodesOf(four, { node_sort_key: ['sort_priority HIGH', 'mem HIGH unused'], nodes: { c: { Priority: -1 } } }, { mem: 15 }, { mem: 5 }, { mem: 1 })).toEqual(['b', 'd', 'b']) // 10 30 20, 10 15 20, 10 15 15
  })

  it('chooses in placement sets, too', () => {
    const master = dispatcher({
      cluster: { nodes: [['a', 'x'], ['b', 'y'], ['c', 'y'], ['d', 'x'], ['e', 'x']].map(([name, row]) => ({ count: 1, names: [name as string], resources: { cpu: 2 }, labels: { row: row as string } })) },
      policy: greedy(fifo(), placementSets({ node_group_key: 'row', only_explicit_psets: true, placement: nodeSort({ nodes: { c: { Priority: 1 }, e: { Priority: 3 } } }) })),
    })
    for (const [id, tasks] of [['j', 2], ['k', 3]] as const) master.submit(job({ id, tasks, gang: true, demand: { cpu: 2 } }), 0)
    expect(master.pass(0).start.map(({ job: id, node }) => `${id} ${node}`)).toEqual(['j c', 'j b', 'k e', 'k a', 'k d'])
  })

  it.each<[string, NodeSortOptions, string]>([
    ['a key that is none', { node_sort_key: ['cpu'] }, 'found "cpu". Write for example "cpu HIGH unused".'],
    ['a part that is none', { node_sort_key: ['cpu HIGH free'] }, 'found "cpu HIGH free". Write'],
    ['a name that stands for nothing', { node_sort_key: ['cpus HIGH'] }, 'found the name "cpus". Did you mean "cpu"?'],
    ['a node that is not there', { nodes: { e: { Priority: 1 } } }, 'no node is called "e".'],
    ['a word that objects have', { node_sort_key: ['constructor HIGH'] }, 'found the name "constructor".'],
    ['more keys than numbers can tell apart', { node_sort_key: Array.from({ length: 30 }, () => 'cpu HIGH unused') }, 'the 30 keys tell more kinds of nodes apart than can be numbered. Leave out the last one.'],
  ])('refuses %s', (_, options, expected) => {
    expect(() => machine(abcd, options)).toThrow(expected)
  })

  it('chooses the nodes that sorting them all by each key in turn would', { tags: 'long' }, () => {
    let others = 0
    for (let seed = 0; seed < 1500; seed++) {
      const random = randomStream(seed, 'node sort')
      const draw = (from: number, to: number) => from + Math.floor(random() * (to - from + 1))
      const oneOf = <T>(list: readonly T[]) => list[draw(0, list.length - 1)] as T
      const names = Array.from({ length: draw(2, 9) }, (_, i) => `n${'abcdefghi'[i] as string}`)
      const sizes = { names, cpu: names.map(() => oneOf([4, 8, 8, 16])), mem: names.map(() => oneOf([16, 32, 64])) }
      const priorities = new Map(names.map((name) => [name, oneOf([0, 0, 10, -3])]))
      const keys = Array.from({ length: draw(1, 3) }, () => [oneOf(['sort_priority', 'cpu', 'mem'] as const), oneOf(['HIGH', 'LOW']), oneOf(['total', 'unused', 'assigned'])] as const)
      const master = machine(sizes, { node_sort_key: keys.map((key) => key.join(' ')), nodes: Object.fromEntries([...priorities].map(([name, Priority]) => [name, { Priority }])) })
      const nodes = names.map((name, i) => ({ name, total: { cpu: sizes.cpu[i] as number, mem: sizes.mem[i] as number }, free: { cpu: sizes.cpu[i] as number, mem: sizes.mem[i] as number } }))
      type Node = (typeof nodes)[number]
      const amount = ({ name, total, free }: Node, [of, , part]: (typeof keys)[number]) =>
        of === 'sort_priority' ? (priorities.get(name) as number) : part === 'total' ? total[of] : part === 'unused' ? free[of] : total[of] - free[of]
      const first = (demand: Node['free'], list: readonly Node[]) => list.find(({ free }) => free.cpu >= demand.cpu && free.mem >= demand.mem)
      const running: { readonly id: number; readonly node: Node; readonly demand: Node['free'] }[] = []
      for (let now = 0; now < 20; now++) {
        for (const ended of running.filter(() => random() < 0.15)) {
          running.splice(running.indexOf(ended), 1)
          master.taskEnded(ended, now)
          ended.node.free.cpu += ended.demand.cpu
          ended.node.free.mem += ended.demand.mem
        }
        const demand = { cpu: draw(1, 4), mem: draw(1, 16) }
        master.submit(job({ id: `j${now}`, demand }), now)
        // qsort of nodes by multi_node_sort, and the first with room
        const sorted = [...nodes].sort((a, b) => {
          for (const key of keys) {
            const apart = amount(a, key) - amount(b, key)
            if (apart !== 0) return key[1] === 'HIGH' ? -apart : apart
          }
          return nodes.indexOf(a) - nodes.indexOf(b)
        })
        const node = first(demand, sorted)
        const [started] = master.pass(now).start
        expect(started?.node, `seed ${seed} at ${now}`).toBe(node?.name)
        if (node !== first(demand, nodes)) others++
        if (started === undefined || node === undefined) master.cancel(`j${now}`, now)
        else {
          running.push({ id: started.id, node, demand })
          node.free.cpu -= demand.cpu
          node.free.mem -= demand.mem
        }
      }
    }
    expect(others).toBeGreaterThan(5000)
  })
})
