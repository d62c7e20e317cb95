import type { ClusterView, JobId, LaneId, NodeId, ResourceId, ShapeId, TaskId, WorkView } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { laws, play, worlds, type World } from '../src/index.js'
import { DeviceUse } from '../src/laws/device-use.js'
import { inOrder } from './policies.js'

const sample = fc.sample(worlds({ devices: true }), { seed: 3, numRuns: 300 })

describe('worlds with devices', () => {
  it('have nodes with devices and without, and tasks that ask for shares, for one and for two', () => {
    const counts = new Set(sample.flatMap(({ cluster }) => cluster.nodes.map(({ devices }) => devices?.['gpu']?.count ?? 0)))
    expect([...counts].sort()).toEqual([0, 1, 2, 3, 4])
    expect(sample.every(({ cluster }) => cluster.nodes.some(({ devices }) => devices !== undefined))).toBe(true)
    const asked = new Set(sample.flatMap(({ jobs }) => jobs.flatMap(({ stages }) => stages.map(({ demand }) => demand['gpu'] ?? 0))))
    expect([...asked].sort((a, b) => a - b)).toEqual([0, 300, 500, 700, 1000, 2000])
  })

  it('have tasks that share a device, and tasks that hold whole ones', () => {
    const used = sample.slice(0, 60).map((world) => play(world, inOrder).rounds.devices)
    expect(used.map(({ wrong }) => wrong).filter((wrong) => wrong !== undefined)).toEqual([])
    expect(used.some(({ mostSharers }) => mostSharers > 1)).toBe(true)
  })

  it('are drawn where they are asked for alone', () => {
    expect(fc.sample(worlds(), { seed: 3, numRuns: 300 }).some(({ cluster }) => cluster.nodes.some(({ devices }) => devices !== undefined))).toBe(false)
  })
})

describe('the count of devices', () => {
  /** Tasks that start on a node of two GPUs, each with what it asks and the devices that it is given, one bit each. */
  const counted = (...tasks: readonly (readonly [amount: number, bits: number])[]) => {
    const use = new DeviceUse()
    const cluster = { resources: ['cpu', 'gpu'], deviceSize: (r: ResourceId) => (r === 1 ? 1000 : 0), devices: (_: NodeId, r: ResourceId) => (r === 1 ? 2 : 0), name: () => 'n0' }
    const work = { name: () => 'j', shapeOf: (task: TaskId) => task as number as ShapeId, demand: (shape: ShapeId, r: ResourceId) => (r === 1 ? (tasks[shape]?.[0] ?? 0) : 1), devicesOf: (task: TaskId) => tasks[task]?.[1] ?? 0 }
    use.onRunStart({ cluster: cluster as unknown as ClusterView, work: work as unknown as WorkView })
    for (const task of tasks.keys()) use.onTaskStart(task as TaskId, 0 as JobId, 0 as LaneId, 0 as NodeId, 0, 5)
    return use
  }

  it('finds none wrong where shares fill a device, and one is used again', () => {
    const use = counted([500, 0b01], [500, 0b01], [1000, 0b10])
    use.onTaskEnd(2 as TaskId)
    use.onTaskStart(2 as TaskId, 0 as JobId, 0 as LaneId, 0 as NodeId, 0, 6)
    expect([use.wrong, use.mostSharers]).toEqual([undefined, 2])
  })

  it('finds shares that do not fit on their device, though the node has room', () => {
    expect(counted([700, 0b01], [500, 0b01]).wrong).toBe('1200 of 1000 of gpu 0 of n0 are in use')
    const sound = play(sample[0] as World, inOrder)
    expect([laws.capacity(sound), laws.capacity({ ...sound, rounds: { ...sound.rounds, devices: counted([700, 0b01], [500, 0b01]) } })]).toEqual([undefined, '1200 of 1000 of gpu 0 of n0 are in use'])
    expect(counted([300, 0b10], [1000, 0b10]).wrong).toBe('1300 of 1000 of gpu 1 of n0 are in use')
  })

  it('finds a task with more or fewer devices than it asks for', () => {
    expect(counted([500, 0b11]).wrong).toBe('at 5 s a task of j holds 2 devices of n0 for 500 of gpu')
    expect(counted([2000, 0b01]).wrong).toBe('at 5 s a task of j holds 1 devices of n0 for 2000 of gpu')
    expect(counted([1000, 0]).wrong).toBe('at 5 s a task of j holds 0 devices of n0 for 1000 of gpu')
  })
})
