import { randomStream } from '@sched/core'
import { negotiator } from '@sched/policies'
import { firstDifference, instantCluster, job, run, type Recorder } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { naiveNegotiator } from './reference/condor.js'

/** A random queue on so many nodes that a cycle looks for many jobs, and so sorts its nodes: where it first runs otherwise than by plain loops. */
function played(seed: number) {
  const random = randomStream(seed, 'offers')
  const draw = (from: number, to: number) => from + Math.floor(random() * (to - from + 1))
  const oneOf = <T>(of: readonly T[]) => of[draw(0, of.length - 1)] as T
  const options = {
    NEGOTIATOR_INTERVAL: 20, NEGOTIATOR_CYCLE_DELAY: 5, CLAIM_WORKLIFE: oneOf([0, 30]), CONSUMPTION_POLICY: random() < 0.5, CLAIM_PARTITIONABLE_LEFTOVERS: random() < 0.5,
    ...(random() < 0.3 && { NEGOTIATOR_PRE_JOB_RANK: { Rank: 0, Unclaimed: 10, free: oneOf([{ cpu: 1 }, { cpu: -1, mem: 2 }]) } }),
    ...(random() < 0.3 && { NEGOTIATOR_CONSIDER_PREEMPTION: false }),
  }
  const nodes = Array.from({ length: draw(4, 8) }, () => ({ count: draw(5, 15), resources: { cpu: draw(2, 8), mem: draw(2, 8) }, speed: oneOf([1, 1, 2]) }))
  const jobs = Array.from({ length: draw(60, 160) }, (_, i) => job({
    id: `j${i}`, submit: oneOf([0, 0, 0, draw(1, 60)]), user: `u${draw(0, 5)}`, demand: { cpu: draw(1, 4), mem: draw(0, 4) }, tasks: oneOf([1, 1, 2, 3]), duration: draw(3, 60), priority: draw(0, 2),
  })).sort((a, b) => a.submit - b.submit)
  const [found, expected] = [negotiator(options), naiveNegotiator(options)].map((policy) => run({ cluster: instantCluster({ nodes }), jobs, infeasible: 'reject', policy }).recorder) as [Recorder, Recorder]
  return firstDifference(found, expected, 'the reference')
}

describe('nodes on offer in a cycle', () => {
  it('are matched in the order in which a plain loop finds them, also where there are many', { timeout: 120_000, tags: 'long' }, () => {
    const wrong = Array.from({ length: 60 }, (_, seed) => ({ seed, difference: played(seed) })).filter(({ difference }) => difference !== undefined)
    expect(wrong).toEqual([])
  })
})
