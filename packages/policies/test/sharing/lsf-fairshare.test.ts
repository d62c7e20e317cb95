import type { JobSpec } from '@sched/core'
import { greedy, lsfFairshare, strict, type LsfFairshareOptions } from '@sched/policies'
import { checkPolicyLaws, firstDifference, instantCluster, job, run, worlds } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstNode } from '../first-node.js'
import { naiveGreedy } from '../reference/disciplines.js'
import { naiveLsfFairshare } from '../reference/lsf-fairshare.js'
import { recorded } from '../reference/recorded.js'

const HOUR = 3600
const whole = (id: string, submit: number, hours: number, change: Partial<JobSpec> = {}) => job({ id, submit: submit * HOUR, tasks: 1, demand: { slots: 8 }, duration: hours * HOUR, user: id.charAt(0), ...change })
const slot = (id: string, submit: number, hours: number, change: Partial<JobSpec> = {}) => ({ ...whole(id, submit, hours, change), stages: [{ name: 's', tasks: 1, demand: { slots: 1 }, duration: hours * HOUR }] })
const order = (options: LsfFairshareOptions, jobs: readonly JobSpec[], slots = 8) =>
  run({ policy: strict(lsfFairshare(options)), jobs, cluster: instantCluster({ nodes: [{ count: 1, resources: { slots } }] }) }).recorder.launches.map((launch) => launch.job).join(' ')
const only = (factor: string, more: LsfFairshareOptions = {}): LsfFairshareOptions => ({ CPU_TIME_FACTOR: 0, RUN_TIME_FACTOR: 0, RUN_JOB_FACTOR: 0, [factor]: 1, ...more })

describe('lsf-fairshare', () => {
  it('divides slots by shares, one and the slots in use over them, ties by name', () => {
    // a 1/2 and b 1; 2/2 and 1, by name; 3/2 and 1; 3/2 and 2; 4/2 and 2, by name; 5/2 and 2
    const jobs = ['a', 'b'].flatMap((user) => Array.from({ length: 6 }, (_, i) => slot(`${user}${i}`, 0, 1)))
    expect(order(only('RUN_JOB_FACTOR', { shares: { a: 2 } }), jobs, 6)).toMatch(/^a0 a1 b0 a2 a3 b1 /)
  })

  it('takes most shares first where all factors are 0', () => {
    const jobs = [whole('x', 0, 1), whole('a', 0, 1), whole('b', 0, 1), whole('c', 0, 1)]
    expect(order(only('RUN_JOB_FACTOR', { RUN_JOB_FACTOR: 0, shares: { b: 3, c: 2, x: 9 } }), jobs)).toBe('x b c a')
  })

  it('lets use decay to a tenth in HIST_HOURS', () => {
    // a holds the machine from 0 to 1 and b for 15 minutes from 1.25 on: at 6.25 of a an hour is left as a tenth (in 5.25 h less), of b a quarter of it in 4.75 h
    const jobs = [whole('a1', 0, 1), whole('b1', 1.25, 0.25), whole('x', 1.5, 5), whole('a2', 2, 1), whole('b2', 2, 1)]
    expect(order(only('CPU_TIME_FACTOR'), jobs)).toBe('a1 b1 x b2 a2')
    // with half an hour to a tenth the hour of a is all but forgotten when that of b is not
    expect(order(only('CPU_TIME_FACTOR', { HIST_HOURS: 0.25 }), jobs)).toBe('a1 b1 x a2 b2')
    expect(order(only('CPU_TIME_FACTOR', { HIST_HOURS: 0 }), jobs)).toBe('a1 b1 x b2 a2')
  })

  it('counts the run time of what runs, and with ENABLE_HIST_RUN_TIME that of what has ended', () => {
    // at 1 the slot of b has run for 1 h, and a, who had all others, has nothing left that runs
    const jobs = [slot('b1', 0, 9), ...Array.from({ length: 7 }, (_, i) => slot(`a${i}`, 0, 1)), slot('x1', 0.5, 1), slot('b2', 0.5, 1), slot('a8', 0.5, 1)]
    expect(order(only('RUN_TIME_FACTOR', { ties: ['b', 'a'] }), jobs)).toMatch(/ a8 x1 b2$/)
    expect(order(only('RUN_TIME_FACTOR', { ENABLE_HIST_RUN_TIME: true }), jobs)).toMatch(/ x1 b2 a8$/)
  })

  it('counts what running jobs may still run with COMMITTED_RUN_TIME_FACTOR, at least nothing', () => {
    // at 1 the job of b may run for 8 h more, and that of a, which outlives its estimate, for none
    const jobs = [slot('b1', 0, 9, { estimate: 9 * HOUR }), slot('a1', 0, 9, { estimate: HOUR / 2 }), ...Array.from({ length: 6 }, (_, i) => slot(`x${i}`, 0, 1)), slot('b2', 0.5, 1), slot('a2', 0.5, 1)]
    expect(order(only('COMMITTED_RUN_TIME_FACTOR', { ties: ['b', 'a'] }), jobs)).toMatch(/ a2 b2$/)
    expect(order({ RUN_TIME_FACTOR: 0, CPU_TIME_FACTOR: 0, ties: ['b', 'a'] }, jobs)).toMatch(/ b2 a2$/)
  })

  it('decides as sums over all that has run do', () => {
    const some = (...names: string[]) => fc.record(Object.fromEntries(names.map((name) => [name, fc.constantFrom(0.5, 2, 3)])), { requiredKeys: [] })
    const factors = {
      CPU_TIME_FACTOR: fc.constantFrom(0, 0.7, 900), RUN_TIME_FACTOR: fc.constantFrom(0, 0.7, 500), RUN_JOB_FACTOR: fc.constantFrom(0, 3), COMMITTED_RUN_TIME_FACTOR: fc.constantFrom(0, 300),
      HIST_HOURS: fc.constantFrom(0, 0.001, 0.01), ENABLE_HIST_RUN_TIME: fc.boolean(), default: fc.constantFrom(1, 2),
    }
    const options = fc.oneof(
      fc.record({ by: fc.constant('user' as const), shares: some('user', 'ann', 'bob'), ...factors }),
      fc.record({ by: fc.constant('queue' as const), shares: some('a', 'b', 'c', 'c/x'), ...factors }),
    ).map((each) => JSON.parse(JSON.stringify(each)) as LsfFairshareOptions)
    let launches = 0
    fc.assert(
      fc.property(worlds({ jobs: 10 }), options, (world, chosen) => {
        const recorder = recorded(world, greedy(lsfFairshare(chosen), firstNode()))
        launches += recorder.launches.length
        expect(firstDifference(recorder, recorded(world, naiveGreedy(naiveLsfFairshare(chosen))), 'the reference')).toBeUndefined()
      }),
      { seed: 7, numRuns: 150 },
    )
    expect(launches).toBeGreaterThan(1000)
  })

  it('obeys the laws of policies', { tags: 'long' }, () => {
    for (const by of ['user', 'queue'] as const)
      expect(checkPolicyLaws(() => greedy(lsfFairshare({ by, HIST_HOURS: 0.01 }), firstNode()), { runs: 80, seed: 3, worlds: { gangs: true, outages: true, failures: true } }).launches).toBeGreaterThan(300)
  })
})
