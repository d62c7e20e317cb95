import type { Plug } from '@sched/core'
import { conservative, easy, fattened, strict } from '@sched/policies'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { simulated } from './machine.js'
import { conservative as referenceConservative } from './reference/conservative.js'
import { easy as referenceEasy, fattened as referenceFattened, fcfs } from './reference/disciplines.js'
import { worldOfParts } from './parts.js'
import { schedule, type Pass, type RigidJob } from './reference/machine.js'

/** Few distinct values, so that ties, equal estimates, zero-length jobs and jobs as wide as the machine are frequent. */
const world = ({ overrun, resources }: { overrun: boolean; resources: number }) =>
  fc.integer({ min: 1, max: 8 }).chain((slots) =>
    fc.record({
      capacity: fc.constant(Array.from({ length: resources }, () => slots)),
      jobs: fc.array(
        fc
          .record({
            submit: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 12 })),
            runtime: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 9 })),
            more: fc.oneof(fc.constant(0), fc.integer({ min: overrun ? -4 : 0, max: 6 })),
            size: fc.array(fc.oneof(fc.constant(slots), fc.integer({ min: resources === 1 ? 1 : 0, max: slots })), { minLength: resources, maxLength: resources }).filter((size) => size.some((amount) => amount > 0)),
          })
          .map(({ submit, runtime, more, size }): RigidJob => ({ submit, runtime, estimate: Math.max(0, runtime + more), size })),
        { minLength: 1, maxLength: 12 },
      ),
    }),
  )

/** In the order of their submission, as a workload has them. */
const sorted = (jobs: readonly RigidJob[]) => [...jobs].sort((a, b) => a.submit - b.submit)

/** `conservative` plans estimates below 1 s as 1 s. */
const atLeastASecond = (job: RigidJob): RigidJob => ({ ...job, estimate: Math.max(1, job.estimate) })

const pairs: Record<string, () => { policy: Plug<'policy'>; reference: () => Pass; seen?: (job: RigidJob) => RigidJob }> = {
  FCFS: () => ({ policy: strict(), reference: () => fcfs }),
  EASY: () => ({ policy: easy(), reference: () => referenceEasy() }),
  conservative: () => ({ policy: conservative(), reference: () => referenceConservative(), seen: atLeastASecond }),
  fattened: () => ({ policy: fattened(), reference: () => referenceFattened({ delayReference: 'firstShadow', delayingBackfillsPerHead: Infinity }) }),
  'fattened as its authors': () => ({
    policy: fattened(undefined, { delayReference: 'currentShadow', delayingBackfillsPerHead: 1 }),
    reference: () => referenceFattened({ delayReference: 'currentShadow', delayingBackfillsPerHead: 1 }),
  }),
}

describe('on random small worlds, job by job', () => {
  for (const [name, make] of Object.entries(pairs)) {
    const agrees = (kind: { overrun: boolean; resources: number }, numRuns: number, worlds: (kind: { overrun: boolean; resources: number }) => ReturnType<typeof world> = world) => {
      fc.assert(
        fc.property(worlds(kind), ({ capacity, jobs }) => {
          const { policy, reference, seen = (job) => job } = make()
          const queue = sorted(jobs)
          expect(simulated(queue, capacity, policy)).toEqual(schedule(queue.map(seen), capacity, reference()))
        }),
        { seed: 20_240_117, numRuns },
      )
    }
    it(`${name} starts as its second-by-second reference does`, () => agrees({ overrun: false, resources: 1 }, 3000))
    it(`${name} does so with two resources`, { tags: 'long' }, () => agrees({ overrun: false, resources: 2 }, 600))
    it(`${name} does so when jobs outlive their estimates`, { tags: 'long' }, () => agrees({ overrun: true, resources: 1 }, 600))
    it(`${name} does so when jobs have parts that start together and end one by one`, { tags: 'long' }, () => agrees({ overrun: false, resources: 1 }, 2000, worldOfParts))
    it(`${name} does so when such parts ask several resources, and outlive their estimates`, { tags: 'long' }, () => agrees({ overrun: true, resources: 2 }, 1500, worldOfParts))
  }
})

it('conservative moves a job into a gap just as long as the job, however the times are rounded', () => {
  const job = (size: number, estimate: number, runtime = estimate): RigidJob => ({ submit: 34, runtime, estimate, size: [size] })
  // the second ends at once, and 37.3 - 34 is less than 3.3 by rounding
  expect(simulated([job(1, 3.3), job(1, 3.3, 0), job(2, 10), job(1, 3.3)], [2], conservative())).toEqual([34, 34, 37.3, 34])
})

it('conservative sees that a job outlives its estimate at a start of a plan that has been changed since', () => {
  // at 1 s two are planned from 7 to 11 s, and at 2 s moved to 2 to 6; at 7 s the last one runs still, so that it ends early at 10 s, when the wide one moves to it from 11 s
  const jobs: RigidJob[] = [{ submit: 0, runtime: 2, estimate: 7, size: [7] }, { submit: 0, runtime: 4, estimate: 4, size: [1] }, { submit: 0, runtime: 2, estimate: 2, size: [7] }, { submit: 1, runtime: 8, estimate: 4, size: [1] }]
  expect(schedule(jobs, [7], referenceConservative())).toEqual([0, 2, 10, 2])
  expect(simulated(jobs, [7], conservative())).toEqual([0, 2, 10, 2])
})
