import { dispatcher } from '@sched/cluster'
import type { NodeId, ResourceId } from '@sched/core'
import { conservative, easy, fattened, fifo, greedy, strict } from '@sched/policies'
import { job } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { topologyTree, type TopologyTreeOptions } from '../src/index.js'
import { Play } from './world.js'

/** Nodes n-0, n-1, ... of so many processors, rack by rack; a rack as the path of switches from it up. */
const clusterOf = (racks: readonly { readonly path: readonly string[]; readonly procs: readonly number[] }[]) => {
  let node = 0
  return { nodes: racks.flatMap(({ path, procs }) => procs.map((each) => ({ names: [`n-${node++}`], count: 1, racks: path, resources: { procs: each } }))) }
}

const gang = { gang: true }

/** Two rows of two racks with 2, 3, 4 and 2 nodes of one processor. */
const ROWS = clusterOf([
  { path: ['r0', 'row0'], procs: [1, 1] }, { path: ['r1', 'row0'], procs: [1, 1, 1] }, { path: ['r2', 'row1'], procs: [1, 1, 1, 1] }, { path: ['r3', 'row1'], procs: [1, 1] },
])
const rows = (options: TopologyTreeOptions = {}) => new Play(ROWS, topologyTree(options))

describe('topology-tree', () => {
  it('takes the rack with the fewest free nodes of those that hold the job', () => {
    const play = rows()
    expect(play.place(3, { procs: 1 }, gang)).toEqual([2, 3, 4])
    expect(play.place(1, { procs: 1 }, gang)).toEqual([0])
    expect(play.place(1, { procs: 1 }, gang)).toEqual([1]) // r0 has one node left, the fewest
    expect(play.place(2, { procs: 1 }, gang)).toEqual([9, 10])
  })

  it('takes racks of one row where no rack holds it, the row with the fewest free nodes, the larger rack first', () => {
    expect(rows().place(5, { procs: 1 }, gang)).toEqual([2, 3, 4, 0, 1])
    expect(rows().place(6, { procs: 1 }, gang)).toEqual([5, 6, 7, 8, 9, 10])
  })

  it('goes on in the other row where one does not hold it', () => {
    // what is left of its own row holds less than the other row does
    expect(rows().place(8, { procs: 1 }, gang)).toEqual([5, 6, 7, 8, 2, 3, 4, 0])
  })

  it('brings later tasks of a job to the racks where it is', () => {
    const play = rows()
    play.place(3, { procs: 1 }, gang) // r1 is full
    expect(play.place(3, { procs: 1 })).toEqual([5, 6, 7])
    expect(play.place(2, { procs: 1 })).toEqual([0, 1])
  })

  it('waits for one group of the level asked for, and for no longer than is said', () => {
    const play = rows({ within: 1, wait: 100 })
    expect(play.place(3, { procs: 1 }, gang)).toEqual([2, 3, 4])
    expect(play.place(5, { procs: 1 }, gang)).toEqual([])
    expect(play.dispatcher.nextWake).toBe(100)
    expect(play.dispatcher.pass(99).start).toEqual([])
    expect(play.dispatcher.pass(100).start.map(({ node }) => node)).toEqual(['n-5', 'n-6', 'n-7', 'n-8', 'n-9'])
    const row = rows({ within: 2, wait: 100 })
    expect(row.place(6, { procs: 1 }, gang)).toEqual([5, 6, 7, 8, 9, 10])
    expect(row.place(6, { procs: 1 }, gang)).toEqual([])
    expect(row.place(5, { procs: 1 }, gang)).toEqual([2, 3, 4, 0, 1])
  })

  it('refuses a job that no group can hold, where it would wait for ever', () => {
    expect(() => rows({ within: 1 }).place(5, { procs: 1 }, gang)).toThrow('job job0: its 5 tasks at once are more than any rack has room for (topology-tree.within)')
    expect(rows({ within: 1 }).place(5, { procs: 1 })).toEqual([5, 6, 7, 8]) // one by one it needs no room for all: the last one waits
    expect(rows({ within: 2 }).place(6, { procs: 1 }, gang)).toHaveLength(6)
  })

  it('looks for a rack for all stages of a job that is one gang, and not for the first alone', () => {
    const two = (within: number, ...tasks: readonly number[]) => {
      const control = dispatcher({ cluster: ROWS, policy: greedy(fifo(), topologyTree({ within })) })
      control.submit({ id: 'two', submit: 0, gang: true, stages: tasks.map((each, i) => ({ name: `s${i}`, tasks: each, gang: true, demand: { procs: 1 }, duration: 1 })) })
      return control.pass(0).start.map(({ node }) => node)
    }
    expect(two(1, 2, 2)).toEqual(['n-5', 'n-6', 'n-7', 'n-8']) // r0 would be the rack of the first, and has no room for the second
    expect(two(2, 2, 4)).toHaveLength(6)
    expect(() => two(1, 2, 3)).toThrow('job two: its 5 tasks at once are more than any rack has room for (topology-tree.within)')
  })

  it('puts a master where its gang will have room', () => {
    const withMaster = (tasks: number) => ({ stages: [{ name: 'master', tasks: 1, master: true, demand: { procs: 1 }, duration: 1 }, { name: 'work', tasks, gang: true, demand: { procs: 1 }, duration: 1 }] })
    expect(rows({ within: 1 }).place(1, {}, withMaster(1))).toEqual([0])
    expect(rows({ within: 1 }).place(1, {}, withMaster(2))).toEqual([2])
    expect(rows({ within: 1 }).place(1, {}, withMaster(3))).toEqual([5])
    expect(() => rows({ within: 1 }).place(1, {}, withMaster(4))).toThrow('job job0: its 5 tasks at once are more than any rack has room for (topology-tree.within)')
  })

  it('tells that a node at its heartbeat is the only one in sight', () => {
    const warnings: string[] = []
    const cluster = { ...clusterOf([{ path: ['r0'], procs: [1] }, { path: ['r1'], procs: [1] }]), heartbeat: { interval: 3 } }
    for (const options of [{}, { within: 1 }]) dispatcher({ cluster, policy: greedy(fifo(), topologyTree(options)), warn: (message) => warnings.push(message) })
    expect(warnings).toEqual(['topology-tree: at a heartbeat one node is in sight, where a task starts if it fits: `within` does not hold on this cluster.'])
  })

  it('is told where there are no such groups', () => {
    expect(() => rows({ within: 3 })).toThrow('topology-tree.within: the cluster has groups of nodes up to level 2. Give its nodes `racks`.')
    expect(() => new Play({ nodes: 3, resources: { procs: 1 } }, topologyTree({ within: 1 }))).toThrow('the cluster has no racks')
    expect(new Play({ nodes: [{ count: 3, resources: { procs: 1 } }] }, topologyTree()).place(2, { procs: 1 })).toEqual([0, 1])
  })

  it('chooses as Slurm does, as written down plainly', { tags: 'long' }, () => {
    const tree = fc.array(fc.array(fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 })
    const jobs = fc.array(fc.record({ tasks: fc.integer({ min: 1, max: 9 }), ends: fc.boolean() }), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(tree, jobs, (sizes, plan) => {
        const play = new Play(clusterOf(sizes.flatMap((racks, row) => racks.map((procs, rack) => ({ path: [`r${row}.${rack}`, `row${row}`], procs })))), topologyTree())
        const free = sizes.flat(2)
        const all = free.reduce((sum, each) => sum + each, 0)
        const running: { readonly ids: number[]; readonly nodes: number[] }[] = []
        for (const { tasks: most, ends } of plan) {
          const tasks = Math.min(most, all)
          const expected = slurms(sizes, free, tasks)
          const started = play.start(tasks, { procs: 1 }, gang)
          expect(started.map(({ node }) => node).sort((a, b) => a - b)).toEqual(expected.sort((a, b) => a - b))
          for (const node of expected) (free[node] as number)--
          if (started.length > 0) running.push({ ids: started.map(({ id }) => id), nodes: expected })
          play.drop()
          const oldest = ends ? running.shift() : undefined
          for (const id of oldest?.ids ?? []) play.end(id)
          for (const node of oldest?.nodes ?? []) (free[node] as number)++
        }
      }),
      { seed: 11, numRuns: 120 },
    )
  })
})

describe('topology-tree of jobs of one task', () => {
  const sizes = [[2, 1], [1, 3, 2], [3], [2, 2]]
  const nodes = sizes.flat().length
  const step = fc.record({ procs: fc.integer({ min: 1, max: 3 }), ends: fc.boolean(), turns: fc.option(fc.nat(nodes - 1)) })

  it('takes the rack with the fewest nodes that have room, whatever went down, came back or asked for other amounts before', { tags: 'long' }, () => {
    fc.assert(fc.property(fc.array(step, { minLength: 1, maxLength: 30 }), fc.constantFrom({}, { within: 1 }), (steps, options) => {
      const play = new Play(clusterOf(sizes.map((procs, rack) => ({ path: [`r${rack}`], procs }))), topologyTree(options))
      const { cell } = play.dispatcher
      const rackOf = sizes.flatMap((procs, rack) => procs.map(() => rack))
      const running: number[] = []
      for (const { procs, ends, turns } of steps) {
        if (turns !== null && cell.up(turns as NodeId)) play.dispatcher.nodeDown(`n-${turns}`)
        else if (turns !== null) play.dispatcher.nodeUp(`n-${turns}`)
        play.drop()
        const roomy = rackOf.flatMap((rack, node) => (cell.up(node as NodeId) && cell.free(node as NodeId, 0 as ResourceId) >= procs ? [{ rack, node }] : []))
        const count = (rack: number) => roomy.filter((each) => each.rack === rack).length
        const best = roomy.reduce<(typeof roomy)[number] | undefined>((least, each) => (least === undefined || count(each.rack) < count(least.rack) ? each : least), undefined)
        const started = play.start(1, { procs })
        expect(started.map(({ node }) => node)).toEqual(best === undefined ? [] : [best.node])
        running.push(...started.map(({ id }) => id))
        play.drop()
        const oldest = ends ? running.shift() : undefined
        if (oldest !== undefined) play.end(oldest)
      }
    }), { seed: 13, numRuns: 150 })
  })
})

describe('topology-tree under policies', () => {
  const racks = [{ path: ['r0', 'row0'], procs: [2, 1] }, { path: ['r1', 'row0'], procs: [1, 2, 2] }, { path: ['r2', 'row1'], procs: [3] }, { path: ['r3', 'row1'], procs: [1, 1] }]
  const rackOf = racks.flatMap(({ procs }, rack) => procs.map(() => rack))
  const within = { placement: topologyTree({ within: 1 }) }
  const policies = { greedy: greedy(fifo(), within.placement), strict: strict(fifo(), within), easy: easy(fifo(), within), conservative: conservative(fifo(), within), fattened: fattened(fifo(), within) }

  it.each(Object.entries(policies))('starts every job, in one rack each: %s', { tags: 'long' }, (_, policy) => {
    const jobs = fc.array(fc.record({ tasks: fc.integer({ min: 1, max: 5 }), length: fc.integer({ min: 1, max: 9 }), gap: fc.integer({ min: 0, max: 4 }) }), { minLength: 1, maxLength: 15 })
    fc.assert(fc.property(jobs, (plan) => {
      const control = dispatcher({ cluster: clusterOf(racks), policy })
      const placesOf = new Map<string, number[]>()
      const running: { readonly id: number; readonly end: number }[] = []
      const pass = (now: number) => {
        for (const { id, job: name, node } of control.pass(now).start) {
          placesOf.set(name, [...(placesOf.get(name) ?? []), Number(node.split('-').at(-1))])
          running.push({ id, end: now + (plan[Number(name.slice(1))]?.length ?? 0) })
        }
      }
      let submit = 0
      const submits = plan.map(({ gap }) => (submit += gap))
      for (let now = 0; now <= submit + 9 * plan.length; now++) {
        for (const { id } of running.filter(({ end }) => end === now)) control.taskEnded({ id }, now)
        for (const [i, { tasks, length }] of plan.entries()) if (submits[i] === now) control.submit(job({ id: `j${i}`, tasks, demand: { procs: 1 }, gang: true, estimate: length }), now)
        pass(now)
      }
      expect(plan.map((_each, i) => placesOf.get(`j${i}`)?.length)).toEqual(plan.map(({ tasks }) => tasks))
      for (const places of placesOf.values()) expect(new Set(places.map((node) => rackOf[node])).size).toBe(1)
    }), { seed: 12, numRuns: 30 })
  })
})

interface Switch {
  readonly parent?: Switch
  /** Free processors by node. */
  readonly nodes: Map<number, number>
}

/** The nodes of a job, one per task, none where it does not fit: switches as objects with what is free below them. */
function slurms(sizes: readonly (readonly (readonly number[])[])[], free: readonly number[], tasks: number): number[] {
  const top: Switch = { nodes: new Map() }
  const leaves: Switch[] = []
  let node = 0
  for (const racks of sizes) {
    const row: Switch = { parent: top, nodes: new Map() }
    for (const rack of racks) {
      const leaf: Switch = { parent: row, nodes: new Map() }
      leaves.push(leaf)
      for (const _ of rack) {
        const here = free[node] as number
        if (here > 0) for (const each of [leaf, row, top]) each.nodes.set(node, here)
        node++
      }
    }
  }
  const procs = ({ nodes }: Switch) => [...nodes.values()].reduce((sum, each) => sum + each, 0)
  if (procs(top) < tasks) return []
  const places: number[] = []
  const used: Switch[] = []
  const fits = (each: Switch) => procs(each) >= tasks - places.length
  const distance = (leaf: Switch) => used.reduce((sum, other) => sum + (leaf === other ? 0 : leaf.parent === other.parent ? 2 : 4), 0)
  /** Of two switches of one level: larger than 0 for the first; and whether the first, or what stands for it, fits. */
  const compare = (a: Switch, b: Switch): [number, boolean] => {
    if (fits(a) && fits(b)) return [b.nodes.size - a.nodes.size, true]
    if (fits(a) || fits(b)) return [fits(a) ? 1 : -1, fits(a)]
    return a.parent === b.parent || a.parent === undefined || b.parent === undefined ? [a.nodes.size - b.nodes.size, false] : compare(a.parent, b.parent)
  }
  while (places.length < tasks) {
    const best = leaves.filter(({ nodes }) => nodes.size > 0).reduce((least, leaf) => {
      const [preferred, isFit] = compare(leaf, least)
      return (distance(leaf) < distance(least) && isFit) || (distance(leaf) === distance(least) && preferred > 0) ? leaf : least
    })
    used.push(best)
    for (const [each, here] of [...best.nodes]) {
      for (let i = 0; i < here && places.length < tasks; i++) places.push(each)
      for (let at: Switch | undefined = best; at !== undefined; at = at.parent) at.nodes.delete(each)
    }
  }
  return places
}
