import { dispatcher, type Dispatcher } from '@sched/cluster'
import type { JobSpec, NodeId } from '@sched/core'
import { fifo, greedy, skipDelay, yarnAssign, yarnFair, yarnReserving, type YarnFairOptions, type YarnReservingOptions } from '@sched/policies'
import { checkPolicyLaws, cluster, job, type LawOptions } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { firstNode } from '../first-node.js'

// Cases after the reservations of TestFairScheduler of Hadoop 3, with numbers of our own.

const of = (id: string, mem: number, tasks = 100, cpu = 1): JobSpec => job({ id, queue: id, demand: { mem, cpu }, tasks })
/** Nodes of 4 with a small task on every unit of memory, and the policy at hand. */
function full(nodes: number, options: YarnReservingOptions | undefined, fair: YarnFairOptions = {}) {
  const policy = greedy(yarnFair(fair))
  const master = dispatcher({ cluster: cluster({ nodes: [{ name: 'n', count: nodes, resources: { mem: 4, cpu: 4 } }] }), policy: options === undefined ? policy : yarnReserving(policy, options) })
  master.submit(of('small', 1), 0)
  const running = Array.from({ length: nodes }, (_, i) => [...master.heartbeat(`n-${i}`, 0).start])
  /** Ends some small tasks of a node, which then reports: what starts. */
  const free = (node: number, count: number, now: number) => {
    for (const each of running[node]?.splice(0, count) ?? []) master.taskEnded(each, now)
    return beat(master, node, now)
  }
  return { master, free }
}
const beat = (master: Dispatcher, node: number, now: number) => master.heartbeat(`n-${node}`, now).start.map((each) => each.job).join(' ')

describe('a reservation', () => {
  it('keeps a node for a large task until there is room for it, where otherwise small ones take each place (testSimpleContainerReservation)', () => {
    const seen = (options: YarnReservingOptions | undefined) => {
      const { master, free } = full(1, options)
      master.submit(of('big', 3, 1), 1)
      return [1, 2, 3, 4].map((now) => free(0, 1, now))
    }
    expect(seen(undefined)).toEqual(['small', 'small', 'small', 'small'])
    expect(seen({})).toEqual(['', '', 'big', 'small'])
  })

  it('is made for tasks of at least the threshold: by memory under fair, by the larger part under drf (testReservationThresholdGatesReservations)', () => {
    const drf: YarnFairOptions = { root: { policy: 'drf' }, defaults: { policy: 'drf' } }
    const starts = (threshold: Record<string, number>, fair?: YarnFairOptions) => {
      const { master, free } = full(1, { threshold }, fair)
      master.submit(of('big', 1, 1, 3), 1) // 1 of 4 memory, 3 of 4 cores
      return free(0, 1, 1)
    }
    expect(starts({ mem: 2 })).toBe('small')
    expect(starts({ mem: 1 })).toBe('')
    expect(starts({ mem: 2, cpu: 2 }, drf)).toBe('')
    expect(starts({ mem: 4, cpu: 2 }, drf)).toBe('small')
  })

  it('is made only for jobs below their fair share', () => {
    const { master, free } = full(1, {})
    master.submit(of('big', 3, 2), 1)
    expect([free(0, 1, 1), free(0, 2, 2)]).toEqual(['', 'big']) // of 4, each queue's share is 2: big now has 3
    expect(free(0, 1, 3)).toBe('small')
  })

  it('is one per node: the first in order has it (testMultipleContainersWaitingForReservation)', () => {
    const { master, free } = full(1, {})
    for (const id of ['big1', 'big2']) master.submit(of(id, 3, 1), 1)
    expect([free(0, 1, 1), free(0, 2, 2)]).toEqual(['', 'big1'])
  })

  it('is made on a part of the nodes by each job, rounded up, and ends where the job has no task left (testOffSwitchAppReservationThreshold)', () => {
    const { master, free } = full(3, { reservableNodes: 0.5 })
    master.submit(of('big', 3, 1), 1)
    expect([free(0, 1, 1), free(1, 1, 1), free(2, 1, 1)]).toEqual(['', '', 'small']) // ceil(3 x 0.5) = 2
    expect(free(1, 2, 2)).toBe('big')
    expect(beat(master, 0, 3)).toBe('small') // at once, in the same heartbeat
  })

  it('is made on a part of the nodes that are up', () => {
    const { master, free } = full(3, { reservableNodes: 0.5 })
    master.nodeDown('n-2')
    master.submit(of('big', 3, 1), 1)
    expect([free(0, 1, 1), free(1, 1, 1)]).toEqual(['', 'small']) // 2 x 0.5 = 1
  })

  it('is given up where the queue has no room left below its maximum (testContainerReservationNotExceedingQueueMax)', () => {
    const { master, free } = full(2, {}, { root: { queues: { big: { maxResources: { mem: 4 } } } } })
    master.submit(of('big', 3, 1), 1)
    expect(free(0, 1, 1)).toBe('')
    master.submit(job({ id: 'other', queue: 'big', demand: { mem: 2, cpu: 1 }, tasks: 1 }), 2)
    expect(free(1, 2, 2)).toBe('other') // 2, and 3 more would be above 4
    expect(beat(master, 0, 3)).toBe('small')
  })

  it('is never made for a task that the node could not hold, or by a limit of 0, or where many nodes are in sight', () => {
    const { master, free } = full(1, { reservableNodes: 0 })
    master.submit(of('big', 3, 1), 1)
    expect(free(0, 1, 1)).toBe('small')
    const mixed = dispatcher({ cluster: cluster({ nodes: [{ name: 's', count: 1, resources: { mem: 2, cpu: 4 } }, { name: 'l', count: 1, resources: { mem: 4, cpu: 4 } }] }), policy: yarnReserving(greedy(yarnFair())) })
    mixed.submit(of('small', 1), 0)
    mixed.submit(of('big', 3, 2), 0)
    expect(mixed.heartbeat('s-0', 0).start.map((each) => each.job)).toEqual(['small', 'small'])
  })

  it('is of no node that goes away: the job reserves another (FairScheduler.removeNode)', () => {
    const seen = (goes: boolean) => {
      const { master, free } = full(2, {}) // one node for each job
      master.submit(of('big', 3, 1), 1)
      expect(free(0, 1, 1)).toBe('') // reserved
      if (goes) {
        master.cell.setUp(0 as NodeId, false)
        master.policy.onNode?.(0 as NodeId, false)
      }
      return [2, 3, 4].map((now) => free(1, 1, now))
    }
    expect([seen(false), seen(true)]).toEqual([['small', 'small', 'small'], ['', '', 'big']])
  })

  it('waits for data where the policy inside does', () => {
    const where = (onlyNear: boolean) => {
      const nodes = cluster({ nodes: [{ name: 'n', count: 2, resources: { mem: 4, cpu: 4 } }] })
      const master = dispatcher({ cluster: nodes, policy: yarnReserving(skipDelay(yarnFair(), { skips: 5 }), { onlyNear }) })
      master.submit(of('small', 1), 0)
      const running = ['n-0', 'n-1'].map((node) => master.heartbeat(node, 0).start)
      const { stages } = of('big', 3, 1)
      master.submit({ id: 'big', queue: 'big', submit: 1, stages: stages.map((stage) => ({ ...stage, data: { hosts: [['n-1']] } })) }, 1)
      for (const [first] of running) if (first !== undefined) master.taskEnded(first, 1)
      return [beat(master, 0, 1), beat(master, 1, 1)]
    }
    expect(where(true)).toEqual(['small', ''])
    expect(where(false)).toEqual(['', ''])
  })

  it('says that it has no effect over another order', () => {
    const warnings: string[] = []
    dispatcher({ cluster: cluster({ nodes: [{ count: 1, resources: { mem: 1 } }] }), policy: yarnReserving(greedy(fifo())), warn: (text) => warnings.push(text) })
    expect(warnings).toEqual(["reservations by YARN's rules have no effect: the order under them is not yarn-fair"])
    expect(() => full(1, { threshold: { memory: 1 } })).toThrow('the cluster has no resource "memory"')
  })
})

describe('the laws of policies', () => {
  const laws: LawOptions = { runs: 12, worlds: { heartbeats: true } }
  it('hold for yarn-reserving around yarn-assign', () => {
    expect(checkPolicyLaws(() => yarnReserving(yarnAssign(greedy(yarnFair(), firstNode()), { assignMultiple: true }), { reservableNodes: 1 }), laws).launches).toBeGreaterThan(80)
  })
})
