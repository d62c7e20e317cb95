import { dispatcher } from '@sched/cluster'
import type { JobSpec } from '@sched/core'
import { drf, greedy, type DrfOptions } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

// Lin, Qian, Luan, survey of cluster resource scheduling, section 2 and fact 5; after Ghodsi et al., NSDI 2011.

type Amounts = Readonly<Record<string, number>>

/** One machine of so much; each user has one endless job. Who starts what, in order, until nothing fits. */
function fill(resources: Amounts, demands: Readonly<Record<string, Amounts>>, options: DrfOptions = {}) {
  const jobs: JobSpec[] = Object.entries(demands).map(([user, demand]) => job({ id: user, user, demand, tasks: 200 }))
  const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources }] }), policy: greedy(drf(options)) })
  for (const each of jobs) master.submit(each, 0)
  const order = master.pass(0).start.map(({ job }) => job)
  const tasks = Object.fromEntries(Object.keys(demands).map((user) => [user, order.filter((each) => each === user).length]))
  const used = Object.fromEntries(
    Object.keys(resources).map((name) => [name, Object.entries(demands).reduce((sum, [user, demand]) => sum + (tasks[user] ?? 0) * (demand[name] ?? 0), 0)]),
  )
  return { order: order.join(''), tasks, used }
}

describe('drf on 9 CPU and 18 GB, A asking <1, 4> and B <3, 1>', () => {
  const machine = { cpu: 9, mem: 18 }
  const users = { A: { cpu: 1, mem: 4 }, B: { cpu: 3, mem: 1 } }

  it('gives 3 and 2 tasks: both have 2/3 of what they need most', () => {
    // A: 3 * 4/18 = 2/3 of memory; B: 2 * 3/9 = 2/3 of CPU
    expect(fill(machine, users)).toEqual({ order: 'ABABA', tasks: { A: 3, B: 2 }, used: { cpu: 9, mem: 14 } })
  })

  it('starts with A or B as ties go', () => {
    // shares after each task, ties to B: B 1/3; A 2/9; A 4/9; B 2/3; A 2/3
    expect(fill(machine, users, { ties: ['B', 'A'] }).order).toBe('BAABA')
    expect(fill(machine, users, { ties: ['B'] }).order).toBe('BAABA')
    expect(fill(machine, { B: users.B, A: users.A }).order).toBe('ABABA') // by name, whoever is declared first
    expect(fill(machine, { B: users.B, A: users.A }, { ties: 'submission' }).order).toBe('BAABA')
  })

  it('gives 4 and 1 tasks when A weighs twice as much', () => {
    // s/w: A 1/9, B 1/3, A 2/9, A 3/9, A 4/9 (17 GB); B's next does not fit by then, as A's
    expect(fill(machine, users, { weights: { A: 2 } })).toMatchObject({ tasks: { A: 4, B: 1 }, used: { cpu: 7, mem: 17 } })
  })

  it('weighs each resource on its own', () => {
    // memory counts half for A: shares 4/36, 8/36, ...: as with weight 2, since memory is all that counts for A
    expect(fill(machine, users, { weights: { A: { mem: 2 } } }).tasks).toEqual({ A: 4, B: 1 })
    expect(fill(machine, users, { weights: { A: { cpu: 2 } } }).tasks).toEqual({ A: 3, B: 2 })
  })
})

describe('drf elsewhere', () => {
  it.each<[string, Amounts, Readonly<Record<string, Amounts>>, Record<string, number>]>([
    // 2 * 6 + 8 = 20 of the first, 6 + 2 * 8 = 22 of the second; A at 12/20, B at 16/30; another B asks a 21st
    ['(20, 30), <2, 1> and <1, 2>', { cpu: 20, mem: 30 }, { A: { cpu: 2, mem: 1 }, B: { cpu: 1, mem: 2 } }, { A: 6, B: 8 }],
    // 40/100, 4 * 20/200, 4 * 10/100: all at 0.4
    ['(100, 200), <1, 1>, <1, 4> and <4, 1>', { cpu: 100, mem: 200 }, { A: { cpu: 1, mem: 1 }, B: { cpu: 1, mem: 4 }, C: { cpu: 4, mem: 1 } }, { A: 40, B: 20, C: 10 }],
    // max-min: A 5, B 4, C 3 of 12
    ['12 of one resource, sizes 1, 2 and 3', { mem: 12 }, { A: { mem: 1 }, B: { mem: 2 }, C: { mem: 3 } }, { A: 5, B: 2, C: 1 }],
  ])('divides %s', (_, machine, demands, tasks) => {
    expect(fill(machine, demands).tasks).toEqual(tasks)
  })

  it('stops at the first that does not fit when strict', () => {
    // twelfths, A/B/C: 1/2/3 after ABC, A 2, A 3 (2 = 2, by name), B 4, A 4 (3 = 3): C, the poorest at 3, asks 3 of the 1 left
    const sizes = { A: { mem: 1 }, B: { mem: 2 }, C: { mem: 3 } }
    expect(fill({ mem: 12 }, sizes)).toMatchObject({ order: 'ABCAABAA' })
    expect(fill({ mem: 12 }, sizes, { blocked: 'strict' })).toMatchObject({ order: 'ABCAABA' })
  })
})
