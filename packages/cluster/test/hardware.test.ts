import type { NodeId, ResourceId } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { buildCluster, CellState, Shapes } from '../src/index.js'

const node = (n: number) => n as NodeId

describe('the hardware of nodes', () => {
  const described = buildCluster({
    nodes: [
      { count: 2, slots: { map: 2 }, hardware: { cores: 8, disks: 2 }, speeds: { cores: 1.5 } },
      { count: 1, slots: { map: 2 }, hardware: { cores: 4 }, speed: 3 },
    ],
  })

  it('is what the description says, once somebody measures its use; unknown amounts are infinite', () => {
    const cell = new CellState(described, new Shapes(described))
    cell.hardwareUse.isMeasured = true
    const { hardware } = cell
    expect(hardware.kinds).toEqual(['cores', 'disks'])
    expect([0, 2].map((n) => hardware.amount(node(n), 0))).toEqual([8, 4])
    expect(hardware.amount(node(2), 1)).toBe(Infinity)
    expect([0, 2].map((n) => hardware.speed(node(n), 0))).toEqual([1.5, 1])
    cell.hardwareUse.use[1 * 3 + 2] = 0.7
    cell.hardwareUse.runnable[2] = 5
    expect([hardware.use(node(2), 1), hardware.use(node(2), 0), hardware.runnable(node(2))]).toEqual([0.7, 0, 5])
  })

  it('may be called as what all objects of JavaScript know, where other nodes do not say', () => {
    const { hardware } = buildCluster({ nodes: [{ name: 'a', count: 1, slots: { map: 1 }, hardware: { cores: 8 } }, { name: 'b', count: 1, slots: { map: 1 }, hardware: { valueOf: 2 }, speeds: { valueOf: 3 } }] })
    expect([[...hardware.amounts], [...hardware.speeds]]).toEqual([[8, Infinity, Infinity, 2], [1, 1, 1, 3]])
  })

  it('is what is claimed of the resources where nobody does', () => {
    const model = buildCluster({ nodes: [{ count: 2, resources: { cpu: 4, mem: 8 }, speed: 2 }] })
    const shapes = new Shapes(model)
    const cell = new CellState(model, shapes, { validate: true })
    const shape = shapes.intern({ cpu: 1, mem: 3 })
    cell.take(shape, node(1))
    cell.take(shape, node(1))
    const { hardware } = cell
    expect([hardware.isMeasured, hardware.kinds]).toEqual([false, ['cpu', 'mem']])
    expect([0, 1].map((kind) => [hardware.amount(node(1), kind), hardware.use(node(1), kind), hardware.speed(node(1), kind)])).toEqual([[4, 2, 2], [8, 6, 2]])
    expect([0, 1].map((n) => hardware.runnable(node(n)))).toEqual([0, 2])
    cell.give(shape, node(1))
    expect([hardware.runnable(node(1)), hardware.use(node(1), 0)]).toEqual([1, 1])
  })

  it('counts the tasks of a node whichever state of the cluster they were claimed in', () => {
    const model = buildCluster({ nodes: [{ count: 2, resources: { cpu: 4 } }] })
    const shapes = new Shapes(model)
    const cell = new CellState(model, shapes, { validate: true })
    const offer = cell.stock()
    cell.moveNodeTo(offer, node(0))
    const shape = shapes.intern({ cpu: 1 })
    offer.take(shape, node(0))
    expect(offer.hardware.use(node(0), 0)).toBe(1)
    offer.moveNodeTo(cell, node(0))
    cell.take(shape, node(0))
    expect([cell.hardware.runnable(node(0)), offer.hardware.runnable(node(0)), cell.free(node(0), 0 as ResourceId)]).toEqual([2, 2, 2])
  })
})
