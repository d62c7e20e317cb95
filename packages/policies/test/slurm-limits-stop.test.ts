import type { JobSpec } from '@sched/core'
import { conservative, easy, fattened, fifo, greedy, replan, slurmLimits, slurmPreempting, strict, type SlurmLimitsOptions } from '@sched/policies'
import { checkPolicyLaws } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { startsOf } from './backfilling/machine.js'
import { machine, procs } from './slurm-limits-machine.js'

const limits = (stop: boolean, options: SlurmLimitsOptions): SlurmLimitsOptions => ({ ...options, assocLimitStop: stop })

describe('with assoc_limit_stop', () => {
  it('a job over a limit of amounts keeps those behind it from starting at events, one over a number of jobs does not', () => {
    // 8 processors, plans at multiples of 100,000 s: at 10 bob_1 (4) would make it 8 of 6, cid_1 (1) only 5
    const atEvents = (options: SlurmLimitsOptions, ...jobs: Parameters<typeof procs>[]) => {
      const { come } = machine(options, { policy: replan(fifo(), { twoPass: true, bf_interval: 100_000 }) })
      come(0, procs('ann_1', 4))
      return come(10, ...jobs.map((each) => procs(...each)))
    }
    const ofAll = { qos: { normal: { GrpTRES: 'cpu=6' } } }
    expect(atEvents(limits(false, ofAll), ['bob_1', 4], ['cid_1', 1])).toEqual(['cid_1'])
    expect(atEvents(limits(true, ofAll), ['bob_1', 4], ['cid_1', 1])).toEqual([])
    const ofUsers = { accounts: { root: { MaxJobs: 1 } } }
    for (const stop of [false, true]) expect(atEvents(limits(stop, ofUsers), ['ann_2', 1], ['cid_1', 1])).toEqual(['cid_1'])
  })

  it('a job over any limit has a reservation, from 500 s on where there is room now', () => {
    // ann_1 (4) runs until 1000; ann_2 (4) may not run beside it and is reserved from 480 s (500 rounded down) on: cid_1 (4) must end by then
    for (const ofAnn of [{ qos: { normal: { MaxTRESPerUser: 'cpu=4' } } }, { accounts: { root: { MaxJobs: 1 } } }]) {
      const startNow = (stop: boolean, estimate: number) => {
        const { come } = machine(limits(stop, ofAnn), { policy: replan() })
        return come(0, procs('ann_1', 4, { estimate: 1000 }), procs('ann_2', 4, { estimate: 1000 }), procs('cid_1', 4, { estimate }))
      }
      expect(startNow(true, 480)).toEqual(['ann_1', 'cid_1'])
      expect(startNow(true, 481)).toEqual(['ann_1']) // 9 minutes
      expect(startNow(false, 481)).toEqual(['ann_1', 'cid_1'])
    }
  })

  it('and starts when the limit has room', () => {
    const { come, end } = machine(limits(true, { accounts: { root: { MaxJobs: 1 } } }), { policy: replan() })
    expect(come(0, procs('ann_1', 4), procs('ann_2', 4))).toEqual(['ann_1'])
    expect(end(50, 'ann_1')).toEqual(['ann_2'])
  })

  it('a limit of a whole QOS keeps all of it from starting in the plan, and no other', () => {
    // 4 of 5 processors are used by the QOS; high_2 (4) is over, high_3 (1) would be within it; low_1 (1) is of another one
    const startNow = (stop: boolean) => {
      const { come } = machine(limits(stop, { qos: { high: { GrpTRES: 'cpu=5' } } }), { policy: replan() })
      const high = { qos: 'high' }
      return come(0, procs('high_1', 4, high), procs('high_2', 4, high), procs('high_3', 1, high), procs('low_1', 1))
    }
    expect(startNow(false)).toEqual(['high_1', 'high_3', 'low_1'])
    expect(startNow(true)).toEqual(['high_1', 'low_1'])
  })

  it('with named nodes, too: the reservation takes the nodes', () => {
    // 2 nodes of 8; ann_1 has one to 1000 s, ann_2 gets the other from 480 s on, and cid_1 has to end before
    const startNow = (stop: boolean, estimate: number) => {
      const { come } = machine(limits(stop, { accounts: { root: { MaxJobs: 1 } } }), { nodes: 2, policy: replan(fifo(), { nodes: 'named' }) })
      return come(0, procs('ann_1', 8, { estimate: 1000 }), procs('ann_2', 8, { estimate: 1000 }), procs('cid_1', 8, { estimate }))
    }
    expect([startNow(true, 420), startNow(true, 540), startNow(false, 540)]).toEqual([['ann_1', 'cid_1'], ['ann_1'], ['ann_1', 'cid_1']])
  })

  it('jobs over limits of partitions, or short of licences, keep nobody back', () => {
    const { come } = machine(limits(true, { partitions: { main: { MaxTime: 5 } }, licenses: { fluent: 1 }, qos: { normal: { MaxJobsPerUser: 9 } } }), { policy: replan() })
    const fluent = { licenses: { fluent: 1 } }
    expect(come(0, procs('ann_1', 8, { estimate: 1000 }), procs('ann_2', 4, fluent), procs('ann_3', 4, fluent), procs('cid_1', 4))).toEqual(['ann_2', 'cid_1'])
  })

  it('preempt nobody', () => {
    const { come } = machine(limits(true, { qos: { normal: { MaxTRESPerUser: 'cpu=4' } } }), { policy: slurmPreempting(replan(), { tiers: { high: 2 } }) })
    come(0, procs('low_1', 4, { queue: 'low' }), procs('ann_1', 4, { queue: 'high' }))
    expect(come(10, procs('ann_2', 4, { queue: 'high' }))).toEqual([])
  })

  it('a run ends with the jobs that limits never let start', () => {
    const job = (id: string, estimate: number): JobSpec => ({ id, submit: 0, queue: 'main', estimate, stages: [{ name: 'job', tasks: 1, demand: { procs: 1 }, duration: 10 }] })
    for (const twoPass of [false, true])
      expect([...startsOf([job('long', 61), job('short', 60)], [2], slurmLimits(replan(fifo(), { twoPass }), limits(true, { qos: { normal: { MaxWall: 1 } } })))]).toEqual([['short', 0]])
  })

  const policies = { strict: strict(fifo()), easy: easy(), conservative: conservative(), fattened: fattened(), replan: replan(), 'two passes': replan(fifo(), { twoPass: true }), greedy: greedy(fifo()) }
  it.each(Object.entries(policies))('%s obeys the laws of policies', { tags: 'long' }, (_, policy) => {
    checkPolicyLaws(() => slurmLimits(policy, limits(true, { qos: { normal: { MaxJobsPerUser: 1, GrpJobs: 2 } } })), { runs: 6 })
  })
})
