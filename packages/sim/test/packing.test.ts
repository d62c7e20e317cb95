import { buildCluster, CellState, placedBlocks, Shapes, Work } from '@sched/cluster'
import { None, type JobId, type NodeId } from '@sched/core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Packing } from '../src/autoscale/packing.js'

it('puts shares of devices and whole ones where nodes would take them, also after tasks are taken back and rows were closed', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('put' as const), gpu: fc.constantFrom(200, 300, 500, 600, 700, 1000, 2000, 3000), cpu: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ kind: fc.constantFrom('back' as const, 'close' as const, 'open' as const), row: fc.integer({ min: 0, max: 2 }) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.array(fc.constantFrom(300, 600, 1000), { maxLength: 4 }), (steps, before) => {
      const model = buildCluster({ nodes: [{ count: 3, resources: { cpu: 12 }, devices: { gpu: 3 } }] })
      const shapes = new Shapes(model)
      const cell = new CellState(model, shapes, { validate: true })
      for (const shape of before.map((gpu) => shapes.intern({ gpu, cpu: 1 }, undefined))) if (cell.fits(shape, 1 as NodeId)) cell.take(shape, 1 as NodeId)
      const packing = new Packing(cell, new Work(model, shapes, placedBlocks(model, 1)))
      for (let node = 0; node < 3; node++) packing.add(node as NodeId)
      const nodes = Array.from({ length: 3 }, () => ({ isOpen: true, held: [] as { shape: ReturnType<Shapes['intern']>; devices: number }[] }))
      for (const each of steps) {
        if (each.kind === 'put') {
          const shape = shapes.intern({ gpu: each.gpu, cpu: each.cpu }, undefined)
          const row = nodes.findIndex(({ isOpen }, node) => isOpen && cell.fits(shape, node as NodeId))
          expect(packing.putOne({ job: 0 as JobId, shape })).toBe(row < 0 ? None : row)
          if (row >= 0) nodes[row]?.held.push({ shape, devices: cell.take(shape, row as NodeId) })
          continue
        }
        const here = nodes[each.row] as (typeof nodes)[number]
        if (each.kind === 'close') packing.close(each.row)
        else if (each.kind === 'open') packing.open(each.row)
        if (each.kind !== 'back') here.isOpen = each.kind === 'open'
        const last = each.kind === 'back' ? here.held.pop() : undefined
        if (last === undefined) continue
        packing.takeBack(each.row)
        cell.give(last.shape, each.row as NodeId, last.devices)
      }
    }),
    { numRuns: 150, seed: 5 },
  )
})
