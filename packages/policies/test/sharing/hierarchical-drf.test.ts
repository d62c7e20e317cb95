import { dispatcher } from '@sched/cluster'
import { drf, greedy, type DrfOptions } from '@sched/policies'
import { checkPolicyLaws, firstDifference, instantCluster, job, worlds } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstNode } from '../first-node.js'
import { naiveGreedy } from '../reference/disciplines.js'
import { naiveRescaledDrf } from '../reference/rescaled-drf.js'
import { recorded } from '../reference/recorded.js'

// Bhattacharya et al., "Hierarchical Scheduling for Diverse Datacenter Workloads", SoCC 2013, sections 3 and 4.

type Demand = Readonly<Record<string, number>>
/** A cluster of 10 CPU and 10 GPU; an endless job in each queue; its tasks end one at a time, the oldest first. Tasks by queue after so many ends. */
function after(ends: number, demands: Readonly<Record<string, Demand>>, options: DrfOptions): Record<string, number> {
  const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 10, gpu: 10 } }] }), policy: greedy(drf({ by: 'queue', ...options })) })
  for (const [queue, demand] of Object.entries(demands)) master.submit(job({ id: queue, queue, demand, tasks: 5000 }), 0)
  const running = [...master.pass(0).start]
  for (let now = 1; now <= ends; now++) {
    const oldest = running.shift()
    if (oldest !== undefined) master.taskEnded(oldest, now)
    running.push(...master.pass(now).start)
  }
  return Object.fromEntries(Object.keys(demands).map((queue) => [queue, running.filter((each) => each.job === queue).length]))
}

describe('hierarchical drf', () => {
  // two queues; the second holds one that wants CPU as the first does, and one that alone wants GPU
  const queues = { a: { cpu: 1 }, 'b.x': { cpu: 1 }, 'b.y': { gpu: 1 } }

  it('naive, starves a queue whose sibling has what nobody else wants', () => {
    // b.y gets all GPU, so b's share is 1, above a's for ever: each CPU that becomes free is a's
    expect(after(0, queues, {})).toEqual({ a: 5, 'b.x': 5, 'b.y': 10 })
    expect(after(200, queues, {})).toEqual({ a: 10, 'b.x': 0, 'b.y': 10 })
  })

  it('rescaled, keeps for it what a single level of sharing would give', () => {
    expect(after(0, queues, { hierarchy: 'rescaled' })).toEqual({ a: 5, 'b.x': 5, 'b.y': 10 })
    const { a = 0, 'b.x': x = 0, 'b.y': y } = after(200, queues, { hierarchy: 'rescaled' })
    expect([a + x, y]).toEqual([10, 10])
    expect(Math.abs(a - x)).toBeLessThanOrEqual(2)
  })

  it('rescaled, is not held back by a queue that can grow no more', () => {
    // CPU: a, b and c.x 3 each, one more for a; GPU: c.y and d alike, though c.x stays at 3/10
    expect(after(0, { a: { cpu: 1 }, b: { cpu: 1 }, 'c.x': { cpu: 1 }, 'c.y': { gpu: 1 }, d: { gpu: 1 } }, { hierarchy: 'rescaled' })).toEqual({ a: 4, b: 3, 'c.x': 3, 'c.y': 5, d: 5 })
  })

  it('rescaled, divides as TestHDRF of Volcano has it', () => {
    // a asks both, b.x and b.y one each: 5 of 10 of both for a and for b
    expect(after(0, { a: { cpu: 1, gpu: 1 }, 'b.x': { cpu: 1 }, 'b.y': { gpu: 1 } }, { hierarchy: 'rescaled' })).toEqual({ a: 5, 'b.x': 5, 'b.y': 5 })
    // a third of the CPUs each for a, b and c.x, half of the GPUs each for c.y and d, in tasks of a third and of a half: of 9 and of 10
    const { a = 0, b = 0, 'c.x': x = 0, 'c.y': y, d } = after(0, { a: { cpu: 1 }, b: { cpu: 1 }, 'c.x': { cpu: 1 }, 'c.y': { gpu: 1 }, d: { gpu: 1 } }, { hierarchy: 'rescaled', weights: { a: 25, b: 25, c: 25, d: 25, 'c.x': 50, 'c.y': 50 } })
    expect([a + b + x, Math.min(a, b, x), y, d]).toEqual([10, 3, 5, 5])
  })

  it('rescaled, gives weights at every level', () => {
    // b weighs 3: of 10 CPU b.x has 7 or 8 and a the rest
    const { a = 0, 'b.x': x = 0 } = after(300, queues, { hierarchy: 'rescaled', weights: { b: 3 } })
    expect(a + x).toBe(10)
    expect(x).toBeGreaterThanOrEqual(7)
    expect(a).toBeGreaterThanOrEqual(2)
  })

  it('rescaled, goes by ties where shares differ by rounding alone', () => {
    // b.x has 1 of 10 CPU and b.y 3 of 10 GPU, which count as 3 * 0.1 / 0.3 = 1.0000000000000002 beside it; c has 1 of 10 CPU, too
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 10, gpu: 10 } }] }), policy: greedy(drf({ by: 'queue', hierarchy: 'rescaled' })) })
    const submit = (id: string, queue: string, demand: Demand, tasks: number) => master.submit(job({ id, queue, demand, tasks }), 0)
    submit('x1', 'b.x', { cpu: 1 }, 1)
    submit('y1', 'b.y', { gpu: 1 }, 3)
    submit('c1', 'c', { cpu: 1 }, 1)
    master.pass(0)
    submit('c2', 'c', { cpu: 1 }, 1)
    submit('x2', 'b.x', { cpu: 1 }, 1)
    expect(master.pass(1).start.map((each) => each.job)).toEqual(['x2', 'c2'])
  })

  it('rescaled, takes no queue for blocked because of what runs on a drained node', () => {
    // all that a has runs on the node that goes; of the other one all is left, which is z's as the poorer
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 2, resources: { cpu: 4 } }] }), policy: greedy(drf({ by: 'queue', hierarchy: 'rescaled' })) })
    master.submit(job({ id: 'a1', queue: 'a', demand: { cpu: 1 }, tasks: 4 }), 0)
    const [{ node = '' } = {}] = master.pass(0).start
    master.nodeDown(node, 1)
    master.submit(job({ id: 'a2', queue: 'a', demand: { cpu: 1 }, tasks: 4 }), 1)
    master.submit(job({ id: 'z', queue: 'z', demand: { cpu: 1 }, tasks: 4 }), 1)
    expect(master.pass(1).start.map((each) => each.job)).toEqual(['z', 'z', 'z', 'z'])
  })

  it('is the same both ways where queues have no queues inside', () => {
    const flat = { a: { cpu: 1, gpu: 4 }, b: { cpu: 3, gpu: 1 } }
    expect(after(100, flat, { hierarchy: 'rescaled' })).toEqual(after(100, flat, {}))
  })
})

describe('rescaled drf', () => {
  it('decides as a tree that is computed anew at every decision', { tags: 'long' }, () => {
    const weight = fc.constantFrom(0.5, 2, 3)
    const weights = fc.record({ a: weight, b: weight, c: weight, 'c.x': weight }, { requiredKeys: [] }) as fc.Arbitrary<Record<string, number>>
    let launches = 0
    fc.assert(
      fc.property(worlds({ jobs: 10 }), weights, (world, chosen) => {
        const options: DrfOptions = { by: 'queue', hierarchy: 'rescaled', weights: chosen }
        const recorder = recorded(world, greedy(drf(options), firstNode()))
        launches += recorder.launches.length
        expect(firstDifference(recorder, recorded(world, naiveGreedy(naiveRescaledDrf(options))), 'the reference')).toBeUndefined()
      }),
      { seed: 13, numRuns: 40 },
    )
    expect(launches).toBeGreaterThan(240)
  })

  it('keeps the laws of policies', () => {
    expect(checkPolicyLaws(() => greedy(drf({ by: 'queue', hierarchy: 'rescaled' }), firstNode()), { runs: 12 }).launches).toBeGreaterThan(80)
  })
})
