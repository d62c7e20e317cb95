import type { JobSpec } from '@sched/core'
import { fifo, replan, type ReplanOptions } from '@sched/policies'
import { instantCluster, job, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { startsOf } from './machine.js'

const MINUTE = 60
const spec = (id: string, queue: string, tasks: number, procs: number, minutes: number, submit = 0): JobSpec =>
  ({ id, queue, submit, estimate: minutes * MINUTE, stages: [{ name: 'job', tasks, gang: true, demand: { procs }, duration: minutes * MINUTE }] })
const starts = (specs: readonly JobSpec[], options: ReplanOptions = { nodes: 'named', maxCpusPerNode: { cpu: 3 } }, nodes = 2) => Object.fromEntries(startsOf(specs, [4], replan(fifo(), options), { nodes }))

describe('processors of a node that the jobs of a queue may have', () => {
  it('leave the others to those of other queues', () => {
    // 2 nodes of 4: the six tasks of A are all that `cpu` may have
    const specs = [spec('A', 'cpu', 6, 1, 10), spec('B', 'cpu', 1, 1, 10, 1), spec('G', 'gpu', 2, 1, 5, 2)]
    expect(starts(specs)).toEqual({ A: 0, B: 600, G: 2 })
    expect(starts(specs, { nodes: 'named' })).toEqual({ A: 0, B: 1, G: 600 })
  })

  it('come back as jobs of the queue end, not as others do', () => {
    // node 0: A of cpu until 10 min and G of gpu until 5; B of 2 is to start when A has ended, with all of the node but one taken by it otherwise
    const specs = [spec('A', 'cpu', 1, 2, 10), spec('G', 'gpu', 1, 2, 5, 1), spec('B', 'cpu', 1, 2, 1, 2)]
    expect(starts(specs, undefined, 1)).toEqual({ A: 0, G: 1, B: 600 })
    expect(starts(specs, { nodes: 'named' }, 1)).toMatchObject({ B: 301 })
  })

  it('do not hold a single task of more, which would be nowhere', () => {
    expect(starts([spec('A', 'cpu', 1, 4, 1)])).toEqual({ A: 0 })
  })

  it('may be none, and then nobody of the queue starts (test_zero_cpu of Slurm)', () => {
    const none: ReplanOptions = { nodes: 'named', maxCpusPerNode: { cpu: 0 } }
    expect(starts([spec('G', 'gpu', 2, 4, 1)], none)).toEqual({ G: 0 })
    for (const each of [spec('A', 'cpu', 1, 4, 1), spec('A', 'cpu', 2, 1, 1)]) expect(() => starts([each], none)).toThrow('finds no room for job A although nothing runs')
  })

  it.each([1, 2, 3])('are counted for each of queues that share nodes (test_limits of Slurm, %s of 12)', (most) => {
    // p1 on nodes 0 and 1, p2 on 1 and 2, p3 on 2 and 3: each starts twice as many jobs of one processor, on one after the other of its nodes, and then one more waits
    const queues = ['p1', 'p2', 'p3']
    const all = (value: number) => Object.fromEntries(queues.map((each) => [each, value]))
    const cluster = instantCluster({ nodes: [['p1'], ['p1', 'p2'], ['p2', 'p3'], ['p3']].map((of) => ({ count: 1, resources: { procs: 12 }, labels: Object.fromEntries(of.map((each) => [each, 'yes'])) })) })
    const jobOf = (queue: string, i: number): JobSpec => ({ ...spec(`${queue}-${i}`, queue, 1, 1, 60), stages: [{ name: 'job', tasks: 1, demand: { procs: 1 }, duration: 3600, constraints: { require: { [queue]: 'yes' } } }] })
    const jobs = queues.flatMap((queue) => Array.from({ length: 2 * most + 1 }, (_, i) => jobOf(queue, i)))
    const { recorder } = run({ cluster, jobs, policy: replan(fifo(), { nodes: 'named', select: 'cons_tres', leastLoaded: queues, maxNodes: all(1), maxCpusPerNode: all(most) }) })
    const first = recorder.launches.filter(({ time }) => time < 3600).map(({ node }) => Number(/\d+/.exec(node)?.[0]))
    expect([0, 1, 2, 3].map((node) => first.filter((each) => each === node).length)).toEqual([most, 2 * most, 2 * most, most])
  })

  it('are of nodes, and not of amounts, and of processors', () => {
    expect(() => starts([spec('A', 'cpu', 1, 1, 1)], { maxCpusPerNode: { cpu: 3 } })).toThrow('queues have processors of nodes, but reservations are of amounts.')
    const cluster = instantCluster({ nodes: [{ count: 2, resources: { disks: 4 } }] })
    expect(() => run({ cluster, jobs: [job({ demand: { disks: 1 } })], policy: replan(fifo(), { nodes: 'named', maxCpusPerNode: { cpu: 3 } }) })).toThrow('the cluster has no processors. Leave it out.')
  })
})
