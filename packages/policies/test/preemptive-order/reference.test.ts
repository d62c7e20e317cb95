import { las, srtf } from '@sched/policies'
import { instantCluster, job, run } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { playPool, type Piece, type PoolJob, type Rule } from './reference.js'

const GPUS = 8

/** Jobs of 1, 2, 4 or 8 GPUs and whole seconds: with such rates, and whole factors of promotion, every time is a sum of halves, quarters and eighths, and so exact. */
const pools = (least: number, most: number) => fc.array(
  fc.record({
    submit: fc.integer({ min: 0, max: 60 }), size: fc.constantFrom(1, 1, 2, 2, 4, 8), duration: fc.integer({ min: 1, max: 40 }),
    estimate: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined, freq: 8 }),
  }),
  { minLength: least, maxLength: most },
).map((all) => all.toSorted((a, b) => a.submit - b.submit).map(({ estimate, ...each }, i): PoolJob => ({ id: `job${i}`, ...each, ...(estimate !== undefined && { estimate }) })))

const thresholds = fc.uniqueArray(fc.integer({ min: 1, max: 120 }), { minLength: 1, maxLength: 3 }).map((all) => all.toSorted((a, b) => a - b))
const lasRules = fc.record({ kind: fc.constant('las' as const), bySize: fc.boolean(), queues: thresholds, promote: fc.constantFrom(0, 0, 1, 2, 3) })
const srtfRules = fc.record({ kind: fc.constant('srtf' as const), bySize: fc.boolean(), checkpoints: fc.boolean() })

const byTime = (pieces: readonly Piece[]) => pieces.map(({ id, from, to }) => `${id} ${from}-${to}`).sort()

/** Gangs of tasks of one GPU on as many nodes of one, or jobs of one task on one node. */
function simulated(jobs: readonly PoolJob[], rule: Rule, isGang: boolean): string[] {
  const resource = rule.bySize ? { resource: 'gpu' } : {}
  const { recorder } = run({
    cluster: instantCluster({ nodes: [isGang ? { count: GPUS, resources: { gpu: 1 } } : { count: 1, resources: { gpu: GPUS } }] }),
    checkpoint: { whenPreempted: true },
    policy: rule.kind === 'las' ? las({ ...resource, queues: [...rule.queues], promote: rule.promote }) : srtf({ ...resource, checkpoints: rule.checkpoints }),
    jobs: jobs.map(({ size, ...each }) => job({ ...each, ...(isGang ? { tasks: size, gang: size > 1, demand: { gpu: 1 } } : { demand: { gpu: size } }) })),
  })
  // of a gang the first task stands for all
  return byTime(recorder.ends.filter(({ task }) => task === 0).map(({ job: id, started, stopped }) => ({ id, from: started, to: stopped })))
}

describe.each([['las', lasRules], ['srtf', srtfRules]] as const)('%s on one pool', { tags: 'long' }, (_, rules) => {
  it('runs every job when an obvious implementation does', () => {
    let preempted = 0
    fc.assert(
      fc.property(pools(2, 12), rules as fc.Arbitrary<Rule>, fc.boolean(), (jobs, rule, isGang) => {
        const expected = playPool(GPUS, jobs, rule)
        preempted += expected.length - jobs.length
        expect(simulated(jobs, rule, isGang)).toEqual(byTime(expected))
      }),
      { seed: 19, numRuns: 1000 },
    )
    expect(preempted).toBeGreaterThan(500)
  })

  it('does so where many wait, of whom few change their places', () => {
    fc.assert(
      fc.property(pools(80, 100), rules as fc.Arbitrary<Rule>, fc.boolean(), (jobs, rule, isGang) => {
        expect(simulated(jobs, rule, isGang)).toEqual(byTime(playPool(GPUS, jobs, rule)))
      }),
      { seed: 20, numRuns: 20 },
    )
  })
})
