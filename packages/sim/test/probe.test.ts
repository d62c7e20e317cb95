import type { ClusterDescription } from '@sched/cluster'
import type { JobSpec } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { probe } from '../src/index.js'
import { inOrder, serial, workloadOf } from './world.js'

/** Three kinds of task slots on unlike servers. */
const servers: ClusterDescription = {
  nodes: [
    { name: 'master', count: 1, resources: { container: 4 }, hardware: { cores: 8, memory: 8 } },
    { name: 'slave', count: 2, resources: { container: 4 }, hardware: { cores: 2, memory: 1 } },
  ],
}
const wordcount = (tasks: number): JobSpec => ({
  id: 'probe', submit: 0,
  stages: [{ name: 'map', tasks, demand: { container: 1 }, duration: 10, use: { cores: 1, memory: 0.5 } }],
})
const probed = (change: Partial<Parameters<typeof probe>[0]> = {}) =>
  probe({ cluster: servers, workload: workloadOf([wordcount(6)]), policy: inOrder, architecture: serial(), runtime: { jitter: 0 }, ...change })

describe('a probe of the nodes', () => {
  it('runs its job on each node alone and looks at it at ten instants', () => {
    const [master, slave, twin] = probed()
    // the master runs 4 tasks from 0 to 10 and 2 until 20; use of 8 cores, and of 8 GB by 0.5 each
    expect(master).toEqual({
      node: 'master-0', seconds: 20, cores: 8, memory: 8, at: [1, 3, 5, 7, 9, 11, 13, 15, 17, 19],
      cpuUse: [0.5, 0.5, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.25, 0.25],
      memoryUse: [0.25, 0.25, 0.25, 0.25, 0.25, 0.125, 0.125, 0.125, 0.125, 0.125],
    })
    // 4 tasks on 2 cores take 20 s, 2 take 10 s: all cores and all memory are in use to the end
    expect(slave).toEqual({ node: 'slave-0', seconds: 30, cores: 2, memory: 1, at: [1.5, 4.5, 7.5, 10.5, 13.5, 16.5, 19.5, 22.5, 25.5, 28.5], cpuUse: Array.from({ length: 10 }, () => 1), memoryUse: Array.from({ length: 10 }, () => 1) })
    expect(twin).toEqual({ ...slave, node: 'slave-1' })
  })

  it('probes the nodes that it is told to, as often as it is told to', () => {
    const [slave, ...others] = probed({ nodes: ['slave-1'], instants: 2 })
    expect(others).toEqual([])
    expect(slave).toMatchObject({ node: 'slave-1', at: [7.5, 22.5] })
  })

  it('goes by what is claimed where nothing says what nodes really have', () => {
    const cluster = { nodes: [{ count: 1, resources: { cpu: 4, memory: 8 } }] }
    const job: JobSpec = { id: 'probe', submit: 0, stages: [{ name: 'map', tasks: 3, demand: { cpu: 1, memory: 1 }, duration: 10 }] }
    expect(probed({ cluster, workload: workloadOf([job]), instants: 1 })).toEqual([{ node: 'node-0', seconds: 10, cores: 4, memory: 8, at: [5], cpuUse: [0.75], memoryUse: [0.375] }])
  })

  it('refuses absent nodes, hardware without processors, jobs that a node cannot run, and no look at all', () => {
    expect(() => probed({ nodes: ['slave-2'] })).toThrow('no node is called "slave-2". Did you mean "slave-0"?')
    expect(() => probed({ cluster: { nodes: [{ count: 1, resources: { container: 1 }, hardware: { disks: 1 } }] } })).toThrow('nothing of the cluster stands for cores: it has disks.')
    expect(() => probed({ cluster: { nodes: [{ count: 1, resources: { slot: 1 } }] } })).toThrow(/container/)
    expect(() => probed({ instants: 0 })).toThrow('a probe looks 0 times.')
  })
})
