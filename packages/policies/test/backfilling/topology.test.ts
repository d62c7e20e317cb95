import type { JobSpec, Observer, StageSpec, Topology } from '@sched/core'
import { fifo, replan, type ReplanOptions } from '@sched/policies'
import { simulate } from '@sched/sim'
import { describe, expect, it } from 'vitest'
import { queuePasses, workloadOf } from './machine.js'

const MINUTE = 60
const spec = (id: string, tasks: number, minutes: number, submit = 0): JobSpec =>
  ({ id, submit, estimate: minutes * MINUTE, stages: [{ name: 'job', tasks, gang: true, demand: { procs: 1 }, duration: minutes * MINUTE }] })

/** The nodes of each job, and when it started; nodes of one processor in racks of 2, 3, 4 and 2, two by two in a row. */
function placesOf(specs: readonly JobSpec[], options: ReplanOptions = {}, observer: Observer = {}): Record<string, [start: number, nodes: number[]]> {
  const places: Record<string, [number, number[]]> = {}
  const names: string[] = []
  const watch: Observer = {
    onSubmit: (job, { id }) => void (names[job] = id),
    onTaskStart: (_task, job, _lane, node, _level, now) => void (places[names[job] as string] ??= [now, []])[1].push(node),
  }
  const racks = [2, 3, 4, 2].map((count, rack) => ({ name: `r${rack}`, count, racks: [`r${rack}`, `row${rack >> 1}`], resources: { procs: 1 }, ...(rack === 3 && { labels: { kind: 'spare' } }) }))
  simulate({ cluster: { nodes: racks }, workload: workloadOf(specs), policy: replan(fifo(), { nodes: 'named', ...options }), architecture: queuePasses.plug({}), observers: [watch, observer], validate: true, runtime: { jitter: 0 } })
  return places
}

describe('the topology of named nodes', () => {
  it('gives a job the fewest racks instead of nodes that follow each other (_eval_nodes_topo of Slurm)', () => {
    const specs = [spec('A', 4, 10), spec('B', 3, 10, 1)]
    expect(placesOf(specs)).toEqual({ A: [0, [0, 1, 2, 3]], B: [1, [4, 5, 6]] })
    expect(placesOf(specs, { topology: 'tree' })).toEqual({ A: [0, [5, 6, 7, 8]], B: [1, [2, 3, 4]] })
  })

  it('takes nodes of the least weight first, and then those of their racks', () => {
    // 4 and 9 are used up before any other; what is left fits into the rack of 4, the lower one
    const weights = Object.fromEntries([...['r0-0', 'r0-1', 'r1-0', 'r1-1'], ...['r2-0', 'r2-1', 'r2-2', 'r2-3', 'r3-1']].map((name) => [name, 5]))
    expect(placesOf([spec('A', 3, 10)], { topology: 'tree', weights })['A']?.[1]).toEqual([4, 9, 2])
  })

  it('chooses the nodes of reservations, too', () => {
    // X holds racks 0 and 1 and 3 until 10 min, Y rack 2 until 20; W of 5 is to have racks 0 and 1 then, where S would be in its way, and not on rack 3
    const specs = [spec('Y', 4, 20), spec('X', 6, 10), spec('W', 5, 10, 61), spec('S', 1, 30, 62)]
    const places = placesOf(specs, { topology: 'tree' })
    expect([places['X']?.[1], places['W'], places['S']]).toEqual([[2, 3, 4, 0, 1, 9], [600, [2, 3, 4, 0, 1]], [62, [10]]])
  })

  describe('of blocks', () => {
    it('lets a job wait for one that holds it, in plans and at events, and smaller ones pass', () => {
      // A has the second block and B a node of the first: the other one is no block for C, though nodes enough are in none
      const specs = [spec('A', 2, 10), spec('B', 1, 30), spec('C', 2, 10, 61), spec('D', 1, 5, 62)]
      const places = (options: ReplanOptions) => placesOf(specs, { topology: { blocks: [['r0-0', 'r0-1'], ['r1-0', 'r1-1']], sizes: [2, 4] }, ...options })
      expect(places({})).toEqual({ A: [0, [2, 3]], B: [0, [0]], C: [600, [2, 3]], D: [62, [1]] })
      expect(places({ twoPass: true })).toEqual({ A: [0, [2, 3]], B: [0, [0]], C: [600, [2, 3]], D: [91, [1]] }) // a plan at 61 s, since nothing had happened since 30 s, and the next one
      expect(places({ topology: 'flat' })['C']?.[0]).toBe(61)
    })

    it('hold each job whole, in the fewest base blocks of the smallest one that holds it, in random worlds', { tags: 'long' }, () => {
      const names = ['r0-0', 'r0-1', 'r1-0', 'r1-1', 'r1-2', 'r2-0', 'r2-1', 'r2-2', 'r2-3', 'r3-0']
      const topology = { blocks: [0, 2, 4, 6, 8].map((at) => names.slice(at, at + 2)), sizes: [2, 8] }
      let seed = 7
      const random = (below: number) => ((seed = (seed * 16_807) % 2_147_483_647) % below)
      let started = 0
      for (let world = 0; world < 60; world++) {
        const specs = Array.from({ length: 12 }, (_, i) => ({ ...spec(`J${i}`, 1 + random(7), 1 + random(20), random(1800)) })).sort((a, b) => a.submit - b.submit)
        for (const [id, [, nodes]] of Object.entries(placesOf(specs, { topology, twoPass: world % 2 === 0 }))) {
          const isBeside = nodes.some((node) => node > 9) // of the nodes of no block where no other was free
          const base = [...new Set(nodes.map((node) => node >> 1))]
          const larger = new Set(base.map((each) => each >> 2))
          if (!isBeside) expect([base.length <= Math.ceil(nodes.length / 2), larger.size], `world ${world}: ${id} on ${nodes.join()}`).toEqual([true, 1])
          started++
        }
      }
      expect(started).toBe(720)
    })

    it('are the racks of the cluster where none are named', () => {
      // of 2, 3, 4 and 2 nodes: a block is 2 nodes, a larger one two racks, of which the second pair has fewer nodes left for B
      expect(placesOf([spec('A', 2, 10), spec('B', 3, 10)], { topology: 'block' })).toEqual({ A: [0, [9, 10]], B: [0, [5, 6, 7]] })
    })

    it('have jobs of segments', () => {
      const segments = (segment?: number) => placesOf([{ ...spec('A', 4, 10), ...(segment !== undefined && { topology: { segment } }) }], { topology: { blocks: [['r0-0', 'r0-1', 'r1-0'], ['r1-1', 'r1-2', 'r2-0']], sizes: [3, 6] } })['A']?.[1]
      expect([segments(), segments(2)]).toEqual([[3, 4, 5, 0], [3, 4, 0, 1]])
    })

    it('refuse who can be in none, and leave nodes of no block to those whom they do not concern', () => {
      const topology = { blocks: [['r0-0', 'r0-1'], ['r1-0', 'r1-1']], sizes: [2] }
      const refusals: string[] = []
      const placed = (job: JobSpec) => placesOf([job], { topology }, { onReject: (_, why) => void refusals.push(why) })[job.id]
      expect([placed(spec('A', 5, 10)), placed({ ...spec('A', 3, 10), topology: { segment: 2 } })]).toEqual([undefined, undefined])
      expect(refusals).toEqual([expect.stringContaining('no blocks hold 5 nodes'), expect.stringContaining('it needs 3 nodes, which segments of 2 do not divide')])
      const [stage] = spec('A', 5, 10).stages as [StageSpec]
      expect(placed({ ...spec('A', 5, 10), stages: [{ ...stage, minTasks: 2 }] })).toEqual([0, expect.arrayContaining([2, 3])]) // the others follow one by one
      expect(placed({ ...spec('A', 2, 10), stages: [{ ...stage, tasks: 2, constraints: { require: { kind: 'spare' } } }] })).toEqual([0, [9, 10]])
    })

    it('may be those of the jobs of a queue', () => {
      const topologies = { gpu: { blocks: [['r0-0'], ['r2-0', 'r2-1', 'r2-2']], sizes: [1] } }
      expect(placesOf([{ ...spec('A', 3, 10), queue: 'gpu' }, spec('B', 3, 10)], { topologies })).toEqual({ A: [0, [5, 6, 7]], B: [0, [8, 9, 10]] })
    })

    it('have sizes that are each a power of 2 times the first', () => {
      expect(() => placesOf([], { topology: { blocks: [['r0-0']], sizes: [2, 6] } })).toThrow('replan.topology.sizes: found 2,6. Give the nodes of a block, and that number times 2, 4, 8, ...: [18, 72].')
    })
  })

  describe('of jobs that ask for few switches', () => {
    // A holds two nodes of rack 2 and B one of rack 1 until 20 and 30 min: 2 nodes are free in each rack, and W wants 4
    const busy = [spec('A', 2, 20), spec('B', 1, 30)]
    const weights = { 'r2-0': 0, 'r2-1': 0 }
    const whole = (topology: Topology, options: ReplanOptions = {}, jobs = busy) => placesOf([...jobs, { ...spec('W', 4, 10, MINUTE), topology }], { topology: 'tree', weights, ...options })['W']

    it('waits for one, as long as it says and max_switch_wait lets it, and others may pass', () => {
      expect(whole({ racks: 2 })).toEqual([MINUTE, expect.anything()])
      const waits = (topology: Topology, options: ReplanOptions = {}) => (whole(topology, options)?.[0] ?? NaN) / MINUTE
      // of its submission at 1 min; A ends at 20
      expect([waits({ racks: 1 }), waits({ racks: 1, wait: 2 * MINUTE }), waits({ racks: 1 }, { max_switch_wait: 0 })]).toEqual([6, 3, 1])
      expect(whole({ racks: 1 }, { max_switch_wait: 3600 })).toEqual([20 * MINUTE, [5, 6, 7, 8]])
      expect(whole({ required: 1 }, { max_switch_wait: 3600 })).toEqual([20 * MINUTE, [5, 6, 7, 8]])
    })

    it('is looked at in the plan and at events', () => {
      expect(whole({ racks: 1 }, { max_switch_wait: 3600, twoPass: true })?.[0]).toBe(20 * MINUTE)
      expect(whole({ racks: 1 }, { twoPass: true })?.[0]).toBe(6 * MINUTE)
    })

    it('is heeded, and alone gets the fewest racks, where those of jobs that ask for nothing do not matter (TopoOptional of Slurm)', () => {
      // B, which asks for nothing, follows A in rack 2
      expect(whole({ racks: 1 }, { topology: 'asked', max_switch_wait: 3600 })).toEqual([30 * MINUTE, [5, 6, 7, 8]])
      const specs = [spec('A', 4, 10), { ...spec('B', 2, 10, 1), topology: { racks: 1 } }]
      expect(placesOf(specs, { topology: 'asked' })).toEqual({ A: [0, [0, 1, 2, 3]], B: [1, [9, 10]] })
      expect(placesOf([{ ...spec('A', 4, 10), topology: { segment: 2 } }], { topology: 'asked' })['A']?.[1]).toEqual([0, 1, 2, 3]) // segments are of blocks
    })

    it('means nothing where nodes are not chosen by racks', () => {
      expect(whole({ racks: 1 }, { topology: 'flat', weights: {} })?.[0]).toBe(MINUTE)
    })
  })

  describe('of the jobs of a queue', () => {
    const at = (queue: string, id = 'A'): JobSpec => ({ ...spec(id, 4, 10), queue })
    // racks across those of the cluster: every third node
    const racks = [0, 1, 2].map((rest) => ({ nodes: ['r0-0', 'r0-1', 'r1-0', 'r1-1', 'r1-2', 'r2-0', 'r2-1', 'r2-2', 'r2-3', 'r3-0', 'r3-1'].filter((_, i) => i % 3 === rest), racks: [`s${rest}`] }))

    it('is its own, by racks of the cluster or by others', () => {
      const topologies = { runs: 'flat', apart: { switches: racks } } as const
      const placed = ['others', 'runs', 'apart'].map((queue) => placesOf([at(queue)], { topology: 'tree', topologies })['A']?.[1])
      expect(placed).toEqual([[5, 6, 7, 8], [0, 1, 2, 3], [0, 3, 6, 9]])
      expect(placesOf([at('runs')], { topologies: { runs: 'tree' } })['A']?.[1]).toEqual([5, 6, 7, 8])
    })

    it('may be that of jobs that ask for few switches alone, which are those of its own', () => {
      const topologies = { apart: { switches: racks, asked: true } }
      expect(placesOf([at('apart')], { topologies })['A']?.[1]).toEqual([0, 1, 2, 3])
      // B has nodes 0, 1 and 2, one of each rack, of which the first two have 4: A of 4 fits into no rack until it has ended
      const W = (topology?: Topology) => placesOf([{ ...spec('B', 3, 20), queue: 'others' }, { ...at('apart', 'W'), submit: MINUTE, ...(topology !== undefined && { topology }) }], { topologies, max_switch_wait: 3600 })['W']
      expect([W(), W({ racks: 1 })]).toEqual([[MINUTE, [3, 4, 5, 6]], [20 * MINUTE, [0, 3, 6, 9]]])
    })

    it('puts nodes that it does not name in one rack more', () => {
      const topologies = { apart: { switches: racks.slice(1) } }
      expect(placesOf([{ ...at('apart') }], { topologies })['A']?.[1]).toEqual([0, 3, 6, 9])
    })

    it('has every node in as many groups', () => {
      expect(() => placesOf([at('apart')], { topologies: { apart: { switches: [{ nodes: ['r0-0'], racks: ['a', 'b'] }, { nodes: ['r0-1'], racks: ['c'] }] } } })).toThrow('replan.topologies: r0-1 is in 1 groups, and others are in 2. Name as many of all nodes.')
    })
  })

  it('is of nodes, and not of amounts', () => {
    expect(() => placesOf([spec('A', 1, 10)], { topologies: { q: 'tree' }, nodes: 'counted' })).toThrow("replan.topologies: nodes of queues are chosen by their racks, but reservations are of amounts. Add { nodes: 'named' }, or leave them out.")
    expect(() => placesOf([spec('A', 1, 10)], { topology: 'tree', nodes: 'counted' })).toThrow('replan.topology: nodes are chosen by their racks, but reservations are of amounts.')
  })
})
