import { dispatcher } from '@sched/cluster'
import type { Observer } from '@sched/core'
import { conservative, easy, fifo, greedy, replan, slurmLimits, strict } from '@sched/policies'
import { instantCluster, job, modelOf, type JobChange } from '@sched/testkit'
import { simulate } from '@sched/sim'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { queuePasses, workloadOf } from './backfilling/machine.js'
import { machine } from './slurm-limits-machine.js'

const named = replan(fifo(), { nodes: 'named' })
const qos = { few: { GrpTRES: 'node=2' }, free: {} }
/** A job of the QOS `few` or another, with processors. */
const few = (id: string, procs: number, change: JobChange = {}): JobChange => ({ id, qos: 'few', demand: { procs }, ...change })
const free = (id: string, procs: number, change: JobChange = {}): JobChange => few(id, procs, { qos: 'free', ...change })

describe('limits on nodes of jobs that share them (_get_unique_job_node_cnt of Slurm)', () => {
  it('count each node once, whoever of the group is there, and hold nobody else back', () => {
    // nodes of 8: a_1 has 5 on each of two; b_1 and c_1 go beside it, d_1 would need the third, which e_1 gets
    const { come, end } = machine({ qos }, { nodes: 3, policy: named })
    expect(come(0, few('a_1', 5, { tasks: 2, gang: true }))).toEqual(['a_1'])
    expect(come(1, few('b_1', 3), few('c_1', 3), few('d_1', 3), free('e_1', 3))).toEqual(['b_1', 'c_1', 'e_1'])
    expect(end(2, 'b_1')).toEqual(['d_1'])
  })

  it('count those of users and accounts in a QOS and of associations, too, and beside whole nodes', () => {
    const held = { demand: { procs: 1, nodes: 1 } }
    for (const options of [{ qos: { few: { MaxTRESPerUser: 'node=2' } } }, { qos: { few: { MaxTRESPerAccount: 'node=2' } } }, { accounts: { root: { GrpTRES: 'node=2' } } }]) {
      const { come } = machine(options, { nodes: 4, policy: named })
      expect(come(0, few('x_1', 8), few('x_2', 1, held), few('x_3', 8), few('x_4', 1, held))).toEqual(['x_1', 'x_2'])
    }
  })

  it('choose nodes that the group holds before others that fit better', () => {
    const { come } = machine({ qos: { few: { GrpTRES: 'node=1' } } }, { nodes: 2, policy: named })
    come(0, free('a_1', 6), few('b_1', 4))
    expect(come(1, few('c_1', 2))).toEqual(['c_1']) // the node with 2 left is not that of b_1
  })

  it('hold back who finds no nodes as well, by the number that he asks for, so that he stops nobody at events', () => {
    // without plans: c_1 has no room, and where it would have, it would be on a second node
    const starts = (most: number) => {
      const { come } = machine({ qos: { few: { GrpTRES: `node=${most}` } } }, { nodes: 2, policy: replan(fifo(), { nodes: 'named', twoPass: true, bf_interval: -1 }) })
      return come(0, few('a_1', 8), free('b_1', 6), few('c_1', 4), free('d_1', 2))
    }
    expect([starts(1), starts(2)]).toEqual([['a_1', 'b_1', 'd_1'], ['a_1', 'b_1']])
  })

  it('leave no reservation to who would have too many nodes later (adding reservation blocked by acct_policy_job_runnable_post_select)', () => {
    // c_1 could have both nodes from 100 s on; d_1 would run into that
    const starts = (most: number) => {
      const { come } = machine({ qos: { few: { GrpTRES: `node=${most}` } } }, { nodes: 2, policy: named })
      return come(0, few('a_1', 6), free('b_1', 6), few('c_1', 4, { tasks: 4, gang: true }), free('d_1', 2, { estimate: 1000 }))
    }
    expect([starts(2), starts(3)]).toEqual([['a_1', 'b_1', 'd_1'], ['a_1', 'b_1']])
  })

  it('are told as the reason', () => {
    const specs = (['a_1', 'b_1'] as const).map((id, i) => ({ id, submit: i, user: 'a', queue: 'main', qos: 'few', estimate: 100, stages: [{ name: 's', tasks: 1, demand: { procs: 8 }, duration: 100 }] }))
    const told = new Set<string | undefined>()
    const watch: Observer = { onDefer: (_job, _lane, _reason, _now, limit) => void told.add(limit) }
    simulate({
      cluster: modelOf({ nodes: [{ count: 2, resources: { procs: 8, nodes: 1 } }] }), workload: workloadOf(specs), policy: slurmLimits(named, { qos: { few: { GrpTRES: 'node=1' } } }), architecture: queuePasses.plug({}),
      runtime: { localityFactors: [1], jitter: 0 }, observers: [watch], validate: true,
    })
    expect([...told]).toContain('QOSGrpNodeLimit of QOS few')
  })

  const step = fc.record({
    come: fc.array(fc.record({ qos: fc.constantFrom('few', 'few', 'free'), procs: fc.integer({ min: 1, max: 5 }), tasks: fc.integer({ min: 1, max: 3 }), minNodes: fc.integer({ min: 1, max: 2 }) }), { maxLength: 3 }),
    end: fc.nat({ max: 9 }),
  })

  it.each([['strict', strict(fifo())], ['greedy', greedy(fifo())], ['easy', easy(fifo())], ['conservative', conservative(fifo())], ['replan', named], ['replan with counted nodes', replan(fifo())]])('are kept under %s', { tags: 'long' }, (_, policy) => {
    let full = 0
    fc.assert(fc.property(fc.array(step, { minLength: 5, maxLength: 25 }), (steps) => {
      const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 4, resources: { procs: 8, nodes: 1 } }] }), policy: slurmLimits(policy, { qos }) })
      const running = new Map<string, ReturnType<typeof master.pass>['start'][number][]>()
      for (const [now, { come, end }] of steps.entries()) {
        for (const [i, { qos: of, procs, tasks, minNodes }] of come.entries())
          master.submit(job({ id: `${of}_${now}_${i}`, user: 'x', queue: 'main', estimate: 40, qos: of, demand: { procs }, tasks, gang: tasks > 1, minNodes: Math.min(tasks, minNodes) }), now)
        const ending = [...running.keys()][end]
        for (const place of running.get(ending ?? '') ?? []) master.taskEnded(place, now)
        running.delete(ending ?? '')
        for (const place of master.pass(now).start) running.set(place.job, [...(running.get(place.job) ?? []), place])
        const held = new Set([...running].flatMap(([id, places]) => (id.startsWith('few') ? places.map(({ node }) => node) : [])))
        expect(held.size).toBeLessThanOrEqual(2)
        full += Number(held.size === 2)
      }
    }), { numRuns: 60, seed: 5 })
    expect(full).toBeGreaterThan(100)
  })
})
