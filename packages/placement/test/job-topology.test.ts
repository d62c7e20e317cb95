import { dispatcher } from '@sched/cluster'
import type { JobSpec, Plug, Topology } from '@sched/core'
import { easy, fifo, greedy } from '@sched/policies'
import { describe, expect, it } from 'vitest'
import { firstFit, topologyTree } from '../src/index.js'

/** Two rows of two racks with 2, 3, 4 and 2 nodes of one processor. */
const ROWS = { nodes: [['r0', 'row0', 2], ['r1', 'row0', 3], ['r2', 'row1', 4], ['r3', 'row1', 2]].flatMap(([rack, row, count], i) => ({ name: `${i}`, count: count as number, racks: [rack as string, row as string], resources: { procs: 1 } })) }
/** The rack of a node by its name. */
const rackOf = (node: string) => Number(node.split('-')[0])

const stage = (tasks: number, change: object = {}) => ({ name: 'work', tasks, gang: true, demand: { procs: 1 }, duration: 1, ...change })

const told: string[] = []
/** Jobs submitted one after the other; the racks of their tasks by job, in order. */
const racksOf = (jobs: readonly (Partial<JobSpec> & Pick<JobSpec, 'stages'>)[], { placement = topologyTree(), cluster = ROWS, now = 0 }: { placement?: Plug<'placement'>; cluster?: Parameters<typeof dispatcher>[0]['cluster']; now?: number } = {}) => {
  told.length = 0
  const control = dispatcher({ cluster, policy: greedy(fifo(), placement), warn: (message) => told.push(message) })
  for (const [i, job] of jobs.entries()) control.submit({ id: `${i}`, submit: 0, ...job })
  const racks = jobs.map((): number[] => [])
  for (const { job, node } of control.pass(now).start) racks[Number(job)]?.push(rackOf(node))
  return racks
}
const racksWith = (tasks: number, topology: Topology, options: Parameters<typeof racksOf>[1] = {}) => racksOf([{ topology, stages: [stage(tasks)] }], options)[0]

describe('the topology of a job', () => {
  it('keeps it in one group of the level required, or waits', () => {
    expect(racksWith(4, { required: 1 })).toEqual([2, 2, 2, 2])
    expect(racksWith(5, { required: 2 })).toEqual([1, 1, 1, 0, 0])
    expect(() => racksWith(5, { required: 1 })).toThrow('job 0: its 5 tasks at once are more than any rack has room for (its topology)')
    expect(() => racksWith(2, { required: 0 })).toThrow('job 0: its 2 tasks at once are more than any node has room for (its topology)')
    const four = { topology: { required: 1 }, stages: [stage(4)] }
    expect(racksOf([four, four, { stages: [stage(1)] }])).toEqual([[2, 2, 2, 2], [], [0]])
  })

  it('takes the nearest group that holds all of it where one is preferred', () => {
    expect(racksWith(4, { preferred: 1 })).toEqual([2, 2, 2, 2])
    expect(racksWith(5, { preferred: 1 })).toEqual([1, 1, 1, 0, 0])
    expect(racksWith(7, { preferred: 1 })).toEqual([2, 2, 2, 2, 1, 1, 1])
    expect(() => racksWith(7, { preferred: 1, required: 2 })).toThrow('its 7 tasks at once are more than any group of level 2 has room for (its topology)')
    expect(racksWith(6, { preferred: 1, required: 2 })).toEqual([2, 2, 2, 2, 3, 3])
  })

  it('keeps it to so many racks', () => {
    expect(racksWith(7, { racks: 2 })).toEqual([2, 2, 2, 2, 1, 1, 1])
    expect(() => racksWith(8, { racks: 2 })).toThrow('job 0: its 8 tasks at once are more than any 2 racks have room for (its topology)')
    expect(racksOf([{ stages: [stage(1)], topology: { required: 0 } }, { topology: { racks: 2 }, stages: [stage(7)] }, { topology: { racks: 2 }, stages: [stage(5)] }, { stages: [stage(1)] }]).map((racks) => racks.length)).toEqual([1, 7, 0, 1])
    expect(racksWith(8, { racks: 3 })).toHaveLength(8)
    const oneByOne = (racks: number) => racksOf([{ topology: { racks }, stages: [stage(9, { gang: false })] }])[0]
    expect(oneByOne(1)).toEqual([2, 2, 2, 2])
    expect(oneByOne(2)).toEqual([2, 2, 2, 2, 1, 1, 1])
  })

  it('waits so long for that, and no longer than the placement lets it', () => {
    const wait = (now: number, topology: Topology, most?: number) => racksWith(8, topology, { now, ...(most !== undefined && { placement: topologyTree({ wait: most }) }) })?.length
    expect([wait(9, { required: 1, wait: 10 }), wait(10, { required: 1, wait: 10 }), wait(9, { racks: 2, wait: 10 }), wait(10, { racks: 2, wait: 10 })]).toEqual([0, 8, 0, 8])
    expect([wait(4, { required: 1 }, 5), wait(5, { required: 1 }, 5), wait(5, { required: 1, wait: 10 }, 5)]).toEqual([0, 8, 8])
  })

  it('counts before what the placement asks of all', () => {
    expect(racksOf([{ topology: { required: 2 }, stages: [stage(5)] }, { stages: [stage(4)] }], { placement: topologyTree({ within: 1 }) })).toEqual([[1, 1, 1, 0, 0], [2, 2, 2, 2]])
  })

  it('is of all stages of one gang, or of each that says its own', () => {
    const two = (change: Partial<JobSpec>, own: object = {}) => racksOf([{ gang: true, stages: [stage(2, own), stage(3, { name: 'more', ...own })], ...change }])[0]
    expect(two({ topology: { required: 2 } })).toEqual([1, 1, 1, 0, 0].sort())
    expect(() => two({ topology: { required: 1 } })).toThrow('its 5 tasks at once are more than any rack has room for')
    expect(two({}, { topology: { required: 1 } })).toEqual([0, 0, 1, 1, 1])
    expect(racksOf([{ topology: { required: 1 }, stages: [stage(2), stage(5, { name: 'more', topology: { required: 2 } })] }])[0]).toEqual([0, 0, 2, 2, 2, 2, 3])
  })

  it('brings later tasks of a job to where it is', () => {
    const control = dispatcher({ cluster: ROWS, policy: greedy(fifo(), topologyTree()) })
    control.submit({ id: 'first', submit: 0, topology: { required: 1 }, stages: [stage(5, { gang: false })] })
    const first = control.pass(0).start
    control.submit({ id: 'other', submit: 0, stages: [stage(1)] })
    control.pass(0)
    control.taskEnded({ id: first[0]?.id as number })
    expect(control.pass(1).start.map(({ node }) => rackOf(node))).toEqual([2])
  })

  it('is heeded by policies that plan amounts, too', () => {
    const control = dispatcher({ cluster: ROWS, policy: easy(fifo(), { placement: topologyTree() }) })
    control.submit({ id: 'job', submit: 0, estimate: 1, topology: { required: 1 }, stages: [stage(4)] })
    expect(control.pass(0).start.map(({ node }) => rackOf(node))).toEqual([2, 2, 2, 2])
  })

  it('is told of where nobody heeds it, once, and where it asks what the cluster has not', () => {
    const job = { topology: { required: 1 }, stages: [stage(4)] }
    expect(racksOf([job, job], { placement: firstFit() })[0]).toEqual([0, 0, 1, 1])
    expect(told).toEqual(['job 0 says by its topology how near its tasks are to each other, and no placement here heeds that: it goes anywhere. Give the policy the placement `topology-tree` (racks as Slurm fills them) or `topology-aware` (as Kueue does).'])
    expect(racksWith(7, { required: 4 })).toHaveLength(7)
    expect(told).toEqual(['topology-tree: job 0 asks for one group of level 4, and the cluster has levels up to 2: all nodes are such a group.'])
    racksWith(1, { required: 1 }, { cluster: { ...ROWS, heartbeat: { interval: 3 } } })
    expect(told).toEqual(['topology-tree: at a heartbeat one node is in sight, where a task starts if it fits: the `topology` of jobs does not hold on this cluster.'])
  })

  it.each([
    [{}, 'job 0 has a topology that asks nothing. Give `required`, `preferred`, `racks`, `segment` or `slices`.'], [{ required: -1 }, 'job 0 has a topology of level -1.'],
    [{ racks: 0 }, 'job 0 has a topology of 0 racks.'], [{ segment: 0.5 }, 'job 0 has a topology with segments of 0.5 nodes.'], [{ required: 1, wait: -1 }, 'job 0 has a topology with a wait of -1.'],
  ])('is refused where it is none: %j', (topology, message) => {
    expect(() => racksWith(1, topology)).toThrow(message)
  })
})
