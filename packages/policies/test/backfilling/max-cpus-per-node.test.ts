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

  it('are of nodes, and not of amounts, and of processors', () => {
    expect(() => starts([spec('A', 'cpu', 1, 1, 1)], { maxCpusPerNode: { cpu: 3 } })).toThrow('queues have processors of nodes, but reservations are of amounts.')
    const cluster = instantCluster({ nodes: [{ count: 2, resources: { disks: 4 } }] })
    expect(() => run({ cluster, jobs: [job({ demand: { disks: 1 } })], policy: replan(fifo(), { nodes: 'named', maxCpusPerNode: { cpu: 3 } }) })).toThrow('the cluster has no processors. Leave it out.')
  })
})
