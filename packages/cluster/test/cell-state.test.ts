import type { LaneId, NodeId, ResourceId, ShapeId } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildCluster, CellState, Shapes, type ClusterModel } from '../src/index.js'

const slots = buildCluster({ nodes: [{ name: 'a', count: 3, slots: { map: 2, reduce: 1 } }, { name: 'b', count: 2, slots: { map: 1 } }] })
const vectors = buildCluster({ nodes: [{ name: 'a', count: 3, resources: { cpu: 4, mem: 8 } }, { name: 'b', count: 2, resources: { cpu: 2, mem: 16, gpu: 1 } }] })
const demands = {
  slots: [{ map: 1 }, { map: 2 }, { reduce: 1 }],
  vectors: [{ cpu: 2, mem: 4 }, { cpu: 1, mem: 8 }, { cpu: 1, gpu: 1 }, { mem: 1 }],
}

describe('Shapes', () => {
  it('gives equal demands one shape, whatever the order and the zeroes of their fields', () => {
    const shapes = new Shapes(vectors)
    const shape = shapes.intern({ cpu: 2, mem: 4 })
    expect(shapes.intern({ mem: 4, gpu: 0, cpu: 2 })).toBe(shape)
    expect(shapes.intern({ cpu: 4, mem: 2 })).not.toBe(shape)
    expect([0, 1, 2].map((resource) => shapes.amount(shape, resource))).toEqual([2, 4, 0])
  })

  it('leaves out resources by the list that is given, however often it is asked', () => {
    const shapes = new Shapes(vectors)
    const [cpu, mem] = [[0], [1]] as unknown as readonly ResourceId[][]
    const both = shapes.intern({ cpu: 2, mem: 4 })
    const less = [cpu, mem, cpu, [0] as unknown as ResourceId[]].map((freed) => shapes.without(both, freed as readonly ResourceId[]))
    expect(less.map((shape) => [0, 1].map((resource) => shapes.amount(shape as ShapeId, resource)))).toEqual([[0, 4], [2, 0], [0, 4], [0, 4]])
    expect(less[2]).toBe(less[0])
    expect(shapes.without(shapes.intern({ cpu: 1 }), cpu as readonly ResourceId[])).toBe(-1)
  })

  it('knows the smallest amount of each resource that a lane is asked for', () => {
    const shapes = new Shapes(vectors)
    let fell = 0
    shapes.watchLeast(() => fell++)
    shapes.intern({ cpu: 2, mem: 4, gpu: 1 })
    expect(shapes.least.map(({ amounts }) => amounts)).toEqual([[2, 4, 1]])
    shapes.intern({ cpu: 3, mem: 1, gpu: 1 })
    expect(shapes.least.map(({ amounts }) => amounts)).toEqual([[2, 1, 1]])
    shapes.intern({ cpu: 2, mem: 2, gpu: 1 })
    expect(fell).toBe(2)
    shapes.intern({ cpu: 9 }) // asks 0 of the others
    expect(shapes.least.map(({ amounts }) => amounts)).toEqual([[2, 0, 0]])
  })

  it('tells what some empty node could run: all resources on one node', () => {
    const shapes = new Shapes(vectors)
    expect(shapes.feasible(shapes.intern({ cpu: 4, mem: 8 }))).toBe(true)
    expect(shapes.feasible(shapes.intern({ cpu: 4, mem: 16 }))).toBe(false) // 4 cpu on the one kind, 16 of mem on the other
    expect(shapes.feasible(shapes.intern({ cpu: 5 }))).toBe(false)
  })

  it.each([
    [{ cpu: 1.5, mem: 1 }, /a task asks 1.5 of cpu.*whole numbers from 0 to 2147483647: count in a smaller unit/],
    [{ cpu: -1, mem: 1 }, /a task asks -1 of cpu.*to 2147483647\.$/],
    [{ cpu: 2 ** 31 }, /a task asks 2147483648 of cpu.*: count in a larger unit/],
    [{ cpu: NaN }, /a task asks NaN of cpu/],
    [{ cpu: 0 }, /asks for nothing/],
    [{}, /asks for nothing/],
    [{ cores: 1 }, /no resource "cores"; it has cpu, mem, gpu/],
  ])('refuses the demand %j', (demand, message) => {
    expect(() => new Shapes(vectors).intern(demand)).toThrow(message)
  })

  it('refuses a task that asks for slots of two types', () => {
    expect(() => new Shapes(slots).intern({ map: 1, reduce: 1 })).toThrow(/slots of two types.*resources instead/)
  })
})

describe.each([
  ['slots', slots],
  ['vectors', vectors],
] as const)('CellState of %s', (kind, model: ClusterModel) => {
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.record({ shape: fc.nat({ max: demands[kind].length - 1 }), node: fc.nat({ max: 4 }), give: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ node: fc.nat({ max: 4 }), up: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ learn: fc.nat({ max: demands[kind].length - 1 }) }) },
  )

  it('agrees with a recount of what is taken, and finds the next node with room as a scan does', { tags: 'long' }, () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const shapes = new Shapes(model)
        const cell = new CellState(model, shapes, { validate: true })
        const taken: { shape: ShapeId; node: NodeId }[] = []
        const known = new Set<ShapeId>()
        const down = new Set<NodeId>()
        const total = (r: number, node: number) => model.total[r * model.nodes + node] as number
        const free = (r: number, node: number) => total(r, node) - taken.filter((each) => each.node === node).reduce((sum, each) => sum + shapes.amount(each.shape, r), 0)
        const canRun = (shape: ShapeId, node: NodeId) => !down.has(node) && model.resources.every((_, r) => free(r, node) >= shapes.amount(shape, r))
        /** The lane's smallest amount of each resource, over all shapes known, is free. */
        const hasRoom = (lane: LaneId, node: NodeId) => {
          const ofLane = [...known].filter((shape) => shapes.of(shape).lane === lane)
          return !down.has(node) && ofLane.length > 0 && (model.lanes[lane]?.resources ?? []).every((r) => free(r, node) >= Math.min(...ofLane.map((shape) => shapes.amount(shape, r))))
        }
        const intern = (index: number) => {
          const shape = shapes.intern(demands[kind][index] ?? {})
          known.add(shape)
          return shape
        }
        for (const each of steps) {
          if ('learn' in each) intern(each.learn)
          else if ('up' in each) {
            cell.setUp(each.node as NodeId, each.up)
            if (each.up) down.delete(each.node as NodeId)
            else down.add(each.node as NodeId)
          } else {
            const node = each.node as NodeId
            const shape = intern(each.shape)
            const at = taken.findIndex((other) => other.shape === shape && other.node === node)
            expect(cell.fits(shape, node)).toBe(canRun(shape, node))
            if (each.give && at >= 0) {
              cell.give(shape, node)
              taken.splice(at, 1)
            } else if (cell.fits(shape, node)) {
              cell.take(shape, node)
              taken.push({ shape, node })
            }
          }
          for (const [r] of model.resources.entries()) {
            expect(cell.capacity(r as never)).toBe(Array.from({ length: model.nodes }, (_, node) => (down.has(node as NodeId) ? 0 : total(r, node))).reduce((sum, amount) => sum + amount, 0))
            for (let node = 0; node < model.nodes; node++) expect(cell.free(node as NodeId, r as never)).toBe(free(r, node))
          }
          for (const [lane] of model.lanes.entries())
            for (let from = 0; from <= model.nodes; from++) {
              const roomy = Array.from({ length: model.nodes }, (_, node) => node as NodeId).find((node) => node >= from && hasRoom(lane as LaneId, node))
              expect(cell.nextWithRoom(lane as LaneId, from)).toBe(roomy ?? -1)
            }
        }
      }),
      { seed: 5, numRuns: 60 },
    )
  })

  it('finds out when more is taken or given than there is', () => {
    const shapes = new Shapes(model)
    const cell = new CellState(model, shapes, { validate: true })
    const shape = shapes.intern(demands[kind][1] ?? {})
    expect(() => cell.give(shape, 0 as NodeId)).toThrow(/node a-0 would have \d+ of \w+ free of \d+/)
    expect(() => { for (let i = 0; i < 9; i++) cell.take(shape, 1 as NodeId) }).toThrow(/node a-1 would have -/)
  })

  it('moves all that is free to a stock and back', () => {
    const shapes = new Shapes(model)
    const cell = new CellState(model, shapes)
    const stock = cell.stock()
    const shape = shapes.intern(demands[kind][0] ?? {})
    const lane = shapes.of(shape).lane
    cell.take(shape, 1 as NodeId)
    const before = [...cell.freeAmounts]
    cell.moveAllTo(stock)
    expect([[...cell.freeAmounts].every((amount) => amount === 0), [...stock.freeAmounts]]).toEqual([true, before])
    expect([cell.nextWithRoom(lane, 0), stock.nextWithRoom(lane, 0)]).toEqual([-1, 0])
    stock.moveAllTo(cell)
    expect([...cell.freeAmounts]).toEqual(before)
    expect([cell.nextWithRoom(lane, 0), stock.nextWithRoom(lane, 0)]).toEqual([0, -1])
  })

  it('has room in stock on no node that has gone down since it was looked at', () => {
    const shapes = new Shapes(model)
    const cell = new CellState(model, shapes)
    const stock = cell.stock()
    const shape = shapes.intern(demands[kind][0] ?? {})
    const lane = shapes.of(shape).lane
    cell.moveAllTo(stock)
    const look = () => [stock.hasRoom(lane, 0 as NodeId), stock.nextWithRoom(lane, 0), stock.hasFitted(shape, 0 as NodeId)]
    stock.noteFit(shape, 0 as NodeId)
    expect(look()).toEqual([true, 0, true])
    cell.setUp(0 as NodeId, false)
    expect(look()).toEqual([false, 1, false])
    cell.setUp(0 as NodeId, true)
    expect(look()).toEqual([true, 0, false])
  })

  it('moves no more of a node than is asked for', () => {
    const cell = new CellState(model, new Shapes(model))
    const stock = cell.stock()
    const node = 1 as NodeId
    const all = model.resources.map((_, r) => cell.free(node, r as ResourceId))
    cell.moveNodeTo(stock, node, all.map((amount, r) => (r === 0 ? 1 : amount + 5)))
    expect(model.resources.map((_, r) => [cell.free(node, r as ResourceId), stock.free(node, r as ResourceId)])).toEqual(all.map((amount, r) => (r === 0 ? [amount - 1, 1] : [0, amount])))
    stock.moveAllTo(cell)
    expect(model.resources.map((_, r) => cell.free(node, r as ResourceId))).toEqual(all)
  })

  it('keeps a slot that the cell is given while all others are in stock', () => {
    const cell = new CellState(slots, new Shapes(slots), { validate: true })
    const stock = cell.stock()
    const [node, map] = [0 as NodeId, 0 as ResourceId]
    cell.withhold(node, map, 1)
    cell.moveAllTo(stock)
    cell.withhold(node, map, -1)
    stock.moveAllTo(cell)
    expect([cell.free(node, map), stock.free(node, map)]).toEqual([2, 0])
  })
})
