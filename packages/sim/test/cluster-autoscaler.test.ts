import type { ClusterDescription } from '@sched/cluster'
import type { JobSpec } from '@sched/core'
import { describe, expect, it } from 'vitest'
import type { AutoscalerOptions, SimulationOptions } from '../src/index.js'
import { group, tasks, told, type Asked } from './scaled-world.js'
import { policyOf, startAll } from './world.js'

// Cases that Cluster Autoscaler's own tests judge, with other numbers.

const apart = { constraints: { distinctNodes: true } } as const

describe('nodes that are asked for', () => {
  it.each<[string, Asked, JobSpec[], AutoscalerOptions, string[]]>([
    // two tasks have 6 of 8 processors and 14 of 20 GB, a third would have 9 of 8
    ['by resources', { cpu: 8, mem: 20 }, [tasks('a', 1, 11, { cpu: 3, mem: 7 })], {}, ['10 0: 6']],
    ['by the other resource', { cpu: 8, mem: 20 }, [tasks('a', 1, 11, { cpu: 1, mem: 9 })], {}, ['10 0: 6']],
    ['by what must not share a node', { cpu: 8, mem: 20 }, [tasks('a', 1, 7, { cpu: 1 }, 1000, apart)], {}, ['10 0: 7']],
    ['up to a limit at once, and the rest at the next looks', { cpu: 8, mem: 20 }, [tasks('a', 1, 20, { cpu: 4 })], { maxNodesPerScaleUp: 4 }, ['10 0: 4', '20 0: 8', '30 0: 10']],
    // large first: 7 nodes with one each, where the small ones have room beside; small first these would fill three nodes, and large ones seven more
    ['for the largest tasks first', { cpu: 10, mem: 20 }, [tasks('small', 1, 28, { cpu: 1 }), tasks('large', 1, 7, { cpu: 6 })], { maxNodesTotal: 7 }, ['10 0: 7']],
  ])('are as many as first fit needs: %s (TestBinpackingEstimate)', (_, node, jobs, autoscaler, sizes) => {
    expect(told([group(12, node)], jobs, { scaleDownEnabled: false, ...autoscaler }).sizes).toEqual(sizes)
  })

  it('are of a group whose nodes are large enough (TestScaleUpOK), and of another for what waits still (TestMixedScaleUp)', () => {
    const groups = [group(5, { cpu: 2, mem: 30 }, { min: 1 }), group(5, { cpu: 12, mem: 4 }, { min: 1, priority: 1 })]
    const fill = [tasks('p1', 0, 1, { cpu: 1, mem: 1 }), tasks('p2', 0, 1, { cpu: 10 })]
    expect(told(groups, [...fill, tasks('new', 1, 1, { cpu: 7 })]).sizes[0]).toBe('10 1: 2')
    expect(told(groups, [...fill, tasks('wide', 1, 1, { cpu: 11 }), tasks('large', 1, 1, { mem: 30 })], { expander: 'priority' }).sizes.slice(0, 2)).toEqual(['10 1: 2', '20 0: 2'])
  })

  it('are of the group with the least waste, of processors and of memory alike (TestLeastWaste)', () => {
    const [balanced, highmem, lowcpu] = [group(3, { cpu: 12, mem: 24 }), group(3, { cpu: 12, mem: 72 }), group(3, { cpu: 6, mem: 24 })]
    const one = [tasks('a', 1, 1, { cpu: 1, mem: 2 })]
    expect([[balanced, highmem], [highmem, balanced], [balanced, highmem, lowcpu]].map((groups) => told(groups, one).sizes[0])).toEqual(['10 0: 1', '10 1: 1', '10 2: 1'])
  })

  it('are of the group that the next expander chooses where the one before finds several equal (chain of expanders)', () => {
    const groups = [group(3, { cpu: 4 }, { priority: 1 }), group(3, { cpu: 4 }, { priority: 2 }), group(3, { cpu: 9 }, { priority: 3 })]
    const chosen = (...expander: NonNullable<AutoscalerOptions['expander']>[]) => [1, 2, 3, 4, 5, 6].map((seed) => told(groups, [tasks('a', 1, 1, { cpu: 4 })], { expander: expander.flat() }, { seed }).sizes[0])
    expect(new Set(chosen('least-waste', 'priority'))).toEqual(new Set(['10 1: 1']))
    expect(new Set(chosen('least-waste'))).toEqual(new Set(['10 0: 1', '10 1: 1']))
    expect(new Set(chosen('most-pods', 'least-nodes', 'priority'))).toEqual(new Set(['10 2: 1']))
  })

  it('are none for tasks that have room, however old, and not yet for those that have none and are all new', () => {
    const jobs = [tasks('a', 0, 2, { cpu: 8 }), tasks('b', 49, 1, { cpu: 8 })]
    // at 50 s both tasks of a wait for the nodes on their way, and b is the only one to be helped
    expect(told([group(4, { cpu: 8 }, { provision: 300 })], jobs).sizes).toEqual(['10 0: 2', '60 0: 3'])
  })

  it('are asked for only after 30 s for tasks with GPUs, also for others, as long as all with GPUs are as new', () => {
    const gpus = [group(4, { cpu: 8 }, {}, { devices: { gpu: { count: 4, milli: 1000 } } }), group(4, { cpu: 8 })]
    const sizes = (...jobs: JobSpec[]) => told(gpus, jobs, { scaleDownEnabled: false }).sizes
    expect(sizes(tasks('a', 1, 1, { gpu: 2000 }))).toEqual(['40 0: 1'])
    expect(sizes(tasks('b', 1, 1, { cpu: 8 }), tasks('a', 3, 1, { gpu: 2000 }))[0]).toMatch(/^40 /)
    expect(sizes(tasks('a', 1, 1, { gpu: 2000 }), tasks('a2', 21, 1, { gpu: 4000 }))[0]).toBe('40 0: 2')
    expect(sizes(tasks('b', 1, 1, { cpu: 8 }))[0]).toMatch(/^10 /)
  })

  it('are asked for where what is free of GPUs is in shares of several, on none of which a task has room', () => {
    const shares = (autoscale: object, gpus: number) => told([group(3, { cpu: 8 }, autoscale, { devices: { gpu: { count: gpus, milli: 1000 } } })], [tasks('a', 1, 2, { gpu: 600 }), tasks('b', 2, 1, { gpu: 700 })]).sizes
    expect(shares({ min: 1 }, 2)).toEqual(['40 0: 2']) // 400 are free on each of two
    expect(shares({ min: 1 }, 3)).toEqual([])
    expect(shares({}, 1)).toEqual(['40 0: 3'])
    expect(shares({}, 2)).toEqual(['40 0: 2'])
  })

  it('are counted beside what runs of the same job, of which tasks must be apart', () => {
    const long = { id: 'a', submit: 0, stages: [{ name: 'x', tasks: 1, demand: { cpu: 2 }, duration: 5000, ...apart }, { name: 'y', tasks: 1, demand: { cpu: 2 }, duration: 100, ...apart }] }
    const { log } = told([group(4, { cpu: 8 }, { min: 1 })], [long])
    expect(log.lines.slice(1, 4)).toEqual(['0 start a on 0', '60 start a on 1', '160 done a on 1'])
  })
})

describe('nodes that are unneeded', () => {
  /** The nodes that go first, all of them at once, while all tasks run. */
  const first = (nodes: ClusterDescription['nodes'], jobs: readonly JobSpec[], autoscaler: AutoscalerOptions = {}, more: Partial<SimulationOptions> = {}) => {
    const { downs } = told(nodes, jobs, { scaleDownUnneededTime: 30, scaleDownDelayAfterAdd: 0, maxScaleDownParallelism: 99, maxDrainParallelism: 99, ...autoscaler }, more)
    const time = downs[0]?.split(' ')[0]
    return downs.filter((line) => line.split(' ')[0] === time && Number(time) < 2000).map((line) => Number(line.split(' ')[1]))
  }
  const there = (...sizes: number[]) => sizes.map((cpu) => group(1, { cpu }, { initial: 1 }))
  const fixed = (cpu: number) => ({ count: 1, resources: { cpu } })
  const one = (id: string, cpu: number, submit = 0) => tasks(id, submit, 1, { cpu }, 3000)

  it.each<[string, ClusterDescription['nodes'], JobSpec[], number[]]>([
    ['all that are empty', there(9, 9, 9), [one('later', 1, 500)], [2, 1, 0]],
    ['none of which half is in use', there(8), [one('a', 4)], []],
    ['one whose task has room on a node that stays', [...there(9), fixed(9)], [one('a', 3)], [0]],
    ['none whose task has room nowhere', [...there(9), fixed(2)], [one('a', 3)], []],
    ['all whose tasks have room on one that stays', [...there(9, 13), fixed(20)], [one('a', 4), one('b', 6)], [1, 0]],
    ['some, where not all tasks have room together', [...there(9, 13), fixed(9)], [one('a', 4), one('b', 6)], [1]],
    ['none of which a task may not move', [...there(9), fixed(9)], [{ ...one('a', 3), movable: false }], []],
    ['none of which a task is not safe to evict', [...there(9), fixed(9)], [{ ...one('a', 3), drainable: false }], []],
  ])('are %s (TestUpdateClusterState)', (_, nodes, jobs, downs) => {
    expect(first(nodes, jobs)).toEqual(downs)
  })

  it('are none whose tasks have room only where tasks wait to start, such as evicted ones (TestUpdateClusterState)', () => {
    const hold = policyOf((round, jobs) => {
      for (const job of jobs) if (round.work.name(job) !== 'held' || round.now >= 2000) startAll(round, job)
      if (round.now < 2000) round.wakeAt(2000)
    })
    const nodes = [...there(9), fixed(9)]
    expect(first(nodes, [one('a', 4)], {}, { policy: hold })).toEqual([0])
    expect(first(nodes, [one('a', 4), one('held', 5)], {}, { policy: hold })).toEqual([]) // it has room beside a, and then more than half is in use
    expect(first(nodes, [one('a', 4), one('held', 6)], {}, { policy: hold })).toEqual([]) // of 9 on the other node 3 are left
    expect(first([...there(9), fixed(10)], [one('a', 3), one('held', 7)], {}, { policy: hold })).toEqual([0])
  })

  it('count what GPUs are in use where a node has such, and nothing else (TestFilterOutUnremovable)', () => {
    const nodes = [group(1, { cpu: 10 }, { initial: 1 }, { devices: { gpu: { count: 4, milli: 1000 } } }), { count: 1, resources: { cpu: 10 }, devices: { gpu: { count: 4, milli: 1000 } } }]
    const gone = (demand: Asked, autoscaler: AutoscalerOptions = {}) => first(nodes, [tasks('a', 0, 1, demand, 3000)], autoscaler)
    expect([gone({ cpu: 9 }), gone({ cpu: 9, gpu: 1000 }), gone({ cpu: 1, gpu: 2000 })]).toEqual([[0], [0], []])
    expect([gone({ cpu: 1, gpu: 2000 }, { scaleDownGpuUtilizationThreshold: 0.6 }), gone({ cpu: 9, gpu: 1000 }, { scaleDownUtilizationThreshold: 0.1 })]).toEqual([[0], [0]])
  })

  it('are not those that a gang waits to start on, whose other nodes take longer than that', () => {
    const gang = { ...tasks('gang', 200, 4, { cpu: 8 }, 100, { gang: true }), gang: true }
    const all = policyOf((round, jobs) => {
      for (const job of jobs) {
        const rooms = round.nodes.reduce((sum, node) => sum + (round.cluster.up(node) && round.fits(job, node) ? 1 : 0), 0)
        if (rooms >= round.work.unplaced(job, round.lane)) startAll(round, job)
      }
    })
    const { sizes, log } = told([group(4, { cpu: 8 }, { initial: 2, provision: 1500 })], [tasks('before', 0, 2, { cpu: 8 }, 100), gang], {}, { policy: all })
    expect([sizes, log.ends['gang']]).toEqual([['210 0: 4'], 1810])
  })
})

describe('nodes that are removed', () => {
  it.each([
    [5, 2, 3, 4, ['i', 'i', 'i', 'd', 'd']],
    [5, 2, 6, 4, ['i', 'i', 'i', 'i', 'i']],
    [8, 0, 2, 4, ['i', 'i']],
    [4, 9, 1, 4, ['i', 'd', 'd', 'd']],
  ])('are at most %i at once, %i of them with tasks, of %i and %i (TestCropNodesToBudgets)', (maxScaleDownParallelism, maxDrainParallelism, idle, busy, removed) => {
    const nodes = [group(busy, { cpu: 9 }, { initial: busy }), group(idle, { cpu: 1 }, { initial: idle }), { count: busy, resources: { cpu: 4 } }]
    const { downs } = told(nodes, [tasks('a', 0, busy, { cpu: 4 }, 5000, apart)], { scaleDownUnneededTime: 30, scaleDownDelayAfterDelete: 900, maxScaleDownParallelism, maxDrainParallelism })
    const time = downs[0]?.split(' ')[0]
    expect(downs.filter((line) => line.split(' ')[0] === time).map((line) => (Number(line.split(' ')[1]) < busy ? 'd' : 'i'))).toEqual(removed)
  })
})
