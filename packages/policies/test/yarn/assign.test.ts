import { dispatcher } from '@sched/cluster'
import type { JobSpec } from '@sched/core'
import { fifo, greedy, yarnAssign, yarnFair, type YarnAssignOptions } from '@sched/policies'
import { checkPolicyLaws, cluster, instantCluster, job, type LawOptions } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { firstNode } from '../first-node.js'

const machine = (mem: number) => cluster({ nodes: [{ name: 'n', count: 1, resources: { mem, cpu: 100 } }] })
const tasks = (id: string, mem: number, count = 100): JobSpec => job({ id, queue: id, demand: { mem, cpu: 1 }, tasks: count })
/** How many tasks start in each of some heartbeats of one machine. */
function starts(options: YarnAssignOptions, mem: number, jobs: readonly JobSpec[], beats = 3): number[] {
  const master = dispatcher({ cluster: machine(mem), policy: yarnAssign(greedy(yarnFair()), options) })
  for (const each of jobs) master.submit(each, 0)
  return Array.from({ length: beats }, (_, i) => master.heartbeat('n-0', i).start.length)
}

describe('starts per heartbeat', () => {
  it('are one, unless assignMultiple says otherwise', () => {
    expect(starts({}, 10, [tasks('a', 1)])).toEqual([1, 1, 1])
    expect(starts({ maxAssign: 5, dynamicMaxAssign: false }, 10, [tasks('a', 1)])).toEqual([1, 1, 1])
  })

  it('end when more than half of what was free is taken', () => {
    // 16 free: 9 of 1 are more than half; then 7 free: 4; then 3: 2
    expect(starts({ assignMultiple: true }, 16, [tasks('a', 1)])).toEqual([9, 4, 2])
    // 3 each: 9 > 8; 7 free: 6 > 3.5; 1 free: none fits
    expect(starts({ assignMultiple: true }, 16, [tasks('a', 3)])).toEqual([3, 2, 0])
  })

  it('are at most maxAssign where that counts, and without end where it is -1', () => {
    const fixed = { assignMultiple: true, dynamicMaxAssign: false }
    expect(starts({ ...fixed, maxAssign: 3 }, 10, [tasks('a', 1)])).toEqual([3, 3, 3])
    expect(starts(fixed, 10, [tasks('a', 1)])).toEqual([10, 0, 0])
  })

  it('alternate between queues as the order has it', () => {
    const master = dispatcher({ cluster: machine(10), policy: yarnAssign(greedy(yarnFair()), {}) })
    for (const id of ['a', 'b']) master.submit(tasks(id, 1), 0)
    expect(Array.from({ length: 5 }, (_, i) => master.heartbeat('n-0', i).start[0]?.job).join('')).toBe('ababa')
  })

  it('count a gang as one: it begins where another start is allowed, and is not stopped half way', () => {
    const gang = (id: string, count: number) => job({ id, queue: id, demand: { mem: 1, cpu: 1 }, tasks: count, gang: true })
    expect(starts({}, 10, [gang('a', 3), gang('b', 4)])).toEqual([3, 4, 0])
    expect(starts({ assignMultiple: true, dynamicMaxAssign: false, maxAssign: 2 }, 10, [gang('a', 3), gang('b', 4)])).toEqual([3, 4, 0]) // 3 are beyond the 2
    expect(starts({ assignMultiple: true }, 8, [gang('a', 6), tasks('b', 1, 1)])).toEqual([6, 1, 0]) // 6 of 8 are more than half
    expect(starts({}, 5, [gang('a', 3), gang('b', 4), tasks('c', 1, 2)])).toEqual([3, 1, 1]) // b has no room beside a
  })

  it('have no limit without heartbeats, whether there are several nodes or one', () => {
    const passes = (count: number) => {
      const master = dispatcher({ cluster: instantCluster({ nodes: [{ name: 'n', count, resources: { mem: 10, cpu: 100 } }] }), policy: yarnAssign(greedy(yarnFair()), {}) })
      master.submit(tasks('a', 1, 7), 0)
      return master.pass(0).start.length
    }
    expect([2, 1].map(passes)).toEqual([7, 7])
  })

  it('have no limit in a round about many nodes', () => {
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 2, resources: { mem: 4 } }] }), policy: yarnAssign(greedy(yarnFair()), {}) })
    master.submit(job({ id: 'a', demand: { mem: 1 }, tasks: 100 }), 0)
    expect(master.pass(0).start).toHaveLength(8)
  })
})

describe('the load balancer', () => {
  const slots = (count: number, tasksWanted: number, loadBalancer: boolean) => {
    const master = dispatcher({ cluster: cluster({ nodes: [{ name: 'n', count, slots: { map: 4 } }] }), policy: yarnAssign(greedy(fifo()), { loadBalancer, assignMultiple: true, dynamicMaxAssign: false }) })
    master.submit(job({ tasks: tasksWanted }), 0)
    return Array.from({ length: count }, (_, i) => master.heartbeat(`n-${i}`, 0).start.length)
  }

  it('gives a node no more than its part: of 6 tasks on 3 nodes of 4 slots, ceil(4 x 6/12) = 2 each', () => {
    expect(slots(3, 6, true)).toEqual([2, 2, 2])
    expect(slots(3, 6, false)).toEqual([4, 2, 0])
  })

  it('rounds up, and never holds a slot back where there is work for all', () => {
    expect(slots(3, 7, true)).toEqual([3, 3, 1]) // ceil(4 x 7/12) = 3
    expect(slots(3, 12, true)).toEqual([4, 4, 4])
    expect(slots(3, 100, true)).toEqual([4, 4, 4])
  })

  it('counts what runs, and lets a node take more when its tasks have ended', () => {
    const master = dispatcher({ cluster: cluster({ nodes: [{ name: 'n', count: 2, slots: { map: 4 } }] }), policy: yarnAssign(greedy(fifo()), { loadBalancer: true, assignMultiple: true, dynamicMaxAssign: false }) })
    master.submit(job({ tasks: 6 }), 0)
    const first = master.heartbeat('n-0', 0).start // ceil(4 x 6/8) = 3
    expect([first.length, master.heartbeat('n-0', 1).start.length]).toEqual([3, 0])
    for (const each of first.slice(0, 2)) master.taskEnded(each, 2)
    expect(master.heartbeat('n-0', 2).start).toHaveLength(1) // 4 are left: ceil(4 x 4/8) = 2, of which one runs
  })

  it('says that it counts slots and not resources', () => {
    const warnings: string[] = []
    dispatcher({ cluster: machine(4), policy: yarnAssign(greedy(yarnFair()), { loadBalancer: true }), warn: (text) => warnings.push(text) })
    expect(warnings).toEqual(['the load balancer has no effect: it counts slots, and nodes here have resources'])
  })
})

describe('the laws of policies', () => {
  // one start per heartbeat needs heartbeats: elsewhere a round about one node may be the last
  const laws: LawOptions = { runs: 10, worlds: { heartbeats: true } }
  it.each<[string, YarnAssignOptions]>([['one start', {}], ['half', { assignMultiple: true }], ['two', { assignMultiple: true, dynamicMaxAssign: false, maxAssign: 2 }], ['balanced', { assignMultiple: true, dynamicMaxAssign: false, loadBalancer: true }]])('hold for yarn-assign: %s', { tags: 'long' }, (_, options) => {
    expect(checkPolicyLaws(() => yarnAssign(greedy(yarnFair(), firstNode()), options), laws).launches).toBeGreaterThan(80)
  })
})
