import type { JobSpec, StageSpec } from '@sched/core'
import { easy, fifo, greedy, slurmLimits, type SlurmLimitsOptions } from '@sched/policies'
import { checkPolicyLaws } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { startsOf } from './backfilling/machine.js'

// Jobs that are one gang of several stages, as Slurm's heterogeneous jobs are read.

const part = (procs: number, change: Partial<StageSpec> = {}): StageSpec => ({ name: `${procs}`, tasks: 1, gang: true, demand: { procs }, duration: 10, ...change })
const het = (id: string, stages: readonly StageSpec[], submit = 0): JobSpec => ({ id, submit, user: 'ann', queue: 'main', estimate: 10, gang: stages.length > 1, stages })
const starts = (options: SlurmLimitsOptions, jobs: readonly JobSpec[]) => Object.fromEntries(startsOf(jobs, [16], slurmLimits(easy(), options)))

describe('limits of jobs of several parts', () => {
  it('of what several jobs hold count all parts together', () => {
    const jobs = [het('a', [part(2)]), het('b', [part(1), part(2, { tasks: 2 })], 1), het('c', [part(2), part(2)], 2)]
    for (const options of [{ qos: { normal: { GrpTRES: 'cpu=6' } } }, { accounts: { root: { GrpTRES: 'cpu=6' } } }, { qos: { normal: { MaxTRESPerUser: 'cpu=6' } } }])
      expect(starts(options, jobs)).toEqual({ a: 0, c: 2, b: 12 }) // 2 + 5 > 6, 2 + 4 = 6; b waits for c as well
    expect(starts({ qos: { normal: { GrpTRES: 'cpu=7' } } }, jobs)).toEqual({ a: 0, b: 1, c: 11 })
  })

  it('of single jobs hold for each part, as in Slurm, where it is a job', () => {
    const jobs = [het('a', [part(3), part(4)]), het('b', [part(3), part(5)]), het('c', [part(1), part(4)])]
    expect(starts({ qos: { normal: { MaxTRESPerJob: 'cpu=4', MinTRESPerJob: 'cpu=2' } } }, jobs)).toEqual({ a: 0 })
  })

  it('of numbers of jobs count one', () => {
    expect(starts({ qos: { normal: { GrpJobs: 1 } } }, [het('a', [part(1), part(1)]), het('b', [part(1), part(2)])])).toEqual({ a: 0, b: 10 })
  })

  it('of bills count what each part costs, rounded down by itself', () => {
    // parts of 3 processors at 0.5 cost 1 each: 2, and with b's 2 more than 3
    const options = (billing: string): SlurmLimitsOptions => ({ billing: { procs: 0.5 }, qos: { normal: { GrpTRES: `billing=${billing}` } } })
    const jobs = [het('a', [part(3), part(3)]), het('b', [part(3), part(2)])]
    expect(starts(options('3'), jobs)).toEqual({ a: 0, b: 10 })
    expect(starts(options('4'), jobs)).toEqual({ a: 0, b: 0 })
    expect(starts(options('2'), [het('a', [part(3, { tasks: 2 }), part(2)])])).toEqual({}) // 3 and 1
    expect(starts(options('4'), [het('a', [part(3, { tasks: 2 }), part(2)])])).toEqual({ a: 0 })
  })

  it('give back what parts held as they end, and count what comes after the tasks that must start together', () => {
    const early = [het('a', [part(4), part(2, { duration: 4 })]), het('b', [part(2)])]
    expect(starts({ qos: { normal: { GrpTRES: 'cpu=6' } } }, early)).toEqual({ a: 0, b: 4 })
    const more = [het('a', [part(1), part(2, { tasks: 3, minTasks: 1 })]), het('b', [part(1)])]
    expect(starts({ qos: { normal: { GrpTRES: 'cpu=5' } } }, more)).toEqual({ a: 0, b: 10 }) // 1 + 2 and then 2 more: the third and b wait
  })

  it('stop and start them whole in every small world', { tags: 'long' }, () => {
    const policy = () => slurmLimits(greedy(fifo()), { qos: { normal: { GrpTRES: 'cpu=6', MaxJobsPerUser: 2 } } })
    const report = checkPolicyLaws(policy, { runs: 60, seed: 4, worlds: { gangJobs: true, slots: false }, skip: { completion: 'limits keep some waiting for ever' } })
    expect(report.launches).toBeGreaterThan(100)
  })
})
