import { describe, expect, it } from 'vitest'
import { partitioned, type PartitionedOptions } from '../src/index.js'
import { cpuJob, cpus, play } from './world.js'

const none = { job: 0, task: 0 }
const racks = { nodes: [{ name: 'a', count: 2, racks: ['north', 'hall 1'], resources: { cpu: 4 } }, { name: 'b', count: 2, racks: ['south', 'hall 1'], resources: { cpu: 4 } }, { name: 'c', count: 1, racks: ['east', 'hall 2'], resources: { cpu: 4 } }] }
/** Nodes that each class of jobs may use, when there are more tasks than it has room for. */
const used = (partitions: PartitionedOptions['partitions'], cluster = racks) => {
  const jobs = ['x', 'y'].map((own) => cpuJob(own, { class: own, tasks: 40, duration: 10 }))
  const { recorder } = play(partitioned({ partitions, decision: none }), jobs, { cluster, until: 5 })
  return ['x', 'y'].map((own) => [...new Set(recorder.launches.filter(({ job }) => job === own).map(({ node }) => node))].join(' '))
}

describe('partitions', () => {
  it('have the nodes they name, by node, rack, larger group, fraction or as the rest', () => {
    expect(used({ x: { nodes: { names: ['a-1', 'c-0'] } }, y: { nodes: 'rest' } })).toEqual(['a-1 c-0', 'a-0 b-0 b-1'])
    expect(used({ x: { nodes: { groups: ['south/hall 1'] } }, y: { nodes: 'rest' } })).toEqual(['b-0 b-1', 'a-0 a-1 c-0'])
    expect(used({ x: { nodes: { groups: ['hall 1'] } }, y: { nodes: { groups: ['hall 2'] } } })).toEqual(['a-0 a-1 b-0 b-1', 'c-0'])
    expect(used({ x: { nodes: { fraction: 0.4 } }, y: { nodes: { fraction: 0.6 } } })).toEqual(['a-0 a-1', 'b-0 b-1 c-0'])
    expect(used({ x: { nodes: { fraction: 0.4 } }, y: { nodes: { names: ['a-0'] } }, z: { nodes: 'rest' } })).toEqual(['a-1 b-0', 'a-0'])
  })

  it('decide in parallel and use nothing of each other', () => {
    const jobs = [cpuJob('x', { class: 'x', tasks: 10, duration: 9 }), cpuJob('y', { class: 'y', duration: 9 })]
    const { decided, recorder } = play(partitioned({ partitions: { x: { nodes: { fraction: 0.5 }, decision: { job: 4, task: 0 } }, y: { nodes: 'rest' } }, decision: { job: 2, task: 0 } }), jobs)
    expect(decided.lines().slice(0, 2)).toEqual(['y y#1 0-2: 1 claimed, 1 accepted, 0 conflicted, 0 left', 'x x#1 0-4: 8 claimed, 8 accepted, 0 conflicted, 2 left'])
    expect(recorder.launches.filter(({ time }) => time > 4).map(({ job }) => job)).toEqual(['x', 'x']) // not before its own nodes are free
  })

  it('may be a number of equal parts, among which jobs are divided', () => {
    const jobs = Array.from({ length: 40 }, (_, i) => cpuJob(`j${i}`, { submit: i }))
    const { recorder } = play(partitioned({ partitions: 4, decision: none }), jobs)
    expect(new Set(recorder.launches.map(({ node }) => node)).size).toBe(4)
  })

  it('leave a job out that none of their nodes can run, where such jobs are left out', () => {
    const cluster = { nodes: [{ name: 'a', count: 1, resources: { cpu: 2 } }, { name: 'b', count: 1, resources: { cpu: 8 } }] }
    const architecture = partitioned({ partitions: { x: { nodes: { names: ['a-0'] } }, y: { nodes: 'rest' } } })
    const jobs = [cpuJob('j', { class: 'x', demand: { cpu: 4 } }), cpuJob('k', { class: 'y', demand: { cpu: 4 } })]
    expect(() => play(architecture, jobs, { cluster })).toThrow('a task of job j asks {"cpu":4}, more than any node of partition "x" has. Give the partition larger nodes.')
    expect(Object.keys(play(architecture, jobs, { cluster, infeasible: 'reject' }).recorder.finishes())).toEqual(['k'])
  })

  it('of one node work, too', () => {
    expect(play(partitioned({ partitions: 1 }), [cpuJob('a', { tasks: 9 })], { cluster: cpus(1, 4) }).recorder.launches.length).toBe(9)
  })
})
