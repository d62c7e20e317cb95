import type { JobSpec, LaneId, NodeId, ResourceId, ShapeId, TaskId } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildCluster, CellState, Draft, infeasible, readCluster, Shapes, Work } from '../src/index.js'
import { namedDevices } from '../src/held-devices.js'

const description = { nodes: [
  { name: 'small', count: 1, resources: { cpu: 99 }, devices: { gpu: 2 } },
  { name: 'large', count: 1, resources: { cpu: 99 }, devices: { fpga: { count: 1, milli: 10 }, gpu: { count: 4, milli: 1000 } } },
  { name: 'none', count: 1, resources: { cpu: 99 } },
] }
const model = buildCluster(readCluster(description))
const gpu = model.resources.indexOf('gpu') as ResourceId
const fpga = model.resources.indexOf('fpga') as ResourceId
const [small, large, none] = [0, 1, 2] as NodeId[] as [NodeId, NodeId, NodeId]
const cellOf = () => {
  const shapes = new Shapes(model)
  return { shapes, cell: new CellState(model, shapes, { validate: true }) }
}
const freeOf = (cell: CellState, node: NodeId, resource = gpu) => Array.from({ length: cell.devices(node, resource) }, (_, i) => cell.deviceFree(node, resource, i))

describe('devices', () => {
  it('are counted and sized by node, and their sum is the resource', () => {
    const { cell } = cellOf()
    expect([small, large, none].map((node) => [cell.devices(node, gpu), cell.devices(node, fpga), cell.total(node, gpu), cell.free(node, fpga)])).toEqual([[2, 0, 2000, 0], [4, 1, 4000, 10], [0, 0, 0, 0]])
    expect([cell.deviceSize(gpu), cell.deviceSize(fpga), cell.deviceSize(model.resources.indexOf('cpu') as ResourceId)]).toEqual([1000, 10, 0])
  })

  it('may be called as what all objects of JavaScript know, where other nodes have others', () => {
    const odd = buildCluster({ nodes: [{ name: 'a', count: 1, devices: { gpu: 2 } }, { name: 'b', count: 1, devices: { constructor: { count: 3, milli: 10 } } }] })
    const shapes = new Shapes(odd)
    const cell = new CellState(odd, shapes, { validate: true })
    const [, kind] = odd.resources.map((_, r) => r as ResourceId) as [ResourceId, ResourceId]
    expect([cell.deviceSize(kind), cell.devices(0 as NodeId, kind), cell.devices(1 as NodeId, kind)]).toEqual([10, 0, 3])
    const shape = shapes.intern({ constructor: 20 })
    expect(namedDevices(cell.take(shape, 1 as NodeId), 1 as NodeId, cell)).toEqual({ constructor: [0, 1] })
  })

  it('are no pool: shares of 500, 600 and 600 leave 300 free on two devices, and no room for 501', () => {
    const { cell, shapes } = cellOf()
    const share = (amount: number) => shapes.intern({ gpu: amount })
    cell.take(share(600), small)
    expect([cell.fits(share(500), small), cell.fits(share(1000), small)]).toEqual([true, true])
    cell.take(share(600), small)
    expect(cell.free(small, gpu)).toBe(800)
    expect([400, 401, 500, 800].map((amount) => cell.fits(share(amount), small))).toEqual([true, false, false, false])
  })

  it('hold a share where the least room is enough for it, and whole tasks on whole free devices', () => {
    const { cell, shapes } = cellOf()
    const take = (amount: number) => cell.take(shapes.intern({ gpu: amount }), large)
    expect(freeOf(cell, large)).toEqual([1000, 1000, 1000, 1000])
    take(600) // device 0
    take(700) // device 1
    take(300) // the 300 left on device 1, not the 400 of device 0
    expect(freeOf(cell, large)).toEqual([400, 0, 1000, 1000])
    take(400)
    expect([1000, 2000, 3000].map((amount) => cell.fits(shapes.intern({ gpu: amount }), large))).toEqual([true, true, false])
    const two = take(2000)
    expect([freeOf(cell, large), cell.free(large, fpga)]).toEqual([[0, 0, 0, 0], 10])
    cell.give(shapes.intern({ gpu: 2000 }), large, two)
    expect(freeOf(cell, large)).toEqual([0, 0, 1000, 1000])
  })

  it('go back to the device that a task held, not to another with the same share', () => {
    const { cell, shapes } = cellOf()
    const half = shapes.intern({ gpu: 500 })
    const [first, , third] = [cell.take(half, small), cell.take(half, small), cell.take(half, small)]
    cell.give(half, small, first)
    expect(freeOf(cell, small)).toEqual([500, 500])
    expect(cell.fits(shapes.intern({ gpu: 1000 }), small)).toBe(false)
    cell.give(half, small, third)
    expect(freeOf(cell, small)).toEqual([500, 1000])
  })

  it('of two kinds are held together', () => {
    const { cell, shapes } = cellOf()
    const both = shapes.intern({ gpu: 1000, fpga: 5, cpu: 1 })
    expect([small, large, none].map((node) => cell.fits(both, node))).toEqual([false, true, false])
    const held = cell.take(both, large)
    expect([freeOf(cell, large), freeOf(cell, large, fpga)]).toEqual([[0, 1000, 1000, 1000], [5]])
    cell.give(both, large, held)
    expect([freeOf(cell, large), freeOf(cell, large, fpga)]).toEqual([[1000, 1000, 1000, 1000], [10]])
  })

  it('decide what an empty cluster could ever hold', () => {
    const shapes = new Shapes(model)
    expect([4000, 5000].map((amount) => shapes.feasible(shapes.intern({ gpu: amount })))).toEqual([true, false])
    // shares of 400: two on each of 6 devices; pairs of devices: 1 + 2
    expect([400, 2000].map((amount) => shapes.most(shapes.intern({ gpu: amount }), 100))).toEqual([12, 3])
  })

  it.each([[1500], [1001]])('refuse %i: more than one device and not whole ones', (amount) => {
    expect(() => new Shapes(model).intern({ gpu: amount })).toThrow(`demand: a task asks ${amount} of gpu, which comes in devices of 1000. Ask for a share of one device (up to 1000) or for whole ones (a multiple of 1000).`)
  })

  it('are moved to a stock and back, whichever is emptier', () => {
    const { cell, shapes } = cellOf()
    const share = shapes.intern({ gpu: 700 })
    cell.take(share, small)
    const stock = cell.stock()
    cell.moveAllTo(stock)
    expect([freeOf(cell, small), freeOf(stock, small)]).toEqual([[0, 0], [300, 1000]])
    const held = stock.take(share, small)
    stock.moveAllTo(cell)
    expect([freeOf(cell, small), freeOf(stock, small), cell.fits(share, small)]).toEqual([[300, 300], [0, 0], false])
    cell.give(share, small, held)
    expect(freeOf(cell, small)).toEqual([300, 1000])
  })

  it('are moved in part from the first on', () => {
    const { cell } = cellOf()
    const stock = cell.stock()
    cell.moveNodeTo(stock, small, Array.from(cell.resources, () => 1300))
    expect([freeOf(cell, small), freeOf(stock, small)]).toEqual([[0, 700], [1000, 300]])
    stock.moveAllTo(cell)
    expect(freeOf(cell, small)).toEqual([1000, 1000])
  })

  it('agree with plain lists of free amounts in any order of starts and ends', () => {
    const amounts = [100, 300, 500, 700, 1000, 2000, 3000]
    const step = fc.record({ amount: fc.constantFrom(...amounts), node: fc.constantFrom(small, large), end: fc.boolean(), which: fc.nat() })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const { cell, shapes } = cellOf()
        const plain = new Map<NodeId, number[]>([[small, [1000, 1000]], [large, [1000, 1000, 1000, 1000]]])
        const running: { shape: ShapeId; node: NodeId; held: number; on: number[]; each: number }[] = []
        for (const { amount, node, end, which } of steps) {
          const free = plain.get(node)!
          if (end && running.length > 0) {
            const [task] = running.splice(which % running.length, 1)
            cell.give(task!.shape, task!.node, task!.held)
            for (const device of task!.on) plain.get(task!.node)![device]! += task!.each
          } else {
            const shape = shapes.intern({ gpu: amount })
            const each = Math.min(amount, 1000)
            const candidates = free.map((_, device) => device).filter((device) => free[device]! >= each).sort((a, b) => free[a]! - free[b]! || a - b)
            const on = candidates.slice(0, amount / each)
            expect(cell.fits(shape, node)).toBe(on.length === amount / each)
            if (on.length < amount / each) continue
            running.push({ shape, node, held: cell.take(shape, node), on, each })
            for (const device of on) free[device]! -= each
          }
          for (const node of [small, large]) expect(freeOf(cell, node)).toEqual(plain.get(node))
        }
      }),
      { seed: 5, numRuns: 150 },
    )
  })
})

describe('a draft over devices', () => {
  const share = (id: string, amount: number): JobSpec => ({ id, submit: 0, stages: [{ name: 's', tasks: 2, demand: { gpu: amount }, duration: 1 }] })
  function world() {
    const { cell, shapes } = cellOf()
    const work = new Work(model, shapes)
    const owner = work.addListener({})
    const sink = { explained: false, start: (tasks: readonly TaskId[], from: number) => tasks.slice(from).forEach((task) => work.setRunStart(work.taskRun[task] as number, 0)), kill: (task: TaskId) => work.unclaim(task, 'evicted'), abandon: () => undefined, reserve: () => undefined, defer: () => undefined, wakeAt: () => undefined }
    const drafts = [new Draft(cell, work, sink, owner), new Draft(cell, work, sink, owner)] as const
    for (const spec of [share('a', 600), share('b', 500)]) work.open(work.submit(spec, 0, owner))
    const [a, b] = [[0, 1], [2, 3]].map((ids) => ids.map((id) => id as TaskId)) as [[TaskId, TaskId], [TaskId, TaskId]]
    return { cell, work, drafts, a, b, lane: 0 as LaneId, nodes: [small, large, none] }
  }

  it('takes back claims and evictions on the very devices', () => {
    const { cell, drafts: [draft], a, b, lane, nodes } = world()
    draft.begin(0, lane, nodes)
    draft.claim(a[0], small)
    draft.claim(a[1], small)
    draft.commit({ conflict: 'none', atomic: false })
    draft.begin(1, lane, nodes)
    expect(draft.claim(b[0], small)).toBe(false)
    draft.evict(a[1])
    expect([draft.claim(b[0], small), draft.claim(b[1], small), freeOf(cell, small)]).toEqual([true, true, [400, 0]])
    draft.rollback(0 as never)
    expect(freeOf(cell, small)).toEqual([400, 400])
  })

  it('finds other devices, or a conflict, when it is committed after another one', () => {
    const { cell, work, drafts: [late, early], a, b, lane, nodes } = world()
    late.begin(0, lane, nodes)
    late.claim(b[0], small)
    late.suspend()
    expect(freeOf(cell, small)).toEqual([1000, 1000])
    early.begin(0, lane, nodes)
    early.claim(a[0], small)
    early.commit({ conflict: 'none', atomic: false })
    expect(late.commit({ conflict: 'fit', atomic: false }).accepted).toEqual([b[0]])
    expect([freeOf(cell, small), work.devicesOf(b[0])]).toEqual([[400, 500], 2])
    late.begin(1, lane, nodes)
    late.claim(b[1], small)
    late.suspend()
    early.begin(1, lane, nodes)
    early.claim(a[1], large)
    early.commit({ conflict: 'none', atomic: false })
    expect(late.commit({ conflict: 'fit', atomic: false }).conflicted).toEqual([])
    expect(freeOf(cell, small)).toEqual([400, 0])
  })
})

describe('a description of devices', () => {
  it('may give a number, for devices of 1000', () => {
    expect(readCluster({ nodes: 2, devices: { gpu: 8 } }).nodes).toEqual([{ count: 2, devices: { gpu: { count: 8, milli: 1000 } } }])
    expect(readCluster(readCluster(description))).toEqual(readCluster(description))
  })

  it.each([
    [{ nodes: 1, devices: { gpu: 31 } }, /devices\.gpu: found 31, expected at most 30/],
    [{ nodes: [{ count: 1, devices: { gpu: 1 } }, { count: 1, devices: { gpu: { count: 1, milli: 100 } } }] }, /nodes\[1\]\.devices\.gpu: devices of 1000 and of 100 milli/],
    [{ nodes: [{ count: 1, devices: { gpu: 1 } }, { count: 1, resources: { gpu: 1 } }] }, /nodes\[1\]\.resources\.gpu: is a resource here and comes in devices/],
    [{ nodes: 1, devices: { gpu: 1 }, slots: { map: 1 } }, /devices: devices stand beside slots/],
    [{ nodes: 1, devices: { gpu: 20, fpga: 20 } }, /devices: more than 30 devices on a node\. Give it fewer, or describe them as a resource, which is counted alone\./],
    [{ nodes: 1, devices: { gpu: { count: 1, mili: 1 } } }, /unknown key "mili"\. Did you mean "milli"\?/],
  ])('%j is refused', (value, message) => {
    expect(() => readCluster(value)).toThrow(message)
  })
})

it('tells who asks for thousandths of GPUs that the nodes count whole how to describe these', () => {
  const why = (resources: Readonly<Record<string, number>>, demand: Readonly<Record<string, number>>) => {
    const model = buildCluster(readCluster({ name: 'c', nodes: 2, resources }))
    return infeasible({ id: 'j', submit: 0, stages: [{ name: 's', tasks: 1, demand, duration: 1 }] }, model, new Shapes(model))?.message
  }
  expect(why({ cpu: 8, gpu: 4 }, { cpu: 1, gpu: 2000 })).toBe('a task of job j asks {"cpu":1,"gpu":2000}, more than any node of c has. Thousandths of gpu are asked for, and nodes have up to 4: describe them as devices of 1000 each, `devices: { gpu: 4 }`.')
  expect(why({ cpu: 8, gpu: 4 }, { cpu: 1, gpu: 5 })).toBe('a task of job j asks {"cpu":1,"gpu":5}, more than any node of c has. Use larger nodes.')
  expect(why({ cpu: 8, gpu: 0 }, { cpu: 1, gpu: 2000 })).toBe('a task of job j asks {"cpu":1,"gpu":2000}, more than any node of c has. Use larger nodes.')
})
