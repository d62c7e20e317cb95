import type { JobSpec, Plug, Round } from '@sched/core'
import { conservative, easy, fair, fattened, fifo, greedy, multifactor, replan, sjf, slurmLimits, slurmPreempting, strict, type SlurmLimitsOptions } from '@sched/policies'
import { checkPolicyLaws } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { startsOf } from './backfilling/machine.js'
import { machine, procs } from './slurm-limits-machine.js'

describe('under limits', () => {
  const job = (id: string, estimate: number): JobSpec => ({ id, submit: 0, queue: 'main', estimate, stages: [{ name: 'job', tasks: 1, demand: { procs: 1 }, duration: 10 }] })
  const policies = { strict: strict(fifo()), easy: easy(), 'easy 2': easy(fifo(), { reservations: 2 }), conservative: conservative(), fattened: fattened(), replan: replan(), 'two passes': replan(fifo(), { twoPass: true }), greedy: greedy(fifo()), sjf: easy(sjf()), fair: greedy(fair()), multifactor: replan(multifactor({ PriorityWeightAge: 10 })) }

  it.each(Object.entries(policies))('%s protects nobody who may not start', (_, policy) => {
    const { come, end } = machine({ qos: { normal: { MaxJobsPerUser: 1 } } }, { policy })
    // ann_2 asks for the whole machine and would have it reserved at 100 s; but it may not start before ann_1 has ended at 1000
    const jobs = [procs('ann_1', 1, { estimate: 1000 }), procs('bob_1', 4), procs('ann_2', 8, { estimate: 4000 }), procs('cid_1', 2, { estimate: 3000 })]
    expect(come(0, ...jobs).sort()).toEqual(['ann_1', 'bob_1', 'cid_1'])
    expect(end(60, 'bob_1', 'cid_1')).toEqual([])
    expect(end(120, 'ann_1')).toEqual(['ann_2'])
  })

  it.each(Object.entries(policies).filter(([name]) => name !== 'fair'))('%s obeys the laws of policies', { tags: 'long' }, (_, policy) => {
    checkPolicyLaws(() => slurmLimits(policy, { qos: { normal: { MaxJobsPerUser: 1, GrpJobs: 2 } } }), { runs: 6 })
  })

  it('that preempt others, a run ends with the jobs that limits never let start', () => {
    const limited = slurmLimits(greedy(fifo()), { partitions: { main: { MaxTime: 1 } } })
    const specs = [job('short', 60), job('long', 61)]
    for (const policy of [limited, slurmPreempting(limited, { tiers: { main: 2, other: 3 } })]) expect([...startsOf(specs, [2], policy)]).toEqual([['short', 0]])
  })

  it('starts at the end of the period in which running jobs have so much less left, though nothing else happens then', () => {
    const wide = (id: string, submit: number, tasks: number, estimate: number): JobSpec => ({ id, submit, queue: 'main', estimate, stages: [{ name: 'job', tasks, gang: true, demand: { procs: 1 }, duration: estimate }] })
    const limited = (period: number) => slurmLimits(replan(), { qos: { normal: { GrpTRESRunMins: 'cpu=40' } }, calcPeriod: period })
    // 2400 processor seconds are left to the first at 0; with 600 more 10 x (240 - t) must be at most 1800
    const starts = (period: number) => [...startsOf([wide('long', 0, 10, 240), wide('short', 5, 10, 60)], [40], limited(period))]
    expect([starts(1), starts(25), starts(60), starts(70)]).toEqual([60, 75, 60, 70].map((at) => [['long', 0], ['short', at]]))
  })

  it('whose priorities change as time passes, a run ends with the jobs that limits never let start, too', () => {
    const limited = slurmLimits(replan(multifactor({ age: 10, calcPeriod: 60 })), { partitions: { main: { MaxTime: 1 } } })
    const passes: number[] = []
    const counted: Plug<'policy'> = { ...limited, create: (env) => {
      const made = limited.create(env)
      const schedule = made.schedule.bind(made)
      return Object.assign(made, { schedule: (round: Round) => (passes.push(round.now), schedule(round)) })
    } }
    expect([...startsOf([job('short', 60), job('long', 61)], [2], counted)]).toEqual([['short', 0]])
    expect(passes).toEqual([0, 10, 60, 60]) // the third was asked for when the short one waited; in the last the policy says why the long one does
  })

  it('a gang that is preempted waits for all that it asks, and keeps nobody back', () => {
    // at 10 high_1 takes the place of low_1, and low_2 starts, too; then low_1 comes back task by task: 3 + 1 + 2 <= 9, but it asks 6
    const { come, end } = machine({ qos: { normal: { GrpTRES: 'cpu=9' } } }, { policy: slurmPreempting(strict(fifo()), { tiers: { high: 2 } }) })
    expect(come(0, procs('low_1', 2, { tasks: 3, gang: true, queue: 'low' }))).toEqual(['low_1'])
    expect(come(10, procs('high_1', 3, { queue: 'high' }), procs('low_2', 1, { queue: 'low' }))).toEqual(['high_1', 'low_2'])
    expect(come(20, procs('low_3', 1, { queue: 'low' }))).toEqual(['low_3'])
    expect(end(30, 'high_1')).toEqual(['low_1'])
  })

  it('jobs that preempt one another obey the laws of policies', { tags: 'long' }, () => {
    const limits: SlurmLimitsOptions = { qos: { normal: { MaxJobsPerUser: 1, GrpJobs: 3 } } }
    checkPolicyLaws(() => slurmLimits(slurmPreempting(greedy(fair()), { tiers: { a: 2, b: 3 } }), limits), { runs: 6 })
    checkPolicyLaws(() => slurmPreempting(slurmLimits(greedy(fifo()), limits), { tiers: { a: 2, b: 3 } }), { runs: 6 })
  })
})
