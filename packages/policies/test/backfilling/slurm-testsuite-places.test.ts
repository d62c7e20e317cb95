import { dispatcher } from '@sched/cluster'
import { SchedError, type JobSpec } from '@sched/core'
import { fifo, replan, type ReplanOptions } from '@sched/policies'
import { instantCluster } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

// Slurm's own tests of where jobs go, named at each. Jobs come one after the other, and none ends.

/** Nodes `node1` and so on, of so many processors, with the labels of each. */
const nodesOf = (count: number, procs: number, labels: (node: number) => Record<string, string> = () => ({}), racks?: number) =>
  instantCluster({ nodes: Array.from({ length: count }, (_, i) => ({ names: [`node${i + 1}`], count: 1, resources: { procs, nodes: 1 }, labels: { host: `node${i + 1}`, ...labels(i + 1) }, ...(racks !== undefined && { racks }) })) })

const jobOf = (id: string, change: Partial<JobSpec['stages'][number]>, of: Partial<JobSpec> = {}): JobSpec =>
  ({ id, submit: 0, estimate: 600, ...of, stages: [{ name: 's', tasks: 1, gang: true, demand: { procs: 1 }, duration: 600, ...change }] })

/** The nodes of each job: none if it waits, why if it is refused. */
function placed(cluster: ReturnType<typeof instantCluster>, options: ReplanOptions, jobs: readonly JobSpec[]): string[] {
  const master = dispatcher({ cluster, policy: replan(fifo(), { nodes: 'named', select: 'cons_tres', ...options }) })
  return jobs.map((job, i) => {
    try {
      master.submit(job, i)
    } catch (error) {
      if (error instanceof SchedError) return 'refused'
      throw error
    }
    return master.pass(i).start.flatMap(({ job: id, node }) => (id === job.id ? [node.replace('node', '')] : [])).join()
  })
}

describe.each<ReplanOptions['topology'] & string>(['flat', 'tree'])('jobs of one node, with topology %s', (topology) => {
  const cluster = instantCluster({ nodes: [{ count: 8, racks: 2, names: [1, 2, 3, 4, 5, 6, 7, 8].map((i) => `node${i}`), resources: { procs: 4, nodes: 1 } }] })
  const ones = (count: number) => Array.from({ length: count }, (_, i) => jobOf(`j${i}`, {}, { queue: 'main' }))
  const of = (options: ReplanOptions, count: number) => placed(cluster, { topology, ...options }, ones(count))

  it('are on one node (test_lln_partition_honored_single_node, its first half)', () => {
    expect(new Set(of({}, 4)).size).toBe(1)
  })

  it.each<[string, ReplanOptions]>([['test_lln_partition_honored_single_node', { leastLoaded: ['main'] }], ['test_lln_global_honored_single_node', { leastLoaded: true }]])('are on each node before any has two (%s)', (_, options) => {
    const nodes = of(options, 12)
    expect([new Set(nodes.slice(0, 8)).size, new Set(nodes.slice(8)).size]).toEqual([8, 4])
  })

  it('are on the last one with pack_serial_at_end, and not without (test_pack_serial_at_end_single_node)', () => {
    expect([of({}, 1), of({ pack_serial_at_end: true }, 1)]).toEqual([['1'], ['8']])
  })
})

describe('blocks of 4 nodes (test_150_1, test_150_2, test_150_12)', () => {
  const blocks = { blocks: [['node1', 'node2', 'node3', 'node4'], ['node5', 'node6', 'node7', 'node8']], sizes: [4, 8] }
  const whole = (id: string, tasks: number, segment?: number, hosts?: readonly number[]) =>
    jobOf(id, { tasks, demand: { procs: 1, nodes: 1 }, ...(hosts && { constraints: { require: { host: hosts.map((host) => `node${host}`) } } }) }, segment === undefined ? {} : { topology: { segment } })
  const of = (...jobs: readonly JobSpec[]) => placed(nodesOf(8, 1), { topology: blocks }, jobs)

  it('keep a job of 3 nodes waiting where 2 and 1 are left (test_const1)', () => {
    expect(of(whole('a', 2), whole('b', 3), whole('c', 3)).map((nodes) => nodes.split(',').filter(Boolean).length)).toEqual([2, 3, 0])
  })

  it('hold jobs of 3 and of 5 nodes together (test_const2)', () => {
    expect(of(whole('a', 3), whole('b', 5)).map((nodes) => nodes.split(',').length)).toEqual([3, 5])
  })

  it('refuse segments that do not divide the job (test_segment1)', () => {
    const [a = '', b] = of(whole('a', 4, 2), whole('b', 5, 2))
    expect([a.split(',').length, b]).toEqual([4, 'refused'])
  })

  it.each<[number, number, readonly number[], boolean]>([
    [4, 2, [1, 2, 3, 4], true],
    [4, 2, [1, 2, 5, 6], true],
    [6, 3, [1, 2, 3, 4, 5, 6, 7, 8], true],
    [6, 3, [1, 2, 3, 5, 6, 7], true],
    [6, 3, [1, 2, 3, 4, 5, 6], false],
    [6, 3, [1, 2, 3, 4, 5], false],
  ])('-N%d --segment=%d on nodes %j (test_segment_nodelist)', (tasks, segment, hosts, fits) => {
    const [nodes = ''] = of(whole('a', tasks, segment, hosts))
    expect(nodes.split(',').filter((node) => hosts.includes(Number(node))).length).toBe(fits ? tasks : 0)
  })

  it('hold several segments of a job each (test_segments_without_spread_run)', () => {
    const sixteen = { blocks: [0, 4, 8, 12].map((from) => [1, 2, 3, 4].map((i) => `node${from + i}`)), sizes: [4, 16] }
    const many = (tasks: number, segment: number) => placed(nodesOf(16, 1), { topology: sixteen }, [whole('a', tasks, segment)])[0]?.split(',').length
    expect([many(5, 1), many(15, 5)]).toEqual([5, 15])
  })
})

describe('MaxCPUsPerNode of partitions that share nodes (test_146_1)', () => {
  const partitions: Readonly<Record<string, readonly number[]>> = { p1: [1, 2], p2: [2, 3], p3: [3, 4] }
  const cluster = nodesOf(4, 12, (node) => Object.fromEntries(Object.entries(partitions).flatMap(([name, own]) => (own.includes(node) ? [[`partition:${name}`, 'true']] : []))))
  it.each([1, 2, 3])('of %d holds for the jobs of each partition (test_limits)', (most) => {
    const names = Object.keys(partitions)
    const jobs = names.flatMap((queue) => Array.from({ length: 2 * most + 1 }, (_, i) => jobOf(`${queue}_${i}`, { constraints: { require: { [`partition:${queue}`]: 'true' } } }, { queue })))
    const all = (value: number) => Object.fromEntries(names.map((name) => [name, value]))
    const nodes = placed(cluster, { leastLoaded: true, maxCpusPerNode: all(most), maxNodes: all(1) }, jobs)
    const count = (node: number) => nodes.filter((each) => each === `${node}`).length
    expect([1, 2, 3, 4].map(count)).toEqual([most, 2 * most, 2 * most, most])
    expect(nodes.filter((each) => each === '').length).toBe(3)
  })
})
